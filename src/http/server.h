/*
 * HTTP, on libmicrohttpd: connections, limits, who may knock (guard.h), and the routes.
 *
 * MHD's threads read requests, look whether their Host, Origin, method, route, token's form and length are acceptable,
 * and suspend the connection; the handler then runs as a work of the gateway (works.h).  An answer, whole or a stream,
 * wakes the connection.  No state is touched on MHD's threads, and a connection that waits costs its memory and no
 * thread.
 */
#ifndef KH_HTTP_SERVER_H
#define KH_HTTP_SERVER_H

#include "base/json.h"
#include "gateway/gateway.h"

struct kh_http;
struct kh_http_request;

enum kh_http_method { KH_HTTP_GET, KH_HTTP_POST, KH_HTTP_PUT, KH_HTTP_DELETE, KH_HTTP_METHODS };

/* Who may use a route. */
enum kh_http_access {
	KH_HTTP_OPEN,  /* nobody is asked who he is: /healthz */
	KH_HTTP_TOKEN, /* a bearer token must be there; whether it is good is for the operation to say */
};

/*
 * A route.  RUN is a step of a work on the gateway's pool: it answers with one of the functions below and returns
 * KH_WORK_DONE, or waits.  It is called again then, until it has answered; kh_http_request_kept() is its memory over
 * waits.  A stream that is open goes on after KH_WORK_DONE only by whoever else holds it (kh_http_stream_*).
 */
struct kh_http_route {
	enum kh_http_method method;
	const char *path; /* "/api/v1/tasks/{task}/blocks": a {name} is one segment, percent-decoded */
	enum kh_http_access access;
	size_t body; /* bytes of body that are taken at most; 0: none */
	enum kh_work_next (*run)(struct kh_http_request *r);
	bool waits; /* it may wait, or stream: refused (503 `busy`) where so many do that others would find no place */
	bool apart; /* its steps never block, and run on a thread that blocks for nobody else either */
};

struct kh_http_settings {
	struct kh_gateway *gateway;
	const int *listen; /* descriptors of listening sockets, the server's from now on */
	size_t listens;
	const char *tls_certificate, *tls_key; /* PEM texts; NULL: plain HTTP */
	const struct kh_view *hosts;           /* names that Host may have besides loopback's; a name, or name:port */
	size_t host_count;
	const struct kh_view
		*origins; /* origins of web pages that may call; besides those of `hosts` on their own port */
	size_t origin_count;
	unsigned connections; /* at once; 0: 10,000 */
	unsigned threads;     /* of MHD; 0: one a core */
	/* For /readyz: whether what Readers are asked through is alive.  NULL: there is nothing of the kind. */
	bool (*is_alive)(void *ctx);
	void *ctx; /* of is_alive */
	/* Microseconds that a client has for a request's headers, and for a body of no size; 0: 15 s and 30 s. */
	int64_t headers_within, body_within;
};

enum kh_err kh_http_new(const struct kh_http_settings *settings, struct kh_http **ret_http,
			struct kh_error *err) KH_CHECKED;

/* Adds routes; before kh_http_start().  A table lives as long as the server.  CTX: kh_http_request_ctx(). */
enum kh_err kh_http_add(struct kh_http *http, const struct kh_http_route *routes, size_t count, void *ctx,
			struct kh_error *err) KH_CHECKED;

enum kh_err kh_http_start(struct kh_http *http, struct kh_error *err) KH_CHECKED;

/* Accepts no more connections; those that are there may end what they do (kh_gateway_stop), then kh_http_free(). */
void kh_http_quiesce(struct kh_http *http);
void kh_http_free(struct kh_http *http);

/* --- a request, for handlers ---------------------------------------------------------------------------------------
 */

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

/* --- answers ---------------------------------------------------------------------------------------------------------
 */

struct kh_http_header {
	const char *name;
	struct kh_view value;
};

/* The whole answer.  BODY is copied.  Every answer has the headers that keep a browser in check (nosniff, no-store,
 * no framing, a CSP that allows nothing). */
void kh_http_reply(struct kh_http_request *r, unsigned status, const char *type, struct kh_view body,
		   const struct kh_http_header *headers, size_t header_count);

/* JSON; and an error as {"error":{"code","detail","member"?}} with the status that belongs to it (error.c): 400 bad
 * input, 401 unauthorised, 403 forbidden or refused, 404 unknown, 409 already decided and the like, 413 too large, 429
 * rate, 503 the store cannot, 500 our own fault. */
void kh_http_reply_json(struct kh_http_request *r, unsigned status, yyjson_mut_val *value);
void kh_http_reply_error(struct kh_http_request *r, enum kh_err e, const struct kh_error *err);

/*
 * A stream of server-sent events.  It may be written to from any thread until it is closed by either side; what is not
 * read is kept up to a limit, past which the stream ends.  Counted: whoever keeps one holds it, whoever opened it has
 * one hold to drop, and with the last of them it is closed.  The headers leave at once.
 */
struct kh_http_stream;
/* The answer of R.  NULL: no memory, or R has been answered. */
struct kh_http_stream *kh_http_stream_open(struct kh_http_request *r, const struct kh_http_header *headers,
					   size_t header_count);
struct kh_http_stream *kh_http_stream_hold(struct kh_http_stream *s);
/* One event: `id:` and `event:` where they are not empty, then `data:`, also where DATA is empty.  False: nobody reads
 * any more. */
bool kh_http_stream_event(struct kh_http_stream *s, struct kh_view id, struct kh_view event, struct kh_view data);
bool kh_http_stream_retry(struct kh_http_stream *s, unsigned milliseconds); /* `retry:` */
bool kh_http_stream_comment(struct kh_http_stream *s);                      /* ":" alone, so that it stays open */
void kh_http_stream_close(struct kh_http_stream *s);                        /* the end of the response */
bool kh_http_stream_is_gone(struct kh_http_stream *s);
size_t kh_http_stream_waits(struct kh_http_stream *s); /* bytes that were written and not yet taken */
void kh_http_stream_drop(struct kh_http_stream *s);

/* --- figures ---------------------------------------------------------------------------------------------------------
 */

struct kh_http_figures {
	uint64_t requests[6]; /* by the first digit of the status; [0]: refused before there was one */
	uint64_t refused_host, refused_origin, refused_token;
	unsigned connections;
	unsigned streams, waits;
};
struct kh_http_figures kh_http_figures(struct kh_http *http);

#endif
