/*
 * Requests for an upstream server over HTTP, as structs and as messages: UPSTREAM, which keeps a worker for one server,
 * and ASK, one call of that server.
 *
 * UPSTREAM goes to the executor.  ASK goes over a channel of its own straight to the worker, so that each call has its
 * own flow control and its own end, and the executor sees nothing of what is asked.
 */
#ifndef KH_WIRE_UPSTREAM_H
#define KH_WIRE_UPSTREAM_H

#include "wire/request.h"

#define KH_UPSTREAM_SECRETS      8
#define KH_UPSTREAM_SECRET       4096                /* bytes of a secret */
#define KH_UPSTREAM_IDLE         (10 * 60 * 1000ULL) /* if a request does not say */
#define KH_UPSTREAM_IDLE_MOST    (24 * 3600 * 1000ULL)
#define KH_UPSTREAM_MESSAGE      (16ULL << 20)
#define KH_UPSTREAM_MESSAGE_MOST (16ULL << 20)
#define KH_UPSTREAM_A_SECOND     1000
#define KH_UPSTREAM_SECOND_MOST  100000
#define KH_UPSTREAM_PATH         2048
#define KH_UPSTREAM_BODY         KH_REQUEST_BODY

/* Text is borrowed, as in request.h. */
struct kh_upstream {
	struct kh_view url;
	struct kh_view header[KH_REQUEST_HEADERS]; /* "Name: value", sent with every call */
	size_t headers;
	struct kh_view secret[KH_UPSTREAM_SECRETS]; /* see kh_upstream_secret() */
	size_t secrets;
	struct kh_view host[KH_REQUEST_HOSTS]; /* as for a fetch */
	size_t hosts;
	bool plain;
	struct kh_view authority;
	uint64_t idle_ms;  /* without a call; then the worker ends */
	uint64_t message;  /* bytes of the longest message of the server */
	uint64_t a_second; /* messages of the server that are read in a second */
};

struct kh_upstream_ask {
	enum kh_method method;
	struct kh_view path; /* behind the upstream's URL: begins with / or ?, or is empty */
	struct kh_view header[KH_REQUEST_HEADERS];
	size_t headers;
	uint64_t wall_ms; /* 0: as long as the parent keeps the channel open */
	uint64_t output;  /* bytes of all messages together; 0: any number */
};

/* Writes the message UPSTREAM or ASK.  KH_ELIMIT if it does not fit. */
enum kh_err kh_upstream_write(const struct kh_upstream *upstream, char *buffer, struct kh_view *ret_packet,
			      struct kh_error *err) KH_CHECKED;
enum kh_err kh_upstream_write_ask(const struct kh_upstream_ask *ask, char *buffer, struct kh_view *ret_packet,
				  struct kh_error *err) KH_CHECKED;

/*
 * Takes MESSAGE (UPSTREAM, ASK) apart and fills in what it leaves out.  KH_EINPUT, code `bad_request` and a detail, if it
 * is well-formed but not valid: a header that a request may not set, or that is a secret too; a secret that is no name
 * with an absolute path; a limit past the most; an unknown method; a path that leads elsewhere.
 */
enum kh_err kh_upstream_read(const struct kh_message *message, struct kh_upstream *ret_upstream,
			     struct kh_error *err) KH_CHECKED;
enum kh_err kh_upstream_read_ask(const struct kh_message *message, struct kh_upstream_ask *ret_ask,
				 struct kh_error *err) KH_CHECKED;

/*
 * Takes "Name=/absolute/path" apart: a header whose value is in that file; or "Name=Bearer /absolute/path": the value is
 * the word, the blank, and what is in the file.  *RET_SCHEME is the word with its blank, or empty.  False if it is none.
 */
bool kh_upstream_secret(struct kh_view text, struct kh_view *ret_name, struct kh_view *ret_scheme,
			struct kh_view *ret_path);

#endif
