/* Raw responses for humans.  They are hostile: they leave here as strings of JSON under a label, page by page. */
#include "engine/query/tries.h"

#include "base/utf8.h"
#include "engine/approval/show.h"
#include "engine/approval/subject.h"
#include "engine/state/find.h"

struct tries {
	struct kh_op *op;
	const struct kh_tries *call;
	yyjson_mut_doc *doc;
	yyjson_mut_val *list;
	int64_t ids[KH_TRIES_MAX]; /* the newest first */
	size_t n;
};

/* Collects the asks of the query: each names the one before it. */
static enum kh_err collect(struct tries *t, int64_t newest)
{
	struct kh_effect_row effect;
	enum kh_err e = KH_OK;

	for (int64_t id = newest; id != 0 && t->n < KH_TRIES_MAX;
	     id = effect.before != 0 ? effect.before : effect.prev) {
		e = kh_txn_peek(t->op->txn, KH_TABLE_EFFECTS, id, &effect);
		if (e != KH_OK || effect.before >= id || effect.prev >= id)
			return e == KH_OK || e == KH_EUNKNOWN ? kh_error_set(t->op->err, KH_ESTORE, "store_corrupt",
									     "the tries of a query are not in order")
							      : e;
		t->ids[t->n++] = id;
	}
	return KH_OK;
}

/* What validation found; a fault is told like a reason. */
static void add_reasons(struct tries *t, yyjson_mut_val *obj, const struct kh_effect_row *effect)
{
	yyjson_mut_val *list, *reason;

	if (effect->state != KH_EFFECT_FAILED && effect->reasons.n > 0) {
		kh_json_add_raw(t->doc, obj, "reasons", effect->reasons);
		return;
	}
	list = yyjson_mut_obj_add_arr(t->doc, obj, "reasons");
	if (effect->state != KH_EFFECT_FAILED)
		return;
	reason = yyjson_mut_arr_add_obj(t->doc, list);
	struct kh_view code = effect->verdict; /* a word of kh_reader_fault_words */
	kh_json_add(t->doc, reason, "code", code);
	yyjson_mut_obj_add_str(t->doc, reason, "member", "");
	kh_json_add(t->doc, reason, "detail", effect->reasons);
}

/* The page of the raw response that is asked for. */
static enum kh_err add_text(struct tries *t, yyjson_mut_val *obj, const struct kh_effect_row *effect)
{
	struct kh_view raw = kh_tainted_open(effect->raw), text = raw;
	int64_t page = t->call->number != 0 ? t->call->page : 1, pages;
	bool binary = kh_utf8_invalid(raw) != SIZE_MAX;
	size_t start = 0;

	if (binary) {
		struct kh_buf out;
		kh_buf_init(&out, t->op->arena, 3 * raw.n);
		kh_buf_repair(&out, raw);
		enum kh_err e = kh_buf_end(&out, &text);
		if (e != KH_OK)
			return e;
	}
	pages = kh_subject_pages(text);
	if (page < 1 || page > pages)
		return kh_error_set(t->op->err, KH_EINPUT, "no_such_page", "it has %lld pages", (long long)pages);
	yyjson_mut_obj_add_uint(t->doc, obj, "size", raw.n);
	yyjson_mut_obj_add_bool(t->doc, obj, "binary", binary);
	yyjson_mut_obj_add_sint(t->doc, obj, "page", page);
	yyjson_mut_obj_add_sint(t->doc, obj, "pages", pages);
	kh_json_add(t->doc, obj, "text", kh_subject_page(text, page, &start));
	return KH_OK;
}

static enum kh_err add_try(struct tries *t, int64_t number, int64_t id)
{
	struct kh_op *op = t->op;
	struct kh_effect_row *effect;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_EFFECTS, id, &effect);

	if (e != KH_OK)
		return e;
	yyjson_mut_val *obj = yyjson_mut_arr_add_obj(t->doc, t->list);
	yyjson_mut_obj_add_sint(t->doc, obj, "number", number);
	yyjson_mut_obj_add_sint(t->doc, obj, "round", effect->round);
	yyjson_mut_obj_add_sint(t->doc, obj, "try", effect->try);
	kh_json_add(t->doc, obj, "reader", effect->reader);
	kh_json_add(t->doc, obj, "state", kh_view_str(kh_words_name(&kh_rows_effect_words, effect->state)));
	kh_json_add(t->doc, obj, "verdict", effect->verdict);
	add_reasons(t, obj, effect);
	kh_op_add_time(op, t->doc, obj, "asked_at", effect->created_at);
	kh_op_add_time(op, t->doc, obj, "ended_at", effect->ended_at);
	kh_op_add_time(op, t->doc, obj, "purged_at", effect->purged_at);
	return add_text(t, obj, effect);
}

static enum kh_err add_tries(struct tries *t)
{
	enum kh_err e = KH_OK;

	if (t->call->number < 0 || t->call->number > (int64_t)t->n)
		return kh_error_set(t->op->err, KH_EINPUT, "no_such_try", "it was asked %zu times", t->n);
	for (size_t i = t->n; e == KH_OK && i-- > 0;) {
		int64_t number = (int64_t)(t->n - i);
		if (t->call->number == 0 || t->call->number == number)
			e = add_try(t, number, t->ids[i]);
	}
	return e;
}

static void add_head(struct kh_op *op, const struct kh_query_row *query, yyjson_mut_doc *doc, yyjson_mut_val *root)
{
	kh_json_add(doc, root, "query", kh_op_id(op, KH_ID_QUERY, query->id));
	kh_json_add(doc, root, "task", kh_op_id(op, KH_ID_TASK, query->task));
	yyjson_mut_obj_add_sint(doc, root, "category", query->category);
	kh_json_add(doc, root, "reader", query->reader);
	kh_json_add(doc, root, "state", kh_view_str(kh_words_name(&kh_rows_query_words, query->state)));
	kh_json_add(doc, root, "outcome", kh_view_str(kh_words_name(&kh_rows_outcome_words, query->outcome)));
	kh_json_add(doc, root, "reason", query->reason);
	yyjson_mut_obj_add_str(doc, root, "label", KH_APPROVAL_SHOW_LABEL);
}

enum kh_err kh_tries_run(struct kh_op *op, void *call)
{
	struct kh_tries *tries = call;
	struct tries t = {.op = op, .call = tries, .doc = kh_json_new(op->arena)};
	yyjson_mut_val *root = yyjson_mut_obj(t.doc);
	struct kh_query_row *query = NULL;
	struct kh_view json = {NULL, 0};
	enum kh_err e = root != NULL ? kh_find_query(op, tries->query, &query) : KH_ENOMEM;

	if (e == KH_OK)
		e = collect(&t, query->effect);
	if (e != KH_OK)
		return e;
	add_head(op, query, t.doc, root);
	t.list = yyjson_mut_obj_add_arr(t.doc, root, "tries");
	e = add_tries(&t);
	if (e == KH_OK)
		e = kh_arena_check(op->arena);
	if (e == KH_OK)
		e = kh_json_write(op->arena, root, &json);
	if (e == KH_OK)
		tries->json = json;
	return e;
}
