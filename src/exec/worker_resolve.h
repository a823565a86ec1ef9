/* The worker that asks a name server.  See worker.h. */
#ifndef KH_EXEC_WORKER_RESOLVE_H
#define KH_EXEC_WORKER_RESOLVE_H

/* One LOOKUP: A and AAAA of a name, over the connected UDP or TCP socket that comes with it; ADDRESSES or DONE. */
int kh_worker_resolve(int channel);

#endif
