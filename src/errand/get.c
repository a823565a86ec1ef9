/*
 * A GET, from request to end.  The executor may die at any moment; the server may send anything for as long as its time
 * lasts.  Of what it sends one header is looked for, and nothing is understood.
 */
#include "errand/get.h"

#include "base/buf.h"
#include "base/clock.h"

#include <poll.h>
#include <time.h>

#define GRACE_MS 1000 /* for the executor, which ends the exchange in time, to say so */
#define TURN_MS  5    /* between two tries to get a place in the executor */

struct getting {
	const struct kh_client *client;
	const struct kh_get *get;
	struct kh_arena *arena;
	struct kh_fetch fetch;
	struct kh_buf body;
	int64_t deadline_ms;
	struct kh_get_result result;
	struct kh_exchange exchange;
};

static void fail(struct getting *g, enum kh_fault fault, struct kh_view why)
{
	g->result.done = false;
	g->result.fault = fault;
	g->result.why = why;
}

static struct kh_tainted keep(struct getting *g, struct kh_tainted value)
{
	return kh_tainted_wrap(kh_arena_dup(g->arena, kh_tainted_open(value)));
}

/* The value of header NAME in LINES; empty where there is none. */
static struct kh_tainted find_header(struct kh_tainted lines, struct kh_view name)
{
	struct kh_view rest = kh_tainted_open(lines), line;

	while (kh_view_split(&rest, '\n', &line)) {
		if (line.n > name.n && line.p[name.n] == ':' && kh_view_eq_nocase(kh_view_sub(line, 0, name.n), name))
			return kh_tainted_wrap(kh_view_trim(kh_view_from(line, name.n + 1)));
	}
	return kh_tainted_wrap(KH_LIT(""));
}

static void take_head(struct getting *g, const struct kh_head *head)
{
	g->result.status = head->status;
	g->result.url = keep(g, head->url);
	g->result.location = keep(g, head->location);
	g->result.type = keep(g, find_header(head->headers, KH_LIT("content-type")));
}

/* False where the exchange need not go on. */
static bool take_event(struct getting *g, const struct kh_event *event)
{
	if (event->kind == KH_EVENT_HEAD)
		take_head(g, &event->head);
	else if (event->kind == KH_EVENT_OUTPUT && kh_tainted_size(event->bytes) <= g->get->most - g->body.n)
		kh_buf_add(&g->body, kh_tainted_open(event->bytes));
	else if (event->kind == KH_EVENT_OUTPUT) {
		fail(g, KH_FAULT_OUTPUT, KH_LIT("the response is larger than it may be"));
		return false;
	}
	return true;
}

static void take_end(struct getting *g, const struct kh_end *end)
{
	const char *detail = end->detail[0] != '\0' ? end->detail : kh_fault_about(end->fault);

	if (end->fault == KH_FAULT_NONE && g->result.status > 0)
		g->result.done = true;
	else if (end->fault == KH_FAULT_NONE)
		fail(g, KH_FAULT_HTTP, KH_LIT("no response came"));
	else
		fail(g, end->fault, kh_arena_printf(g->arena, "%s: %s", kh_fault_name(end->fault), detail));
}

/* One try; *RET_BUSY where the executor had no place for it, and nothing was sent. */
static void run_once(struct getting *g, bool *ret_busy)
{
	struct kh_error err = {.detail = ""};
	int64_t left = g->deadline_ms - kh_clock_ms();
	struct kh_event event;

	*ret_busy = false;
	g->fetch.limits.wall_ms = left > 0 ? (uint64_t)left : 1;
	if (kh_client_fetch(g->client, &g->fetch, &g->exchange, &err) != KH_OK) {
		fail(g, KH_FAULT_REQUEST, kh_arena_printf(g->arena, "the request cannot be made: %s", err.detail));
		return;
	}
	do {
		int64_t wait = g->deadline_ms + GRACE_MS - kh_clock_ms();
		kh_exchange_next(&g->exchange, wait > 0 ? (int)wait : 0, &event);
		if (event.kind == KH_EVENT_NOTHING && wait <= 0) {
			fail(g, KH_FAULT_TIME, KH_LIT("it did not end in its time"));
			break;
		}
		if (event.kind == KH_EVENT_END) {
			*ret_busy = event.end.fault == KH_FAULT_BUSY && left > 0;
			take_end(g, &event.end);
		}
	} while (event.kind != KH_EVENT_END && take_event(g, &event));
	kh_exchange_close(&g->exchange);
}

static void pause_turn(void)
{
	struct timespec time = {.tv_nsec = TURN_MS * 1000000L};

	(void)nanosleep(&time, NULL);
}

static void describe(struct getting *g)
{
	const struct kh_get *get = g->get;
	struct kh_fetch *fetch = &g->fetch;

	*fetch = (struct kh_fetch){.url = get->url,
				   .method = KH_METHOD_GET,
				   .plain = get->plain,
				   .authority = get->authority,
				   .redirects = KH_GET_REDIRECTS,
				   .limits = {.output = get->most}};
	for (; fetch->hosts < get->host_count && fetch->hosts < KH_REQUEST_HOSTS; fetch->hosts++)
		fetch->host[fetch->hosts] = get->hosts[fetch->hosts];
	for (; fetch->headers < get->header_count && fetch->headers < KH_REQUEST_HEADERS; fetch->headers++)
		fetch->header[fetch->headers] = get->headers[fetch->headers];
}

enum kh_err kh_get_run(const struct kh_client *client, const struct kh_get *get, struct kh_arena *arena,
		       struct kh_get_result *ret_result)
{
	struct getting *g = KH_NEW(arena, struct getting); /* an exchange is too large for a stack */
	struct kh_view body = {NULL, 0};
	bool busy = true;

	if (g == NULL)
		return KH_ENOMEM;
	g->client = client;
	g->get = get;
	g->arena = arena;
	g->deadline_ms = kh_clock_ms() + (int64_t)get->wall_ms;
	kh_buf_init(&g->body, arena, get->most);
	describe(g);
	while (busy) {
		run_once(g, &busy);
		if (busy)
			pause_turn();
	}
	explicit_bzero(&g->fetch, sizeof(g->fetch));
	enum kh_err e = kh_buf_end(&g->body, &body);
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e != KH_OK)
		return e;
	*ret_result = g->result;
	ret_result->body = kh_tainted_wrap(body);
	return KH_OK;
}
