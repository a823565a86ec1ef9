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
	if (page->next.n > 0)
		kh_buf_printf(&buf, "\"%.*s\"}", KH_FMT(page->next));
	else
		kh_buf_lit(&buf, "null}");
	return kh_buf_end(&buf, ret_json);
}

/* Answers with the lines as they are; the next page is a link (RFC 8288). */
static void reply_lines(struct kh_rest_call *call, const struct kh_audittrail *page)
{
	struct kh_http_header link = {
		.name = "Link",
		.value = kh_arena_printf(call->arena, "<" KH_REST_BASE "/audit?format=jsonl&after=%.*s>; rel=\"next\"",
					 KH_FMT(page->next)),
	};

	kh_http_reply(call->r, 200, "application/jsonl", page->lines, &link, page->next.n > 0 ? 1 : 0);
}

enum kh_err kh_rest_audit_list(struct kh_rest_call *call)
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
		.after = kh_rest_call_query(call, "after")->text,
		.last = (size_t)kh_rest_call_query(call, "last")->number,
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

enum kh_err kh_rest_audit_show(struct kh_rest_call *call)
{
	struct kh_audittrail page = {.only = kh_http_request_segment(call->r, "event"), .limit = 1};
	enum kh_err e = kh_engine_call(kh_gateway_engine(call->gateway), call->token, kh_audittrail_run, &page,
				       call->arena, &call->err);
	return e == KH_OK ? kh_rest_call_reply(call, kh_view_trim(page.lines)) : e;
}
