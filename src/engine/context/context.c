/* Contexts: giving blocks to one, and showing one. */
#include "engine/context/context.h"

#include "base/timestamp.h"
#include "engine/state/allowance.h"
#include "engine/state/budgetjson.h"
#include "engine/state/find.h"

void kh_context_give(struct kh_context_row *context, struct kh_block_row *row)
{
	row->context = context->id;
	row->given = 1;
	row->prev = context->last_block;
	context->last_block = row->id;
	context->blocks++;
	context->own += row->kind == KH_BLOCK_HOST && row->trust == KH_UNTRUSTED && row->taint != KH_TAINT_HIGH;
	context->taint = kh_label_max_taint(context->taint, row->taint);
}

bool kh_context_was_given(const struct kh_context_row *context)
{
	return context->deliveries > 0 || context->own > 0 || context->taint != KH_TAINT_LOW;
}

enum kh_err kh_context_check_host(struct kh_op *op, const struct kh_context_row *context)
{
	if (op->caller == NULL || op->caller->role != KH_ROLE_HOST)
		return kh_error_set(op->err, KH_EREFUSED, "forbidden", "only a host puts blocks into a context");
	return kh_context_check_room(op, context);
}

enum kh_err kh_context_check_room(struct kh_op *op, const struct kh_context_row *context)
{
	if (context->blocks >= KH_CONTEXT_BLOCKS_MAX)
		return kh_error_set(op->err, KH_EREFUSED, "too_many_blocks",
				    "the context has %lld blocks, and takes no more", (long long)context->blocks);
	return KH_OK;
}

/* --- show --------------------------------------------------------------------------------------------------------- */

static enum kh_err add_tasks(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *root,
			     const struct kh_context_row *context)
{
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "open_tasks");
	int64_t *ids = NULL;
	size_t n = 0;
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_TASKS_OPEN, context->id, KH_LIT(""), 0, KH_CONTEXT_TASKS_MAX,
				    &ids, &n);

	for (size_t i = 0; i < n && e == KH_OK; i++) {
		struct kh_view id = kh_op_id(op, KH_ID_TASK, ids[i]);
		yyjson_mut_arr_add_strn(doc, list, id.p, id.n);
	}
	return e;
}

enum kh_err kh_context_show_run(struct kh_op *op, void *call)
{
	struct kh_context_show *show = call;
	struct kh_context_row *context = NULL;
	struct kh_token_row *token = NULL;
	enum kh_err e = kh_find_context(op, show->context, &context);

	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_TOKENS, context->token, &token);
	if (e != KH_OK)
		return e;
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	kh_json_add(doc, root, "id", kh_op_id(op, KH_ID_CONTEXT, context->id));
	kh_json_add(doc, root, "token", kh_op_id(op, KH_ID_TOKEN, token->id));
	kh_json_add(doc, root, "name", token->name);
	kh_json_add(doc, root, "taint", kh_view_str(kh_words_name(&kh_label_taint_words, context->taint)));
	yyjson_mut_obj_add_uint(doc, root, "exposed_microbits", context->exposed);
	yyjson_mut_obj_add_int(doc, root, "deliveries", context->deliveries);
	yyjson_mut_obj_add_int(doc, root, "blocks", context->blocks);
	struct kh_limits_budget limits = kh_limits_context(op, context);
	kh_budgetjson_add(op, doc, root, &limits);
	kh_json_add(doc, root, "created_at", kh_timestamp_text(op->arena, context->created_at));
	yyjson_mut_obj_add_int(doc, root, "resets", context->resets);
	kh_op_add_time(op, doc, root, "reset_at", context->reset_at);
	kh_allowance_used(doc, root, "escalations", context->escalations, op->policy->budgets.context_escalations);
	kh_allowance_used(doc, root, "put_bytes", (uint64_t)context->put, op->policy->budgets.context_put_bytes);
	e = kh_allowance_show(op, doc, root, token);
	if (e == KH_OK)
		e = add_tasks(op, doc, root, context);
	if (e == KH_OK)
		e = kh_arena_check(op->arena);
	return e == KH_OK ? kh_json_write(op->arena, root, &show->json) : e;
}
