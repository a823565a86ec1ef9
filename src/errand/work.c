/*
 * A job for a worker, from request to end.
 *
 * The executor may die at any moment, and the worker say anything; both are an end like any other.  What a worker put
 * out is only ever put together here, and its one line of error read as JSON.
 */
#include "errand/work.h"

#include "base/buf.h"
#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/wait.h>
#include <time.h>

#define GRACE_MS 1000 /* for the executor, which ends the worker in time, to say so */
#define TURN_MS  5    /* between two tries to get a place in the executor */

struct working {
	const struct kh_client *client;
	const struct kh_work *work;
	struct kh_arena *arena;
	struct kh_run run;
	struct kh_view unsent[3]; /* job, newline, bytes */
	struct kh_buf out, errors;
	int64_t deadline_ms;
	struct kh_work_result result;
	struct kh_exchange exchange;
};

static void fail(struct working *w, enum kh_work_end end, enum kh_fault fault, struct kh_view why)
{
	w->result = (struct kh_work_result){.end = end, .fault = fault, .why = why};
}

/* What the executor is asked for, all but the time. */
static bool describe(struct working *w)
{
	const struct kh_work *work = w->work;
	struct kh_run *run = &w->run;

	if (work->argc > KH_REQUEST_ARGUMENTS || work->reads > KH_REQUEST_PATHS || work->writes > KH_REQUEST_PATHS ||
	    work->host_count > KH_REQUEST_HOSTS)
		return false;
	*run = (struct kh_run){.profile = work->profile,
			       .reads = work->reads,
			       .writes = work->writes,
			       .argc = work->argc,
			       .work = work->work,
			       .cache = work->cache,
			       .connect = work->connect,
			       .hosts = work->connect.n > 0 ? work->host_count : 0,
			       .limits = work->limits};
	if (work->argc > 0)
		memcpy(run->argv, work->argv, work->argc * sizeof(run->argv[0]));
	if (work->reads > 0)
		memcpy(run->read, work->read, work->reads * sizeof(run->read[0]));
	if (work->writes > 0)
		memcpy(run->write, work->write, work->writes * sizeof(run->write[0]));
	if (run->hosts > 0)
		memcpy(run->host, work->hosts, run->hosts * sizeof(run->host[0]));
	run->limits.output = work->most + KH_WORK_ERRORS;
	return true;
}

/* Sends of the job what can be sent now, and after it the end of input. */
static void feed(struct working *w)
{
	for (size_t i = 0; i < 3; i++) {
		if (w->unsent[i].n > 0)
			w->unsent[i] = kh_view_from(w->unsent[i], kh_exchange_feed(&w->exchange, w->unsent[i]));
		if (w->unsent[i].n > 0)
			return;
	}
	if (!w->exchange.fed)
		(void)kh_exchange_feed_end(&w->exchange);
}

/* Keeps what came; false where that is too much. */
static bool keep(struct working *w, const struct kh_event *event)
{
	struct kh_view bytes = kh_tainted_open(event->bytes);

	if (event->kind == KH_EVENT_ERRORS) {
		kh_buf_add(&w->errors, kh_view_sub(bytes, 0, KH_WORK_ERRORS - w->errors.n));
		return true;
	}
	if (bytes.n <= w->work->most - w->out.n) {
		kh_buf_add(&w->out, bytes);
		return true;
	}
	fail(w, KH_WORK_BROKEN, KH_FAULT_OUTPUT, KH_LIT("the result is larger than it may be"));
	return false;
}

/* Waits until the exchange has something to say or takes input; false where the time is over. */
static bool await(struct working *w)
{
	int64_t left = w->deadline_ms + GRACE_MS - kh_clock_ms();
	struct pollfd fd = {w->exchange.fd, (short)(POLLIN | (w->exchange.fed ? 0 : POLLOUT)), 0};

	if (left <= 0)
		fail(w, KH_WORK_LATE, KH_FAULT_TIME, KH_LIT("it did not end in its time"));
	else
		(void)poll(&fd, 1, (int)left);
	return left > 0;
}

static bool converse(struct working *w, struct kh_end *ret_end)
{
	struct kh_event event;
	bool going = true;

	while (going) {
		feed(w);
		kh_exchange_next(&w->exchange, 0, &event);
		if (event.kind == KH_EVENT_END)
			break;
		going = event.kind == KH_EVENT_NOTHING ? await(w) : keep(w, &event);
	}
	if (going)
		*ret_end = event.end;
	return going;
}

/* The one line of a worker that failed: {"fault":"...","detail":"..."}. */
static void take_refusal(struct working *w, int status)
{
	struct kh_view line = kh_view_trim(kh_view_of(w->errors.p, w->errors.n));
	yyjson_val *root = NULL;

	if (line.n > 0 && kh_json_read(w->arena, line, &root, NULL) == KH_OK) {
		struct kh_view word = kh_json_str(kh_json_get(root, "fault"));
		struct kh_view detail = kh_json_str(kh_json_get(root, "detail"));
		if (word.n > 0) {
			struct kh_view quoted = kh_arena_quote_most(w->arena, detail, 200);
			fail(w, KH_WORK_REFUSED, KH_FAULT_NONE,
			     kh_arena_printf(w->arena, "the worker says %.*s", KH_FMT(quoted)));
			w->result.word = kh_tainted_wrap(word);
			return;
		}
	}
	fail(w, KH_WORK_BROKEN, KH_FAULT_NONE,
	     WIFSIGNALED(status) ? kh_arena_printf(w->arena, "the worker was ended by signal %d", WTERMSIG(status))
				 : kh_arena_printf(w->arena, "the worker ended with status %d", WEXITSTATUS(status)));
}

static void take_end(struct working *w, const struct kh_end *end)
{
	const char *detail = end->detail[0] != '\0' ? end->detail : kh_fault_about(end->fault);

	if (end->fault == KH_FAULT_TIME) {
		fail(w, KH_WORK_LATE, end->fault, KH_LIT("it did not end in its time"));
	} else if (end->fault != KH_FAULT_NONE) {
		fail(w, KH_WORK_BROKEN, end->fault,
		     kh_arena_printf(w->arena, "%s: %s", kh_fault_name(end->fault), detail));
	} else if (end->status != 0 && w->work->profile != KH_PROFILE_RUN) {
		take_refusal(w, end->status);
	} else {
		w->result = (struct kh_work_result){.end = KH_WORK_DONE, .status = end->status};
	}
}

/* One try; *RET_BUSY where the executor had no place for it, and nothing was started. */
static void run_once(struct working *w, bool *ret_busy)
{
	struct kh_error err = {.detail = ""};
	struct kh_end end = {0};
	int64_t left = w->deadline_ms - kh_clock_ms();

	w->unsent[0] = w->work->job;
	w->unsent[1] = w->work->job.n > 0 ? KH_LIT("\n") : KH_LIT("");
	w->unsent[2] = kh_tainted_open(w->work->bytes);
	w->run.limits.wall_ms = left > 0 ? (uint64_t)left : 1;
	*ret_busy = false;
	enum kh_err e = kh_client_run(w->client, &w->run, &w->exchange, &err);
	if (e != KH_OK) {
		fail(w, KH_WORK_BROKEN, KH_FAULT_REQUEST,
		     kh_arena_printf(w->arena, "the request cannot be made: %s", err.detail));
		return;
	}
	bool ended = converse(w, &end);
	kh_exchange_close(&w->exchange);
	*ret_busy = ended && end.fault == KH_FAULT_BUSY && left > 0;
	if (ended && !*ret_busy)
		take_end(w, &end);
}

static void pause_turn(void)
{
	struct timespec time = {.tv_nsec = TURN_MS * 1000000L};

	(void)nanosleep(&time, NULL);
}

enum kh_err kh_work_run(const struct kh_client *client, const struct kh_work *work, struct kh_arena *arena,
			struct kh_work_result *ret_result)
{
	struct working *w = KH_NEW(arena, struct working); /* an exchange is too large for a stack */
	uint64_t wall_ms = work->limits.wall_ms > 0 ? work->limits.wall_ms : kh_profile_limits(work->profile)->wall_ms;
	struct kh_view output = {NULL, 0}, errors = {NULL, 0};
	bool busy = true;

	if (w == NULL)
		return KH_ENOMEM;
	w->client = client;
	w->work = work;
	w->arena = arena;
	w->deadline_ms = kh_clock_ms() + (int64_t)wall_ms;
	kh_buf_init(&w->out, arena, work->most);
	kh_buf_init(&w->errors, arena, KH_WORK_ERRORS);
	if (!describe(w)) {
		fail(w, KH_WORK_BROKEN, KH_FAULT_REQUEST, KH_LIT("more paths or hosts than a request can have"));
		busy = false;
	}
	while (busy) {
		run_once(w, &busy);
		if (busy)
			pause_turn();
	}
	/* Neither can pass its limit: what does is not kept. */
	enum kh_err e = kh_buf_end(&w->out, &output);
	if (e == KH_OK)
		e = kh_buf_end(&w->errors, &errors);
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e != KH_OK)
		return e;
	*ret_result = w->result;
	ret_result->output = kh_tainted_wrap(output);
	ret_result->errors = kh_tainted_wrap(errors);
	return KH_OK;
}

bool kh_work_said(const struct kh_work_result *result, const char *word)
{
	return result->end == KH_WORK_REFUSED && kh_view_eq(kh_tainted_open(result->word), kh_view_str(word));
}
