/*
 * Calls of an upstream server.
 *
 * The executor is trusted; the worker is not: it may die, send what is no message, or too much.  Each call still gets one
 * END, and holds one message of at most the upstream's bound.
 */
#include "outside/caller.h"

#include "base/clock.h"
#include "outside/converse.h"
#include "wire/channel.h"
#include "wire/claim.h"

#include <limits.h>
#include <pthread.h>
#include <unistd.h>

#define TAKE_MS   10000 /* for the executor to take a call */
#define REASON_MS 1000  /* for the executor to say how a worker ended */
#define PATIENCE  30000 /* milliseconds for a worker to be there, if the call has no time of its own */
#define TRIES     3     /* workers that end before they take a call */
#define ARENA_MAX (256U << 10)

struct kh_caller {
	const struct kh_alloc *alloc;
	const struct kh_client *client;
	struct kh_arena arena;
	struct kh_upstream upstream;
	pthread_mutex_t lock; /* for everything below */
	bool is_open;
	uint64_t starts;         /* of workers; the number of the one that is open */
	struct kh_end last;      /* how the last one ended */
	struct kh_exchange link; /* to the executor */
};

struct kh_caller_call {
	struct kh_caller *caller;
	uint64_t start; /* the worker that has it */
	unsigned tries;
	int64_t patience_ms; /* until when another worker is tried */
	bool is_post, begun, is_over;
	struct kh_view body, unsent;
	struct kh_exchange channel;
	char *line; /* what came of a message */
	size_t line_n, line_cap;
	size_t handed; /* bytes of it that were handed out as a message */
	size_t ask_n;
	char ask[KH_MESSAGE_MAX];
	char text[KH_MESSAGE_DETAIL + 1]; /* detail or reason of its end */
};

/* --- the worker ---------------------------------------------------------------------------------------------------- */

static void copy_list(struct kh_arena *arena, struct kh_view *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		items[i] = kh_arena_dup(arena, items[i]);
}

enum kh_err kh_caller_new(const struct kh_alloc *alloc, const struct kh_client *client,
			  const struct kh_upstream *upstream, struct kh_caller **ret_caller, struct kh_error *err)
{
	struct kh_caller *caller = kh_alloc_zero(alloc, sizeof(*caller));

	if (caller == NULL)
		return kh_error_set(err, KH_ENOMEM, NULL, "out of memory");
	caller->alloc = alloc;
	caller->client = client;
	caller->upstream = *upstream;
	kh_arena_init(&caller->arena, alloc, ARENA_MAX);
	caller->upstream.url = kh_arena_dup(&caller->arena, upstream->url);
	caller->upstream.authority = kh_arena_dup(&caller->arena, upstream->authority);
	copy_list(&caller->arena, caller->upstream.header, upstream->headers);
	copy_list(&caller->arena, caller->upstream.secret, upstream->secrets);
	copy_list(&caller->arena, caller->upstream.host, upstream->hosts);
	if (caller->upstream.message == 0)
		caller->upstream.message = KH_UPSTREAM_MESSAGE;
	if (kh_arena_check(&caller->arena) != KH_OK || pthread_mutex_init(&caller->lock, NULL) != 0) {
		kh_arena_done(&caller->arena);
		kh_alloc_free(alloc, caller, sizeof(*caller));
		return kh_error_set(err, KH_ENOMEM, NULL, "out of memory");
	}
	*ret_caller = caller;
	return KH_OK;
}

void kh_caller_free(struct kh_caller *caller)
{
	if (caller == NULL)
		return;
	if (caller->is_open)
		kh_exchange_close(&caller->link);
	pthread_mutex_destroy(&caller->lock);
	kh_arena_done(&caller->arena);
	kh_alloc_free(caller->alloc, caller, sizeof(*caller));
}

void kh_caller_stop(struct kh_caller *caller)
{
	pthread_mutex_lock(&caller->lock);
	if (caller->is_open) {
		kh_exchange_close(&caller->link);
		caller->is_open = false;
		caller->last = (struct kh_end){.fault = KH_FAULT_CANCELLED, .detail = "it was stopped"};
	}
	pthread_mutex_unlock(&caller->lock);
}

uint64_t kh_caller_starts(struct kh_caller *caller)
{
	pthread_mutex_lock(&caller->lock);
	uint64_t starts = caller->starts;
	pthread_mutex_unlock(&caller->lock);
	return starts;
}

/* Notes how the worker ended, if it has, waiting up to WAIT_MS for it.  The lock is held. */
static void look(struct kh_caller *caller, int wait_ms)
{
	struct kh_event event = {.kind = KH_EVENT_NOTHING};

	if (caller->is_open)
		kh_exchange_next(&caller->link, wait_ms, &event);
	if (event.kind != KH_EVENT_END)
		return;
	caller->last = event.end;
	caller->is_open = false;
	kh_exchange_close(&caller->link);
}

/* Hands CHANNEL to the worker, which is started if there is none.  The lock is held. */
static enum kh_err hand_over(struct kh_caller *caller, int channel, struct kh_error *err)
{
	char buffer[KH_MESSAGE_HEADER];
	struct kh_message_out out;
	struct kh_view packet;

	look(caller, 0);
	if (!caller->is_open) {
		enum kh_err e = kh_client_upstream(caller->client, &caller->upstream, &caller->link, err);
		if (e != KH_OK)
			return e;
		caller->is_open = true;
		caller->starts++;
	}
	kh_message_begin(&out, buffer, sizeof(buffer), KH_MESSAGE_CALL);
	/* If it is not taken, the channel is closed with ours, and the call notices that. */
	if (kh_message_end(&out, &packet) == KH_OK)
		(void)!kh_channel_send_wait(caller->link.fd, packet, &channel, 1, TAKE_MS);
	return KH_OK;
}

/* --- a call -------------------------------------------------------------------------------------------------------- */

/* Opens the channel of CALL, with its ASK in it. */
static enum kh_err open_call(struct kh_caller_call *call, struct kh_error *err)
{
	struct kh_caller *caller = call->caller;
	int ends[2];
	enum kh_err e = kh_channel_pair(ends, err);

	if (e != KH_OK)
		return e;
	kh_exchange_init(&call->channel, ends[0], KH_STATE_PARENT_CALL, !call->is_post);
	call->unsent = call->body;
	call->tries++;
	if (kh_channel_send(ends[0], kh_view_of(call->ask, call->ask_n), NULL, 0) != KH_IO_DONE)
		e = kh_error_set(err, KH_EREFUSED, "channel", "the request cannot be sent");
	if (e == KH_OK) {
		pthread_mutex_lock(&caller->lock);
		e = hand_over(caller, ends[1], err);
		call->start = caller->starts;
		pthread_mutex_unlock(&caller->lock);
	}
	close(ends[1]);
	if (e != KH_OK)
		kh_exchange_close(&call->channel);
	return e;
}

enum kh_err kh_caller_begin(struct kh_caller *caller, const struct kh_upstream_ask *ask, struct kh_view body,
			    struct kh_caller_call **ret_call, struct kh_error *err)
{
	struct kh_caller_call *call = kh_alloc_zero(caller->alloc, sizeof(*call));
	struct kh_view packet;

	if (call == NULL)
		return kh_error_set(err, KH_ENOMEM, NULL, "out of memory");
	call->caller = caller;
	call->channel.fd = -1;
	call->is_post = ask->method == KH_METHOD_POST;
	call->body = body;
	call->patience_ms = kh_clock_ms() +
			    (int64_t)(ask->wall_ms > 0 && ask->wall_ms < PATIENCE ? ask->wall_ms : PATIENCE);
	enum kh_err e = body.n > KH_UPSTREAM_BODY ? kh_error_set(err, KH_ELIMIT, "request_size", "the body is too long")
						  : kh_upstream_write_ask(ask, call->ask, &packet, err);
	if (e == KH_OK) {
		call->ask_n = packet.n;
		e = open_call(call, err);
	}
	if (e == KH_OK)
		*ret_call = call;
	else
		kh_caller_end(call);
	return e;
}

void kh_caller_end(struct kh_caller_call *call)
{
	const struct kh_alloc *alloc = call->caller->alloc;

	kh_exchange_close(&call->channel);
	kh_alloc_free(alloc, call->line, call->line_cap);
	explicit_bzero(call->ask, call->ask_n); /* a header can be the id of a session */
	kh_alloc_free(alloc, call, sizeof(*call));
}

static void finish(struct kh_caller_call *call, enum kh_fault fault, const char *detail,
		   struct kh_caller_event *ret_event)
{
	call->is_over = true;
	call->channel.state = KH_STATE_ENDED;
	*ret_event = (struct kh_caller_event){
		.kind = KH_CALLER_END, .fault = fault, .begun = call->begun, .detail = detail};
}

/* True if the call can go to another worker: nobody took it, and there is time. */
static bool can_retry(const struct kh_caller_call *call, enum kh_fault why)
{
	bool waits = why == KH_FAULT_BUSY || (why == KH_FAULT_ABSENT && kh_client_state(call->caller->client).spawner);

	if (call->begun || kh_clock_ms() >= call->patience_ms)
		return false;
	return waits ||
	       (call->tries < TRIES && (why == KH_FAULT_NONE || why == KH_FAULT_LOST || why == KH_FAULT_WORKER));
}

/* The worker, or the executor, is gone. */
static void lose(struct kh_caller_call *call, struct kh_caller_event *ret_event)
{
	struct kh_caller *caller = call->caller;
	struct kh_end end = {.fault = KH_FAULT_WORKER};

	pthread_mutex_lock(&caller->lock);
	if (call->start == caller->starts) {
		look(caller, REASON_MS);
		if (!caller->is_open)
			end = caller->last;
	}
	pthread_mutex_unlock(&caller->lock);
	kh_exchange_close(&call->channel);
	if (can_retry(call, end.fault)) {
		if (call->tries > 1)
			kh_converse_pause(KH_CONVERSE_TURN_MS);
		if (open_call(call, NULL) == KH_OK)
			return;
	}
	/* A worker that ended because nobody called did not end because of this one. */
	enum kh_fault fault = end.fault != KH_FAULT_NONE ? end.fault : KH_FAULT_WORKER;
	memcpy(call->text, end.detail, sizeof(call->text));
	finish(call, fault, call->text[0] != '\0' ? call->text : kh_fault_about(fault), ret_event);
}

/* DONE is the worker's word: its fault is one that a worker can know of, and its sentence is ours only if we know it. */
static void take_done(struct kh_caller_call *call, const struct kh_message *message, bool headed,
		      struct kh_caller_event *ret_event)
{
	struct kh_view text = message->text[KH_FIELD_DETAIL];
	enum kh_fault fault = (enum kh_fault)message->number[KH_FIELD_FAULT];
	const char *claim = kh_claim_find(text);

	if (!kh_claim_may_call(fault, headed) || (fault == KH_FAULT_NONE && call->handed < call->line_n))
		fault = KH_FAULT_WORKER;
	if (text.n > 0)
		memcpy(call->text, text.p, text.n); /* the table of messages has checked that it fits */
	finish(call, fault, claim != NULL ? claim : fault == KH_FAULT_NONE ? "" : kh_fault_about(fault), ret_event);
	ret_event->reason = kh_tainted_wrap(kh_view_of(call->text, text.n));
}

/* Adds to the line that is collected.  False: it is too long, or there is no memory. */
static bool add_output(struct kh_caller_call *call, struct kh_view bytes)
{
	const struct kh_alloc *alloc = call->caller->alloc;
	size_t most = 2 * call->caller->upstream.message + KH_MESSAGE_MAX;
	size_t want = call->line_cap > 0 ? call->line_cap : KH_MESSAGE_MAX;

	if (bytes.n > most - call->line_n)
		return false;
	while (want < call->line_n + bytes.n)
		want *= 2;
	char *line = want > call->line_cap ? alloc->resize(alloc->ctx, call->line, call->line_cap, want) : call->line;
	if (line == NULL)
		return false;
	call->line = line;
	call->line_cap = want > call->line_cap ? want : call->line_cap;
	memcpy(line + call->line_n, bytes.p, bytes.n);
	call->line_n += bytes.n;
	return true;
}

/* The next whole message of what came; false if there is none. */
static bool take_line(struct kh_caller_call *call, struct kh_caller_event *ret_event)
{
	const char *from = call->line + call->handed;
	const char *end = call->handed < call->line_n ? memchr(from, '\n', call->line_n - call->handed) : NULL;

	if (end == NULL) {
		/* What was handed out is not needed any more. */
		if (call->handed > 0)
			memmove(call->line, from, call->line_n - call->handed);
		call->line_n -= call->handed;
		call->handed = 0;
		return false;
	}
	*ret_event = (struct kh_caller_event){.kind = KH_CALLER_MESSAGE,
					      .message = kh_tainted_wrap(kh_view_of(from, (size_t)(end - from)))};
	call->handed += (size_t)(end - from) + 1;
	return true;
}

/* Takes a message of the worker, which came in state BEFORE. */
static void take_message(struct kh_caller_call *call, const struct kh_message *message, enum kh_message_state before,
			 struct kh_caller_event *ret_event)
{
	if (message->type == KH_MESSAGE_BEGUN) {
		call->begun = true;
	} else if (message->type == KH_MESSAGE_HEAD) {
		*ret_event = (struct kh_caller_event){.kind = KH_CALLER_HEAD,
						      .status = (unsigned)message->number[KH_FIELD_STATUS],
						      .headers = kh_tainted_wrap(message->text[KH_FIELD_HEADERS])};
	} else if (message->type == KH_MESSAGE_MARK) {
		*ret_event = (struct kh_caller_event){.kind = KH_CALLER_MARK,
						      .mark = kh_tainted_wrap(message->text[KH_FIELD_MARK]),
						      .has_retry = message->has[KH_FIELD_RETRY],
						      .retry_ms = message->number[KH_FIELD_RETRY]};
	} else if (message->type == KH_MESSAGE_DONE) {
		take_done(call, message, before == KH_STATE_PARENT_HEARS, ret_event);
	} else if (!add_output(call, message->bulk)) {
		kh_exchange_close(&call->channel);
		finish(call, KH_FAULT_OUTPUT, "a message longer than the cap", ret_event);
	}
}

/* Sends what can be sent of the body now. */
static bool feed(struct kh_caller_call *call)
{
	if (call->channel.fed)
		return true;
	call->unsent = kh_view_from(call->unsent, kh_exchange_feed(&call->channel, call->unsent));
	return call->unsent.n == 0 && kh_exchange_feed_end(&call->channel);
}

/* Waits until the channel has something or takes more; false if the time ran out. */
static bool await(const struct kh_caller_call *call, bool fed, int64_t deadline_ms)
{
	struct pollfd wait = {.fd = call->channel.fd, .events = (short)(POLLIN | (fed ? 0 : POLLOUT))};
	int64_t left = deadline_ms < 0 ? -1 : deadline_ms - kh_clock_ms();

	if (deadline_ms >= 0 && left <= 0)
		return false;
	(void)poll(&wait, 1, left < INT_MAX ? (int)left : INT_MAX);
	return true;
}

void kh_caller_next(struct kh_caller_call *call, int timeout_ms, struct kh_caller_event *ret_event)
{
	int64_t deadline = timeout_ms < 0 ? -1 : kh_clock_ms() + timeout_ms;
	struct kh_message message;

	*ret_event = (struct kh_caller_event){.kind = KH_CALLER_NOTHING};
	while (ret_event->kind == KH_CALLER_NOTHING && !call->is_over && !take_line(call, ret_event)) {
		enum kh_message_state before = call->channel.state;
		bool fed = feed(call);
		enum kh_io io = kh_channel_hear(call->channel.fd, call->channel.buffer, &call->channel.state, 0,
						&message, NULL);
		if (io == KH_IO_DONE)
			take_message(call, &message, before, ret_event);
		else if (io != KH_IO_AGAIN)
			lose(call, ret_event);
		else if (!await(call, fed, deadline))
			return;
	}
}
