/*
 * Between the executor and one of its own workers that has a channel: hiring one for a job, sending it what to do,
 * hearing what it says.
 */
#ifndef KH_EXECUTOR_POST_H
#define KH_EXECUTOR_POST_H

#include "executor/job.h"

/* A worker of PROFILE (resolve, http) for the job, in place of the one that it has; false if there is none, and then
 * the job has ended. */
bool kh_post_take(struct kh_job *job, enum kh_profile profile) KH_CHECKED;

/* Lets the sandbox go that the job has; it is disposable. */
void kh_post_drop(struct kh_job *job);

/* Ends OUT and sends it with FDS; false if that was not possible, and then the job has ended. */
bool kh_post_send(struct kh_job *job, struct kh_message_out *out, const int *fds, size_t count);

/* The next message of the job's worker, into to_parent; true if there is one that is permitted now. */
bool kh_post_receive(struct kh_job *job, struct kh_message *ret_message, size_t *ret_n) KH_CHECKED;

#endif
