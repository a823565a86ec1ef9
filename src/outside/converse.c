/*
 * The event loop of every request to the executor.
 *
 * The executor may die or fall silent at any moment, and what it passes on may come from an attacker.  Neither can keep
 * this process longer than the deadline and the grace period, or make it hold more than its bound.
 */
#include "outside/converse.h"

#include "base/clock.h"

#include <limits.h>
#include <time.h>

void kh_converse_pause(int64_t ms)
{
	struct timespec time = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};

	(void)nanosleep(&time, NULL);
}

struct kh_converse *kh_converse_new(const struct kh_client *client, struct kh_arena *arena, uint64_t wall_ms,
				    size_t most)
{
	struct kh_converse *c = KH_NEW(arena, struct kh_converse);

	if (c != NULL)
		*c = (struct kh_converse){.client = client,
					  .arena = arena,
					  .deadline_ms = kh_clock_ms() + (int64_t)wall_ms,
					  .most = most};
	return c;
}

/* The time left until the deadline; the largest value if there is none. */
static int64_t left_ms(const struct kh_converse *c)
{
	return c->deadline_ms > 0 ? c->deadline_ms - kh_clock_ms() : INT64_MAX;
}

/* Sends as much input as can be sent now, and the end of input after the last byte. */
static void feed(struct kh_converse *c)
{
	for (size_t i = 0; i < KH_CONVERSE_INPUTS; i++) {
		if (c->unsent[i].n > 0)
			c->unsent[i] = kh_view_from(c->unsent[i], kh_exchange_feed(&c->exchange, c->unsent[i]));
		if (c->unsent[i].n > 0)
			return;
	}
	if (!c->more && !c->exchange.fed)
		(void)kh_exchange_feed_end(&c->exchange);
}

static bool has_unsent(const struct kh_converse *c)
{
	bool unsent = !c->more && !c->exchange.fed;

	for (size_t i = 0; i < KH_CONVERSE_INPUTS; i++)
		unsent |= c->unsent[i].n > 0;
	return unsent;
}

static struct kh_tainted copy(struct kh_converse *c, struct kh_tainted value)
{
	return kh_tainted_wrap(kh_arena_dup(c->arena, kh_tainted_open(value)));
}

static void keep(struct kh_converse *c, const struct kh_event *event)
{
	struct kh_view bytes = kh_tainted_open(event->bytes);

	if (event->kind == KH_EVENT_HEAD)
		c->head = (struct kh_head){.status = event->head.status,
					   .headers = copy(c, event->head.headers),
					   .url = copy(c, event->head.url),
					   .location = copy(c, event->head.location)};
	else if (event->kind == KH_EVENT_ERRORS)
		kh_buf_add(&c->kept_errors, kh_view_sub(bytes, 0, c->most_errors - c->kept_errors.n));
	else if (bytes.n <= c->most - c->kept.n)
		kh_buf_add(&c->kept, bytes);
	else
		c->how = KH_CONVERSE_TOO_MUCH;
}

/*
 * Waits until the exchange has an event or takes input, or the company has something to do.  After an event (HEARD) it
 * does not wait but still polls the company's descriptors, because an executor that always has an event must not starve
 * them.  False if the conversation is over.
 */
static bool await(struct kh_converse *c, bool heard)
{
	struct pollfd fds[1 + KH_CONVERSE_COMPANY];
	size_t n = 0;
	short events = (short)((c->deaf ? 0 : POLLIN) | (has_unsent(c) ? POLLOUT : 0));
	int64_t left = left_ms(c);

	if (heard && c->company == NULL)
		return true;
	if (!heard && left <= -KH_CONVERSE_GRACE_MS) {
		c->how = KH_CONVERSE_LATE;
		return false;
	}
	int timeout = heard ? 0 : left > INT_MAX - KH_CONVERSE_GRACE_MS ? -1 : (int)left + KH_CONVERSE_GRACE_MS;
	if (c->goes_on != NULL && (timeout < 0 || timeout > c->every_ms))
		timeout = (int)c->every_ms;
	/* poll ignores a negative descriptor.  A descriptor that has hung up would be reported for ever. */
	fds[n++] = (struct pollfd){.fd = events != 0 ? c->exchange.fd : -1, .events = events};
	if (c->company != NULL)
		n += c->company->watch(c->context, fds + 1);
	if (poll(fds, n, timeout) > 0 && c->company != NULL && !c->company->serve(c->context, fds + 1))
		c->how = KH_CONVERSE_LEFT;
	return c->how == KH_CONVERSE_ENDED;
}

/* Asks the watcher, if it is time for that. */
static void ask_watcher(struct kh_converse *c)
{
	int64_t now = c->goes_on != NULL ? kh_clock_ms() : 0;

	if (c->goes_on == NULL || now < c->looks_ms)
		return;
	c->looks_ms = now + c->every_ms;
	if (!c->goes_on(c->watched))
		c->how = KH_CONVERSE_OVER;
}

/* Gives EVENT to the company, or keeps it. */
static void deliver(struct kh_converse *c, const struct kh_event *event)
{
	if (c->company != NULL)
		c->company->take(c->context, event);
	else
		keep(c, event);
}

/* The end.  What is kept of a server's standard error comes with it. */
static void take_end(struct kh_converse *c, struct kh_event *event)
{
	c->end = event->end;
	event->kind = KH_EVENT_ERRORS;
	if (kh_tainted_size(event->bytes) > 0)
		deliver(c, event);
}

/* Sends input, takes events and keeps output until the end. */
static void talk(struct kh_converse *c)
{
	struct kh_event event;

	do {
		event = (struct kh_event){.kind = KH_EVENT_NOTHING};
		feed(c);
		if (!c->deaf)
			kh_exchange_next(&c->exchange, 0, &event);
		if (event.kind == KH_EVENT_END) {
			take_end(c, &event);
			return;
		}
		if (event.kind != KH_EVENT_NOTHING)
			deliver(c, &event);
		if (c->how == KH_CONVERSE_ENDED)
			ask_watcher(c);
	} while (c->how == KH_CONVERSE_ENDED && await(c, event.kind != KH_EVENT_NOTHING));
}

/* True if nothing was started because the executor had no room, or is being replaced. */
static bool is_unbegun(const struct kh_converse *c)
{
	if (c->how != KH_CONVERSE_ENDED)
		return false;
	return c->end.fault == KH_FAULT_BUSY || (c->end.fault == KH_FAULT_ABSENT && kh_client_state(c->client).spawner);
}

/* One try.  True if nothing was started, and there is time for another try. */
static bool run_once(struct kh_converse *c)
{
	struct kh_limits *limits = c->run != NULL ? &c->run->limits : &c->fetch->limits;
	int64_t left = left_ms(c);

	c->how = KH_CONVERSE_ENDED;
	c->looks_ms = kh_clock_ms() + c->every_ms;
	c->head = (struct kh_head){.status = 0};
	memcpy(c->unsent, c->input, sizeof(c->unsent));
	kh_buf_init(&c->kept, c->arena, c->most);
	kh_buf_init(&c->kept_errors, c->arena, c->most_errors);
	if (c->deadline_ms > 0)
		limits->wall_ms = left > 0 ? (uint64_t)left : 1;
	enum kh_err e = c->run != NULL ? kh_client_run(c->client, c->run, &c->exchange, &c->err)
				       : kh_client_fetch(c->client, c->fetch, &c->exchange, &c->err);
	if (e != KH_OK) {
		c->how = KH_CONVERSE_UNMADE;
		return false;
	}
	talk(c);
	kh_exchange_close(&c->exchange);
	return is_unbegun(c) && c->deadline_ms > 0 && left_ms(c) > 0;
}

enum kh_err kh_converse_run(struct kh_converse *c)
{
	struct kh_view output = {NULL, 0}, errors = {NULL, 0};

	while (run_once(c))
		kh_converse_pause(KH_CONVERSE_TURN_MS);
	enum kh_err e = kh_buf_end(&c->kept, &output);
	if (e == KH_OK)
		e = kh_buf_end(&c->kept_errors, &errors);
	if (e == KH_OK)
		e = kh_arena_check(c->arena);
	c->output = kh_tainted_wrap(output);
	c->errors = kh_tainted_wrap(errors);
	return e;
}

enum kh_fault kh_converse_fault(const struct kh_converse *c)
{
	static const enum kh_fault faults[] = {
		[KH_CONVERSE_UNMADE] = KH_FAULT_REQUEST,  [KH_CONVERSE_LATE] = KH_FAULT_TIME,
		[KH_CONVERSE_TOO_MUCH] = KH_FAULT_OUTPUT, [KH_CONVERSE_LEFT] = KH_FAULT_CANCELLED,
		[KH_CONVERSE_OVER] = KH_FAULT_DISK,
	};

	return c->how == KH_CONVERSE_ENDED ? c->end.fault : faults[c->how];
}

struct kh_view kh_converse_why(const struct kh_converse *c)
{
	enum kh_fault fault = kh_converse_fault(c);

	if (c->how == KH_CONVERSE_UNMADE)
		return kh_arena_printf(c->arena, "the request cannot be made: %s", c->err.detail);
	if (c->how == KH_CONVERSE_TOO_MUCH)
		return KH_LIT("the result is larger than it may be");
	if (fault == KH_FAULT_TIME)
		return KH_LIT("it did not end in its time");
	return kh_arena_printf(c->arena, "%s: %s", kh_fault_name(fault),
			       c->how == KH_CONVERSE_ENDED ? kh_exchange_about(&c->end) : kh_fault_about(fault));
}
