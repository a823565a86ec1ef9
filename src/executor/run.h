/* A request that runs something: a program, or a worker of ours that takes a job (E7). */
#ifndef KH_EXECUTOR_RUN_H
#define KH_EXECUTOR_RUN_H

#include "executor/job.h"

/* The job's request is MESSAGE, a RUN; it may need a connection first (reach.h). */
void kh_run_begin(struct kh_job *job, const struct kh_message *message);

/* Starts it in a sandbox of its own, with the job's connection if it has one.  A worker that runs in that sandbox
 * already waits for input. */
void kh_run_start(struct kh_job *job);

/* Does what can be done now, in the phase RUN. */
void kh_run_step(struct kh_job *job);

/* Adds to WATCH, which has N entries, what this phase waits for; how many there are then. */
size_t kh_run_watch(const struct kh_job *job, struct pollfd *watch, size_t n);

/*
 * True if a worker of ours has ended and was waited for.  It cannot have started anything, so there is nobody left but
 * the first process of its sandbox, which ends too: taking the namespaces apart need not be waited for.
 */
bool kh_run_is_over(const struct kh_job *job);

#endif
