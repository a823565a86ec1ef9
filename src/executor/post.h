/*
 * Messages between the executor and one of its own workers that has a channel: takes a worker for a job, sends it what
 * to do, receives what it sends.
 */
#ifndef KH_EXECUTOR_POST_H
#define KH_EXECUTOR_POST_H

#include "executor/job.h"

/* Takes a worker of PROFILE (resolve, http, sni, upstream) for the job, in place of the one that it has.  False if there is none; then
 * the job has ended. */
bool kh_post_take(struct kh_job *job, enum kh_profile profile) KH_CHECKED;

/* Releases the job's sandbox, which is not used again. */
void kh_post_drop(struct kh_job *job);

/* Ends OUT and sends it with FDS.  False if that was not possible; then the job has ended. */
bool kh_post_send(struct kh_job *job, struct kh_message_out *out, const int *fds, size_t count);

/* The next message of the job's worker, into to_parent; true if there is one and it is permitted now. */
bool kh_post_receive(struct kh_job *job, struct kh_message *ret_message) KH_CHECKED;

#endif
