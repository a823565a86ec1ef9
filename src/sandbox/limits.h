/* The limits of one process (setrlimit(2)), by the numbers of a job. */
#ifndef KH_SANDBOX_LIMITS_H
#define KH_SANDBOX_LIMITS_H

#include "wire/message.h"

/*
 * Sets the limits of JOB for this process and all that it starts, and looks whether they are set.  GROUPED: a cgroup
 * bounds the memory of all processes together.  0 or errno.
 */
int kh_limits_set(const struct kh_message *job, bool grouped) KH_CHECKED;

/* No cores.  To be set before the filter is installed, which lets nobody change this limit any more.  0 or errno. */
int kh_limits_set_core(void) KH_CHECKED;

#endif
