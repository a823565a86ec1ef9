/* Answers: status, headers, body.  The security headers for browsers are added to every answer, only here. */
#ifndef KH_HTTP_REPLY_H
#define KH_HTTP_REPLY_H

#include "http/request.h"

struct kh_http_header {
	const char *name;
	struct kh_view value;
};

/* Sends the whole answer.  BODY is copied.  Every answer has security headers for browsers (nosniff, no-store, no
 * framing, a CSP that allows nothing). */
void kh_http_reply(struct kh_http_request *r, unsigned status, const char *type, struct kh_view body,
		   const struct kh_http_header *headers, size_t header_count);

/*
 * Answers with an error as {"error":{"code","detail","member"?}} and its status (error.c): 400 bad input, 401
 * unauthorised, 403 forbidden or refused, 404 unknown, 409 already decided and the like, 413 too large, 429 rate, 503
 * the store cannot, 500 our own fault.
 */
void kh_http_reply_error(struct kh_http_request *r, enum kh_err e, const struct kh_error *err);

/* Answers R with a stream of server-sent events, which the caller must drop; the headers are sent at once.  NULL: no
 * memory, or R has been answered. */
struct kh_http_stream *kh_http_reply_stream(struct kh_http_request *r, const struct kh_http_header *headers,
					    size_t header_count);

#endif
