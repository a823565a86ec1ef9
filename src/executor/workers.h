/*
 * The table of Keyhole's own workers; it includes all that it lists.  A worker is started in one of two ways: executed,
 * as `keyhole worker NAME`, or in place, in a sandbox that is a fork of the executor (profile.h).
 */
#ifndef KH_EXECUTOR_WORKERS_H
#define KH_EXECUTOR_WORKERS_H

#include "worker/job.h"

/* The program's main() calls this for `keyhole worker NAME`.  Returns the exit status. */
int kh_workers_main(const char *name);

/* The kind of job that PROFILE takes; NULL if it takes none. */
const struct kh_worker_job_kind *kh_workers_find(enum kh_profile profile);

/* For sandboxes (kh_sandbox_worker_fn): continues as the worker of PROFILE, which is one that takes a job.  Returns the
 * exit status. */
int kh_workers_serve(enum kh_profile profile, struct kh_filter *const filters[KH_FILTERS]);

#endif
