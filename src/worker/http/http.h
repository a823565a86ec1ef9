/* The worker that speaks HTTP.  See worker.h. */
#ifndef KH_WORKER_HTTP_HTTP_H
#define KH_WORKER_HTTP_HTTP_H

#include "worker/http/transfer.h"
#include "worker/worker.h"

/* One TRANSFER over the connected socket that comes with it (a second descriptor, if there is one, is a CA file); sends
 * HEAD, OUTPUT and DONE. */
int kh_worker_http(int channel);

/* The same after the filter: waits for the job and carries it out by HTTP, trusting AUTHORITIES (PEM) if the job brings
 * none of its own. */
int kh_worker_http_serve(struct kh_worker *worker, struct kh_transfer *http, struct kh_view authorities);

#endif
