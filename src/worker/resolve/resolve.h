/* The worker that asks a name server.  See worker.h. */
#ifndef KH_WORKER_RESOLVE_RESOLVE_H
#define KH_WORKER_RESOLVE_RESOLVE_H

#include "worker/worker.h"

/* One LOOKUP: A and AAAA of a name, over the connected UDP or TCP socket that comes with it; ADDRESSES or DONE. */
int kh_worker_resolve(int channel);

/* The same after the filter: waits for the job and carries it out with HOSTS, the text of the hosts file. */
int kh_worker_resolve_serve(struct kh_worker *worker, struct kh_view hosts);

#endif
