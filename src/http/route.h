/*
 * Routes: what a handler is, and which one a method and a target belong to; segments and parameters, percent-decoded.
 * Pure.
 *
 * A target is read strictly.  It is an error if it is not a path of RFC 3986, or has a broken escape or an escape for a
 * slash, a control character or half a character, so that no two programs can read it differently.
 */
#ifndef KH_HTTP_ROUTE_H
#define KH_HTTP_ROUTE_H

#include "base/error.h"
#include "gateway/works.h"

struct kh_http_request;

enum kh_http_method { KH_HTTP_GET, KH_HTTP_POST, KH_HTTP_PUT, KH_HTTP_DELETE, KH_HTTP_METHODS };

/* Who may use a route. */
enum kh_http_access {
	KH_HTTP_OPEN,  /* no token is needed: /healthz */
	KH_HTTP_TOKEN, /* a bearer token must be there; the operation decides whether it is valid */
};

/*
 * A route.  RUN is a step of a work on the gateway's pool: it answers with a function of reply.h and returns
 * KH_WORK_DONE, or waits.  Then it is called again, until it has answered; kh_http_request_kept() is its memory over
 * waits.  After KH_WORK_DONE an open stream is written only by others that hold it (kh_http_stream_*).
 */
struct kh_http_route {
	enum kh_http_method method;
	const char *path; /* "/api/v1/tasks/{task}/blocks": a {name} is one segment, percent-decoded */
	enum kh_http_access access;
	size_t body; /* the most bytes of body that are accepted; 0: none */
	enum kh_work_next (*run)(struct kh_http_request *r);
	bool waits; /* it may wait, or stream; refused (503 `busy`) if too many requests do */
	bool apart; /* its steps never block, and run on a separate thread on which nothing blocks */
};

#define KH_HTTP_ROUTE_SEGMENTS   12
#define KH_HTTP_ROUTE_PARAMETERS 32

/* A request's target, parsed.  All views point into the text that it was read from. */
struct kh_http_target {
	struct kh_view segments[KH_HTTP_ROUTE_SEGMENTS];
	size_t segment_count;
	struct {
		struct kh_view name, value;
	} parameters[KH_HTTP_ROUTE_PARAMETERS];
	size_t parameter_count;
};

/* Reads TEXT ("/a/b%20c?x=1&y"), which is decoded in place.  KH_EINPUT `bad_target`. */
enum kh_err kh_http_route_read(char *text, size_t n, struct kh_http_target *ret_target,
			       struct kh_error *err) KH_CHECKED;

/* True if the segments of TARGET match the pattern PATH. */
bool kh_http_route_matches(const char *path, const struct kh_http_target *target);

/* Returns the segment that stands for {NAME} in PATH, which matches; p NULL: there is no such name. */
struct kh_view kh_http_route_segment(const char *path, const struct kh_http_target *target, const char *name);

/* A table of routes, and their context. */
struct kh_http_routes {
	const struct kh_http_route *at;
	size_t count;
	void *ctx;
};

enum kh_http_found {
	KH_HTTP_FOUND,
	KH_HTTP_NO_PATH,
	KH_HTTP_NO_METHOD, /* the path has other methods: RET_METHODS */
};

/* METHOD may be KH_HTTP_METHODS, for an unknown one.  RET_METHODS: a bit for each method of the path. */
enum kh_http_found kh_http_route_find(const struct kh_http_routes *tables, size_t count, enum kh_http_method method,
				      const struct kh_http_target *target, const struct kh_http_route **ret_route,
				      void **ret_ctx, unsigned *ret_methods);

/* "GET", "HEAD" (which is GET here), "POST", ...; KH_HTTP_METHODS for any other. */
enum kh_http_method kh_http_route_method(struct kh_view name);

/* "GET, HEAD, POST" of the bits METHODS, for Allow. */
#define KH_HTTP_ROUTE_ALLOW 40
void kh_http_route_allow(unsigned methods, char ret_text[KH_HTTP_ROUTE_ALLOW]);

#endif
