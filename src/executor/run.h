/* A request that runs a program, or a worker of ours that takes a job (E7).  It may need a connection first (reach.h). */
#ifndef KH_EXECUTOR_RUN_H
#define KH_EXECUTOR_RUN_H

#include "executor/job.h"

extern const struct kh_job_kind kh_run_kind;

/* Ends the job with the status of its program: its sandbox is gone, and all of its output has been passed on. */
void kh_run_end(struct kh_job *job);

/*
 * True if a worker of ours has ended and was waited for.  It cannot have started any process, so only the first process
 * of its sandbox is left, which ends too.  So there is no need to wait until the namespaces are gone.
 */
bool kh_run_is_over(const struct kh_job *job);

#endif
