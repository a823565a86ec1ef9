/*
 * How the executor reaches a host (E8): name to addresses in a disposable worker, every address checked, connected to
 * what was checked.  The executor reads no DNS: a worker's typed message is all that it gets to see.  When the
 * connection stands in job->connection, the phase is REACHED.
 */
#ifndef KH_EXECUTOR_REACH_H
#define KH_EXECUTOR_REACH_H

#include "executor/job.h"

/* Begins to reach job->where; addresses of any range where job->granted names that host. */
void kh_reach_begin(struct kh_job *job);

/* The same for TEXT: "host:port", or the absolute path of a Unix socket. */
void kh_reach_begin_at(struct kh_job *job, struct kh_view text);

/* Does what can be done now, in the phases LOOKUP and CONNECT. */
void kh_reach_step(struct kh_job *job);

/* Adds to WATCH, which has N entries, what these phases wait for; how many there are then. */
size_t kh_reach_watch(const struct kh_job *job, struct pollfd *watch, size_t n, int64_t *wake_us);

#endif
