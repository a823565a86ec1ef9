/* The worker that speaks HTTP.  See worker.h. */
#ifndef KH_EXEC_WORKER_HTTP_H
#define KH_EXEC_WORKER_HTTP_H

/* One TRANSFER over the connected socket that comes with it (and a CA file's descriptor where it has two); HEAD, OUTPUT
 * and DONE. */
int kh_worker_http(int channel);

#endif
