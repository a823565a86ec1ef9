/*
 * One HTTP exchange by libcurl over a socket that is already connected: no name lookup, no connect, no file, no
 * redirect here.
 *
 * The server is hostile: everything is bounded while it streams (header bytes, raw bytes and decoded bytes separately),
 * and memory use is constant.  Text of the server goes into a head or the output and nowhere else.
 */
#ifndef KH_WORKER_HTTP_TRANSFER_H
#define KH_WORKER_HTTP_TRANSFER_H

#include "base/error.h"
#include "wire/fault.h"
#include "wire/request.h"

struct kh_transfer_job {
	int socket; /* owned and closed by the exchange */
	struct kh_view url;
	enum kh_method method;
	struct kh_view header[KH_REQUEST_HEADERS];
	size_t headers;
	struct kh_view body;        /* of a POST */
	struct kh_view authorities; /* PEM: only these certificates are trusted */
	uint64_t output;            /* the most bytes of the body, both raw and decoded */
	int64_t wall_ms;            /* how long it may take */
};

/*
 * Receives the response.  If a function returns another value than KH_FAULT_NONE, the exchange stops with that fault.
 */
struct kh_transfer_sink {
	void *ctx;
	/* Once: status and header lines of the final response, and the target of a redirect, or empty. */
	enum kh_fault (*head)(void *ctx, unsigned status, struct kh_view headers, struct kh_view location);
	/* Then the decoded body, at most KH_MESSAGE_BULK bytes at a time. */
	enum kh_fault (*output)(void *ctx, struct kh_view bytes);
};

struct kh_transfer;

/* Loads everything that an exchange needs, so that no file is opened after this. */
enum kh_err kh_transfer_new(const struct kh_alloc *alloc, struct kh_transfer **ret_http,
			    struct kh_error *err) KH_CHECKED;
void kh_transfer_free(struct kh_transfer *http);

/* Prepares to trust AUTHORITIES, which must live as long: a job that names the same has them at once.  False if there is
 * no memory. */
bool kh_transfer_trust(struct kh_transfer *http, struct kh_view authorities) KH_CHECKED;

/* Carries out JOB.  Returns its fault, and a (static) sentence of our own on it. */
enum kh_fault kh_transfer_run(struct kh_transfer *http, const struct kh_transfer_job *job,
			      const struct kh_transfer_sink *sink, const char **ret_detail);

#endif
