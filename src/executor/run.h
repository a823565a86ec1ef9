/* A request that runs a program, or a worker of ours that takes a job (E7). */
#ifndef KH_EXECUTOR_RUN_H
#define KH_EXECUTOR_RUN_H

#include "executor/job.h"

/* Begins the job's request MESSAGE, a RUN; it may need a connection first (reach.h). */
void kh_run_begin(struct kh_job *job, const struct kh_message *message);

/* Starts it in a sandbox of its own, with the job's connection if it has one.  If a worker already runs in that
 * sandbox, it waits for input. */
void kh_run_start(struct kh_job *job);

/* Does what can be done now, in phase RUN. */
void kh_run_step(struct kh_job *job);

/* Adds to WATCH, which has N entries, what this phase waits for; returns the new count. */
size_t kh_run_watch(const struct kh_job *job, struct pollfd *watch, size_t n);

/*
 * True if a worker of ours has ended and was waited for.  It cannot have started any process, so only the first process
 * of its sandbox is left, which ends too.  So there is no need to wait until the namespaces are gone.
 */
bool kh_run_is_over(const struct kh_job *job);

#endif
