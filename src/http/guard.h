/*
 * Checks a request's headers before anything else is done with it.  Pure: headers in, a verdict out.
 *
 * Trusts nothing.  Guarantees, for a request that passes: every header is one that HTTP allows; Host, Authorization,
 * Origin, Content-Length and Transfer-Encoding occur at most once; there is one way to tell where the body ends; Host
 * names this server, by a loopback name or address or a configured one (so that a page whose name was pointed at this
 * machine gets nowhere: DNS rebinding); and if a web page calls, it is one of this server's own or a configured one.
 */
#ifndef KH_HTTP_GUARD_H
#define KH_HTTP_GUARD_H

#include "base/error.h"

#define KH_HTTP_GUARD_TOKEN 256 /* bytes of a bearer token */

struct kh_http_guard {
	unsigned port; /* that we listen on; 0: a Unix socket, so only names are compared */
	bool tls;
	const struct kh_view *hosts; /* "name" (with our port or none), "name:port" */
	size_t host_count;
	const struct kh_view *origins; /* "https://name:port", exactly */
	size_t origin_count;
};

struct kh_http_pair {
	struct kh_view name, value;
};

/* What the guard found in a request that it accepts. */
struct kh_http_knock {
	struct kh_view authorization; /* p NULL: none */
	struct kh_view origin;        /* a configured origin that calls, to be told that it may (CORS); p NULL: none */
	bool chunked;                 /* the length of the body is not known */
	bool has_length;
	bool encoded; /* the body is in a content coding, such as gzip */
	uint64_t length;
};

/*
 * Returns KH_OK; or an error, after which the connection must be closed: KH_EINPUT (`bad_header`, `duplicate_header`,
 * `bad_length`, `bad_host` if there is none), KH_ELIMIT (`too_large`: a length that is too large to be counted), or
 * KH_EREFUSED (`bad_host`, `bad_origin`).
 */
enum kh_err kh_http_guard_check(const struct kh_http_guard *guard, const struct kh_http_pair *headers, size_t count,
				struct kh_http_knock *ret_knock, struct kh_error *err) KH_CHECKED;

/* Reads the value of a Content-Length: digits, and no more than an int64_t holds. */
bool kh_http_guard_length(struct kh_view value, uint64_t *ret_length);

/* Returns the token of "Bearer <token>".  False for any other scheme and form. */
bool kh_http_guard_bearer(struct kh_view authorization, struct kh_view *ret_token);

/* True if VALUE, a Host header, names this server.  RET_CONFIGURED: by one of `hosts`. */
bool kh_http_guard_host(const struct kh_http_guard *guard, struct kh_view value, bool *ret_configured);

/* True if a page of ORIGIN may call a server that was addressed as HOST. */
bool kh_http_guard_origin(const struct kh_http_guard *guard, struct kh_view origin, struct kh_view host);

#endif
