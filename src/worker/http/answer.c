/* The answer of an upstream server.  See answer.h. */
#include "worker/http/answer.h"

#include "base/clock.h"
#include "wire/header.h"
#include "worker/http/headers.h"
#include "worker/mcp/rewrite.h"

#include <stdio.h>

#define VALUE_MAX  1024           /* bytes of a header's value that is passed on */
#define REASON_MAX 150            /* bytes of a reason, quoted */
#define OTHER_MAX  KH_MASK_REASON /* bytes of an error's body that are looked at */

void kh_http_answer_init(struct kh_http_answer *answer, struct kh_http_site *site, struct kh_outlet *out, uint64_t most)
{
	*answer = (struct kh_http_answer){
		.site = site, .out = out, .most = most, .messages = site->messages, .bytes = site->bytes};
}

void kh_http_answer_done(struct kh_http_answer *answer)
{
	kh_eventstream_done(&answer->events);
	kh_bytes_free(&answer->body, &kh_alloc_system);
}

void kh_http_answer_stop(struct kh_http_answer *answer, enum kh_fault fault, const char *detail)
{
	if (answer->fault != KH_FAULT_NONE)
		return;
	answer->fault = fault;
	snprintf(answer->detail, sizeof(answer->detail), "%s", detail);
	kh_mask_reason(&answer->site->mask, answer->detail, strlen(answer->detail));
}

static bool goes_on(const struct kh_http_answer *answer)
{
	return answer->fault == KH_FAULT_NONE;
}

/* Puts the result of a step into words. */
static void judge(struct kh_http_answer *answer, enum kh_err e, const struct kh_error *err)
{
	if (e == KH_ELIMIT)
		kh_http_answer_stop(answer, KH_FAULT_OUTPUT,
				    err != NULL ? err->detail : "a message longer than the cap");
	else if (e == KH_ENOMEM)
		kh_http_answer_stop(answer, KH_FAULT_OUTPUT, "a message that takes too much memory");
	else if (e != KH_OK)
		kh_http_answer_stop(answer, KH_FAULT_HTTP, err != NULL ? err->detail : "not a message");
}

/* Writes what TEXT says anew and puts it out. */
static void put_message(struct kh_http_answer *answer, struct kh_view text)
{
	struct kh_http_site *site = answer->site;
	struct kh_error err = {.detail = ""};
	struct kh_view lines = {NULL, 0};
	struct kh_buf buf;
	size_t count = 0;

	kh_http_site_forget(site);
	kh_buf_init(&buf, &site->work, site->work.limit);
	enum kh_err e = kh_rewrite_line(&site->work, kh_view_trim(text), &buf, &count, &err);
	if (e == KH_OK)
		e = kh_buf_end(&buf, &lines);
	if (e == KH_OK)
		e = kh_arena_check(&site->work);
	judge(answer, e, &err);
	if (!goes_on(answer) || count == 0)
		return;
	(void)kh_worker_rate_take(&answer->messages, count, kh_clock_us());
	kh_mask_apply(&site->mask, true, buf.p, lines.n);
	answer->written += lines.n;
	if (answer->most > 0 && answer->written > answer->most)
		kh_http_answer_stop(answer, KH_FAULT_OUTPUT, "more bytes came than the cap");
	else
		judge(answer, kh_outlet_bulk(answer->out, KH_MESSAGE_OUTPUT, lines, site->buffer), NULL);
}

static void put_mark(struct kh_http_answer *answer, const struct kh_eventstream_event *event)
{
	struct kh_message_out out;
	char id[KH_EVENTSTREAM_ID];

	if (event->id.n > 0)
		memcpy(id, event->id.p, event->id.n);
	kh_mask_apply(&answer->site->mask, false, id, event->id.n);
	kh_message_begin(&out, answer->site->buffer, KH_MESSAGE_MAX, KH_MESSAGE_MARK);
	kh_message_text(&out, KH_FIELD_MARK, kh_view_of(id, event->id.n));
	if (event->has_retry)
		kh_message_number(&out, KH_FIELD_RETRY, event->retry_ms);
	judge(answer, kh_outlet_put(answer->out, &out), NULL);
}

/* An event of another type is none of MCP's, and is dropped; its id counts all the same. */
static bool take_event(void *ctx, const struct kh_eventstream_event *event)
{
	struct kh_http_answer *answer = ctx;
	bool is_message = event->data.n > 0 && (event->type.n == 0 || kh_view_eq(event->type, KH_LIT("message")));

	if (is_message)
		put_message(answer, event->data);
	else /* its mark has to be read by the parent like any message */
		(void)kh_worker_rate_take(&answer->messages, 1, kh_clock_us());
	if (goes_on(answer) && (event->id.n > 0 || event->has_retry))
		put_mark(answer, event);
	return goes_on(answer);
}

/* --- the head ------------------------------------------------------------------------------------------------------ */

static bool is_shown(struct kh_view value)
{
	bool good = value.n > 0 && value.n <= VALUE_MAX;

	for (size_t i = 0; i < value.n && good; i++)
		good = value.p[i] >= ' ' && value.p[i] < 0x7f;
	return good;
}

/* Status, and the headers that a client of MCP needs. */
static void put_head(struct kh_http_answer *answer, struct kh_view block)
{
	static const struct kh_view names[] = {
		KH_LIT_INIT("content-type"), KH_LIT_INIT("mcp-session-id"),   KH_LIT_INIT("mcp-protocol-version"),
		KH_LIT_INIT("retry-after"),  KH_LIT_INIT("www-authenticate"), KH_LIT_INIT("allow"),
	};
	char lines[sizeof(names) / sizeof(names[0]) * (VALUE_MAX + 32)];
	struct kh_message_out out;
	struct kh_view value;
	size_t n = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (kh_header_find(block, names[i], &value) && is_shown(value))
			n += (size_t)snprintf(lines + n, sizeof(lines) - n, "%.*s: %.*s\r\n", KH_FMT(names[i]),
					      KH_FMT(value));
	kh_mask_apply(&answer->site->mask, false, lines, n);
	kh_message_begin(&out, answer->site->buffer, KH_MESSAGE_MAX, KH_MESSAGE_HEAD);
	kh_message_number(&out, KH_FIELD_STATUS, answer->status);
	kh_message_text(&out, KH_FIELD_HEADERS, kh_view_of(lines, n));
	judge(answer, kh_outlet_put(answer->out, &out), NULL);
}

static bool is_type(struct kh_view block, struct kh_view type)
{
	struct kh_view value;

	return kh_header_find(block, KH_LIT("Content-Type"), &value) &&
	       kh_view_eq_nocase(kh_view_trim(kh_view_sub(value, 0, kh_view_find(value, KH_LIT(";"), 0))), type);
}

/* The three digits behind the version; 0 if there are none. */
static unsigned status_of(struct kh_view block)
{
	unsigned status = 0;

	for (size_t i = 9; i < 12; i++)
		status = i < block.n && kh_ascii_is_digit(block.p[i]) ? status * 10 + (unsigned)(block.p[i] - '0') : 0;
	return status;
}

static bool is_redirect(unsigned status)
{
	return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* A block is whole: that of the final response, or of an interim one, which is dropped. */
static void end_block(struct kh_http_answer *answer)
{
	struct kh_view block = kh_view_of(answer->head.lines, answer->head.n);
	const char *wrong = kh_easy_wrong(&answer->head);
	enum kh_coding codings[KH_CODING_LAYERS];
	unsigned status = status_of(block);

	if (wrong == NULL && status < 100)
		wrong = "the response is not well-formed";
	if (wrong == NULL && kh_headers_codings(block, codings) > 0)
		wrong = "a coding that was not asked for"; /* no call asks for one */
	if (wrong == NULL && status == 101)
		wrong = "the server changed the protocol";
	if (wrong != NULL) {
		kh_http_answer_stop(answer, KH_FAULT_HTTP, wrong);
	} else if (is_redirect(status)) {
		kh_http_answer_stop(answer, KH_FAULT_REDIRECTS,
				    "the server redirects, and an upstream is not followed");
	} else if (status >= 200) {
		answer->status = status;
		answer->until_close = kh_headers_until_close(block, status);
		answer->kind = is_type(block, KH_LIT("application/json"))    ? KH_HTTP_ANSWER_JSON
			       : is_type(block, KH_LIT("text/event-stream")) ? KH_HTTP_ANSWER_EVENTS
			       : status >= 400                               ? KH_HTTP_ANSWER_OTHER
									     : KH_HTTP_ANSWER_NONE;
		kh_eventstream_init(&answer->events, &kh_alloc_system, answer->site->message, take_event, answer);
		put_head(answer, block);
	}
	kh_easy_forget(&answer->head, status >= 200);
}

bool kh_http_answer_header(struct kh_http_answer *answer, struct kh_view line)
{
	switch (kh_easy_take(&answer->head, line)) {
	case KH_EASY_TOO_MUCH:
		kh_http_answer_stop(answer, KH_FAULT_HEADERS, "more header bytes than the cap");
		break;
	case KH_EASY_BLOCK:
		end_block(answer);
		break;
	case KH_EASY_MORE:
		break;
	}
	return goes_on(answer);
}

/* --- the body ------------------------------------------------------------------------------------------------------ */

static void take_events(struct kh_http_answer *answer, struct kh_view bytes)
{
	switch (kh_eventstream_push(&answer->events, bytes)) {
	case KH_EVENTSTREAM_TOO_LONG:
		kh_http_answer_stop(answer, KH_FAULT_OUTPUT, "an event longer than the cap");
		break;
	case KH_EVENTSTREAM_MEMORY:
		kh_http_answer_stop(answer, KH_FAULT_WORKER, "no memory is left");
		break;
	case KH_EVENTSTREAM_TAKEN:
	case KH_EVENTSTREAM_STOPPED:
		break;
	}
}

bool kh_http_answer_body(struct kh_http_answer *answer, struct kh_view bytes)
{
	size_t most = answer->kind == KH_HTTP_ANSWER_OTHER ? OTHER_MAX : answer->site->message;

	(void)kh_worker_rate_take(&answer->bytes, bytes.n / KH_HTTP_SITE_BLOCK + 1, kh_clock_us());
	if (!answer->head.is_over)
		kh_http_answer_stop(answer, KH_FAULT_HTTP, "the server changed the protocol");
	else if (answer->kind == KH_HTTP_ANSWER_NONE && bytes.n > 0)
		kh_http_answer_stop(answer, KH_FAULT_HTTP, "the body is neither JSON nor a stream of events");
	else if (answer->kind == KH_HTTP_ANSWER_EVENTS)
		take_events(answer, bytes);
	else if (answer->kind == KH_HTTP_ANSWER_OTHER)
		judge(answer,
		      kh_bytes_add(&answer->body, &kh_alloc_system, most, kh_view_sub(bytes, 0, most - answer->body.n)),
		      NULL);
	else
		judge(answer, kh_bytes_add(&answer->body, &kh_alloc_system, most, bytes), NULL);
	return goes_on(answer);
}

/* What an error says that is no message is a reason for humans. */
static void put_reason(struct kh_http_answer *answer)
{
	struct kh_view body = kh_view_trim(kh_bytes_view(&answer->body)), quoted;

	if (body.n == 0)
		return;
	body = kh_view_sub(body, 0, OTHER_MAX);
	kh_mask_reason(&answer->site->mask, answer->body.p + (body.p - answer->body.p), body.n);
	kh_arena_clear(&answer->site->work);
	quoted = kh_arena_quote_most(&answer->site->work, body, REASON_MAX);
	snprintf(answer->detail, sizeof(answer->detail), "the server says %.*s", KH_FMT(quoted));
}

/* An error's JSON need not be a message. */
static bool is_message(struct kh_http_answer *answer)
{
	struct kh_buf buf;
	size_t count = 0;

	kh_arena_clear(&answer->site->work);
	kh_buf_init(&buf, &answer->site->work, answer->site->work.limit);
	return kh_rewrite_line(&answer->site->work, kh_view_trim(kh_bytes_view(&answer->body)), &buf, &count, NULL) ==
		       KH_OK &&
	       count > 0;
}

void kh_http_answer_end(struct kh_http_answer *answer)
{
	bool is_error = answer->status >= 400;

	if (!goes_on(answer))
		return;
	if (!answer->head.is_over)
		kh_http_answer_stop(answer, KH_FAULT_HTTP, "the response ended within its headers");
	else if (answer->kind == KH_HTTP_ANSWER_EVENTS && !kh_eventstream_is_whole(&answer->events))
		kh_http_answer_stop(answer, KH_FAULT_HTTP, "the stream ended within an event");
	else if (answer->kind == KH_HTTP_ANSWER_OTHER ||
		 (answer->kind == KH_HTTP_ANSWER_JSON && is_error && !is_message(answer)))
		put_reason(answer);
	else if (answer->kind == KH_HTTP_ANSWER_JSON && answer->body.n > 0)
		put_message(answer, kh_bytes_view(&answer->body));
}
