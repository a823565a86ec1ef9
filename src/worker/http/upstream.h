/*
 * The worker that speaks HTTP with one upstream server, as long as that is called: its loop over the executor's channel,
 * the channels of its calls, and the connections.
 *
 * It has no network of its own.  When a call needs a connection, and none can be used again, it asks the executor (DIAL),
 * which resolves the name and judges the address anew.  It ends when nobody has called for a while.
 */
#ifndef KH_WORKER_HTTP_UPSTREAM_H
#define KH_WORKER_HTTP_UPSTREAM_H

#include "worker/http/call.h"

#define KH_UPSTREAM_CALLS 64 /* at once */

/* The whole life of the worker, for `keyhole worker upstream`.  Returns the exit status. */
int kh_worker_http_upstream(int channel);

#endif
