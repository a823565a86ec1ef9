/*
 * An upstream server over Streamable HTTP (U1, E8): one worker for it, in one sandbox, which lives as long as the
 * request's channel.
 *
 * The executor reads the files of secrets, hands the worker the channels of calls, and makes the connections that the
 * worker asks for: for each one the name is resolved and the address judged anew.  It sees nothing of what is asked and
 * answered, because calls have channels of their own from the parent to the worker.
 */
#ifndef KH_EXECUTOR_UPSTREAM_H
#define KH_EXECUTOR_UPSTREAM_H

#include "executor/job.h"

extern const struct kh_job_kind kh_upstream_kind;

#endif
