/*
 * One HTTP exchange by libcurl over a socket that is connected already: nothing is looked up, connected to, opened or
 * followed here.
 *
 * What the server says is hostile: everything is bounded while it streams, header bytes, raw bytes and decoded bytes
 * apart, and memory stays flat.  Text of the server goes into a head or the output and nowhere else.
 */
#ifndef KH_WORKER_HTTP_TRANSFER_H
#define KH_WORKER_HTTP_TRANSFER_H

#include "base/error.h"
#include "wire/fault.h"
#include "wire/request.h"

struct kh_transfer_job {
	int socket; /* becomes the exchange's, which closes it */
	struct kh_view url;
	enum kh_method method;
	struct kh_view header[KH_REQUEST_HEADERS];
	size_t headers;
	struct kh_view body;        /* of a POST */
	struct kh_view authorities; /* PEM: the certificates that are trusted, and no others */
	uint64_t output;            /* the most bytes of the body, as they came and decoded */
	int64_t wall_ms;            /* how long it may take */
};

/* Who takes what comes.  Anything but KH_FAULT_NONE stops the exchange and is what it comes to. */
struct kh_transfer_sink {
	void *ctx;
	/* Once: status and lines of the response proper, and where a redirect leads, or empty. */
	enum kh_fault (*head)(void *ctx, unsigned status, struct kh_view headers, struct kh_view location);
	/* Then the decoded body, at most KH_MESSAGE_BULK bytes at a time. */
	enum kh_fault (*output)(void *ctx, struct kh_view bytes);
};

struct kh_transfer;

/* Loads all that an exchange will need: after this no file is opened. */
enum kh_err kh_transfer_new(const struct kh_alloc *alloc, struct kh_transfer **ret_http,
			    struct kh_error *err) KH_CHECKED;
void kh_transfer_free(struct kh_transfer *http);

/* Carries out JOB.  What it came to, and a sentence of our own (static) on it. */
enum kh_fault kh_transfer_run(struct kh_transfer *http, const struct kh_transfer_job *job,
			      const struct kh_transfer_sink *sink, const char **ret_detail);

#endif
