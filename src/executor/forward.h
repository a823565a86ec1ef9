/*
 * Network by name (U2), the executor's side: starts the forwarder of a request, answers its questions, ends it.
 *
 * A question is a job of its own, among those of the executor: a name is resolved anew for every connection and goes
 * the same way as that of a fetch (reach.h), and first bytes go to a disposable worker.  The forwarder names an item of
 * the request's list and nothing else, so it reaches no more than the request may.
 */
#ifndef KH_EXECUTOR_FORWARD_H
#define KH_EXECUTOR_FORWARD_H

#include "executor/job.h"

/* Starts the forwarder when the sandbox has handed out all of its listening sockets, and takes its questions; or those of
 * a worker that asks itself (kh_job_kind.worker_ends), for connections to what stands in next_url. */
void kh_forward_step(struct kh_job *job);

/* Adds to WATCH, which has N entries, what the forwarder's part waits for; returns the new count. */
size_t kh_forward_watch(const struct kh_job *job, struct pollfd *watch, size_t n, int64_t *wake_us);

/* True if the forwarder's questions have to wait until another job has ended. */
bool kh_forward_waits(const struct kh_job *job);

/* Ends the forwarder, which first passes on what a program that has ended well had sent.  True if nothing is left. */
bool kh_forward_stop(struct kh_job *job);

#endif
