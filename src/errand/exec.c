/*
 * comm.exec (E7, E9): a command that the policy names, with the call's arguments in the placeholders of its template.
 *
 * No shell is involved.  The program sees its task's workspace, writable, the cache, and the paths that the policy
 * names for it; it has no network.  If a program was cut off, it may already have done something, and nobody knows
 * what: that end is UNKNOWN, and the program is never started again.
 */
#include "errand/errand.h"

#include "base/clock.h"
#include "core/comm/operations.h"
#include "core/policy/allot.h"
#include "core/policy/match.h"
#include "core/policy/permit.h"
#include "core/policy/template.h"
#include "errand/details.h"
#include "errand/job.h"
#include "errand/totext.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define SHARE   16   /* a workspace may have so many times the disk of a command: it is for many of them */
#define TEXT_MS 2000 /* for text of its output, at least: it has taken effect, and the last slot is not before that */
#define SAID    4096 /* bytes of a program's output in the details, if it failed */

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
	return task.n > 0 && task.n <= 64 && kh_view_is_word(task, "");
}

/* True if every sandbox for programs contains PATH anyway. */
static bool is_seen(struct kh_view path)
{
	const char *const *p = kh_profile_paths(KH_PROFILE_RUN);

	while (*p != NULL && !kh_match_path(kh_view_str(*p), path))
		p++;
	return *p != NULL;
}

/* True if PATH is at or below one that COMMAND names. */
static bool is_granted(const struct kh_policy_command *command, struct kh_view path)
{
	const struct kh_texts *lists[] = {&command->read, &command->write};

	for (size_t l = 0; l < 2; l++) {
		for (size_t i = 0; i < lists[l]->n; i++) {
			if (kh_match_path(lists[l]->at[i], path))
				return true;
		}
	}
	return false;
}

/* True if, according to the executor, the program was never started. */
static bool is_unbegun(enum kh_fault fault)
{
	return fault == KH_FAULT_REQUEST || fault == KH_FAULT_BUSY || fault == KH_FAULT_ABSENT ||
	       fault == KH_FAULT_INCOMPLETE || fault == KH_FAULT_SANDBOX || fault == KH_FAULT_PROGRAM;
}

/* What it may read and write besides its workspace: what the policy names, and its own program. */
static void grant(const struct kh_policy_command *command, struct kh_run *run)
{
	run->reads = run->writes = 0;
	for (size_t i = 0; i < command->read.n && run->reads + 1 < KH_REQUEST_PATHS; i++)
		run->read[run->reads++] = command->read.at[i];
	for (size_t i = 0; i < command->write.n && run->writes < KH_REQUEST_PATHS; i++)
		run->write[run->writes++] = command->write.at[i];
	if (!is_seen(run->argv[0]) && !is_granted(command, run->argv[0]))
		run->read[run->reads++] = run->argv[0];
}

static enum kh_err describe(struct kh_arena *arena, const struct kh_errand_job_result *done,
			    struct kh_errand_result *result)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);

	if (done->end == KH_ERRAND_JOB_DONE && WIFEXITED(done->status))
		yyjson_mut_obj_add_sint(doc, root, "status", WEXITSTATUS(done->status));
	if (done->end == KH_ERRAND_JOB_DONE && WIFSIGNALED(done->status))
		yyjson_mut_obj_add_sint(doc, root, "signal", WTERMSIG(done->status));
	if (done->fault != KH_FAULT_NONE)
		yyjson_mut_obj_add_str(doc, root, "fault", kh_fault_name(done->fault));
	yyjson_mut_obj_add_uint(doc, root, "length", kh_tainted_size(done->output));
	kh_details_text(arena, doc, root, "stderr", done->errors, SAID);
	if (result->end != KH_ERRAND_OK)
		kh_details_text(arena, doc, root, "stdout", done->output, SAID);
	return kh_details_end(arena, root, result);
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
			       const struct kh_errand_job *job, struct kh_arena *arena, struct kh_errand_result *result)
{
	int64_t deadline = kh_clock_ms() + (int64_t)errand->wall_ms, least;
	struct kh_errand_job_result done;
	enum kh_err e = kh_errand_job_run(tools->client, job, arena, &done);

	if (e != KH_OK)
		return e;
	if (job->usage->over != NULL)
		done.why = kh_arena_printf(arena, "%s: %s", kh_fault_name(done.fault), job->usage->over);
	judge(arena, &done, result);
	least = kh_clock_ms() + TEXT_MS;
	deadline = deadline > least ? deadline : least;
	if (result->end == KH_ERRAND_OK) {
		/* The program has taken effect, whatever its output looks like, so the output is taken as text. */
		struct kh_totext totext = {
			.limits = errand->limits, .bytes = done.output, .plain = true, .deadline = deadline};
		e = kh_totext_run(tools, &totext, arena, result);
		if (e == KH_OK && result->end != KH_ERRAND_OK)
			result->why = kh_arena_printf(arena, "the command ran to its end, and its output is lost: %.*s",
						      KH_FMT(result->why));
	}
	return e != KH_OK ? e : describe(arena, &done, result);
}

/* Has the workspace watched while the command runs.  False if it is too large already, or the disk has no room. */
static bool may_begin(struct kh_errand_job *job, struct kh_usage *usage)
{
	uint64_t disk = job->run.limits.disk > 0 ? job->run.limits.disk : kh_profile_limits(KH_PROFILE_RUN)->disk;

	*usage = (struct kh_usage){.path = job->run.work.p, .most = SHARE * disk};
	job->usage = usage;
	return kh_usage_look(usage);
}

enum kh_err kh_exec_run(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_arena *arena,
			struct kh_errand_result *result)
{
	const struct kh_policy_command *command;
	struct kh_errand_job job = {
		.run = {.profile = KH_PROFILE_RUN, .limits = kh_errand_job_limits(&errand->limits, errand->wall_ms)},
		.most = kh_allot_output(&errand->limits, KH_ERRAND_CONTENT)};
	struct kh_usage usage = {.most = 0};
	struct kh_run *run = &job.run;
	struct kh_error err = {.detail = ""};
	struct kh_view *argv = NULL;

	result->source = kh_json_str(kh_json_get(errand->parameters, "command"));
	command = kh_permit_command(errand->rule, kh_operation_named(&kh_operations_own, errand->operation),
				    errand->parameters);
	if (command == NULL) {
		result->why = KH_LIT("the policy names no such command");
		return KH_OK;
	}
	enum kh_err e = kh_template_fill(arena, command, kh_json_get(errand->parameters, "args"), &argv, &run->argc,
					 &err);
	if (e == KH_EREFUSED) {
		result->why = kh_arena_printf(arena, "%s", err.detail);
		return KH_OK;
	}
	if (e != KH_OK)
		return e;
	if (!is_id(errand->task) || !make_folder(arena, tools->home, "workspace", errand->task, &run->work) ||
	    !make_folder(arena, tools->home, "cache", KH_LIT(""), &run->cache)) {
		result->why = kh_arena_printf(arena, "the task's workspace cannot be made: %s", strerrordesc_np(errno));
		return KH_OK;
	}
	if (!may_begin(&job, &usage)) {
		result->why = kh_arena_printf(arena, "the command was not begun: %s", usage.over);
		return KH_OK;
	}
	/* Too many arguments are refused when the request is written. */
	memcpy(run->argv, argv, sizeof(*argv) * (run->argc < KH_REQUEST_ARGUMENTS ? run->argc : KH_REQUEST_ARGUMENTS));
	grant(command, run);
	return run_program(tools, errand, &job, arena, result);
}
