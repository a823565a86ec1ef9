/*
 * A job for one of our own workers (worker/job.h), or a program, as an errand asks for it: run in a sandbox, with
 * a deadline, tried again while the executor has no place.
 *
 * Everything that a worker says is the world's: what it read may have taken it over.  So its output, and also the word
 * and the sentence with which it fails, are tainted; the word is compared with those that a caller knows, and the
 * sentence is shown to humans, quoted.
 */
#ifndef KH_ERRAND_JOB_H
#define KH_ERRAND_JOB_H

#include "errand/errand.h"
#include "outside/client.h"

#define KH_ERRAND_JOB_ERRORS 8192

struct kh_errand_job {
	enum kh_profile profile;    /* one that takes a job, or KH_PROFILE_RUN */
	struct kh_view job;         /* an object of JSON, compact: on one line; of a program empty */
	struct kh_tainted bytes;    /* behind it, or a program's input; may be empty */
	const struct kh_view *argv; /* of a program */
	size_t argc;
	struct kh_view work, cache;         /* of a program: host folders, or empty */
	const struct kh_view *read, *write; /* host paths that it sees, at their own place */
	size_t reads, writes;
	struct kh_view connect;      /* as of struct kh_run */
	const struct kh_view *hosts; /* whose addresses may be of any range */
	size_t host_count;
	struct kh_limits limits; /* 0: the profile's own; wall_ms is the deadline of all tries together */
	size_t most;             /* bytes of output: more has failed */
};

enum kh_errand_job_end {
	KH_ERRAND_JOB_DONE,    /* of a program: it ran to its end, whatever that was */
	KH_ERRAND_JOB_REFUSED, /* the worker says why it did not do it */
	KH_ERRAND_JOB_LATE,    /* its time was over */
	KH_ERRAND_JOB_BROKEN,  /* it could not be started, or died, or said nothing that is understood */
};

struct kh_errand_job_result {
	enum kh_errand_job_end end;
	enum kh_fault fault;      /* of the executor; KH_FAULT_NONE where the worker ran to its end */
	int status;               /* of DONE: a program's, as waitpid(2) has it */
	struct kh_tainted output; /* what there is of it, also where it is not DONE */
	struct kh_tainted errors; /* of standard error: KH_ERRAND_JOB_ERRORS bytes at most */
	struct kh_tainted word;   /* of REFUSED: the code */
	struct kh_view why;       /* our own sentence, with what the worker said quoted; empty if DONE */
};

/* Runs WORK.  Fails for lack of memory alone. */
enum kh_err kh_errand_job_run(const struct kh_client *client, const struct kh_errand_job *work, struct kh_arena *arena,
			      struct kh_errand_job_result *ret_result) KH_CHECKED;

/* True if the worker refused with the code WORD. */
bool kh_errand_job_said(const struct kh_errand_job_result *result, const char *word);

#endif
