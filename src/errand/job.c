/*
 * A job for a worker, from request to end.
 *
 * The executor may die at any moment, and the worker may send anything; both are handled as an end.  Of a worker's
 * output only its one line of error is parsed, as JSON.
 */
#include "errand/job.h"

#include "outside/converse.h"

#include <signal.h>
#include <sys/wait.h>

#define WATCH_MS 20 /* between two looks at the room on the disk */

struct working {
	struct kh_arena *arena;
	struct kh_errand_job_result result;
	struct kh_converse *talk;
};

static void fail(struct working *w, enum kh_errand_job_end end, enum kh_fault fault, struct kh_view why)
{
	w->result = (struct kh_errand_job_result){.end = end, .fault = fault, .why = why};
}

/* Parses the one line of a worker that failed: {"fault":"...","detail":"..."}. */
static void take_refusal(struct working *w, int status)
{
	struct kh_view line = kh_view_trim(kh_tainted_open(w->talk->errors));
	yyjson_val *root = NULL;

	if (line.n > 0 && kh_json_read(w->arena, line, &root, NULL) == KH_OK) {
		struct kh_view word = kh_json_str(kh_json_get(root, "fault"));
		struct kh_view detail = kh_json_str(kh_json_get(root, "detail"));
		if (word.n > 0) {
			struct kh_view quoted = kh_arena_quote_most(w->arena, detail, 200);
			fail(w, KH_ERRAND_JOB_REFUSED, KH_FAULT_NONE,
			     kh_arena_printf(w->arena, "the worker says %.*s", KH_FMT(quoted)));
			w->result.word = kh_tainted_wrap(word);
			return;
		}
	}
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
		fail(w, KH_ERRAND_JOB_LATE, KH_FAULT_NONE, KH_LIT("the worker used more processor time than it may"));
		return;
	}
	fail(w, KH_ERRAND_JOB_BROKEN, KH_FAULT_NONE,
	     WIFSIGNALED(status) ? kh_arena_printf(w->arena, "the worker was ended by signal %d", WTERMSIG(status))
				 : kh_arena_printf(w->arena, "the worker ended with status %d", WEXITSTATUS(status)));
}

static void take_end(struct working *w)
{
	const struct kh_end *end = &w->talk->end;
	enum kh_fault fault = kh_converse_fault(w->talk);

	if (fault != KH_FAULT_NONE)
		fail(w, fault == KH_FAULT_TIME ? KH_ERRAND_JOB_LATE : KH_ERRAND_JOB_BROKEN, fault,
		     kh_converse_why(w->talk));
	else if (end->status != 0 && w->talk->run->profile != KH_PROFILE_RUN)
		take_refusal(w, end->status);
	else
		w->result = (struct kh_errand_job_result){.end = KH_ERRAND_JOB_DONE, .status = end->status};
}

struct kh_limits kh_errand_job_limits(const struct kh_errand_limits *limits, uint64_t wall_ms)
{
	uint64_t usual = kh_profile_limits(KH_PROFILE_RUN)->cpu_s;

	/* With several threads a process has more processor time than the clock; so a short time is no reason for less. */
	return (struct kh_limits){.wall_ms = wall_ms,
				  .cpu_s = limits->seconds > usual ? limits->seconds : 0,
				  .memory = limits->memory,
				  .processes = limits->processes,
				  .disk = limits->disk};
}

static bool goes_on(void *usage)
{
	return kh_usage_look(usage);
}

enum kh_err kh_errand_job_run(const struct kh_client *client, const struct kh_errand_job *job, struct kh_arena *arena,
			      struct kh_errand_job_result *ret_result)
{
	struct kh_run run = job->run;
	uint64_t wall_ms = run.limits.wall_ms > 0 ? run.limits.wall_ms : kh_profile_limits(run.profile)->wall_ms;
	struct working w = {.arena = arena, .talk = kh_converse_new(client, arena, wall_ms, job->most)};

	if (w.talk == NULL)
		return KH_ENOMEM;
	run.limits.output = job->most + KH_ERRAND_JOB_ERRORS;
	w.talk->run = &run;
	w.talk->input[0] = job->job;
	w.talk->input[1] = job->job.n > 0 ? KH_LIT("\n") : KH_LIT("");
	w.talk->input[2] = kh_tainted_open(job->bytes);
	w.talk->most_errors = KH_ERRAND_JOB_ERRORS;
	if (job->usage != NULL) {
		w.talk->goes_on = goes_on;
		w.talk->watched = job->usage;
		w.talk->every_ms = WATCH_MS;
	}
	enum kh_err e = kh_converse_run(w.talk);
	if (e != KH_OK)
		return e;
	take_end(&w);
	w.result.output = w.talk->output;
	w.result.errors = w.talk->errors;
	*ret_result = w.result;
	return kh_arena_check(arena);
}

bool kh_errand_job_said(const struct kh_errand_job_result *result, const char *word)
{
	return result->end == KH_ERRAND_JOB_REFUSED && kh_view_eq(kh_tainted_open(result->word), kh_view_str(word));
}
