/*
 * Keyhole's own workers, as they run inside of a sandbox: `keyhole worker resolve|http`, with their channel as
 * descriptor
 * 3.  They trust the executor and nobody else; whatever the world makes of them, they have one connected socket,
 * memory, and a channel on which the executor takes only what the table of messages permits.
 *
 * Both start with KH_FILTER_WORKER, load what they need (libraries, certificates), and then install their own, smaller
 * filter before they read the job: no file can be opened and no program started from there on.
 */
#ifndef KH_EXEC_WORKER_H
#define KH_EXEC_WORKER_H

#define KH_WORKER_CHANNEL 3

/* The program's main() calls this for `keyhole worker NAME`.  Returns the exit status. */
int kh_worker_main(const char *name);

#endif
