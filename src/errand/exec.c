/*
 * comm.exec (E7, E9): a command that the policy names, with the call's arguments in the placeholders of its template.
 *
 * No shell is involved.  The program sees its task's workspace, writable, and the cache; it has no network.  If a
 * program was cut off, it may already have done something, and nobody knows what: that end is UNKNOWN, and the program
 * is never started again.
 */
#include "errand/errand.h"

#include "core/policy/match.h"
#include "core/policy/template.h"
#include "errand/details.h"
#include "errand/job.h"
#include "errand/totext.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define SAID 4096 /* bytes of a program's output in the details, if it failed */

static const struct kh_policy_command *find_command(const struct kh_policy_rule *rule, struct kh_view name)
{
	const struct kh_policy_command *commands = rule != NULL ? rule->commands.at : NULL;

	for (size_t i = 0; commands != NULL && i < rule->commands.n; i++)
		if (kh_view_eq(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* HOME/NAME, with BELOW in it if that is not empty; made if it does not exist.  False with errno. */
static bool make_folder(struct kh_arena *arena, struct kh_view home, const char *name, struct kh_view below,
			struct kh_view *ret_path)
{
	struct kh_view path = kh_arena_printf(arena, "%.*s/%s", KH_FMT(home), name), text;

	if (path.p == NULL || (mkdir(path.p, 0700) < 0 && errno != EEXIST))
		return false;
	if (below.n > 0) {
		text = kh_arena_printf(arena, "%.*s/%.*s", KH_FMT(path), KH_FMT(below));
		if (text.p == NULL || (mkdir(text.p, 0700) < 0 && errno != EEXIST))
			return false;
		path = text;
	}
	*ret_path = path;
	return true;
}

/* True if TASK is a public id, so that it is only a name and not a path. */
static bool is_id(struct kh_view task)
{
	for (size_t i = 0; i < task.n; i++)
		if (!kh_ascii_is_alpha(task.p[i]) && !kh_ascii_is_digit(task.p[i]))
			return false;
	return task.n > 0 && task.n <= 64;
}

/* True if every sandbox for programs contains PATH anyway. */
static bool is_seen(struct kh_view path)
{
	const char *const *p = kh_profile_paths(KH_PROFILE_RUN);

	while (*p != NULL && !kh_match_path(kh_view_str(*p), path))
		p++;
	return *p != NULL;
}

/* True if, according to the executor, the program was never started. */
static bool is_unbegun(enum kh_fault fault)
{
	return fault == KH_FAULT_REQUEST || fault == KH_FAULT_BUSY || fault == KH_FAULT_INCOMPLETE ||
	       fault == KH_FAULT_SANDBOX || fault == KH_FAULT_PROGRAM;
}

static enum kh_err describe(struct kh_arena *arena, const struct kh_errand_job_result *done, bool failed,
			    struct kh_tainted *ret_details)
{
	struct kh_details details;

	kh_details_init(&details, arena);
	if (done->end == KH_ERRAND_JOB_DONE && WIFEXITED(done->status))
		kh_details_number(&details, "status", (uint64_t)WEXITSTATUS(done->status));
	if (done->end == KH_ERRAND_JOB_DONE && WIFSIGNALED(done->status))
		kh_details_number(&details, "signal", (uint64_t)WTERMSIG(done->status));
	if (done->fault != KH_FAULT_NONE)
		kh_details_word(&details, "fault", kh_view_str(kh_fault_name(done->fault)));
	kh_details_number(&details, "length", kh_tainted_size(done->output));
	kh_details_text(&details, "stderr", done->errors, SAID);
	if (failed)
		kh_details_text(&details, "stdout", done->output, SAID);
	return kh_details_end(&details, ret_details);
}

/* Interprets the program's end. */
static void judge(struct kh_arena *arena, const struct kh_errand_job_result *done, struct kh_errand_result *result)
{
	if (done->end != KH_ERRAND_JOB_DONE) {
		result->end = is_unbegun(done->fault) ? KH_ERRAND_FAILED : KH_ERRAND_UNKNOWN;
		result->why = is_unbegun(done->fault)
				      ? kh_arena_printf(arena, "the command was not begun: %.*s", KH_FMT(done->why))
				      : kh_arena_printf(arena, "the command was cut off: %.*s", KH_FMT(done->why));
	} else if (WIFSIGNALED(done->status)) {
		result->end = KH_ERRAND_UNKNOWN;
		result->why = kh_arena_printf(arena, "signal %d ended the command", WTERMSIG(done->status));
	} else if (done->status != 0) {
		result->why = kh_arena_printf(arena, "the command ended with status %d", WEXITSTATUS(done->status));
	} else {
		result->end = KH_ERRAND_OK;
	}
}

static enum kh_err run_program(const struct kh_errand_tools *tools, const struct kh_errand *errand,
			       struct kh_errand_job *job, struct kh_arena *arena, struct kh_errand_result *result)
{
	struct kh_view source = result->source;
	struct kh_errand_job_result done;

	job->limits = (struct kh_limits){.wall_ms = errand->wall_ms};
	enum kh_err e = kh_errand_job_run(tools->client, job, arena, &done);
	if (e != KH_OK)
		return e;
	judge(arena, &done, result);
	if (result->end == KH_ERRAND_OK) {
		/* The program has taken effect, whatever its output looks like, so the output is taken as text. */
		struct kh_totext totext = {.bytes = done.output, .plain = true, .wall_ms = errand->wall_ms};
		e = kh_totext_run(tools, &totext, arena, result);
		result->source = source;
		if (e == KH_OK && result->end != KH_ERRAND_OK)
			result->why = kh_arena_printf(arena, "the command ran to its end, and its output is lost: %.*s",
						      KH_FMT(result->why));
	}
	bool failed = result->end != KH_ERRAND_OK;
	return e != KH_OK ? e : describe(arena, &done, failed, &result->details);
}

enum kh_err kh_exec_run(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_arena *arena,
			struct kh_errand_result *ret_result)
{
	struct kh_view name = kh_json_str(kh_json_get(errand->parameters, "command"));
	const struct kh_policy_command *command = find_command(errand->rule, name);
	struct kh_errand_result result = {.end = KH_ERRAND_FAILED, .source = name};
	struct kh_errand_job job = {.profile = KH_PROFILE_RUN, .most = KH_ERRAND_CONTENT};
	struct kh_error err = {.detail = ""};
	struct kh_view *argv = NULL;
	enum kh_err e = KH_OK;

	if (command == NULL) {
		result.why = KH_LIT("the policy names no such command");
	} else if ((e = kh_template_fill(arena, command, kh_json_get(errand->parameters, "args"), &argv, &job.argc,
					 &err)) == KH_EREFUSED) {
		result.why = kh_arena_printf(arena, "%s", err.detail);
		e = KH_OK;
	} else if (e == KH_OK &&
		   (!is_id(errand->task) || !make_folder(arena, tools->home, "workspace", errand->task, &job.work) ||
		    !make_folder(arena, tools->home, "cache", KH_LIT(""), &job.cache))) {
		result.why = kh_arena_printf(arena, "the task's workspace cannot be made: %s", strerrordesc_np(errno));
	} else if (e == KH_OK) {
		job.argv = argv;
		job.read = argv;
		job.reads = is_seen(argv[0]) ? 0 : 1;
		e = run_program(tools, errand, &job, arena, &result);
	}
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e == KH_OK)
		*ret_result = result;
	return e;
}
