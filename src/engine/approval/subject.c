/* Writes down what a reviewer is shown.  Trusts the text only to be valid UTF-8. */
#include "engine/approval/subject.h"

#include "base/buf.h"
#include "core/screen/screen.h"
#include "engine/state/find.h"

#define LIMIT (16U << 20) /* bytes of a subject: text, query and marks, with room for their escapes */

static void add_text(struct kh_emit *emit, const char *key, struct kh_view text)
{
	kh_emit_key(emit, key);
	kh_emit_text(emit, text);
}

static void add_word(struct kh_emit *emit, const char *key, const char *word)
{
	add_text(emit, key, kh_view_str(word));
}

static void add_int(struct kh_emit *emit, const char *key, int64_t value)
{
	kh_emit_key(emit, key);
	kh_emit_int(emit, value);
}

static void add_digest(struct kh_emit *emit, const char *key, const struct kh_digest *digest)
{
	kh_emit_key(emit, key);
	kh_emit_digest(emit, digest);
}

/*
 * A call usually holds URLs.  Reporting the lowest findings would mark every URL, and teach reviewers to ignore marks.
 */
static enum kh_severity least_severity(enum kh_approval_kind kind)
{
	return kind == KH_APPROVE_DECLARATION || kind == KH_APPROVE_TOOL_CALL ? KH_SEVERITY_MEDIUM : KH_SEVERITY_LOW;
}

static enum kh_err add_findings(struct kh_emit *emit, struct kh_op *op, struct kh_view text, enum kh_severity least)
{
	struct kh_findings findings;
	enum kh_err e = kh_screen_text(op->screen, op->arena, text, KH_SCREEN_DOCUMENT, &findings);

	if (e != KH_OK)
		return e;
	kh_emit_key(emit, "findings");
	kh_emit_array(emit);
	for (size_t i = 0; i < findings.n; i++) {
		const struct kh_finding *f = &findings.at[i];
		if (f->severity < least)
			continue;
		kh_emit_object(emit);
		add_word(emit, "code", f->code);
		add_text(emit, "decoded", f->decoded.n > 0 ? kh_arena_quote(op->arena, f->decoded) : KH_LIT(""));
		add_int(emit, "end", (int64_t)f->end);
		add_word(emit, "rule", f->rule);
		add_word(emit, "severity", kh_words_name(&kh_severity_words, f->severity));
		add_int(emit, "start", (int64_t)f->start);
		kh_emit_end(emit);
	}
	kh_emit_end(emit);
	return KH_OK;
}

static void add_marks(struct kh_emit *emit, const struct kh_reasons *marks)
{
	kh_emit_key(emit, "marks");
	kh_emit_array(emit);
	for (size_t i = 0; marks != NULL && i < marks->n; i++) {
		kh_emit_object(emit);
		add_word(emit, "code", marks->at[i].code);
		add_text(emit, "detail", marks->at[i].detail);
		add_text(emit, "member", marks->at[i].member);
		kh_emit_end(emit);
	}
	kh_emit_end(emit);
}

static void add_query(struct kh_emit *emit, struct kh_op *op, const struct kh_query_row *query)
{
	kh_emit_key(emit, "query");
	if (query == NULL) {
		kh_emit_null(emit);
		return;
	}
	kh_emit_object(emit);
	kh_emit_key(emit, "account");
	kh_emit_object(emit);
	add_int(emit, "content", (int64_t)query->content);
	add_int(emit, "reserved", (int64_t)query->reserved);
	kh_emit_end(emit);
	kh_emit_key(emit, "body");
	kh_emit_raw(emit, query->body);
	add_text(emit, "id", kh_op_id(op, KH_ID_QUERY, query->id));
	add_text(emit, "reader", query->reader);
	add_word(emit, "taint", kh_words_name(&kh_label_taint_words, query->reader_taint));
	kh_emit_end(emit);
}

static void add_task(struct kh_emit *emit, struct kh_op *op, const struct kh_task_row *task)
{
	kh_emit_key(emit, "task");
	kh_emit_object(emit);
	add_text(emit, "id", kh_op_id(op, KH_ID_TASK, task->id));
	add_word(emit, "phase", kh_words_name(&kh_phase_words, task->phase));
	add_text(emit, "title", task->title);
	kh_emit_end(emit);
}

enum kh_err kh_subject_write(struct kh_op *op, const struct kh_approval_request *request,
			     const struct kh_approval_row *row, struct kh_view *ret_json)
{
	struct kh_emit emit;
	struct kh_buf buf;
	struct kh_view json = {NULL, 0};

	kh_buf_init(&buf, op->arena, LIMIT);
	kh_emit_init(&emit, &buf);
	kh_emit_object(&emit);
	add_digest(&emit, "arguments", &row->arguments);
	add_digest(&emit, "content", &row->content);
	add_text(&emit, "context", kh_op_id(op, KH_ID_CONTEXT, row->context));
	add_int(&emit, "expires_at", row->expires_at);
	enum kh_err e = add_findings(&emit, op, request->text, least_severity(request->kind));
	if (e != KH_OK)
		return e;
	add_text(&emit, "id", kh_op_id(op, KH_ID_APPROVAL, row->id));
	add_word(&emit, "kind", kh_words_name(&kh_rows_approval_kind_words, row->kind));
	add_marks(&emit, request->marks);
	add_text(&emit, "operation", row->operation);
	add_int(&emit, "pages", row->pages);
	add_digest(&emit, "policy", &row->policy);
	add_query(&emit, op, request->query);
	add_int(&emit, "requested_at", row->requested_at);
	kh_emit_key(&emit, "source");
	kh_emit_raw(&emit, request->source.n > 0 ? request->source : KH_LIT("[]"));
	add_task(&emit, op, request->task);
	add_text(&emit, "text", request->text);
	kh_emit_key(&emit, "untrusted");
	kh_emit_bool(&emit, request->untrusted);
	kh_emit_end(&emit);
	e = kh_buf_end(&buf, &json);
	if (e == KH_OK)
		e = kh_arena_check(op->arena);
	if (e == KH_OK)
		*ret_json = json;
	return e;
}

/* The end of the page that begins at START; a page has at least one character. */
static size_t page_end(struct kh_view text, size_t start)
{
	size_t end = start + KH_SUBJECT_PAGE;

	if (end >= text.n)
		return text.n;
	while (((unsigned char)text.p[end] & 0xc0) == 0x80)
		end--;
	return end;
}

int64_t kh_subject_pages(struct kh_view text)
{
	int64_t n = 1;

	for (size_t at = page_end(text, 0); at < text.n; at = page_end(text, at))
		n++;
	return n;
}

struct kh_view kh_subject_page(struct kh_view text, int64_t n, size_t *ret_start)
{
	size_t start = 0;

	for (int64_t i = 1; i < n && start < text.n; i++)
		start = page_end(text, start);
	*ret_start = start;
	return kh_view_sub(text, start, page_end(text, start));
}

enum kh_err kh_subject_read(struct kh_op *op, const struct kh_approval_row *row, yyjson_val **ret_subject)
{
	struct kh_digest digest = kh_canonical_digest(row->subject);

	if (memcmp(digest.bytes, row->digest.bytes, sizeof(digest.bytes)) != 0)
		return kh_error_set(op->err, KH_ECHANGED, "changed",
				    "what is stored to be shown is not what was asked");
	return kh_json_read(op->arena, row->subject, ret_subject, op->err);
}
