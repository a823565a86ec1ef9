/*
 * Without a cgroup nothing else bounds what the processes of a program have together: the executor looks at it, now and
 * then, and ends the job if it is too much.
 */
#ifndef KH_EXECUTOR_MEMORY_H
#define KH_EXECUTOR_MEMORY_H

#include "executor/job.h"

/* Has the memory of the job's program looked at from now on, if there is no cgroup. */
void kh_memory_begin(struct kh_job *job);

/* Looks, if it is time to. */
void kh_memory_look(struct kh_job *job);

#endif
