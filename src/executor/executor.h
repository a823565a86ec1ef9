/* The executor process: `keyhole executor`, with its control channel as descriptor 3.  See docs/use/SANDBOX.md. */
#ifndef KH_EXECUTOR_EXECUTOR_H
#define KH_EXECUTOR_EXECUTOR_H

#define KH_EXECUTOR_JOBS 64 /* requests at once */

/* Serves until the parent is gone.  Returns the exit status. */
int kh_executor_main(void);

#endif
