/*
 * Routes: which handler a method and a target belong to; segments and parameters, percent-decoded.  Pure.
 *
 * A target is read strictly: what is not a path of RFC 3986, a broken escape, and an escape that stands for a slash, a
 * control character or half a character are errors, so that no two readers of it can disagree.
 */
#ifndef KH_HTTP_ROUTE_H
#define KH_HTTP_ROUTE_H

#include "base/error.h"
#include "http/server.h"

#define KH_HTTP_ROUTE_SEGMENTS   12
#define KH_HTTP_ROUTE_PARAMETERS 32

/* A request's target, taken apart.  All views are in the text that it was read from. */
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

/* Whether the segments of TARGET are those of the pattern PATH. */
bool kh_http_route_matches(const char *path, const struct kh_http_target *target);

/* The segment that stands for {NAME} in PATH, which matches; p NULL: there is no such name. */
struct kh_view kh_http_route_segment(const char *path, const struct kh_http_target *target, const char *name);

/* A table of routes and what they are run with. */
struct kh_http_routes {
	const struct kh_http_route *at;
	size_t count;
	void *ctx;
};

enum kh_http_found {
	KH_HTTP_FOUND,
	KH_HTTP_NO_PATH,
	KH_HTTP_NO_METHOD, /* the path is known with others: RET_METHODS */
};

/* METHOD may be KH_HTTP_METHODS: one of which nothing is known.  RET_METHODS: a bit for each method of the path. */
enum kh_http_found kh_http_route_find(const struct kh_http_routes *tables, size_t count, enum kh_http_method method,
				      const struct kh_http_target *target, const struct kh_http_route **ret_route,
				      void **ret_ctx, unsigned *ret_methods);

/* "GET", "HEAD" (which is GET here), "POST", ...; KH_HTTP_METHODS for any other. */
enum kh_http_method kh_http_route_method(struct kh_view name);

/* "GET, HEAD, POST" of the bits METHODS, for Allow. */
#define KH_HTTP_ROUTE_ALLOW 40
void kh_http_route_allow(unsigned methods, char ret_text[KH_HTTP_ROUTE_ALLOW]);

#endif
