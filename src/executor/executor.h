/* The executor process, `keyhole executor`: its control channel is descriptor 3.  See docs/reference/PROCESSES.md. */
#ifndef KH_EXECUTOR_EXECUTOR_H
#define KH_EXECUTOR_EXECUTOR_H

#define KH_EXECUTOR_JOBS    64  /* concurrent requests */
#define KH_EXECUTOR_SERVERS 256 /* concurrent servers, besides */

/* Serves until the parent is gone.  Returns the exit status. */
int kh_executor_main(void);

#endif
