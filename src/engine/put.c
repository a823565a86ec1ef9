/*
 * Content from the world, sealed.  It is opened here once, to be checked, hashed and bound to its attribution, and goes
 * into the store; nothing of it comes out again but the block's id (E12).
 */
#include "engine/put.h"

#include "core/block/block.h"
#include "core/comm/attribution.h"
#include "engine/own.h"

#define BATCH       256
#define BATCH_BYTES (8U << 20) /* of content, that one purge reads */

/* The attribution of CONTENT as the event with number EVENT will record it, and its canonical JSON. */
static enum kh_err attribute(struct kh_op *op, const struct kh_put *put, struct kh_view content, int64_t event,
			     struct kh_attribution *ret_attribution, struct kh_view *ret_json)
{
	struct kh_attribution attribution = {
		.operation = put->operation.n > 0 ? put->operation : KH_LIT("comm.read"),
		.session_id = put->task,
		.source = put->source,
		.audit_id = kh_arena_printf(op->arena, "%lld", (long long)event),
		.timestamp = op->now,
	};
	enum kh_err e = kh_arena_check(op->arena);

	if (e == KH_OK)
		e = kh_attribution_make(op->arena, &attribution, content, op->err);
	if (e != KH_OK)
		return e;
	e = kh_attribution_canonical(op->arena, &attribution, ret_json);
	if (e == KH_OK)
		*ret_attribution = attribution;
	return e;
}

/* A block as the constructor makes it: there is no other way to labels (I-1). */
static enum kh_err seal(struct kh_op *op, const struct kh_put *put, struct kh_view content, struct kh_block_row *row)
{
	struct kh_block_spec spec = {
		.source = put->source,
		.content = content,
		.trust = KH_UNTRUSTED,
		.type = KH_DATA,
	};
	enum kh_err e = kh_own_make_block(op, &spec, row);

	if (e != KH_OK)
		return e;
	row->kind = KH_BLOCK_SEALED;
	row->tainted_by = KH_LIT("[]");
	row->expires_at = kh_engine_keep_until(op->engine, op->now);
	return KH_OK;
}

/* Links ROW into its context and task. */
static void link_block(struct kh_context_row *context, struct kh_task_row *task, struct kh_block_row *row)
{
	row->context = context->id;
	row->task = task->id;
	row->prev = context->last_block;
	context->last_block = row->id;
	context->blocks++;
	task->blocks++;
	if (task->first_block == 0)
		task->first_block = row->id;
}

static enum kh_err record_seal(struct kh_op *op, struct kh_task_row *task, const struct kh_block_row *row,
			       const struct kh_attribution *attribution)
{
	struct kh_view digest = kh_canonical_hex(op->arena, &attribution->digest);

	if (digest.p == NULL)
		return KH_ENOMEM;
	return kh_own_event(op, KH_AUDIT_BLOCK_SEALED, task,
			    kh_arena_printf(op->arena, "{\"block\":%lld,\"digest\":\"%.*s\",\"size\":%zu}",
					    (long long)row->id, KH_FMT(digest), row->content.n));
}

enum kh_err kh_put_run(struct kh_op *op, void *call)
{
	struct kh_put *put = call;
	struct kh_view content = kh_tainted_open(put->content);
	struct kh_attribution attribution;
	struct kh_context_row *context = NULL;
	struct kh_task_row *task = NULL;
	struct kh_block_row *row = NULL;
	int64_t event = 0;
	enum kh_err e = kh_own_task(op, put->task, &task);

	if (e == KH_OK)
		e = kh_own_open(op, task);
	if (e != KH_OK)
		return e;
	if (task->blocks >= KH_PUT_BLOCKS_MAX)
		return kh_error_set(op->err, KH_EREFUSED, "too_many_blocks",
				    "the task has %d blocks, and takes no more", KH_PUT_BLOCKS_MAX);
	e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, task->context, &context);
	if (e == KH_OK)
		e = kh_txn_next_event(op->txn, &event);
	if (e == KH_OK)
		e = kh_txn_new(op->txn, KH_TABLE_BLOCKS, &row);
	if (e == KH_OK)
		e = seal(op, put, content, row);
	if (e == KH_OK)
		e = attribute(op, put, content, event, &attribution, &row->attribution);
	if (e != KH_OK)
		return e;
	link_block(context, task, row);
	e = record_seal(op, task, row, &attribution);
	if (e != KH_OK)
		return e;
	put->id = kh_own_id(op, KH_ID_BLOCK, row->id);
	return kh_arena_check(op->arena);
}

/* --- purge -------------------------------------------------------------------------------------------------------- */

/* Content is read to be removed, so that the event can say of which; so a batch has a limit in bytes too. */
static enum kh_err purge_blocks(struct kh_op *op, size_t *bytes, int64_t *ret_count)
{
	int64_t *ids = NULL, count = 0;
	size_t n = 0;
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_BLOCKS_EXPIRED, op->now, KH_LIT(""), 0, BATCH, &ids, &n);

	for (size_t i = 0; e == KH_OK && i < n && *bytes < BATCH_BYTES; i++) {
		struct kh_block_row *block;
		e = kh_txn_load(op->txn, KH_TABLE_BLOCKS, ids[i], &block);
		if (e != KH_OK)
			break;
		*bytes += block->content.n;
		block->content = KH_LIT("");
		block->purged_at = op->now;
		count++;
	}
	*ret_count = count;
	return e;
}

static enum kh_err purge_effects(struct kh_op *op, size_t *bytes, int64_t *ret_count)
{
	int64_t *ids = NULL, count = 0;
	size_t n = 0;
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_EFFECTS_EXPIRED, op->now, KH_LIT(""), 0, BATCH, &ids, &n);

	for (size_t i = 0; e == KH_OK && i < n && *bytes < BATCH_BYTES; i++) {
		struct kh_effect_row *effect;
		e = kh_txn_load(op->txn, KH_TABLE_EFFECTS, ids[i], &effect);
		if (e != KH_OK)
			break;
		*bytes += kh_tainted_open(effect->raw).n + effect->reasons.n;
		effect->raw = kh_tainted_wrap(KH_LIT(""));
		effect->reasons = KH_LIT("");
		effect->purged_at = op->now;
		count++;
	}
	*ret_count = count;
	return e;
}

enum kh_err kh_put_purge_run(struct kh_op *op, void *call)
{
	struct kh_purge *purge = call;
	int64_t blocks = 0, effects = 0;
	size_t bytes = 0;
	enum kh_err e = purge_blocks(op, &bytes, &blocks);

	if (e == KH_OK)
		e = purge_effects(op, &bytes, &effects);
	if (e == KH_OK && blocks + effects > 0)
		e = kh_own_event(op, KH_AUDIT_CONTENT_PURGED, NULL,
				 kh_arena_printf(op->arena, "{\"blocks\":%lld,\"effects\":%lld}", (long long)blocks,
						 (long long)effects));
	if (e == KH_OK)
		purge->count = blocks + effects;
	return e;
}
