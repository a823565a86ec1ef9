/*
 * A job for a worker, from request to end.
 *
 * The executor may die at any moment, and the worker may send anything; both are handled as an end.  Of a worker's
 * output only its one line of error is parsed, as JSON.
 */
#include "errand/job.h"

#include "base/clock.h"
#include "outside/converse.h"

#include <sys/wait.h>

struct working {
	const struct kh_errand_job *job;
	struct kh_arena *arena;
	struct kh_run run;
	struct kh_errand_job_result result;
	struct kh_converse talk;
};

static void fail(struct working *w, enum kh_errand_job_end end, enum kh_fault fault, struct kh_view why)
{
	w->result = (struct kh_errand_job_result){.end = end, .fault = fault, .why = why};
}

/* The request to the executor, except for the time. */
static bool describe(struct working *w)
{
	const struct kh_errand_job *job = w->job;
	struct kh_run *run = &w->run;

	if (job->argc > KH_REQUEST_ARGUMENTS || job->reads > KH_REQUEST_PATHS || job->writes > KH_REQUEST_PATHS ||
	    job->host_count > KH_REQUEST_HOSTS)
		return false;
	*run = (struct kh_run){.profile = job->profile,
			       .reads = job->reads,
			       .writes = job->writes,
			       .argc = job->argc,
			       .work = job->work,
			       .cache = job->cache,
			       .connect = job->connect,
			       .hosts = job->connect.n > 0 ? job->host_count : 0,
			       .limits = job->limits};
	if (job->argc > 0)
		memcpy(run->argv, job->argv, job->argc * sizeof(run->argv[0]));
	if (job->reads > 0)
		memcpy(run->read, job->read, job->reads * sizeof(run->read[0]));
	if (job->writes > 0)
		memcpy(run->write, job->write, job->writes * sizeof(run->write[0]));
	if (run->hosts > 0)
		memcpy(run->host, job->hosts, run->hosts * sizeof(run->host[0]));
	run->limits.output = job->most + KH_ERRAND_JOB_ERRORS;
	return true;
}

/* Parses the one line of a worker that failed: {"fault":"...","detail":"..."}. */
static void take_refusal(struct working *w, int status)
{
	struct kh_view line = kh_view_trim(kh_tainted_open(w->talk.errors));
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
	fail(w, KH_ERRAND_JOB_BROKEN, KH_FAULT_NONE,
	     WIFSIGNALED(status) ? kh_arena_printf(w->arena, "the worker was ended by signal %d", WTERMSIG(status))
				 : kh_arena_printf(w->arena, "the worker ended with status %d", WEXITSTATUS(status)));
}

static void take_end(struct working *w)
{
	const struct kh_end *end = &w->talk.end;
	enum kh_fault fault = kh_converse_fault(&w->talk);

	if (fault != KH_FAULT_NONE)
		fail(w, fault == KH_FAULT_TIME ? KH_ERRAND_JOB_LATE : KH_ERRAND_JOB_BROKEN, fault,
		     kh_converse_why(&w->talk));
	else if (end->status != 0 && w->job->profile != KH_PROFILE_RUN)
		take_refusal(w, end->status);
	else
		w->result = (struct kh_errand_job_result){.end = KH_ERRAND_JOB_DONE, .status = end->status};
}

enum kh_err kh_errand_job_run(const struct kh_client *client, const struct kh_errand_job *job, struct kh_arena *arena,
			      struct kh_errand_job_result *ret_result)
{
	struct working *w = KH_NEW(arena, struct working); /* a conversation is too large for a stack */
	uint64_t wall_ms = job->limits.wall_ms > 0 ? job->limits.wall_ms : kh_profile_limits(job->profile)->wall_ms;
	enum kh_err e = KH_OK;

	if (w == NULL)
		return KH_ENOMEM;
	w->job = job;
	w->arena = arena;
	w->talk.client = client;
	w->talk.arena = arena;
	w->talk.run = &w->run;
	w->talk.input[0] = job->job;
	w->talk.input[1] = job->job.n > 0 ? KH_LIT("\n") : KH_LIT("");
	w->talk.input[2] = kh_tainted_open(job->bytes);
	w->talk.deadline_ms = kh_clock_ms() + (int64_t)wall_ms;
	w->talk.most = job->most;
	w->talk.most_errors = KH_ERRAND_JOB_ERRORS;
	if (!describe(w))
		fail(w, KH_ERRAND_JOB_BROKEN, KH_FAULT_REQUEST, KH_LIT("more paths or hosts than a request can have"));
	else if ((e = kh_converse_run(&w->talk)) == KH_OK)
		take_end(w);
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e != KH_OK)
		return e;
	*ret_result = w->result;
	ret_result->output = w->talk.output;
	ret_result->errors = w->talk.errors;
	return KH_OK;
}

bool kh_errand_job_said(const struct kh_errand_job_result *result, const char *word)
{
	return result->end == KH_ERRAND_JOB_REFUSED && kh_view_eq(kh_tainted_open(result->word), kh_view_str(word));
}
