/*
 * A request, from its first line to the end of its answer.
 *
 * Two sides use it: MHD's threads, which read it and send the answer, and the work (gateway/works.h) that its handler
 * runs in (handling.h).  Each holds a reference; the lock guards what both touch.  While the work has the request, the
 * connection is suspended; the answer resumes it exactly once.
 */
#ifndef KH_HTTP_REQUEST_H
#define KH_HTTP_REQUEST_H

#include "http/frame.h"
#include "http/guard.h"
#include "http/route.h"
#include "http/stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#define KH_HTTP_REQUEST_ARENA ((size_t)8 << 20) /* bytes of it while no work runs */

struct kh_http_request {
	struct kh_work work; /* first, so that a work can be cast to its request */
	struct kh_http_frame *frame;
	const struct kh_http_route *route;
	void *ctx; /* the route's */
	int fd;
	atomic_uint refs;
	atomic_bool
		gone; /* the client has closed its side: the work is woken once, if it waits or its stream is open */
	/* what came in; written by MHD's thread before the work begins */
	bool begun, counted;
	bool closes;       /* nothing more is read from its connection */
	char *target_text; /* decoded in place */
	size_t target_size;
	struct kh_http_target target;
	void *head; /* headers: pairs, then their text; wiped */
	size_t head_size;
	const struct kh_http_pair *headers;
	size_t header_count;
	struct kh_token_claim token; /* of `Authorization: Bearer` */
	uint64_t epoch;              /* of gateway/validity.h, when the token was last checked; under the lock */
	struct kh_view origin;
	struct sockaddr_storage address;
	char remote[64];
	char *body;
	size_t body_n, body_room;
	bool body_over;   /* more came than the route accepts */
	size_t discarded; /* bytes of the body that were dropped after that */
	/* used by the work */
	struct kh_arena arena; /* emptied with the answer, and by a wait if `shed` */
	void *kept;
	size_t kept_size;
	bool shed; /* set before a long wait: the body and the arena are freed */
	/* used by both sides */
	pthread_mutex_t lock;
	struct MHD_Connection *connection; /* NULL once it has ended */
	struct MHD_Response *response;     /* set by the answer, until MHD has it */
	unsigned status;
	uint64_t answer_size;
	bool suspended, armed, answered, working;
	struct kh_http_stream *stream;
};

/* Makes a request whose first line was read; TARGET is as in that line.  NULL: no memory. */
struct kh_http_request *kh_http_request_new(struct kh_http_frame *frame, struct MHD_Connection *connection, int fd,
					    struct kh_view target);
void kh_http_request_hold(struct kh_http_request *r);
void kh_http_request_drop(struct kh_http_request *r);

/* Takes a piece of the body.  False: the connection has to be closed. */
bool kh_http_request_take_body(struct kh_http_request *r, struct kh_view piece) KH_CHECKED;

/* Frees the body. */
void kh_http_request_free_body(struct kh_http_request *r);

/* Sets RESPONSE, which the request owns from now on, as the answer, and resumes the connection.  False: it had an
 * answer. */
bool kh_http_request_answer(struct kh_http_request *r, unsigned status, struct MHD_Response *response, uint64_t size,
			    struct kh_http_stream *stream);

/* Returns what is to be sent, NULL if there was no memory for it.  False: not yet, and the connection is suspended
 * again. */
bool kh_http_request_response(struct kh_http_request *r, struct MHD_Response **ret_response,
			      unsigned *ret_status) KH_CHECKED;

/* MHD has finished the request and does not know it any more. */
void kh_http_request_over(struct kh_http_request *r, bool well);

/* The client went away while it waited. */
void kh_http_request_left(struct kh_http_request *r);

/* Its token is no longer valid: its stream ends, and its work is woken as if the client were gone. */
void kh_http_request_dismiss(struct kh_http_request *r);

/* --- for handlers ------------------------------------------------------------------------------------------------ */

/* Handlers also use the members `ctx`, `route`, `token`, `arena`, `gone`, `shed`, and `work` (wake_at, wake_chain). */

struct kh_view kh_http_request_body(const struct kh_http_request *r);
struct kh_view kh_http_request_segment(const struct kh_http_request *r, const char *name); /* "task" */
struct kh_view kh_http_request_query(struct kh_http_request *r,
				     const char *name); /* ?name=..., decoded; p NULL: none */
struct kh_view kh_http_request_header(struct kh_http_request *r, const char *name); /* trimmed; p NULL: none */
struct kh_view kh_http_request_remote(struct kh_http_request *r); /* "127.0.0.1", or "unix", for the record */
/* Memory that is zeroed at first and the same at every step; NULL: no memory. */
void *kh_http_request_kept(struct kh_http_request *r, size_t size);

#endif
