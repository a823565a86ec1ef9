/* What all requests and streams of a server share: its works, its watch, its counters. */
#ifndef KH_HTTP_FRAME_H
#define KH_HTTP_FRAME_H

#include "gateway/gateway.h"
#include "http/watch.h"

#include <stdatomic.h>

/* Reference-counted, because a stream may outlive its server. */
struct kh_http_frame {
	const struct kh_alloc *alloc;
	atomic_uint refs;
	struct kh_gateway *gateway;
	struct kh_works
		*apart; /* for routes that must be answered even if all threads of the gateway wait for the store */
	struct kh_http_watch *watch;
	unsigned waits_most;      /* requests that may wait or stream at once */
	atomic_uint waits;        /* requests that do now */
	atomic_uint streams;      /* streams among them */
	atomic_bool stopping;     /* answers close their connections; streams end */
	atomic_ullong answers[6]; /* by the first digit of the status */
	atomic_ullong refused_host, refused_origin, refused_token;
};

/* NULL: no memory. */
struct kh_http_frame *kh_http_frame_new(const struct kh_alloc *alloc);
void kh_http_frame_hold(struct kh_http_frame *frame);
void kh_http_frame_drop(struct kh_http_frame *frame); /* NULL is fine */

#endif
