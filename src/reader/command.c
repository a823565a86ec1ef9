/*
 * A Reader that is a program.
 *
 * The program is assumed to be the attacker, because it has read what the attacker wrote.  Its output is kept, counted
 * and passed on as tainted; it is parsed only as far as needed to know that it is one answer to this ask.  The executor
 * may die at any moment.  The only state is in the caller's arena, so any number of asks can run at once over one
 * client.
 */
#include "reader/command.h"

#include "base/clock.h"
#include "core/bcp/message.h"
#include "core/policy/match.h"
#include "outside/converse.h"

#include <sys/wait.h>

struct asking {
	const struct kh_reader *reader;
	const struct kh_reader_ask *ask;
	struct kh_arena *arena;
	struct kh_run run;
	struct kh_converse talk;
	/* the outcome */
	enum kh_reader_fault fault;
	struct kh_view why; /* a sentence; text of the program only in quotes */
};

static void fail(struct asking *a, enum kh_reader_fault fault, struct kh_view why)
{
	a->fault = fault;
	a->why = why;
}

/* True if every sandbox for programs contains PATH anyway. */
static bool is_seen(struct kh_view path)
{
	const char *const *p = kh_profile_paths(KH_PROFILE_RUN);

	while (*p != NULL && !kh_match_path(kh_view_str(*p), path))
		p++;
	return *p != NULL;
}

/* The request to the executor, except for the time; false if it cannot be expressed. */
static bool describe(struct asking *a)
{
	const struct kh_reader *reader = a->reader;
	struct kh_run *run = &a->run;

	if (reader->settings->argc == 0 || reader->settings->argc > KH_REQUEST_ARGUMENTS ||
	    reader->settings->reads >= KH_REQUEST_PATHS)
		return false;
	run->profile = KH_PROFILE_RUN;
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
static enum kh_err check_answer(struct asking *a, struct kh_view answer)
{
	struct kh_error err = {.offset = SIZE_MAX};
	yyjson_val *body;
	struct kh_view id;

	if (memchr(answer.p, '\n', answer.n) != NULL) {
		fail(a, KH_READER_GARBAGE, KH_LIT("it wrote more than one line"));
		return KH_OK;
	}
	enum kh_err e = kh_message_read_response(a->arena, kh_tainted_wrap(answer), &id, &body, &err);
	if (e == KH_ENOMEM)
		return e;
	if (e != KH_OK)
		fail(a, KH_READER_GARBAGE, kh_arena_printf(a->arena, "not an answer: %s", err.detail));
	else if (!kh_view_eq(id, a->ask->id))
		fail(a, KH_READER_GARBAGE,
		     kh_arena_printf(a->arena, "it answered another query: %.*s",
				     KH_FMT(kh_arena_quote(a->arena, id))));
	return KH_OK;
}

/* Interprets the program's end; true if there is an answer to check. */
static bool take_end(struct asking *a)
{
	const struct kh_end *end = &a->talk.end;
	bool wrote = kh_tainted_size(a->talk.output) > 0;

	if (a->talk.how == KH_CONVERSE_UNMADE)
		fail(a, KH_READER_DEAD, kh_arena_printf(a->arena, "it could not be started: %s", a->talk.err.detail));
	else if (a->talk.how == KH_CONVERSE_TOO_MUCH)
		fail(a, KH_READER_GARBAGE, KH_LIT("it wrote more than an answer can have"));
	else if (a->talk.how != KH_CONVERSE_ENDED)
		fail(a, KH_READER_LATE, KH_LIT("it did not end in its time, and the executor did not end it"));
	else if (end->fault == KH_FAULT_TIME)
		fail(a, KH_READER_LATE,
		     wrote ? KH_LIT("it wrote something and did not end in its time")
			   : KH_LIT("no answer came in its time"));
	else if (end->fault == KH_FAULT_OUTPUT)
		fail(a, KH_READER_GARBAGE, KH_LIT("it wrote more than its outputs may have"));
	else if (end->fault != KH_FAULT_NONE)
		fail(a, KH_READER_DEAD, kh_converse_why(&a->talk));
	else if (WIFSIGNALED(end->status))
		fail(a, KH_READER_DEAD, kh_arena_printf(a->arena, "signal %d ended it", WTERMSIG(end->status)));
	else if (WEXITSTATUS(end->status) != 0)
		fail(a, KH_READER_DEAD, kh_arena_printf(a->arena, "it ended with status %d", WEXITSTATUS(end->status)));
	else if (!wrote)
		fail(a, KH_READER_DEAD, KH_LIT("it ended without an answer"));
	return a->fault == KH_READER_OK;
}

/* Runs the program and checks its answer. */
static enum kh_err run(struct asking *a, struct kh_tainted *ret_response)
{
	enum kh_err e = kh_converse_run(&a->talk);

	if (e != KH_OK || !take_end(a))
		return e;
	struct kh_view answer = kh_tainted_open(a->talk.output);
	if (kh_view_ends(answer, KH_LIT("\n")))
		answer.n--;
	e = check_answer(a, answer);
	if (e == KH_OK && a->fault == KH_READER_OK)
		*ret_response = kh_tainted_wrap(answer);
	return e;
}

/* The sentence, and what the program wrote to standard error. */
static struct kh_view explain(struct asking *a)
{
	struct kh_view said = kh_tainted_open(a->talk.errors);

	if (a->fault == KH_READER_OK || said.n == 0)
		return a->why;
	struct kh_view quoted = kh_arena_quote_most(a->arena, said, KH_COMMAND_ERRORS);
	return kh_arena_printf(a->arena, "%.*s; its standard error: %.*s", KH_FMT(a->why), KH_FMT(quoted));
}

/* The message, to be sent as a line.  If a block is not what was sealed, that is a fault, and nothing is started. */
static enum kh_err make_message(struct asking *a)
{
	struct kh_error err = {.offset = SIZE_MAX};
	enum kh_err e = kh_reader_message(a->arena, a->ask, &a->talk.input[0], &err);

	a->talk.input[1] = KH_LIT("\n");
	if (e != KH_ECHANGED)
		return e;
	fail(a, KH_READER_CHANGED, kh_arena_printf(a->arena, "%s", err.detail));
	return KH_OK;
}

static enum kh_err ask(const struct kh_reader *reader, struct kh_arena *arena, const struct kh_reader_ask *query,
		       struct kh_tainted *ret_response, enum kh_reader_fault *ret_fault, struct kh_view *ret_detail)
{
	uint64_t timeout_ms = reader->settings->timeout_ms > 0 ? reader->settings->timeout_ms : KH_COMMAND_TIMEOUT_MS;
	struct asking *a = KH_NEW(arena, struct asking); /* a conversation is too large for a stack */
	struct kh_tainted response = {{NULL, 0}};

	if (a == NULL)
		return KH_ENOMEM;
	a->reader = reader;
	a->ask = query;
	a->arena = arena;
	a->talk.client = reader->settings->client;
	a->talk.arena = arena;
	a->talk.run = &a->run;
	a->talk.deadline_ms = kh_clock_ms() + (int64_t)timeout_ms;
	a->talk.most = KH_COMMAND_ANSWER;
	a->talk.most_errors = KH_COMMAND_ERRORS;
	enum kh_err e = make_message(a);
	if (e == KH_OK && a->fault == KH_READER_OK && (reader->settings->client == NULL || !describe(a)))
		fail(a, KH_READER_DEAD, KH_LIT("it is not configured so that it could be started"));
	if (e == KH_OK && a->fault == KH_READER_OK)
		e = run(a, &response);
	struct kh_view detail = explain(a);
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e != KH_OK)
		return e;
	*ret_response = response;
	*ret_fault = a->fault;
	*ret_detail = detail;
	return KH_OK;
}

const struct kh_reader_driver kh_reader_command = {.name = "command", .ask = ask};
