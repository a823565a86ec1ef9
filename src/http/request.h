/*
 * A request, from its first line to the end of its answer.
 *
 * Two sides know it: MHD's threads, which read it and send what was answered, and the work (works.h) that its handler
 * runs in.  Each holds it; the lock guards what both touch.  While the work has it, the connection is suspended, and it
 * is resumed exactly once, by the answer.
 */
#ifndef KH_HTTP_REQUEST_H
#define KH_HTTP_REQUEST_H

#include "http/guard.h"
#include "http/route.h"
#include "http/server.h"
#include "http/watch.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#define KH_HTTP_REQUEST_HEADERS 100 /* that a request may have */

/* What all requests of a server share.  Counted: a stream that somebody still holds may outlive its server. */
struct kh_http_frame {
	const struct kh_alloc *alloc;
	atomic_uint refs;
	struct kh_gateway *gateway;
	struct kh_works
		*apart; /* of routes that must be answered though all threads of the gateway wait for the store */
	struct kh_http_watch *watch;
	unsigned waits_most;      /* requests that may wait or stream at once */
	atomic_uint waits;        /* those that do */
	atomic_uint streams;      /* of them */
	atomic_bool stopping;     /* answers close their connections; streams end */
	atomic_ullong answers[6]; /* by the first digit of the status */
	atomic_ullong refused_host, refused_origin, refused_token;
};

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

/* NULL: no memory. */
struct kh_http_frame *kh_http_request_frame(const struct kh_alloc *alloc);
void kh_http_request_frame_drop(struct kh_http_frame *frame);

/* A request whose first line was read; TARGET as it stands there.  NULL: no memory. */
struct kh_http_request *kh_http_request_new(struct kh_http_frame *frame, struct MHD_Connection *connection, int fd,
					    struct kh_view target);
void kh_http_request_hold(struct kh_http_request *r);
void kh_http_request_drop(struct kh_http_request *r);

/* Copies the headers, and wipes the token out of MHD's own memory.  KH_ELIMIT: too many. */
enum kh_err kh_http_request_take_headers(struct kh_http_request *r, struct kh_error *err) KH_CHECKED;

/* A piece of the body.  False: the connection has to be closed. */
bool kh_http_request_take_body(struct kh_http_request *r, struct kh_view piece) KH_CHECKED;

/* The whole of it is here: suspends the connection and begins the work.  Or has an answer already, where it cannot. */
void kh_http_request_begin(struct kh_http_request *r);

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

/* The server stops, and waits for nobody: what has no answer gets one, a stream ends. */
void kh_http_request_stop(struct kh_http_request *r);

#endif
