/*
 * A Reader that is a program.
 *
 * The program is assumed to be the attacker: it has read what the attacker wrote.  What it sends is kept, counted and
 * passed on as tainted; it is looked at only far enough to know that it is one answer to this ask.  The executor may
 * die at any moment.  No state but the caller's arena: any number of asks can go on at once over one client.
 */
#include "reader/command.h"

#include "base/buf.h"
#include "base/clock.h"
#include "core/bcp/message.h"
#include "core/policy/match.h"
#include "outside/client.h"

#include <errno.h>
#include <poll.h>
#include <sys/wait.h>
#include <time.h>

#define GRACE_MS 1000 /* for the executor, which ends the program in time, to say so */
#define TURN_MS  20   /* between two tries to get a place in the executor */

struct asking {
	const struct kh_reader *reader;
	const struct kh_reader_ask *ask;
	struct kh_arena *arena;
	struct kh_run run;
	struct kh_view message; /* and its newline */
	struct kh_view unsent;  /* of the message */
	struct kh_buf out, errors;
	int64_t deadline_ms; /* of the monotonic clock */
	struct kh_exchange exchange;
	/* what it came to */
	enum kh_reader_fault fault;
	struct kh_view why; /* a sentence; nothing of the program's in it but quoted */
};

static void fail(struct asking *a, enum kh_reader_fault fault, struct kh_view why)
{
	a->fault = fault;
	a->why = why;
}

/* True where every sandbox for programs has PATH anyway. */
static bool is_seen(struct kh_view path)
{
	const char *const *p = kh_profile_paths(KH_PROFILE_RUN);

	while (*p != NULL && !kh_match_path(kh_view_str(*p), path))
		p++;
	return *p != NULL;
}

/* What the executor is asked to start, all but the time; false where no request can say it. */
static bool describe(struct asking *a)
{
	const struct kh_reader *reader = a->reader;
	struct kh_run *run = &a->run;

	if (reader->argc == 0 || reader->argc > KH_REQUEST_ARGUMENTS || reader->reads >= KH_REQUEST_PATHS)
		return false;
	run->profile = KH_PROFILE_RUN;
	run->limits.output = KH_COMMAND_OUTPUT;
	run->limits.cpu_s = kh_profile_most.cpu_s; /* the wall clock is the limit, also for a program with threads */
	memcpy(run->argv, reader->argv, reader->argc * sizeof(run->argv[0]));
	run->argc = reader->argc;
	if (!is_seen(reader->argv[0]))
		run->read[run->reads++] = reader->argv[0];
	for (size_t i = 0; i < reader->reads; i++)
		run->read[run->reads++] = reader->read[i];
	return true;
}

/* Sends of the message what can be sent now, and after it the end of input. */
static void feed(struct asking *a)
{
	if (a->unsent.n > 0)
		a->unsent = kh_view_from(a->unsent, kh_exchange_feed(&a->exchange, a->unsent));
	if (a->unsent.n == 0 && !a->exchange.fed)
		(void)kh_exchange_feed_end(&a->exchange);
}

/* Keeps what the program wrote; false where that is too much. */
static bool keep(struct asking *a, const struct kh_event *event)
{
	struct kh_view bytes = kh_tainted_open(event->bytes);

	if (event->kind == KH_EVENT_ERRORS)
		kh_buf_add(&a->errors, kh_view_sub(bytes, 0, KH_COMMAND_ERRORS - a->errors.n));
	else if (bytes.n <= KH_COMMAND_ANSWER - a->out.n)
		kh_buf_add(&a->out, bytes);
	else
		fail(a, KH_READER_GARBAGE, KH_LIT("it wrote more than an answer can have"));
	return a->fault == KH_READER_OK;
}

/* Waits until the exchange has something to say or takes input; false where the time is over. */
static bool await(struct asking *a)
{
	int64_t left = a->deadline_ms + GRACE_MS - kh_clock_ms();
	struct pollfd fd = {a->exchange.fd, (short)(POLLIN | (a->exchange.fed ? 0 : POLLOUT)), 0};

	if (left <= 0)
		fail(a, KH_READER_LATE, KH_LIT("it did not end in its time, and the executor did not end it"));
	else
		(void)poll(&fd, 1, (int)left);
	return left > 0;
}

/* Feeds, listens and keeps until the program's end; false where it was cut off before. */
static bool converse(struct asking *a, struct kh_end *ret_end)
{
	struct kh_event event;
	bool going = true;

	while (going) {
		feed(a);
		kh_exchange_next(&a->exchange, 0, &event);
		if (event.kind == KH_EVENT_END)
			break;
		going = event.kind == KH_EVENT_NOTHING ? await(a) : keep(a, &event);
	}
	if (going)
		*ret_end = event.end;
	return going;
}

/* Whether what came is one line with one answer to this ask.  KH_ENOMEM. */
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

/* What the program's end means; true where there is something to look at. */
static bool take_end(struct asking *a, const struct kh_end *end)
{
	const char *detail = end->detail[0] != '\0' ? end->detail : kh_fault_about(end->fault);

	if (end->fault == KH_FAULT_TIME)
		fail(a, KH_READER_LATE,
		     a->out.n == 0 ? KH_LIT("no answer came in its time")
				   : KH_LIT("it wrote something and did not end in its time"));
	else if (end->fault == KH_FAULT_OUTPUT)
		fail(a, KH_READER_GARBAGE, KH_LIT("it wrote more than its outputs may have"));
	else if (end->fault != KH_FAULT_NONE)
		fail(a, KH_READER_DEAD, kh_arena_printf(a->arena, "%s: %s", kh_fault_name(end->fault), detail));
	else if (WIFSIGNALED(end->status))
		fail(a, KH_READER_DEAD, kh_arena_printf(a->arena, "signal %d ended it", WTERMSIG(end->status)));
	else if (WEXITSTATUS(end->status) != 0)
		fail(a, KH_READER_DEAD, kh_arena_printf(a->arena, "it ended with status %d", WEXITSTATUS(end->status)));
	else if (a->out.n == 0)
		fail(a, KH_READER_DEAD, KH_LIT("it ended without an answer"));
	return a->fault == KH_READER_OK;
}

/* One try to have the program run; *RET_BUSY where the executor had no place for it, and nothing was started. */
static enum kh_err run_once(struct asking *a, bool *ret_busy, struct kh_tainted *ret_response)
{
	struct kh_error err = {.offset = SIZE_MAX};
	struct kh_end end = {0};
	int64_t left = a->deadline_ms - kh_clock_ms();
	struct kh_view answer;

	a->unsent = a->message;
	a->run.limits.wall_ms = left > 0 ? (uint64_t)left : 1;
	enum kh_err e = kh_client_run(a->reader->client, &a->run, &a->exchange, &err);
	if (e != KH_OK) {
		fail(a, KH_READER_DEAD, kh_arena_printf(a->arena, "it could not be started: %s", err.detail));
		return KH_OK;
	}
	bool ended = converse(a, &end);
	kh_exchange_close(&a->exchange);
	*ret_busy = ended && end.fault == KH_FAULT_BUSY && left > 0;
	if (!ended || *ret_busy || !take_end(a, &end))
		return KH_OK;
	e = kh_buf_end(&a->out, &answer);
	if (e == KH_OK && kh_view_ends(answer, KH_LIT("\n")))
		answer.n--;
	if (e == KH_OK)
		e = check_answer(a, answer);
	if (e == KH_OK && a->fault == KH_READER_OK)
		*ret_response = kh_tainted_wrap(answer);
	return e;
}

static void pause_ms(long ms)
{
	struct timespec time = {.tv_nsec = ms * 1000000};

	(void)nanosleep(&time, NULL);
}

/* The sentence, and what the program said of itself. */
static struct kh_view explain(struct asking *a)
{
	struct kh_view said = {NULL, 0};

	if (a->fault == KH_READER_OK || kh_buf_end(&a->errors, &said) != KH_OK || said.n == 0)
		return a->why;
	struct kh_view quoted = kh_arena_quote_most(a->arena, said, KH_COMMAND_ERRORS);
	return kh_arena_printf(a->arena, "%.*s; its standard error: %.*s", KH_FMT(a->why), KH_FMT(quoted));
}

/* The message as a line.  A block that is not what was sealed is a fault, and nothing is started. */
static enum kh_err make_message(struct asking *a)
{
	struct kh_error err = {.offset = SIZE_MAX};
	struct kh_view json;
	struct kh_buf line;
	enum kh_err e = kh_reader_message(a->arena, a->ask, &json, &err);

	if (e == KH_ECHANGED) {
		fail(a, KH_READER_CHANGED, kh_arena_printf(a->arena, "%s", err.detail));
		return KH_OK;
	}
	if (e != KH_OK)
		return e;
	kh_buf_init(&line, a->arena, json.n + 1);
	kh_buf_add(&line, json);
	kh_buf_byte(&line, '\n');
	return kh_buf_end(&line, &a->message);
}

static enum kh_err ask(const struct kh_reader *reader, struct kh_arena *arena, const struct kh_reader_ask *query,
		       struct kh_tainted *ret_response, enum kh_reader_fault *ret_fault, struct kh_view *ret_detail)
{
	uint64_t timeout_ms = reader->timeout_ms > 0 ? reader->timeout_ms : KH_COMMAND_TIMEOUT_MS;
	struct asking *a = KH_NEW(arena, struct asking); /* an exchange is too large for a stack */
	struct kh_tainted response = {{NULL, 0}};
	bool busy = true;

	if (a == NULL)
		return KH_ENOMEM;
	a->reader = reader;
	a->ask = query;
	a->arena = arena;
	a->deadline_ms = kh_clock_ms() + (int64_t)timeout_ms;
	kh_buf_init(&a->out, arena, KH_COMMAND_ANSWER);
	kh_buf_init(&a->errors, arena, KH_COMMAND_ERRORS);
	enum kh_err e = make_message(a);
	if (e == KH_OK && a->fault == KH_READER_OK && (reader->client == NULL || !describe(a)))
		fail(a, KH_READER_DEAD, KH_LIT("it is not configured so that it could be started"));
	while (e == KH_OK && a->fault == KH_READER_OK && busy) {
		e = run_once(a, &busy, &response);
		if (busy)
			pause_ms(TURN_MS);
	}
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
