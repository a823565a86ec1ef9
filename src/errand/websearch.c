/*
 * A search of the web.  The endpoint's operator is trusted with the query and the key; what it answers is the world's:
 * it is carried to a worker without being looked at, and what comes back is split at its first line.
 */
#include "errand/websearch.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "core/comm/url.h"
#include "errand/work.h"

#include <poll.h>
#include <time.h>

#define ANSWER   (4U << 20) /* bytes of an answer */
#define PARSE_MS 5000U
#define GRACE_MS 1000 /* for the executor, which ends the exchange in time, to say so */
#define TURN_MS  20   /* between two tries to get a place in the executor */

struct asking {
	const struct kh_errand_tools *tools;
	struct kh_arena *arena;
	int64_t deadline;
	struct kh_fetch fetch;
	struct kh_view secret; /* the header with the key, to be wiped */
	struct kh_buf in;
	unsigned status; /* 0: no answer */
	struct kh_end end;
	bool was_ended;
	struct kh_exchange exchange;
};

/* The endpoint's URL with the query in it. */
static struct kh_view write_url(struct kh_arena *arena, struct kh_view endpoint, struct kh_view query)
{
	static const char digits[] = "0123456789ABCDEF";
	struct kh_view url = {NULL, 0};
	struct kh_buf buf;

	kh_buf_init(&buf, arena, SIZE_MAX);
	kh_buf_add(&buf, endpoint);
	kh_buf_byte(&buf, memchr(endpoint.p, '?', endpoint.n) != NULL ? '&' : '?');
	kh_buf_lit(&buf, "format=json&q=");
	for (size_t i = 0; i < query.n; i++) {
		unsigned char c = (unsigned char)query.p[i];
		if (kh_ascii_is_alpha((char)c) || kh_ascii_is_digit((char)c) || memchr("-._~", c, 4) != NULL) {
			kh_buf_byte(&buf, (char)c);
		} else {
			kh_buf_byte(&buf, '%');
			kh_buf_byte(&buf, digits[c >> 4]);
			kh_buf_byte(&buf, digits[c & 15]);
		}
	}
	return kh_buf_end(&buf, &url) == KH_OK ? url : (struct kh_view){NULL, 0};
}

/* What the executor is asked for, all but the time; false where there is no URL that could be. */
static bool describe(struct asking *a, struct kh_view query)
{
	const struct kh_config_search *search = &a->tools->config->search;
	bool local = search->local == KH_CONFIG_TRUE;
	struct kh_fetch *fetch = &a->fetch;
	struct kh_url url;

	fetch->url = write_url(a->arena, search->url, query);
	if (fetch->url.p == NULL || kh_url_read_web(fetch->url, local, &url, NULL) != KH_OK)
		return false;
	fetch->method = KH_METHOD_GET;
	fetch->plain = local;
	fetch->authority = search->authority;
	fetch->limits.output = ANSWER;
	if (local)
		fetch->host[fetch->hosts++] = kh_arena_printf(
			a->arena, memchr(url.host.p, ':', url.host.n) ? "[%.*s]:%d" : "%.*s:%d", KH_FMT(url.host),
			url.port);
	fetch->header[fetch->headers++] = KH_LIT("Accept: application/json");
	if (a->tools->search_key.n > 0) {
		a->secret = kh_arena_printf(a->arena, "Authorization: Bearer %.*s", KH_FMT(a->tools->search_key));
		fetch->header[fetch->headers++] = a->secret;
	}
	return true;
}

/* Listens and keeps until the exchange's end; without one where the time is over. */
static void converse(struct asking *a)
{
	struct kh_event event = {.kind = KH_EVENT_NOTHING};
	int64_t left = 1;

	while (event.kind != KH_EVENT_END && left > 0) {
		left = a->deadline + GRACE_MS - kh_clock_ms();
		kh_exchange_next(&a->exchange, left > 0 ? (int)left : 0, &event);
		if (event.kind == KH_EVENT_HEAD)
			a->status = event.head.status;
		else if (event.kind == KH_EVENT_OUTPUT)
			kh_buf_add(&a->in, kh_tainted_open(event.bytes)); /* the executor holds the cap */
	}
	a->was_ended = event.kind == KH_EVENT_END;
	if (a->was_ended)
		a->end = event.end;
}

/* Asks, again while the executor has no place.  False and *RET_WHY where there is no answer. */
static bool ask(struct asking *a, struct kh_view *ret_why)
{
	struct kh_error err = {.offset = SIZE_MAX};
	bool is_again = true;

	while (is_again) {
		int64_t left = a->deadline - kh_clock_ms();
		a->fetch.limits.wall_ms = left > 0 ? (uint64_t)left : 1;
		kh_buf_init(&a->in, a->arena, ANSWER);
		if (kh_client_fetch(a->tools->client, &a->fetch, &a->exchange, &err) != KH_OK) {
			*ret_why = kh_arena_printf(a->arena, "the search engine cannot be asked: %s", err.detail);
			return false;
		}
		converse(a);
		kh_exchange_close(&a->exchange);
		is_again = a->was_ended && a->end.fault == KH_FAULT_BUSY && left > 0;
		if (is_again)
			nanosleep(&(struct timespec){.tv_nsec = TURN_MS * 1000000L}, NULL);
	}
	if (a->status != 0 && a->status != 200)
		*ret_why = kh_arena_printf(a->arena, "the search engine answered with status %u%s", a->status,
					   a->status == 403 ? " (does its settings' search.formats have json?)" : "");
	else if (!a->was_ended || a->end.fault == KH_FAULT_TIME)
		*ret_why = KH_LIT("the search engine did not answer in its time");
	else if (a->end.fault != KH_FAULT_NONE)
		*ret_why = kh_arena_printf(a->arena, "the search engine cannot be asked: %s: %s",
					   kh_fault_name(a->end.fault),
					   a->end.detail[0] != '\0' ? a->end.detail : kh_fault_about(a->end.fault));
	return ret_why->n == 0;
}

/* Has the answer read by a worker. */
static enum kh_err parse(struct asking *a, uint64_t limit, struct kh_errand_result *result)
{
	struct kh_view body, report, content,
		job = kh_arena_printf(a->arena, "{\"job\":\"web\",\"limit\":%llu}", (unsigned long long)limit);
	struct kh_work_result done = {.end = KH_WORK_BROKEN};
	enum kh_err e = kh_buf_end(&a->in, &body);

	if (e != KH_OK || job.p == NULL)
		return KH_ENOMEM;
	result->original = kh_tainted_wrap(body);
	e = kh_work_run(a->tools->client,
			&(struct kh_work){.profile = KH_PROFILE_SEARCH,
					  .job = job,
					  .bytes = result->original,
					  .limits = {.wall_ms = PARSE_MS},
					  .most = KH_ERRAND_CONTENT},
			a->arena, &done);
	if (e != KH_OK)
		return e;
	if (done.end != KH_WORK_DONE) {
		result->why = kh_arena_printf(a->arena, "the search engine's answer cannot be read: %.*s",
					      KH_FMT(done.why));
		return KH_OK;
	}
	content = kh_tainted_open(done.output);
	if (!kh_view_split(&content, '\n', &report) || content.p == NULL || kh_utf8_invalid(content) != SIZE_MAX) {
		result->why = KH_LIT("the worker's results are not understood");
		return KH_OK;
	}
	result->end = KH_ERRAND_OK;
	result->content = kh_tainted_wrap(kh_view_trim(content));
	return KH_OK;
}

static enum kh_err write_details(struct asking *a, struct kh_errand_result *result)
{
	yyjson_mut_doc *doc = kh_json_new(a->arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	struct kh_view text;

	kh_json_add(doc, root, "scope", KH_LIT("web"));
	if (a->status != 0)
		yyjson_mut_obj_add_uint(doc, root, "status", a->status);
	yyjson_mut_obj_add_uint(doc, root, "bytes", kh_tainted_size(result->original));
	enum kh_err e = kh_json_write(a->arena, root, &text);
	if (e == KH_OK)
		result->details = kh_tainted_wrap(text);
	return e;
}

enum kh_err kh_websearch_run(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_view query,
			     uint64_t limit, struct kh_arena *arena, struct kh_errand_result *ret_result)
{
	struct asking *a = KH_NEW(arena, struct asking); /* an exchange is too large for a stack */
	struct kh_view why = {NULL, 0};
	enum kh_err e = KH_OK;

	if (a == NULL)
		return KH_ENOMEM;
	a->tools = tools;
	a->arena = arena;
	a->deadline = kh_clock_ms() + (int64_t)errand->wall_ms;
	if (!describe(a, query))
		why = KH_LIT("the query is too long for a URL, or search.url is none");
	else if (kh_arena_check(arena) == KH_OK && ask(a, &why))
		e = parse(a, limit, ret_result);
	if (a->secret.n > 0)
		explicit_bzero((void *)(uintptr_t)a->secret.p, a->secret.n);
	if (why.n > 0)
		ret_result->why = why;
	if (e == KH_OK)
		e = write_details(a, ret_result);
	return e == KH_OK ? kh_arena_check(arena) : e;
}
