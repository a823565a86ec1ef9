/* Writes down what a reviewer is shown.  Trusts the text only to be valid UTF-8. */
#include "engine/approval/subject.h"

#include "base/buf.h"
#include "engine/approval/carried.h"
#include "engine/approval/purpose.h"
#include "engine/state/find.h"

#define LIMIT (16U << 20) /* bytes of a subject: text, query and marks, with room for their escapes */

/*
 * A call usually holds URLs.  Reporting the lowest findings would mark every URL, and teach reviewers to ignore marks.
 */
static enum kh_severity least_severity(enum kh_approval_kind kind)
{
	return kind == KH_APPROVE_DECLARATION || kind == KH_APPROVE_TOOL_CALL ? KH_SEVERITY_MEDIUM : KH_SEVERITY_LOW;
}

/* A text to be screened, and what was found in it. */
struct screening {
	struct kh_view text;
	struct kh_findings findings;
};

static enum kh_err screen(struct kh_prepare *at, void *work)
{
	struct kh_screen *by = kh_beforehand_screen(at);
	struct screening *s = work;

	return by != NULL ? kh_screen_text(by, at->arena, s->text, KH_SCREEN_REVIEWED, &s->findings) : KH_ENOMEM;
}

static struct screening *new_screening(struct kh_arena *arena, struct kh_view text, struct kh_view *ret_key)
{
	struct screening *s = KH_NEW(arena, struct screening);
	struct kh_digest digest = kh_canonical_digest(text);

	*ret_key = kh_arena_dup(arena, kh_view_of((const char *)digest.bytes, sizeof(digest.bytes)));
	if (s != NULL)
		s->text = text;
	return ret_key->p != NULL ? s : NULL;
}

enum kh_err kh_subject_prepare(struct kh_prepare *at, struct kh_view text)
{
	struct kh_view key;
	struct screening *s = new_screening(at->arena, text, &key);

	return s != NULL ? kh_beforehand_do(at, screen, key, s) : KH_ENOMEM;
}

static enum kh_err find_findings(struct kh_op *op, struct kh_view text, const struct kh_findings **ret_findings)
{
	struct kh_view key;
	struct screening *s = new_screening(op->arena, text, &key);
	const struct screening *done = s != NULL ? kh_beforehand_find(op, screen, key) : NULL;

	if (done == NULL)
		return s != NULL ? kh_beforehand_want(op, screen, key, s) : KH_ENOMEM;
	*ret_findings = &done->findings;
	return KH_OK;
}

static void add_findings(struct kh_emit *emit, struct kh_arena *arena, const struct kh_findings *findings,
			 enum kh_severity least)
{
	kh_emit_array(emit);
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what is wanted beforehand is never KH_OK */
	for (size_t i = 0; i < findings->n; i++) {
		const struct kh_finding *f = &findings->at[i];
		if (f->severity < least)
			continue;
		kh_emit_object(emit);
		kh_emit_add_word(emit, "code", f->code);
		kh_emit_add(emit, "decoded", f->decoded.n > 0 ? kh_arena_quote(arena, f->decoded) : KH_LIT(""));
		kh_emit_add_int(emit, "end", (int64_t)f->end);
		kh_emit_add_word(emit, "rule", f->rule);
		kh_emit_add_word(emit, "severity", kh_words_name(&kh_severity_words, f->severity));
		kh_emit_add_int(emit, "start", (int64_t)f->start);
		kh_emit_end(emit);
	}
	kh_emit_end(emit);
}

enum kh_err kh_subject_findings(struct kh_arena *arena, const struct kh_findings *findings, enum kh_severity least,
				struct kh_view *ret_json)
{
	struct kh_emit emit;

	kh_emit_begin(&emit, arena, LIMIT);
	add_findings(&emit, arena, findings, least);
	return kh_emit_finish(&emit, ret_json);
}

static void add_marks(struct kh_emit *emit, const struct kh_reasons *marks)
{
	kh_emit_key(emit, "marks");
	kh_emit_array(emit);
	for (size_t i = 0; marks != NULL && i < marks->n; i++) {
		kh_emit_object(emit);
		kh_emit_add_word(emit, "code", marks->at[i].code);
		kh_emit_add(emit, "detail", marks->at[i].detail);
		kh_emit_add(emit, "member", marks->at[i].member);
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
	kh_emit_add_int(emit, "content", (int64_t)query->content);
	kh_emit_add_int(emit, "reserved", (int64_t)query->reserved);
	kh_emit_end(emit);
	kh_emit_add_raw(emit, "body", query->body);
	kh_emit_add(emit, "id", kh_op_id(op, KH_ID_QUERY, query->id));
	kh_emit_add(emit, "reader", query->reader);
	kh_emit_add_word(emit, "taint", kh_words_name(&kh_label_taint_words, query->reader_taint));
	kh_emit_end(emit);
}

static enum kh_err add_task(struct kh_emit *emit, struct kh_op *op, const struct kh_task_row *task)
{
	kh_emit_key(emit, "task");
	if (task == NULL) {
		kh_emit_null(emit);
		return KH_OK;
	}
	kh_emit_object(emit);
	enum kh_err e = kh_purpose_goals(op, task, emit);
	kh_emit_add(emit, "id", kh_op_id(op, KH_ID_TASK, task->id));
	kh_emit_add_word(emit, "phase", kh_words_name(&kh_phase_words, task->phase));
	if (e == KH_OK)
		e = kh_purpose_plan(op, task, emit);
	kh_emit_add(emit, "title", task->title);
	kh_emit_end(emit);
	return e;
}

enum kh_err kh_subject_write(struct kh_op *op, const struct kh_approval_request *request,
			     const struct kh_approval_row *row, struct kh_view *ret_json)
{
	const struct kh_findings *findings = NULL;
	struct kh_emit emit;
	struct kh_view json = {NULL, 0};
	enum kh_err e = find_findings(op, request->text, &findings);

	if (e != KH_OK)
		return e;
	kh_emit_begin(&emit, op->arena, LIMIT);
	kh_emit_object(&emit);
	kh_emit_add_digest(&emit, "arguments", &row->arguments);
	e = kh_carried_write(op, request->carried, request->carried_count, &emit);
	if (e != KH_OK)
		return e;
	kh_emit_add_digest(&emit, "content", &row->content);
	kh_emit_add(&emit, "context", row->context != 0 ? kh_op_id(op, KH_ID_CONTEXT, row->context) : KH_LIT(""));
	kh_emit_add_word(&emit, "decides", kh_approval_decides(row));
	if (request->declaration.n > 0)
		kh_emit_add(&emit, "declaration", request->declaration);
	kh_emit_add_int(&emit, "expires_at", row->expires_at);
	kh_emit_key(&emit, "findings");
	add_findings(&emit, op->arena, findings, least_severity(request->kind));
	if (request->form.n > 0)
		kh_emit_add_raw(&emit, "form", request->form);
	if (request->host.n > 0)
		kh_emit_add(&emit, "host", request->host);
	kh_emit_add(&emit, "id", kh_op_id(op, KH_ID_APPROVAL, row->id));
	kh_emit_add_word(&emit, "kind", kh_words_name(&kh_rows_approval_kind_words, row->kind));
	add_marks(&emit, request->marks);
	kh_emit_add(&emit, "operation", row->operation);
	kh_emit_add_int(&emit, "pages", row->pages);
	kh_emit_add_digest(&emit, "policy", &row->policy);
	add_query(&emit, op, request->query);
	kh_emit_add_int(&emit, "requested_at", row->requested_at);
	if (request->server.n > 0)
		kh_emit_add(&emit, "server", request->server);
	kh_emit_add_raw(&emit, "source", request->source.n > 0 ? request->source : KH_LIT("[]"));
	e = add_task(&emit, op, request->task);
	if (e != KH_OK)
		return e;
	kh_emit_add(&emit, "text", request->text);
	kh_emit_add_bool(&emit, "untrusted", request->untrusted);
	kh_emit_end(&emit);
	e = kh_emit_finish(&emit, &json);
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
