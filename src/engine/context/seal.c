/*
 * Seals content from outside.  It is opened here once, to be checked, hashed and bound to its attribution, and goes
 * into the store.
 */
#include "engine/context/seal.h"

#include "core/block/block.h"
#include "core/comm/attribution.h"
#include "engine/state/find.h"

/* The attribution of CONTENT in the form that the next event will record, and its canonical JSON. */
static enum kh_err attribute(struct kh_op *op, struct kh_seal *seal, struct kh_view content, struct kh_view *ret_json)
{
	struct kh_attribution attribution = {
		.operation = seal->operation,
		.session_id = kh_op_id(op, KH_ID_TASK, seal->task->id),
		.source = seal->source,
		.timestamp = seal->slot != 0 ? seal->slot : op->now,
	};
	int64_t event = 0;
	enum kh_err e = kh_txn_next_event(op->txn, &event);

	if (e == KH_OK)
		attribution.audit_id = kh_op_id(op, KH_ID_EVENT, event);
	if (e == KH_OK)
		e = kh_arena_check(op->arena);
	if (e == KH_OK)
		e = kh_attribution_make(op->arena, &attribution, content, op->err);
	if (e == KH_OK)
		e = kh_attribution_canonical(op->arena, &attribution, ret_json);
	if (e == KH_OK)
		seal->digest = attribution.digest;
	return e;
}

/* Links ROW into its context and task, where nobody finds it yet. */
static void link_block(struct kh_context_row *context, const struct kh_task_row *task, struct kh_block_row *row)
{
	row->context = context->id;
	row->task = task->id;
	row->prev = context->last_block;
	row->told = -1;
	context->last_block = row->id;
}

void kh_seal_tell(struct kh_context_row *context, struct kh_task_row *task, struct kh_block_row *row)
{
	context->blocks++;
	row->told = ++task->blocks;
	if (task->first_block == 0 || row->id < task->first_block)
		task->first_block = row->id;
}

enum kh_err kh_seal_block(struct kh_op *op, struct kh_seal *seal)
{
	struct kh_block_spec spec = {
		.source = seal->source,
		.content = kh_tainted_open(seal->content),
		.trust = KH_UNTRUSTED,
		.type = KH_DATA,
	};
	struct kh_block_row *row = NULL;
	struct kh_view attribution = {NULL, 0};

	if (seal->task->blocks >= KH_SEAL_BLOCKS_MAX)
		return kh_error_set(op->err, KH_EREFUSED, "too_many_blocks",
				    "the task has %d blocks, and takes no more", KH_SEAL_BLOCKS_MAX);
	/* Every possible refusal comes before a row is made. */
	enum kh_err e = attribute(op, seal, spec.content, &attribution);
	if (e == KH_OK)
		e = kh_txn_new(op->txn, KH_TABLE_BLOCKS, &row);
	/* The constructor makes the block: labels come from nowhere else (I-1). */
	if (e == KH_OK)
		e = kh_op_make_block(op, &spec, NULL, row);
	if (e != KH_OK)
		return e;
	row->kind = KH_BLOCK_SEALED;
	row->tainted_by = KH_LIT("[]");
	row->attribution = attribution;
	row->origin = seal->origin;
	row->put = seal->put;
	row->declaration = seal->declaration;
	row->expires_at = kh_engine_keep_until(op->engine, op->now);
	if (seal->put_by != 0)
		row->put_by = seal->put_by;
	link_block(seal->context, seal->task, row);
	if (seal->slot != 0)
		row->created_at = seal->slot;
	else
		kh_seal_tell(seal->context, seal->task, row);
	seal->row = row;
	return KH_OK;
}
