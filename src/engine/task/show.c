/* What is shown of a task.  find.c has checked that the caller may see it; the role decides how much is shown. */
#include "engine/task/show.h"

#include "base/timestamp.h"
#include "engine/state/allowance.h"
#include "engine/state/budgetjson.h"
#include "engine/state/each.h"
#include "engine/state/find.h"

static void add_head(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj, const struct kh_task_row *task)
{
	struct kh_limits_budget limits = kh_limits_task(op, task);

	kh_json_add(doc, obj, "id", kh_op_id(op, KH_ID_TASK, task->id));
	kh_json_add(doc, obj, "title", task->title);
	kh_json_add(doc, obj, "state", kh_view_str(kh_words_name(&kh_rows_task_words, task->state)));
	if (kh_op_sees_all(op) && task->reason.n > 0)
		kh_json_add(doc, obj, "reason", task->reason);
	kh_json_add(doc, obj, "phase", kh_view_str(kh_words_name(&kh_phase_words, task->phase)));
	kh_json_add(doc, obj, "context", kh_op_id(op, KH_ID_CONTEXT, task->context));
	kh_json_add(doc, obj, "opened_at", kh_timestamp_text(op->arena, task->opened_at));
	kh_op_add_time(op, doc, obj, "ended_at", task->ended_at);
	kh_budgetjson_add(op, doc, obj, &limits);
	yyjson_mut_obj_add_int(doc, obj, "queries", task->queries);
	yyjson_mut_obj_add_int(doc, obj, "block_count", task->blocks);
	if (kh_op_sees_all(op))
		yyjson_mut_obj_add_int(doc, obj, "pending", task->pending);
}

void kh_task_show_brief(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *list, const struct kh_task_row *task)
{
	add_head(op, doc, yyjson_mut_arr_add_obj(doc, list), task);
}

static void add_block(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *list, const struct kh_block_row *block)
{
	yyjson_mut_val *obj = yyjson_mut_arr_add_obj(doc, list);

	kh_json_add(doc, obj, "id", kh_op_id(op, KH_ID_BLOCK, block->id));
	kh_json_add(doc, obj, "kind", kh_view_str(kh_words_name(&kh_rows_block_words, block->kind)));
	if (kh_op_sees_all(op) || block->put_by == op->caller->id)
		kh_json_add(doc, obj, "source", block->source);
	if (!kh_op_sees_all(op))
		return;
	kh_json_add(doc, obj, "taint", kh_view_str(kh_words_name(&kh_label_taint_words, block->taint)));
	kh_json_add(doc, obj, "content_hash", kh_canonical_hex(op->arena, &block->content_hash));
	kh_json_add(doc, obj, "created_at", kh_timestamp_text(op->arena, block->created_at));
	kh_op_add_time(op, doc, obj, "purged_at", block->purged_at);
}

/*
 * The ids of the page after block AFTER, and one more if there is one: in the order in which the blocks became known
 * (B17).  Those without a number come first, because they are older than the numbers.
 */
static enum kh_err find_page(struct kh_op *op, const struct kh_task_row *task, struct kh_view after,
			     int64_t ret_ids[KH_TASK_SHOW_BLOCKS + 1], size_t *ret_count)
{
	struct kh_block_row block = {0};
	int64_t *ids = NULL;
	size_t n = 0;
	enum kh_err e = after.n > 0 ? kh_find_block(op, task->context, after, &block) : KH_OK;

	*ret_count = 0;
	if (e == KH_OK && block.told == 0)
		e = kh_txn_find(op->txn, KH_INDEX_BLOCKS_OF_TASK, task->id, KH_LIT(""), block.id,
				KH_TASK_SHOW_BLOCKS + 1, &ids, &n);
	for (size_t i = 0; e == KH_OK && i < n; i++)
		ret_ids[(*ret_count)++] = ids[i];
	if (e == KH_OK && *ret_count <= KH_TASK_SHOW_BLOCKS)
		e = kh_txn_find(op->txn, KH_INDEX_BLOCKS_TOLD, task->id, KH_LIT(""), block.told,
				KH_TASK_SHOW_BLOCKS + 1 - *ret_count, &ids, &n);
	else
		n = 0;
	for (size_t i = 0; e == KH_OK && i < n; i++)
		ret_ids[(*ret_count)++] = ids[i];
	return e;
}

static enum kh_err add_blocks(struct kh_op *op, struct kh_task_show *show, yyjson_mut_doc *doc, yyjson_mut_val *obj,
			      const struct kh_task_row *task)
{
	yyjson_mut_val *list = yyjson_mut_arr(doc);
	int64_t ids[KH_TASK_SHOW_BLOCKS + 1];
	struct kh_block_row block;
	size_t n = 0;
	enum kh_err e = find_page(op, task, show->after, ids, &n);

	for (size_t i = 0; i < n && i < KH_TASK_SHOW_BLOCKS && e == KH_OK; i++) {
		e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, ids[i], &block);
		if (e == KH_OK)
			add_block(op, doc, list, &block);
	}
	if (e == KH_OK)
		e = kh_json_write(op->arena, list, &show->blocks);
	if (e != KH_OK)
		return e;
	kh_json_add_raw(doc, obj, "blocks", show->blocks);
	show->next = n > KH_TASK_SHOW_BLOCKS ? kh_op_id(op, KH_ID_BLOCK, ids[KH_TASK_SHOW_BLOCKS - 1])
					     : (struct kh_view){NULL, 0};
	return KH_OK;
}

/* The pending approvals; only for humans. */
static enum kh_err add_approvals(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj,
				 const struct kh_task_row *task)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_APPROVALS_OF_TASK, .number = task->id};
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, obj, "approvals");
	struct kh_approval_row approval;

	while ((int64_t)yyjson_mut_arr_size(list) < task->pending &&
	       kh_each_peek(&each, KH_TABLE_APPROVALS, &approval)) {
		if (approval.state != KH_APPROVAL_PENDING)
			continue;
		struct kh_view id = kh_op_id(op, KH_ID_APPROVAL, approval.id);
		yyjson_mut_arr_add_strn(doc, list, id.p, id.n);
	}
	return each.e;
}

static void add_totals(yyjson_mut_doc *doc, yyjson_mut_val *obj, const struct kh_task_row *task)
{
	yyjson_mut_val *totals = yyjson_mut_obj_add_obj(doc, obj, "totals"); /* microbits, by category */

	yyjson_mut_obj_add_uint(doc, totals, "1", task->total_1);
	yyjson_mut_obj_add_uint(doc, totals, "2", task->total_2);
	yyjson_mut_obj_add_uint(doc, totals, "3", task->total_3);
}

enum kh_err kh_task_show_run(struct kh_op *op, void *call)
{
	struct kh_task_show *show = call;
	struct kh_context_row *context = NULL;
	struct kh_token_row *token = NULL;
	struct kh_task_row *task = NULL;
	enum kh_err e = kh_find_task(op, show->task, &task);

	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, task->context, &context);
	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_TOKENS, context->token, &token);
	if (e != KH_OK)
		return e;
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	show->id = kh_op_id(op, KH_ID_TASK, task->id);
	show->block_count = task->blocks;
	add_head(op, doc, root, task);
	kh_json_add(doc, root, "taint", kh_view_str(kh_words_name(&kh_label_taint_words, context->taint)));
	kh_allowance_used(doc, root, "escalations", task->escalations, task->escalation_limit);
	kh_allowance_used(doc, root, "put_bytes", (uint64_t)task->put, op->policy->budgets.task_put_bytes);
	kh_allowance_used(doc, root, "reader_egress", (uint64_t)task->reader_egress, op->policy->reader_egress);
	e = kh_allowance_show(op, doc, root, token);
	if (e == KH_OK && kh_op_sees_all(op)) {
		add_totals(doc, root, task);
		e = add_approvals(op, doc, root, task);
	}
	if (e == KH_OK)
		e = add_blocks(op, show, doc, root, task);
	if (e == KH_OK)
		e = kh_arena_check(op->arena);
	return e == KH_OK ? kh_json_write(op->arena, root, &show->json) : e;
}
