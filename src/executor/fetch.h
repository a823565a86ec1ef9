/*
 * A fetch, as the executor carries it out: it reaches the host (reach.h), and hands the socket to a worker that speaks
 * HTTP over it (E8).  The executor parses no HTTP: it sees only a worker's typed messages.
 */
#ifndef KH_EXECUTOR_FETCH_H
#define KH_EXECUTOR_FETCH_H

#include "executor/job.h"

extern const struct kh_job_kind kh_fetch_kind;

#endif
