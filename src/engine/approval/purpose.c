/* Writes down what a task is for.  Trusts none of these texts: they are cut, and labelled with who wrote them. */
#include "engine/approval/purpose.h"

#include "base/utf8.h"

#define LIMIT (256U << 10) /* bytes: every text at its bound, with room for escapes */

static void add_cut(struct kh_emit *emit, struct kh_view text, size_t most)
{
	kh_emit_add_bool(emit, "cut", text.n > most);
}

static void add_goal(struct kh_emit *emit, const char *by, struct kh_view text)
{
	if (text.n == 0)
		return;
	kh_emit_object(emit);
	kh_emit_add_word(emit, "by", by);
	add_cut(emit, text, KH_PURPOSE_GOAL);
	kh_emit_add(emit, "text", kh_utf8_cut(text, KH_PURPOSE_GOAL));
	kh_emit_end(emit);
}

/* The words of a block that the host added; none if there is no such block, or it was added before the last reset. */
static enum kh_err find_words(struct kh_op *op, const struct kh_context_row *context, int64_t id,
			      struct kh_view *ret_text)
{
	struct kh_block_row *block;

	*ret_text = (struct kh_view){NULL, 0};
	if (id == 0 || id <= context->reset_block)
		return KH_OK;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_BLOCKS, id, &block);
	if (e == KH_OK)
		*ret_text = block->content;
	return e;
}

enum kh_err kh_purpose_goals(struct kh_op *op, const struct kh_task_row *task, struct kh_emit *emit)
{
	struct kh_view goal = {NULL, 0}, asked = {NULL, 0};
	struct kh_context_row *context;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, task->context, &context);

	if (e == KH_OK)
		e = find_words(op, context, context->goal, &goal);
	if (e == KH_OK)
		e = find_words(op, context, context->asked, &asked);
	if (e != KH_OK)
		return e;
	kh_emit_key(emit, "goals");
	kh_emit_array(emit);
	add_goal(emit, "host", goal);
	add_goal(emit, "user", asked);
	add_goal(emit, "controller", task->title);
	kh_emit_end(emit);
	return KH_OK;
}

static enum kh_err add_operations(struct kh_op *op, yyjson_val *list, struct kh_emit *emit)
{
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	enum kh_err e = doc != NULL ? KH_OK : KH_ENOMEM;
	struct kh_view json = {NULL, 0};
	yyjson_val *item;
	size_t i, n;

	kh_emit_add_int(emit, "operation_count", (int64_t)yyjson_arr_size(list));
	kh_emit_key(emit, "operations");
	kh_emit_array(emit);
	yyjson_arr_foreach (list, i, n, item) {
		if (e != KH_OK || i == KH_PURPOSE_OPERATIONS)
			break;
		json = kh_json_str(item);
		if (json.p == NULL)
			e = kh_json_write(op->arena, yyjson_val_mut_copy(doc, item), &json);
		if (e == KH_OK)
			kh_emit_text(emit, kh_utf8_cut(json, KH_PURPOSE_OPERATION));
	}
	kh_emit_end(emit);
	return e;
}

enum kh_err kh_purpose_plan(struct kh_op *op, const struct kh_task_row *task, struct kh_emit *emit)
{
	yyjson_val *plan = NULL;

	kh_emit_key(emit, "plan");
	if (task->plan.n == 0) {
		kh_emit_null(emit);
		return KH_OK;
	}
	enum kh_err e = kh_json_read(op->arena, task->plan, &plan, op->err);
	if (e != KH_OK)
		return e;
	struct kh_view text = kh_json_str(kh_json_get(plan, "plan"));
	kh_emit_object(emit);
	kh_emit_add_word(emit, "by", "controller");
	add_cut(emit, text, KH_PURPOSE_PLAN);
	e = add_operations(op, kh_json_get(plan, "required_operations"), emit);
	kh_emit_add(emit, "text", kh_utf8_cut(text, KH_PURPOSE_PLAN));
	kh_emit_end(emit);
	return e;
}

enum kh_err kh_purpose_write(struct kh_op *op, const struct kh_task_row *task, struct kh_view *ret_json)
{
	struct kh_emit emit;

	kh_emit_begin(&emit, op->arena, LIMIT);
	kh_emit_object(&emit);
	enum kh_err e = kh_purpose_goals(op, task, &emit);
	if (e == KH_OK)
		e = kh_purpose_plan(op, task, &emit);
	kh_emit_end(&emit);
	return e == KH_OK ? kh_emit_finish(&emit, ret_json) : e;
}
