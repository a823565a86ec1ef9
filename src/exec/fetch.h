/*
 * A fetch, as the executor carries it out: name to addresses in a disposable worker, every address checked, connected
 * to what was checked, and the socket handed to another worker that speaks HTTP over it (E8).  The executor reads no
 * DNS and no HTTP: a worker's typed message is all that it gets to see.
 */
#ifndef KH_EXEC_FETCH_H
#define KH_EXEC_FETCH_H

#include "exec/job.h"

/* The job's request is MESSAGE, a FETCH. */
void kh_fetch_begin(struct kh_job *job, const struct kh_message *message);

/* Does what can be done now, in the phases LOOKUP, CONNECT and TALK. */
void kh_fetch_step(struct kh_job *job);

/* Adds to WATCH, which has N entries, what these phases wait for; how many there are then. */
size_t kh_fetch_watch(const struct kh_job *job, struct pollfd *watch, size_t n, uint64_t *wake_us);

#endif
