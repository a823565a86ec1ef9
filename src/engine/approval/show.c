/*
 * Showing an approval.  The page is cut from the stored subject, whose digest is checked first.  The result is for a
 * human (terminal.h of the command line makes it safe to display).
 */
#include "engine/approval/show.h"

#include "engine/approval/carried.h"
#include "engine/approval/subject.h"
#include "engine/state/each.h"
#include "engine/state/find.h"

/* What is shown: a page of the text, or of the content that the approval carries. */
struct page {
	yyjson_val *subject, *findings;
	int64_t number, of;
	struct kh_view text;
	size_t start;
	struct kh_carried carried; /* its block is empty: it is a page of the text */
};

/* Whether this page was shown to the caller before: it is recorded only once. */
static enum kh_err was_shown(struct kh_op *op, const struct kh_approval_row *row, int64_t page, bool *ret_yes)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_SHOWINGS, .number = row->id};
	struct kh_showing_row showing;

	*ret_yes = false;
	while (!*ret_yes && kh_each_peek(&each, KH_TABLE_SHOWINGS, &showing))
		*ret_yes = showing.token == op->caller->id && showing.page == page;
	return each.e;
}

static enum kh_err record(struct kh_op *op, const struct kh_approval_row *row, int64_t page)
{
	struct kh_showing_row *showing;
	struct kh_task_row *task;
	bool yes;
	enum kh_err e = was_shown(op, row, page, &yes);

	if (e != KH_OK || yes)
		return e;
	e = kh_approval_task(op, row, &task);
	if (e == KH_OK)
		e = kh_txn_new(op->txn, KH_TABLE_SHOWINGS, &showing);
	if (e != KH_OK)
		return e;
	showing->approval = row->id;
	showing->token = op->caller->id;
	showing->page = page;
	showing->shown_at = op->now;
	return kh_op_event(op, KH_AUDIT_APPROVAL_SHOWN, task, (struct kh_view){NULL, 0});
}

static void add_copy(yyjson_mut_doc *doc, yyjson_mut_val *obj, yyjson_val *subject, const char *key)
{
	yyjson_mut_obj_add_val(doc, obj, key, yyjson_val_mut_copy(doc, kh_json_get(subject, key)));
}

/*
 * Adds the findings that overlap the page, with offsets from its beginning; those that begin before the page get offset
 * 0.
 */
static void add_findings(yyjson_mut_doc *doc, yyjson_mut_val *obj, yyjson_val *findings, size_t from, size_t to)
{
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, obj, "findings");
	yyjson_arr_iter iter;
	yyjson_val *item;

	yyjson_arr_iter_init(findings, &iter);
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		uint64_t start = yyjson_get_uint(kh_json_get(item, "start"));
		uint64_t end = yyjson_get_uint(kh_json_get(item, "end"));
		if (start >= to || end <= from)
			continue;
		yyjson_mut_val *found = yyjson_mut_arr_add_obj(doc, list);
		add_copy(doc, found, item, "code");
		add_copy(doc, found, item, "rule");
		add_copy(doc, found, item, "severity");
		yyjson_mut_obj_add_uint(doc, found, "start", start > from ? start - from : 0);
		yyjson_mut_obj_add_uint(doc, found, "end", (end < to ? end : to) - from);
		add_copy(doc, found, item, "decoded");
	}
}

static enum kh_err add_decision(struct kh_op *op, const struct kh_approval_row *row, yyjson_mut_doc *doc,
				yyjson_mut_val *obj)
{
	struct kh_token_row *decider;

	if (row->decided_by == 0)
		return KH_OK;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_TOKENS, row->decided_by, &decider);
	if (e != KH_OK)
		return e;
	yyjson_mut_val *decision = yyjson_mut_obj_add_obj(doc, obj, "decision");
	kh_op_add_time(op, doc, decision, "at", row->decided_at);
	kh_json_add(doc, decision, "by", decider->name);
	kh_json_add(doc, decision, "role", kh_view_str(kh_words_name(&kh_policy_role_words, decider->role)));
	kh_json_add(doc, decision, "from", row->decided_from);
	kh_json_add(doc, decision, "note", row->note);
	if (row->edited.n > 0)
		kh_json_add(doc, decision, "edited", row->edited);
	yyjson_mut_obj_add_sint(doc, decision, "uses", row->uses);
	yyjson_mut_obj_add_sint(doc, decision, "used", row->used);
	return KH_OK;
}

/* Whose words the page has: those of a block are untrusted, whoever wrote the text. */
static void add_label(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj, const struct page *page)
{
	const struct kh_carried *c = &page->carried;

	if (c->block.n > 0) {
		kh_json_add(doc, obj, "label",
			    kh_arena_printf(op->arena, KH_APPROVAL_SHOW_CONTENT " %.*s", KH_FMT(c->block)));
		yyjson_mut_obj_add_bool(doc, obj, "untrusted", true);
		yyjson_mut_val *part = yyjson_mut_obj_add_obj(doc, obj, "part");
		kh_json_add(doc, part, "block", c->block);
		yyjson_mut_obj_add_uint(doc, part, "bytes", c->size);
		if (c->purged)
			yyjson_mut_obj_add_bool(doc, part, "purged", true);
		return;
	}
	struct kh_view kind = kh_json_str(kh_json_get(page->subject, "kind"));
	bool is_server = kh_view_eq(kind, KH_LIT("upstream")) || kh_view_eq(kind, KH_LIT("elicitation"));
	if (yyjson_get_bool(kh_json_get(page->subject, "untrusted")))
		yyjson_mut_obj_add_str(doc, obj, "label", is_server ? KH_APPROVAL_SHOW_SERVER : KH_APPROVAL_SHOW_LABEL);
	add_copy(doc, obj, page->subject, "untrusted");
}

static void add_text(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj, const struct page *page)
{
	static const char *const about[] = {"decides", "task",  "query",   "context", "operation",   "host",
					    "source",  "marks", "carries", "server",  "declaration", "form"};
	size_t from = page->carried.block.n > 0 ? 0 : page->start; /* that offsets of findings count from */

	add_label(op, doc, obj, page);
	kh_json_add(doc, obj, "text", page->text);
	yyjson_mut_obj_add_uint(doc, obj, "start", page->start);
	add_findings(doc, obj, page->findings, from, from + page->text.n);
	for (size_t i = 0; i < sizeof(about) / sizeof(about[0]); i++)
		add_copy(doc, obj, page->subject, about[i]);
}

static void add_binding(struct kh_op *op, const struct kh_approval_row *row, yyjson_mut_doc *doc, yyjson_mut_val *obj)
{
	yyjson_mut_val *binds = yyjson_mut_obj_add_obj(doc, obj, "binds");

	kh_json_add(doc, binds, "arguments", kh_canonical_hex(op->arena, &row->arguments));
	kh_json_add(doc, binds, "content", kh_canonical_hex(op->arena, &row->content));
	kh_json_add(doc, binds, "policy", kh_canonical_hex(op->arena, &row->policy));
}

static enum kh_err write_json(struct kh_op *op, const struct kh_approval_row *row, const struct page *page,
			      struct kh_view *ret_json)
{
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	if (doc == NULL || obj == NULL)
		return KH_ENOMEM;
	kh_json_add(doc, obj, "id", kh_op_id(op, KH_ID_APPROVAL, row->id));
	kh_json_add(doc, obj, "kind", kh_view_str(kh_words_name(&kh_rows_approval_kind_words, row->kind)));
	kh_json_add(doc, obj, "state",
		    kh_view_str(kh_words_name(&kh_grant_approval_words, kh_approval_state(row, op->now))));
	kh_json_add(doc, obj, "digest", kh_canonical_hex(op->arena, &row->digest));
	kh_op_add_time(op, doc, obj, "requested_at", row->requested_at);
	kh_op_add_time(op, doc, obj, "expires_at", row->expires_at);
	yyjson_mut_obj_add_sint(doc, obj, "page", page->number);
	yyjson_mut_obj_add_sint(doc, obj, "pages", page->of);
	add_text(op, doc, obj, page);
	add_binding(op, row, doc, obj);
	enum kh_err e = add_decision(op, row, doc, obj);
	if (e == KH_OK)
		e = kh_arena_check(op->arena);
	return e == KH_OK ? kh_json_write(op->arena, obj, ret_json) : e;
}

static enum kh_err read_page(struct kh_op *op, const struct kh_approval_row *row, int64_t number, struct page *page)
{
	bool text = number <= row->pages;

	page->number = number;
	enum kh_err e = kh_subject_read(op, row, &page->subject);
	if (e == KH_OK)
		e = kh_carried_find(op, row, page->subject, text ? 0 : number - row->pages, &page->carried);
	if (e != KH_OK)
		return e;
	page->of = row->pages + page->carried.pages;
	if (number < 1 || number > page->of)
		return kh_error_set(op->err, KH_EINPUT, "no_such_page", "it has %lld pages", (long long)page->of);
	if (!text) {
		page->text = page->carried.text;
		page->start = page->carried.start;
		return kh_json_read(op->arena, page->carried.findings, &page->findings, op->err);
	}
	page->text = kh_subject_page(kh_json_str(kh_json_get(page->subject, "text")), number, &page->start);
	page->findings = kh_json_get(page->subject, "findings");
	return KH_OK;
}

enum kh_err kh_approval_show_run(struct kh_op *op, void *call)
{
	struct kh_approval_show *show = call;
	struct kh_approval_row *row;
	struct kh_view json = {NULL, 0};
	struct page page = {0};
	enum kh_err e = kh_find_approval(op, show->approval, &row);

	if (e == KH_OK)
		e = read_page(op, row, show->page, &page);
	if (e == KH_OK)
		e = record(op, row, show->page);
	if (e == KH_OK)
		e = write_json(op, row, &page, &json);
	if (e != KH_OK)
		return e;
	show->json = json;
	show->text = kh_tainted_wrap(page.text);
	show->pages = page.of;
	show->row = row;
	return KH_OK;
}
