/* Answers: status, headers, body.  Every answer gets the headers that keep a browser in check, here and nowhere else. */
#ifndef KH_HTTP_REPLY_H
#define KH_HTTP_REPLY_H

#include "http/request.h"

struct kh_http_header {
	const char *name;
	struct kh_view value;
};

/* The whole answer.  BODY is copied.  Every answer has the headers that keep a browser in check (nosniff, no-store,
 * no framing, a CSP that allows nothing). */
void kh_http_reply(struct kh_http_request *r, unsigned status, const char *type, struct kh_view body,
		   const struct kh_http_header *headers, size_t header_count);

/* An error as {"error":{"code","detail","member"?}} with the status that belongs to it (error.c): 400 bad input, 401
 * unauthorised, 403 forbidden or refused, 404 unknown, 409 already decided and the like, 413 too large, 429 rate, 503 the
 * store cannot, 500 our own fault. */
void kh_http_reply_error(struct kh_http_request *r, enum kh_err e, const struct kh_error *err);

/* A stream of server-sent events as the answer of R, the caller's to drop; the headers leave at once.  NULL: no memory, or
 * R has been answered. */
struct kh_http_stream *kh_http_reply_stream(struct kh_http_request *r, const struct kh_http_header *headers,
					    size_t header_count);

#endif
