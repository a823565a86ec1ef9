/* The limits of one process (setrlimit(2)), by the numbers of a job. */
#ifndef KH_SANDBOX_LIMITS_H
#define KH_SANDBOX_LIMITS_H

#include "wire/message.h"

/*
 * Sets the limits of JOB for this process and all that it starts, and looks whether they are set.  BOUNDED: the memory of
 * all processes together is bounded from outside, by a cgroup or by who looks at it (usage.h).  ALONE: the first process of the sandbox is in another user namespace, and
 * so does not count among its processes.  0 or errno.
 */
int kh_limits_set(const struct kh_message *job, bool bounded, bool alone) KH_CHECKED;

/* No cores.  To be set before the filter is installed, which lets nobody change this limit any more.  0 or errno. */
int kh_limits_set_core(void) KH_CHECKED;

#endif
