/*
 * A fetch, as the executor carries it out: it reaches the host (reach.h), and hands the socket to a worker that speaks
 * HTTP over it (E8).  The executor parses no HTTP: it sees only a worker's typed messages.
 */
#ifndef KH_EXECUTOR_FETCH_H
#define KH_EXECUTOR_FETCH_H

#include "executor/job.h"

extern const struct kh_job_kind kh_fetch_kind;

/* Opens the file of certificates AUTHORITY; -1 if that is empty.  False if it is none; then the job has ended. */
bool kh_fetch_authority(struct kh_job *job, struct kh_view authority, int *ret_fd) KH_CHECKED;

#endif
