/*
 * Ends what waits or streams for a token that is no longer valid (gateway/validity.h).  A request that waits is answered
 * with 401; a stream ends.  The work is one of the server's own pool, because that is stopped with the server.
 */
#ifndef KH_HTTP_DISMISS_H
#define KH_HTTP_DISMISS_H

#include "http/request.h"

struct kh_http_dismiss {
	struct kh_work work; /* first */
	struct kh_http_frame *frame;
	uint64_t epoch;
};

/* Starts the work.  False: no memory, or the pool stops. */
bool kh_http_dismiss_start(struct kh_http_dismiss *dismiss, struct kh_http_frame *frame) KH_CHECKED;

#endif
