/* Handles a request that was read whole: its connection is suspended, and its route's handler runs as a work of the
 * gateway (gateway/works.h), step by step, until it has answered. */
#ifndef KH_HTTP_HANDLING_H
#define KH_HTTP_HANDLING_H

#include "http/request.h"

/* All of R has been read: suspends the connection and begins the work.  If it cannot, R has an answer already. */
void kh_http_handling_begin(struct kh_http_request *r);

/* The server stops and waits no longer: a request without an answer gets one, a stream ends. */
void kh_http_handling_stop(struct kh_http_request *r);

#endif
