/*
 * A request that was read whole is handled: its connection is suspended, and its route's handler runs as a work of the
 * gateway (works.h), step by step, until it has answered.
 */
#ifndef KH_HTTP_HANDLING_H
#define KH_HTTP_HANDLING_H

#include "http/request.h"

/* The whole of R is here: suspends the connection and begins the work.  If it cannot, R has an answer already. */
void kh_http_handling_begin(struct kh_http_request *r);

/* The server stops, and waits for nobody: what has no answer gets one, a stream ends. */
void kh_http_handling_stop(struct kh_http_request *r);

#endif
