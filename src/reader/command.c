/*
 * A Reader that is a program.
 *
 * The program is assumed to be the attacker, because it has read what the attacker wrote.  Its output is kept, counted
 * and passed on as tainted; it is parsed only as far as needed to know that it is one answer to this ask.  The executor
 * may die at any moment.  The only state is in the caller's arena, so any number of asks can run at once over one
 * client.
 */
#include "reader/command.h"

#include "core/bcp/message.h"
#include "core/policy/match.h"
#include "reader/turn.h"

#include <sys/wait.h>

/* True if every sandbox for programs contains PATH anyway. */
static bool is_seen(struct kh_view path)
{
	const char *const *p = kh_profile_paths(KH_PROFILE_RUN);

	while (*p != NULL && !kh_match_path(kh_view_str(*p), path))
		p++;
	return *p != NULL;
}

/* The request to the executor, except for the time; false if there is no executor, or it cannot be expressed. */
static bool describe(struct kh_turn *t)
{
	const struct kh_reader *reader = t->reader;
	struct kh_run *run = t->talk->run;

	if (reader->settings->client == NULL || reader->settings->argc == 0 ||
	    reader->settings->argc > KH_REQUEST_ARGUMENTS || reader->settings->reads >= KH_REQUEST_PATHS)
		return false;
	run->limits.output = KH_COMMAND_OUTPUT;
	run->limits.cpu_s = kh_profile_most.cpu_s; /* the wall clock is the limit, also for a program with threads */
	memcpy(run->argv, reader->settings->argv, reader->settings->argc * sizeof(run->argv[0]));
	run->argc = reader->settings->argc;
	if (!is_seen(reader->settings->argv[0]))
		run->read[run->reads++] = reader->settings->argv[0];
	for (size_t i = 0; i < reader->settings->reads; i++)
		run->read[run->reads++] = reader->settings->read[i];
	return true;
}

/* Checks that ANSWER is one line with one answer to this ask.  KH_ENOMEM. */
static enum kh_err check_answer(struct kh_turn *t, struct kh_view answer)
{
	struct kh_error err = {.offset = SIZE_MAX};
	yyjson_val *body;
	struct kh_view id;

	if (memchr(answer.p, '\n', answer.n) != NULL) {
		kh_turn_fail(t, KH_READER_GARBAGE, KH_LIT("it wrote more than one line"));
		return KH_OK;
	}
	enum kh_err e = kh_message_read_response(t->arena, kh_tainted_wrap(answer), &id, &body, &err);
	if (e == KH_ENOMEM)
		return e;
	if (e != KH_OK)
		kh_turn_fail(t, KH_READER_GARBAGE, kh_arena_printf(t->arena, "not an answer: %s", err.detail));
	else if (!kh_view_eq(id, t->ask->id))
		kh_turn_fail(t, KH_READER_GARBAGE,
			     kh_arena_printf(t->arena, "it answered another query: %.*s",
					     KH_FMT(kh_arena_quote(t->arena, id))));
	return KH_OK;
}

/* Interprets the program's end; true if there is an answer to check. */
static bool take_end(struct kh_turn *t)
{
	const struct kh_end *end = &t->talk->end;
	bool wrote = kh_tainted_size(t->talk->output) > 0;

	if (t->talk->how == KH_CONVERSE_UNMADE)
		kh_turn_fail(t, KH_READER_DEAD,
			     kh_arena_printf(t->arena, "it could not be started: %s", t->talk->err.detail));
	else if (t->talk->how == KH_CONVERSE_TOO_MUCH)
		kh_turn_fail(t, KH_READER_GARBAGE, KH_LIT("it wrote more than an answer can have"));
	else if (t->talk->how != KH_CONVERSE_ENDED)
		kh_turn_fail(t, KH_READER_LATE, KH_LIT("it did not end in its time, and the executor did not end it"));
	else if (end->fault == KH_FAULT_TIME)
		kh_turn_fail(t, KH_READER_LATE,
			     wrote ? KH_LIT("it wrote something and did not end in its time")
				   : KH_LIT("no answer came in its time"));
	else if (end->fault == KH_FAULT_OUTPUT)
		kh_turn_fail(t, KH_READER_GARBAGE, KH_LIT("it wrote more than its outputs may have"));
	else if (end->fault != KH_FAULT_NONE)
		kh_turn_fail(t, KH_READER_DEAD, kh_converse_why(t->talk));
	else if (WIFSIGNALED(end->status))
		kh_turn_fail(t, KH_READER_DEAD, kh_arena_printf(t->arena, "signal %d ended it", WTERMSIG(end->status)));
	else if (WEXITSTATUS(end->status) != 0)
		kh_turn_fail(t, KH_READER_DEAD,
			     kh_arena_printf(t->arena, "it ended with status %d", WEXITSTATUS(end->status)));
	else if (!wrote)
		kh_turn_fail(t, KH_READER_DEAD, KH_LIT("it ended without an answer"));
	return t->fault == KH_READER_OK;
}

/* Runs the program and checks its answer. */
static enum kh_err run(struct kh_turn *t)
{
	enum kh_err e = kh_converse_run(t->talk);

	if (e != KH_OK || !take_end(t))
		return e;
	struct kh_view answer = kh_tainted_open(t->talk->output);
	if (kh_view_ends(answer, KH_LIT("\n")))
		answer.n--;
	e = check_answer(t, answer);
	if (kh_turn_goes_on(t, e))
		t->response = kh_tainted_wrap(answer);
	return e;
}

/* Adds to the sentence what the program wrote to standard error. */
static void explain(struct kh_turn *t)
{
	struct kh_view said = kh_tainted_open(t->talk->errors);

	if (t->fault == KH_READER_OK || said.n == 0)
		return;
	struct kh_view quoted = kh_arena_quote_most(t->arena, said, KH_COMMAND_ERRORS);
	t->why = kh_arena_printf(t->arena, "%.*s; its standard error: %.*s", KH_FMT(t->why), KH_FMT(quoted));
}

static enum kh_err ask(const struct kh_reader *reader, struct kh_arena *arena, const struct kh_reader_ask *query,
		       struct kh_tainted *ret_response, enum kh_reader_fault *ret_fault, struct kh_view *ret_detail)
{
	struct kh_error err = {.offset = SIZE_MAX};
	struct kh_run program = {.profile = KH_PROFILE_RUN};
	struct kh_turn turn;

	if (!kh_turn_init(&turn, reader, arena, query, KH_COMMAND_TIMEOUT_MS, KH_COMMAND_ANSWER))
		return KH_ENOMEM;
	turn.talk->run = &program;
	turn.talk->most_errors = KH_COMMAND_ERRORS;
	turn.talk->input[1] = KH_LIT("\n"); /* the message is sent as a line */
	enum kh_err e = kh_turn_made(&turn, kh_reader_message(arena, query, &turn.talk->input[0], &err), &err);
	if (kh_turn_goes_on(&turn, e) && !describe(&turn))
		kh_turn_fail(&turn, KH_READER_DEAD, KH_LIT("it is not configured so that it could be started"));
	if (kh_turn_goes_on(&turn, e))
		e = run(&turn);
	explain(&turn);
	return kh_turn_end(&turn, e, ret_response, ret_fault, ret_detail);
}

const struct kh_reader_driver kh_reader_command = {.name = "command", .ask = ask};
