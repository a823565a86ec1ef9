/*
 * A job for one of our own workers (worker/job.h), or a program, as an errand needs it: run in a sandbox, with a
 * deadline, tried again while the executor has no room.
 *
 * Everything that a worker sends is untrusted, because what it read may have taken it over.  So its output, and also
 * the code and the sentence with which it fails, are tainted.  The code is compared with those that a caller knows, and
 * the sentence is shown to humans, quoted.
 */
#ifndef KH_ERRAND_JOB_H
#define KH_ERRAND_JOB_H

#include "errand/errand.h"
#include "errand/usage.h"
#include "outside/client.h"

#define KH_ERRAND_JOB_ERRORS 8192

struct kh_errand_job {
	struct kh_run run;  /* a worker that takes a job, or a program; wall_ms is the deadline of all tries together */
	struct kh_view job; /* a JSON object on one line; empty for a program */
	struct kh_tainted bytes; /* bytes behind the job, or a program's input; may be empty */
	size_t most;             /* bytes of output; more is a failure */
	struct kh_usage *usage;  /* a folder that is watched while it runs: if it gets too large, it ends; NULL: none */
};

enum kh_errand_job_end {
	KH_ERRAND_JOB_DONE,    /* for a program: it ran to its end, with any status */
	KH_ERRAND_JOB_REFUSED, /* the worker reported why it did not do it */
	KH_ERRAND_JOB_LATE,    /* its time was over */
	KH_ERRAND_JOB_BROKEN,  /* it could not be started, or died, or its report is not valid */
};

struct kh_errand_job_result {
	enum kh_errand_job_end end;
	enum kh_fault fault;      /* of the executor; KH_FAULT_NONE if the worker ran to its end */
	int status;               /* for DONE: a program's, as from waitpid(2) */
	struct kh_tainted output; /* what came of it, even if not DONE */
	struct kh_tainted errors; /* standard error: KH_ERRAND_JOB_ERRORS bytes at most */
	struct kh_tainted word;   /* for REFUSED: the code */
	struct kh_view why;       /* our own sentence, with the worker's text quoted; empty if DONE */
};

/* LIMITS of an errand as those of a program that it starts, with WALL_MS left. */
struct kh_limits kh_errand_job_limits(const struct kh_errand_limits *limits, uint64_t wall_ms);

/* Runs JOB.  Fails only for lack of memory. */
enum kh_err kh_errand_job_run(const struct kh_client *client, const struct kh_errand_job *job, struct kh_arena *arena,
			      struct kh_errand_job_result *ret_result) KH_CHECKED;

/* True if the worker refused with the code WORD. */
bool kh_errand_job_said(const struct kh_errand_job_result *result, const char *word);

#endif
