/*
 * Workers of ours that take a job: a request names their profile and no program, and the job comes on their standard
 * input.  See worker.h for what all workers share.
 *
 *     in   one JSON object on one line; behind the newline bytes, if the worker takes any
 *     out  the result, on standard output
 *     end  status 0, or 1 and one line of JSON on standard error: {"fault":"not_found","detail":"..."}
 *     3    the connected socket, if the request has `connect`; it does not block
 *
 * A worker loads what it needs, installs its own filter, and only then reads the job.  Its output is never trusted,
 * because what it read may have taken it over.
 *
 * A new one needs: a profile (wire/profile.c), a filter (sandbox/calls.c), a kind of the pool (executor/pool.c), one
 * entry in the table of executor/workers.c, and two functions.
 */
#ifndef KH_WORKER_JOB_H
#define KH_WORKER_JOB_H

#include "base/json.h"
#include "sandbox/filter.h"
#include "wire/profile.h"

#define KH_WORKER_JOB_MAX (17U << 20) /* bytes of a job, and of the bytes behind it */

struct kh_worker_job {
	yyjson_val *root;     /* an object */
	struct kh_view bytes; /* the bytes behind its line */
	int connection;       /* a descriptor, or -1 */
	int out;
	int timed; /* the descriptor for a refusal at a deadline (deadline.h); -1: this process must not be ended */
	struct kh_arena *arena; /* for everything that it takes to carry it out */
};

/* Carries JOB out.  Fails with a code of docs/reference/CODES.md and a sentence. */
typedef enum kh_err kh_worker_job_fn(const struct kh_worker_job *job, struct kh_error *err);

struct kh_worker_job_kind {
	enum kh_profile profile; /* also its name */
	enum kh_filter_kind filter;
	/* Before the filter: loads libraries that only this worker needs.  CONNECTED: there is a socket.  NULL: nothing
	   to load. */
	enum kh_err (*load)(bool connected, struct kh_error *err);
	kh_worker_job_fn *run;
};

/*
 * The whole life of a worker: loads, installs FILTER (NULL: compiles that of KIND), reads the job from standard input,
 * carries it out.  Returns the exit status.
 */
int kh_worker_job_serve(const struct kh_worker_job_kind *kind, const struct kh_filter *filter);

/* The same after the filter; IN, OUT and ERRORS are the three streams, CONNECTION and TIMED as in the job. */
int kh_worker_job_do(const struct kh_worker_job_kind *kind, int in, int out, int errors, int connection, int timed);

/* Writes all of BYTES to standard output.  KH_EUNKNOWN, code `not_taken`, if nobody takes it any more. */
enum kh_err kh_worker_job_write(const struct kh_worker_job *job, struct kh_view bytes, struct kh_error *err) KH_CHECKED;

#endif
