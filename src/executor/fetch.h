/*
 * A fetch, as the executor carries it out: it reaches the host (reach.h), and hands the socket to a worker that speaks
 * HTTP over it (E8).  The executor reads no HTTP: a worker's typed message is all that it gets to see.
 */
#ifndef KH_EXECUTOR_FETCH_H
#define KH_EXECUTOR_FETCH_H

#include "executor/job.h"

/* The job's request is MESSAGE, a FETCH. */
void kh_fetch_begin(struct kh_job *job, const struct kh_message *message);

/* The connection stands: a worker of its own speaks over it. */
void kh_fetch_talk(struct kh_job *job);

/* Does what can be done now, in the phase TALK. */
void kh_fetch_step(struct kh_job *job);

/* Adds to WATCH, which has N entries, what this phase waits for; how many there are then. */
size_t kh_fetch_watch(const struct kh_job *job, struct pollfd *watch, size_t n);

#endif
