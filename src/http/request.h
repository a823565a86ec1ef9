/*
 * A request, from its first line to the end of its answer.
 *
 * Two sides know it: MHD's threads, which read it and send what was answered, and the work (works.h) that its handler
 * runs in (handling.h).  Each holds it; the lock guards what both touch.  While the work has it, the connection is suspended, and it
 * is resumed exactly once, by the answer.
 */
#ifndef KH_HTTP_REQUEST_H
#define KH_HTTP_REQUEST_H

#include "http/guard.h"
#include "http/route.h"
#include "http/stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#define KH_HTTP_REQUEST_HEADERS 100               /* that a request may have */
#define KH_HTTP_REQUEST_ARENA   ((size_t)8 << 20) /* bytes of it while nothing works on it */

struct kh_http_request {
	struct kh_work work; /* first: a work is its request */
	struct kh_http_frame *frame;
	const struct kh_http_route *route;
	void *ctx;
	int fd;
	atomic_uint refs;
	atomic_bool gone;
	/* what came in; written by MHD's thread before the work begins */
	bool begun, counted;
	bool closes;       /* nothing more is read of its connection */
	char *target_text; /* decoded in place */
	size_t target_size;
	struct kh_http_target target;
	void *head; /* headers: pairs, then their text; wiped */
	size_t head_size;
	const struct kh_http_pair *headers;
	size_t header_count;
	struct kh_view token, origin;
	struct sockaddr_storage address;
	char remote[64];
	char *body;
	size_t body_n, body_room;
	bool body_over;   /* more came than the route takes */
	size_t discarded; /* of what came after that */
	/* the work's */
	struct kh_arena arena;
	void *kept;
	size_t kept_size;
	bool shed;
	/* both sides' */
	pthread_mutex_t lock;
	struct MHD_Connection *connection; /* NULL from its end on */
	struct MHD_Response *response;     /* answered, and not yet MHD's */
	unsigned status;
	uint64_t answer_size;
	bool suspended, armed, answered, working;
	struct kh_http_stream *stream;
};

/* A request whose first line was read; TARGET as it stands there.  NULL: no memory. */
struct kh_http_request *kh_http_request_new(struct kh_http_frame *frame, struct MHD_Connection *connection, int fd,
					    struct kh_view target);
void kh_http_request_hold(struct kh_http_request *r);
void kh_http_request_drop(struct kh_http_request *r);

/* Copies the headers, and wipes the token out of MHD's own memory.  KH_ELIMIT: too many. */
enum kh_err kh_http_request_take_headers(struct kh_http_request *r, struct kh_error *err) KH_CHECKED;

/* A piece of the body.  False: the connection has to be closed. */
bool kh_http_request_take_body(struct kh_http_request *r, struct kh_view piece) KH_CHECKED;

/* Gives the body back. */
void kh_http_request_free_body(struct kh_http_request *r);

/* RESPONSE, which is the request's from now on, is the answer: the connection goes on.  False: there was one. */
bool kh_http_request_answer(struct kh_http_request *r, unsigned status, struct MHD_Response *response, uint64_t size,
			    struct kh_http_stream *stream);

/* What is to be sent, NULL where there was no memory for it; false: not yet, and the connection is suspended again. */
bool kh_http_request_response(struct kh_http_request *r, struct MHD_Response **ret_response,
			      unsigned *ret_status) KH_CHECKED;

/* MHD is done with it, and does not know it any more. */
void kh_http_request_over(struct kh_http_request *r, bool well);

/* The client went away while it waited. */
void kh_http_request_left(struct kh_http_request *r);

/* --- for handlers ------------------------------------------------------------------------------------------------ */

struct kh_gateway *kh_http_request_gateway(const struct kh_http_request *r);
void *kh_http_request_ctx(const struct kh_http_request *r);
const struct kh_http_route *kh_http_request_route(const struct kh_http_request *r);
struct kh_work *kh_http_request_work(struct kh_http_request *r); /* to set wake_at and wake_chain of */
/* The client has closed its side: its work is woken once then, while it waits and while its stream is open. */
bool kh_http_request_is_gone(const struct kh_http_request *r);
struct kh_arena *kh_http_request_arena(struct kh_http_request *r); /* emptied with the answer, and by a wait where
								       kh_http_request_shed() was called */
struct kh_view
kh_http_request_token(const struct kh_http_request *r); /* of `Authorization: Bearer`; wiped at the end */
struct kh_view kh_http_request_body(const struct kh_http_request *r);
struct kh_view kh_http_request_segment(const struct kh_http_request *r, const char *name); /* "task" */
struct kh_view kh_http_request_query(struct kh_http_request *r,
				     const char *name); /* ?name=..., decoded; p NULL: none */
/* The INDEX-th parameter, as it was sent; one without `=` has an empty value.  False: there are no more. */
bool kh_http_request_query_at(struct kh_http_request *r, size_t index, struct kh_view *ret_name,
			      struct kh_view *ret_value);
struct kh_view kh_http_request_header(struct kh_http_request *r, const char *name); /* trimmed; p NULL: none */
struct kh_view kh_http_request_remote(struct kh_http_request *r);   /* "127.0.0.1", or "unix", for the record */
void *kh_http_request_kept(struct kh_http_request *r, size_t size); /* zeroed at first, the same at every step; NULL:
								       no memory */
void kh_http_request_shed(struct kh_http_request *r); /* gives the body and the arena back before a long wait */

#endif
