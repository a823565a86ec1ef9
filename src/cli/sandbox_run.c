/*
 * Runs a program in the sandbox.
 *
 * This process starts an executor, locks itself down, and then only moves bytes.  The program's output is shown by
 * terminal.c or put into JSON; by then this process cannot open a file or start anything.
 */
#include "cli/sandbox_run.h"

#include "base/json.h"
#include "cli/foreground.h"
#include "cli/grantpath.h"
#include "cli/result.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct running {
	struct kh_frame *f;
	struct kh_arena *arena;
	const struct kh_sandbox_run_args *args;
	struct kh_run request;
	struct kh_foreground foreground;
	struct kh_result result;
};

/* Returns the absolute path of what a user named, in the arena; empty if it is not there (errno). */
static struct kh_view absolute(struct kh_arena *arena, const char *path)
{
	char real[PATH_MAX];

	return realpath(path, real) != NULL ? kh_arena_dup(arena, kh_view_str(real)) : kh_view_of(NULL, 0);
}

static enum kh_err not_found(struct running *r, const char *option, const char *path, int why)
{
	struct kh_view quoted = kh_arena_quote(r->arena, kh_view_str(path));

	return kh_error_set(&r->f->err, KH_EINPUT, "bad_option", "%s %.*s: %s", option, KH_FMT(quoted), strerror(why));
}

static enum kh_err take_path(struct running *r, const char *option, const char *path, struct kh_view *ret_path)
{
	*ret_path = absolute(r->arena, path);
	return ret_path->n > 0 ? KH_OK : not_found(r, option, path, errno);
}

/* The same for a path that is granted, or has a secret: only links of the system's are followed. */
static enum kh_err take_grant(struct running *r, const char *option, const char *path, struct kh_view *ret_path)
{
	char text[PATH_MAX], real[PATH_MAX];

	if (kh_grantpath_find(path, text)) {
		if (strcmp(text, "/dev") == 0)
			return kh_error_set(&r->f->err, KH_EINPUT, "bad_option",
					    "%s: a sandbox has a /dev of its own; name what you mean in it", option);
		*ret_path = kh_arena_dup(r->arena, kh_view_str(text));
		return kh_arena_check(r->arena);
	}
	if (errno != ELOOP || realpath(path, real) == NULL)
		return not_found(r, option, path, errno);
	struct kh_view link = kh_arena_quote(r->arena, kh_view_str(text));
	struct kh_view target = kh_arena_quote(r->arena, kh_view_str(real));
	return kh_error_set(&r->f->err, KH_EINPUT, "bad_option",
			    "%s: %.*s is a symbolic link; name what it leads to, if you mean that: %.*s", option,
			    KH_FMT(link), KH_FMT(target));
}

static enum kh_err take_paths(struct running *r)
{
	struct kh_run *q = &r->request;
	enum kh_err e = KH_OK;

	if (r->args->work != NULL)
		e = take_grant(r, "--work", r->args->work, &q->work);
	if (e == KH_OK && r->args->cache != NULL)
		e = take_grant(r, "--cache", r->args->cache, &q->cache);
	for (; e == KH_OK && q->reads < r->args->read.n; q->reads++)
		e = take_grant(r, "--read", r->args->read.at[q->reads], &q->read[q->reads]);
	for (; e == KH_OK && q->writes < r->args->write.n; q->writes++)
		e = take_grant(r, "--write", r->args->write.at[q->writes], &q->write[q->writes]);
	return e;
}

/* True if PATH is FOLDER or in it; *RET_REST is what follows the folder's name. */
static bool is_below(struct kh_view path, struct kh_view folder, struct kh_view *ret_rest)
{
	if (folder.n == 0 || !kh_view_starts(path, folder) || (path.n > folder.n && path.p[folder.n] != '/'))
		return false;
	*ret_rest = kh_view_from(path, folder.n);
	return true;
}

static bool is_seen(const struct kh_run *q, struct kh_view path)
{
	struct kh_view rest;

	for (const char *const *p = kh_profile_paths(q->profile); *p != NULL; p++)
		if (is_below(path, kh_view_str(*p), &rest))
			return true;
	for (size_t i = 0; i < q->reads; i++)
		if (is_below(path, q->read[i], &rest))
			return true;
	for (size_t i = 0; i < q->writes; i++)
		if (is_below(path, q->write[i], &rest))
			return true;
	return false;
}

/* Finds the place inside the sandbox, if there is one, of a program that is named relative to this folder.  A path
 * that begins with a slash is the sandbox's own; one without any slash is looked for in the sandbox's PATH. */
static enum kh_err place_program(struct running *r)
{
	struct kh_run *q = &r->request;
	struct kh_view name = q->argv[0], path, rest;
	struct kh_error *err = &r->f->err;

	if (name.n == 0)
		return kh_error_set(err, KH_EINPUT, "bad_option", "the program has no name");
	if (memchr(name.p, '/', name.n) == NULL && !kh_profile_is_program(q->profile))
		return kh_error_set(
			err, KH_EINPUT, "bad_option",
			"with this profile there is no PATH: name the program by its path, and with --read");
	if (name.p[0] == '/' || memchr(name.p, '/', name.n) == NULL)
		return KH_OK;
	enum kh_err e = take_path(r, "program", name.p, &path);
	if (e != KH_OK)
		return e;
	if (is_below(path, q->work, &rest)) {
		q->argv[0] = kh_arena_printf(r->arena, "/work%.*s", KH_FMT(rest));
	} else if (is_below(path, q->cache, &rest)) {
		q->argv[0] = kh_arena_printf(r->arena, "/cache%.*s", KH_FMT(rest));
	} else if (is_seen(q, path)) {
		q->argv[0] = path;
	} else {
		struct kh_view quoted = kh_arena_quote(r->arena, path);
		return kh_error_set(err, KH_EINPUT, "bad_option",
				    "program %.*s is not in the sandbox; name it, or its folder, with --read",
				    KH_FMT(quoted));
	}
	return kh_arena_check(r->arena);
}

/* What it may connect to. */
static enum kh_err take_network(struct running *r)
{
	const struct kh_sandbox_run_args *args = r->args;
	struct kh_run *q = &r->request;
	struct kh_error *err = &r->f->err;
	struct kh_view name;
	int port;

	if (args->network.n > KH_REQUEST_NETWORK)
		return kh_error_set(err, KH_EINPUT, "bad_option", "more than %d times --network", KH_REQUEST_NETWORK);
	if (args->network.n == 0 && (args->allow.n > 0 || args->bytes_out > 0))
		return kh_error_set(err, KH_EINPUT, "bad_option", "--allow and --bytes-out are for --network");
	for (; q->networks < args->network.n; q->networks++) {
		struct kh_view text = kh_view_str(args->network.at[q->networks]);
		if (!kh_request_target(text, &name, &port)) {
			struct kh_view quoted = kh_arena_quote(r->arena, text);
			return kh_error_set(
				err, KH_EINPUT, "bad_option",
				"--network %.*s: not a name in lower case (an address is none), a colon and a "
				"port",
				KH_FMT(quoted));
		}
		q->network[q->networks] = text;
	}
	for (; q->hosts < args->allow.n; q->hosts++)
		q->host[q->hosts] = kh_view_str(args->allow.at[q->hosts]);
	q->bytes_out = args->bytes_out;
	return KH_OK;
}

static enum kh_err not_a_variable(struct running *r, const char *option, const char *text)
{
	struct kh_view quoted = kh_arena_quote(r->arena, kh_view_str(text));

	return kh_error_set(&r->f->err, KH_EINPUT, "bad_option",
			    "%s %.*s: not a name of letters, digits and _, and after = its value", option,
			    KH_FMT(quoted));
}

/* The file of a secret, which the executor reads: this process does not. */
static enum kh_err take_secret(struct running *r, const char *text, struct kh_view *ret_secret)
{
	struct kh_view name, file, path;

	if (!kh_request_variable(kh_view_str(text), &name, &file))
		return not_a_variable(r, "--secret", text);
	enum kh_err e = take_grant(r, "--secret", file.p, &path);
	if (e == KH_OK)
		*ret_secret = kh_arena_printf(r->arena, "%.*s=%.*s", KH_FMT(name), KH_FMT(path));
	return e == KH_OK ? kh_arena_check(r->arena) : e;
}

/* What only a server has: variables, secrets and rates. */
static enum kh_err take_server(struct running *r)
{
	const struct kh_sandbox_run_args *args = r->args;
	struct kh_run *q = &r->request;
	struct kh_view name, value;
	enum kh_err e = KH_OK;

	if (q->profile != KH_PROFILE_SERVER &&
	    args->env.n + args->secret.n + args->rates.idle_ms + args->rates.output > 0)
		return kh_error_set(&r->f->err, KH_EINPUT, "bad_option",
				    "--env, --secret, --idle and --rate are for --profile server");
	if (q->profile == KH_PROFILE_SERVER && args->limits.output > 0)
		return kh_error_set(&r->f->err, KH_EINPUT, "bad_option",
				    "--output is not for a server, which lives long: --rate is");
	if (args->secret.n > KH_REQUEST_SECRETS)
		return kh_error_set(&r->f->err, KH_EINPUT, "bad_option", "more than %d times --secret",
				    KH_REQUEST_SECRETS);
	for (; q->variables < args->env.n; q->variables++) {
		if (!kh_request_variable(kh_view_str(args->env.at[q->variables]), &name, &value))
			return not_a_variable(r, "--env", args->env.at[q->variables]);
		q->environment[q->variables] = kh_view_str(args->env.at[q->variables]);
	}
	for (; e == KH_OK && q->secrets < args->secret.n; q->secrets++)
		e = take_secret(r, args->secret.at[q->secrets], &q->secret[q->secrets]);
	q->rates = args->rates;
	return e;
}

/* The others are Keyhole's own. */
static bool is_offered(enum kh_profile profile)
{
	return kh_profile_is_program(profile) || profile == KH_PROFILE_HTTP || profile == KH_PROFILE_RESOLVE;
}

static enum kh_err take_request(struct running *r)
{
	struct kh_run *q = &r->request;
	struct kh_error *err = &r->f->err;
	int argc = r->f->count;

	if (argc == 0)
		return kh_error_set(err, KH_EINPUT, "bad_option", "which program? (--help says more)");
	if (argc > KH_REQUEST_ARGUMENTS)
		return kh_error_set(err, KH_EINPUT, "bad_option", "more than %d arguments", KH_REQUEST_ARGUMENTS - 1);
	if (r->args->profile != NULL &&
	    (!kh_profile_read(kh_view_str(r->args->profile), &q->profile) || !is_offered(q->profile)))
		return kh_error_set(err, KH_EINPUT, "bad_option", "--profile is one of run, server, http, resolve");
	for (int i = 0; i < argc; i++)
		q->argv[q->argc++] = kh_view_str(r->f->words[i]);
	q->limits = r->args->limits;
	enum kh_err e = take_network(r);
	if (e == KH_OK)
		e = take_server(r);
	if (e == KH_OK)
		e = take_paths(r);
	return e == KH_OK ? place_program(r) : e;
}

/* Returns why the program was not started, and where it was looked for. */
static struct kh_view explain_program(struct running *r, const struct kh_end *end)
{
	struct kh_view name = r->request.argv[0], quoted = kh_arena_quote(r->arena, name);
	struct kh_view why = kh_view_str(end->detail), prefix = KH_LIT("program: ");
	bool is_path = memchr(name.p, '/', name.n) != NULL;

	if (kh_view_starts(why, prefix))
		why = kh_view_from(why, prefix.n);
	return kh_arena_printf(r->arena, "%.*s: %.*s (%s)", KH_FMT(quoted), KH_FMT(why),
			       is_path ? "what is outside of /usr is there only when --read names it or its folder"
				       : "looked for in /usr/local/bin, /usr/bin and /bin of the sandbox");
}

/* Returns what a user should know about how it ended, besides the status; empty if that is all. */
static struct kh_view explain(struct running *r, const struct kh_end *end)
{
	const char *detail = kh_exchange_about(end);

	if (end->fault == KH_FAULT_PROGRAM)
		return explain_program(r, end);
	if (end->fault == KH_FAULT_MESSAGE) {
		struct kh_view why = kh_result_reason(&r->result, kh_exchange_reason(end));
		return kh_arena_printf(r->arena, "%s: %.*s", detail, KH_FMT(why));
	}
	if (end->fault == KH_FAULT_INCOMPLETE)
		return kh_arena_printf(r->arena, "%s (keyhole doctor says what that means, and what to do)", detail);
	if (end->fault != KH_FAULT_NONE)
		return kh_arena_printf(r->arena, "%s", detail);
	if (WIFSIGNALED(end->status) && WTERMSIG(end->status) == SIGSYS)
		return kh_arena_printf(r->arena, "the program made a system call that profile %s does not have",
				       kh_profile_name(r->request.profile));
	return kh_view_str(end->detail); /* a connection that was refused */
}

static int exit_status(const struct kh_end *end)
{
	if (end->fault != KH_FAULT_NONE)
		return KH_SANDBOX_RUN_FAILED;
	return WIFSIGNALED(end->status) ? 128 + WTERMSIG(end->status) : WEXITSTATUS(end->status);
}

/* {"fault":...,"detail":...,"exit":...,"signal":...,"time_us":...,"bytes":...,"stdout":...,"stderr":...}, with "sent" and
 * "received" if it has network by name. */
static bool write_json(struct running *r, const struct kh_end *end, struct kh_view why)
{
	yyjson_mut_doc *doc = kh_json_new(r->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	bool ended = end->fault == KH_FAULT_NONE;

	yyjson_mut_obj_add_str(doc, obj, "fault", kh_fault_name(end->fault));
	kh_json_add(doc, obj, "detail", why);
	if (ended && WIFEXITED(end->status))
		yyjson_mut_obj_add_int(doc, obj, "exit", WEXITSTATUS(end->status));
	else
		yyjson_mut_obj_add_null(doc, obj, "exit");
	if (ended && WIFSIGNALED(end->status))
		yyjson_mut_obj_add_int(doc, obj, "signal", WTERMSIG(end->status));
	else
		yyjson_mut_obj_add_null(doc, obj, "signal");
	yyjson_mut_obj_add_uint(doc, obj, "time_us", end->time_us);
	yyjson_mut_obj_add_uint(doc, obj, "bytes", end->used);
	if (r->request.networks > 0) {
		yyjson_mut_obj_add_uint(doc, obj, "sent", end->sent);
		yyjson_mut_obj_add_uint(doc, obj, "received", end->received);
	}
	return kh_result_add(&r->result, doc, obj) && kh_result_write(&r->result, &r->foreground.out, obj);
}

static int complain(struct running *r, const char *code, const char *detail)
{
	kh_error_set(&r->f->err, KH_EREFUSED, code, "%s", detail);
	return kh_frame_fail(r->f);
}

static int finish(void *context, const struct kh_end *end)
{
	struct running *r = context;
	struct kh_view why = explain(r, end);

	if (r->args->json)
		return write_json(r, end, why) ? exit_status(end)
					       : complain(r, "output_lost", "cannot write the result");
	if (end->fault != KH_FAULT_NONE)
		complain(r, kh_fault_name(end->fault), why.p != NULL ? why.p : end->detail);
	else if (why.n > 0)
		complain(r, WIFSIGNALED(end->status) && end->detail[0] == '\0' ? "killed" : "network", why.p);
	return exit_status(end);
}

static void take(void *context, const struct kh_event *event)
{
	struct running *r = context;

	if (r->args->json)
		kh_result_collect(&r->result, event->kind, event->bytes);
	else
		kh_terminal_give(event->kind == KH_EVENT_ERRORS ? &r->foreground.errors : &r->foreground.out,
				 event->bytes);
}

int kh_sandbox_run(struct kh_frame *f)
{
	struct running r = {.f = f, .arena = &f->arena, .args = f->args};

	r.foreground.talk.run = &r.request;
	r.foreground.take = take;
	r.foreground.finish = finish;
	r.foreground.context = &r;
	kh_result_init(&r.result, &f->arena);
	if (take_request(&r) != KH_OK)
		return kh_frame_fail(f);
	return kh_foreground_run(&r.foreground, f, r.args->raw, KH_SANDBOX_RUN_FAILED);
}
