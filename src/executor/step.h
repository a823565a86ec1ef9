/* One step of a job in any phase, for the executor's loop. */
#ifndef KH_EXECUTOR_STEP_H
#define KH_EXECUTOR_STEP_H

#include "executor/job.h"

/* Does whatever can be done now. */
void kh_step(struct kh_job *job);

/* What to wait for: fills in at most KH_JOB_WATCHES entries and lowers *WAKE_US to its next deadline. */
size_t kh_step_watch(const struct kh_job *job, struct pollfd *ret_watch, int64_t *wake_us);

#endif
