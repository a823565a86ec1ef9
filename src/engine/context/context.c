/*
 * Contexts.  Only a reset lowers a context's taint, only a human resets (the table of operations), and the reset is an
 * event with its reason.
 */
#include "engine/context/context.h"

#include "base/buf.h"
#include "base/timestamp.h"
#include "base/utf8.h"
#include "engine/state/find.h"
#include "engine/task/task.h"

#define REASON_MIN 10  /* characters */
#define REASON_MAX 500 /* bytes */

void kh_context_give(struct kh_context_row *context, struct kh_block_row *row)
{
	row->context = context->id;
	row->given = 1;
	row->prev = context->last_block;
	context->last_block = row->id;
	context->blocks++;
	context->taint = kh_label_max_taint(context->taint, row->taint);
}

enum kh_err kh_context_check_host(struct kh_op *op, const struct kh_context_row *context)
{
	if (op->caller == NULL || op->caller->role != KH_ROLE_HOST)
		return kh_error_set(op->err, KH_EREFUSED, "forbidden", "only a host puts blocks into a context");
	if (context->blocks >= KH_CONTEXT_BLOCKS_MAX)
		return kh_error_set(op->err, KH_EREFUSED, "too_many_blocks",
				    "the context has %lld blocks, and takes no more", (long long)context->blocks);
	return KH_OK;
}

/* --- reset -------------------------------------------------------------------------------------------------------- */

static enum kh_err check_reason(struct kh_op *op, struct kh_view reason)
{
	if (reason.n > REASON_MAX)
		return kh_error_set(op->err, KH_ELIMIT, "too_long", "the reason has more than %d bytes", REASON_MAX);
	if (!kh_utf8_is_visible(reason))
		return kh_error_set(op->err, KH_EINPUT, "bad_value",
				    "the reason has control, invisible or broken characters");
	if (kh_utf8_length(kh_view_trim(reason)) < REASON_MIN)
		return kh_error_set(op->err, KH_EINPUT, "too_short", "the reason has fewer than %d characters",
				    REASON_MIN);
	return KH_OK;
}

static enum kh_err describe_reason(struct kh_op *op, struct kh_view reason, struct kh_view *ret_what)
{
	struct kh_emit emit;
	struct kh_buf buf;

	kh_buf_init(&buf, op->arena, 16 * REASON_MAX);
	kh_emit_init(&emit, &buf);
	kh_emit_object(&emit);
	kh_emit_key(&emit, "reason");
	kh_emit_text(&emit, reason);
	kh_emit_end(&emit);
	return kh_buf_end(&buf, ret_what);
}

enum kh_err kh_context_reset_run(struct kh_op *op, void *call)
{
	const struct kh_context_reset *reset = call;
	struct kh_context_row *context = NULL;
	struct kh_view what = {NULL, 0};
	enum kh_err e = check_reason(op, reset->reason);

	if (e == KH_OK)
		e = kh_own_context(op, reset->context, &context);
	if (e == KH_OK)
		e = kh_task_close_all(op, context->id, "context_reset");
	if (e == KH_OK)
		e = describe_reason(op, reset->reason, &what);
	if (e != KH_OK)
		return e;
	context->taint = KH_TAINT_LOW;
	context->exposed = 0;
	context->deliveries = 0;
	context->last_text = 0;
	context->reset_block = context->last_block;
	/* Nothing is reserved when no task is open; were it so, the books would still be right (I-6). */
	context->budget.charged = 0;
	context->budget.remaining = context->budget.budget - context->budget.reserved;
	context->resets++;
	context->reset_at = op->now;
	return kh_own_event(op, KH_AUDIT_CONTEXT_RESET, NULL, what);
}

/* --- show --------------------------------------------------------------------------------------------------------- */

static enum kh_err add_tasks(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *root,
			     const struct kh_context_row *context)
{
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, root, "open_tasks");
	int64_t *ids = NULL;
	size_t n = 0;
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_TASKS_OPEN, context->id, KH_LIT(""), 0, KH_TASK_OPEN_MAX, &ids,
				    &n);

	for (size_t i = 0; i < n && e == KH_OK; i++) {
		struct kh_view id = kh_own_id(op, KH_ID_TASK, ids[i]);
		yyjson_mut_arr_add_strn(doc, list, id.p, id.n);
	}
	return e;
}

enum kh_err kh_context_show_run(struct kh_op *op, void *call)
{
	struct kh_context_show *show = call;
	struct kh_context_row *context = NULL;
	struct kh_token_row *token = NULL;
	enum kh_err e = kh_own_context(op, show->context, &context);

	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_TOKENS, context->token, &token);
	if (e != KH_OK)
		return e;
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	kh_json_add(doc, root, "id", kh_own_id(op, KH_ID_CONTEXT, context->id));
	kh_json_add(doc, root, "token", kh_own_id(op, KH_ID_TOKEN, token->id));
	kh_json_add(doc, root, "name", token->name);
	kh_json_add(doc, root, "taint", kh_view_str(kh_label_taint(context->taint)));
	yyjson_mut_obj_add_uint(doc, root, "exposed_microbits", context->exposed);
	yyjson_mut_obj_add_int(doc, root, "deliveries", context->deliveries);
	yyjson_mut_obj_add_int(doc, root, "blocks", context->blocks);
	kh_task_show_budget(op, doc, root, &context->budget);
	kh_json_add(doc, root, "created_at", kh_timestamp_text(op->arena, context->created_at));
	yyjson_mut_obj_add_int(doc, root, "resets", context->resets);
	if (context->reset_at != 0)
		kh_json_add(doc, root, "reset_at", kh_timestamp_text(op->arena, context->reset_at));
	e = add_tasks(op, doc, root, context);
	if (e == KH_OK)
		e = kh_arena_check(op->arena);
	return e == KH_OK ? kh_json_write(op->arena, root, &show->json) : e;
}
