/*
 * How the executor reaches a host (E8): a disposable worker resolves the name, every address is checked, and only
 * checked addresses are connected to.  The executor parses no DNS: it sees only a worker's typed messages.  When the
 * connection in job->connection is open, the phase is REACHED.
 */
#ifndef KH_EXECUTOR_REACH_H
#define KH_EXECUTOR_REACH_H

#include "executor/job.h"

/*
 * Reads TEXT, a URL with http or https, in its one spelling (core/comm/url.h), which is written to ROOM.  *RET_URL
 * borrows from ROOM.
 */
enum kh_err kh_reach_url(struct kh_view text, char room[KH_JOB_URL], struct kh_url *ret_url,
			 struct kh_error *err) KH_CHECKED;

/* Begins to reach job->where; its addresses may be in any range if job->granted names that host. */
void kh_reach_begin(struct kh_job *job);

/* The same for TEXT: "host:port", or the absolute path of a Unix socket. */
void kh_reach_begin_at(struct kh_job *job, struct kh_view text);

/* Does what can be done now, in phases LOOKUP and CONNECT. */
void kh_reach_step(struct kh_job *job);

/* Adds to WATCH, which has N entries, what these phases wait for; returns the new count. */
size_t kh_reach_watch(const struct kh_job *job, struct pollfd *watch, size_t n, int64_t *wake_us);

#endif
