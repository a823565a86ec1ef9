/* The record over HTTP, in pages.  Verifying takes as long as the record is long, so only the command does it:
 * `keyhole audit verify`. */
#include "http/rest/audit.h"

#include "engine/audit/audittrail.h"

#define USUAL 100

/* Writes the lines of a page as the items of a list; no line contains a newline. */
static enum kh_err write_items(struct kh_rest_call *call, const struct kh_audittrail *page, struct kh_view *ret_json)
{
	struct kh_view rest = kh_view_trim(page->lines), line;
	struct kh_buf buf;

	if (page->count == 0)
		rest = (struct kh_view){NULL, 0};
	kh_buf_init(&buf, call->arena, page->lines.n + KH_REST_SMALL);
	kh_buf_lit(&buf, "{\"items\":[");
	for (size_t i = 0; kh_view_split(&rest, '\n', &line); i++) {
		if (i > 0)
			kh_buf_byte(&buf, ',');
		kh_buf_add(&buf, line);
	}
	kh_buf_lit(&buf, "],\"next\":");
	if (page->next != 0)
		kh_buf_printf(&buf, "%lld}", (long long)page->next);
	else
		kh_buf_lit(&buf, "null}");
	return kh_buf_end(&buf, ret_json);
}

/* Answers with the lines as they are; the next page is a link (RFC 8288). */
static void reply_lines(struct kh_rest_call *call, const struct kh_audittrail *page)
{
	struct kh_http_header link = {
		.name = "Link",
		.value = kh_arena_printf(call->arena, "<" KH_REST_BASE "/audit?format=jsonl&after=%lld>; rel=\"next\"",
					 (long long)page->next),
	};

	kh_http_reply(call->r, 200, "application/jsonl", page->lines, &link, page->next != 0 ? 1 : 0);
}

static enum kh_err list(struct kh_rest_call *call)
{
	const struct kh_rest_value *limit = kh_rest_call_query(call, "limit");
	struct kh_audittrail page = {
		.filter =
			{
				.task = kh_rest_call_query(call, "task")->text,
				.principal = kh_rest_call_query(call, "principal")->text,
				.kind = kh_rest_call_query(call, "kind")->text,
				.since = kh_rest_call_query(call, "since")->text,
				.until = kh_rest_call_query(call, "until")->text,
			},
		.after = kh_rest_call_query(call, "after")->number,
		.limit = limit->there ? (size_t)limit->number : USUAL,
	};
	struct kh_view json;
	enum kh_err e = kh_engine_call(kh_gateway_engine(call->gateway), call->token, kh_audittrail_run, &page,
				       call->arena, &call->err);

	if (e == KH_OK && kh_rest_call_query(call, "format")->word == 1) {
		reply_lines(call, &page);
		return kh_arena_check(call->arena);
	}
	if (e == KH_OK)
		e = write_items(call, &page, &json);
	return e == KH_OK ? kh_rest_call_reply(call, json) : e;
}

static const struct kh_words format_words = KH_WORDS("json", "jsonl");

static const struct kh_rest_member list_query[] = {
	{"after", KH_REST_NUMBER, .min = 0, .max = INT64_C(1) << 53, .about = "Events after this number."},
	{"limit", KH_REST_NUMBER, .min = 1, .max = KH_AUDITTRAIL_LIMIT, .about = "At most so many; 100 by default."},
	{"task", KH_REST_TEXT, .about = "Events of this task; `system`: those of no task."},
	{"principal", KH_REST_TEXT, .about = "Events by this token, by its id or its name; `keyhole`: by Keyhole."},
	{"kind", KH_REST_TEXT, .about = "Events of this kind, or group of kinds: query.delivered, query."},
	{"since", KH_REST_TEXT, .about = "Events from then on: 2026-11-15, 2026-11-15T08:30:00Z."},
	{"until", KH_REST_TEXT, .about = "Events before then."},
	{"format", KH_REST_WORD, .words = &format_words, .about = "json where it is missing; jsonl: an event a line."},
	{0},
};

static enum kh_err show(struct kh_rest_call *call)
{
	struct kh_view segment = kh_http_request_segment(call->r, "event"), quoted;
	struct kh_audittrail page = {.limit = 1};

	if (!kh_view_int(segment, &page.only) || page.only < 1) {
		quoted = kh_arena_quote(call->arena, segment);
		return kh_error_set(&call->err, KH_EUNKNOWN, "unknown_event", "there is no event %.*s", KH_FMT(quoted));
	}
	enum kh_err e = kh_engine_call(kh_gateway_engine(call->gateway), call->token, kh_audittrail_run, &page,
				       call->arena, &call->err);
	return e == KH_OK ? kh_rest_call_reply(call, kh_view_trim(page.lines)) : e;
}

static const struct kh_rest_route routes[] = {
	{
		.method = KH_HTTP_GET,
		.path = "/audit",
		.name = "listEvents",
		.group = "audit",
		.operation = kh_audittrail_run,
		.summary = "Read the record",
		.about = "The oldest first.  A page may have fewer events than the limit, even none, and still a "
			 "`next`: a filter is looked through a bounded number of events at a time.  As JSON Lines, the "
			 "next page is in the header Link.  `keyhole audit verify` proves the record.",
		.query = list_query,
		.status = 200,
		.answer = "EventList",
		.other_types = {"application/jsonl"},
		.run = list,
	},
	{
		.method = KH_HTTP_GET,
		.path = "/audit/{event}",
		.name = "showEvent",
		.group = "audit",
		.operation = kh_audittrail_run,
		.summary = "One event",
		.about = "`event` is byte for byte what `hash` is the BLAKE2b-256 of.",
		.status = 200,
		.answer = "Event",
		.run = show,
	},
};

const struct kh_rest_route *kh_rest_audit_routes(size_t *ret_count)
{
	*ret_count = sizeof(routes) / sizeof(routes[0]);
	return routes;
}
