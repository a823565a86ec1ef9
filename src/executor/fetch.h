/*
 * A fetch, as the executor carries it out: it reaches the host (reach.h), and hands the socket to a worker that speaks
 * HTTP over it (E8).  The executor parses no HTTP: it sees only a worker's typed messages.
 */
#ifndef KH_EXECUTOR_FETCH_H
#define KH_EXECUTOR_FETCH_H

#include "executor/job.h"

/* Begins the job's request MESSAGE, a FETCH. */
void kh_fetch_begin(struct kh_job *job, const struct kh_message *message);

/* The connection is open: starts a worker of its own to speak over it. */
void kh_fetch_talk(struct kh_job *job);

/* Does what can be done now, in phase TALK. */
void kh_fetch_step(struct kh_job *job);

/* Adds to WATCH, which has N entries, what this phase waits for; returns the new count. */
size_t kh_fetch_watch(const struct kh_job *job, struct pollfd *watch, size_t n);

#endif
