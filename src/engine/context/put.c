/* Content that a caller brings, sealed; and content past its retention, removed. */
#include "engine/context/put.h"

#include "engine/context/seal.h"
#include "engine/state/find.h"

#define BATCH       256
#define BATCH_BYTES (8U << 20) /* of content, that one purge reads */

static enum kh_err record_seal(struct kh_op *op, const struct kh_seal *seal)
{
	struct kh_view digest = kh_canonical_hex(op->arena, &seal->digest);

	if (digest.p == NULL)
		return KH_ENOMEM;
	return kh_op_event(op, KH_AUDIT_BLOCK_SEALED, seal->task,
			   kh_arena_printf(op->arena, "{\"block\":%lld,\"digest\":\"%.*s\",\"size\":%zu}",
					   (long long)seal->row->id, KH_FMT(digest), seal->row->content.n));
}

enum kh_err kh_put_run(struct kh_op *op, void *call)
{
	struct kh_put *put = call;
	struct kh_seal seal = {
		.operation = put->operation.n > 0 ? put->operation : KH_LIT("comm.read"),
		.source = put->source,
		.content = put->content,
	};
	enum kh_err e = kh_find_task(op, put->task, &seal.task);

	if (e == KH_OK)
		e = kh_find_open(op, seal.task);
	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, seal.task->context, &seal.context);
	if (e == KH_OK)
		e = kh_seal_block(op, &seal);
	if (e == KH_OK)
		e = record_seal(op, &seal);
	if (e != KH_OK)
		return e;
	put->id = kh_op_id(op, KH_ID_BLOCK, seal.row->id);
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

static enum kh_err purge_results(struct kh_op *op, size_t *bytes, int64_t *ret_count)
{
	int64_t *ids = NULL, count = 0;
	size_t n = 0;
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_RESULTS_EXPIRED, op->now, KH_LIT(""), 0, BATCH, &ids, &n);

	for (size_t i = 0; e == KH_OK && i < n && *bytes < BATCH_BYTES; i++) {
		struct kh_result_row *result;
		e = kh_txn_load(op->txn, KH_TABLE_RESULTS, ids[i], &result);
		if (e != KH_OK)
			break;
		*bytes += result->original.n + result->details.n;
		result->original = KH_LIT("");
		result->details = KH_LIT("");
		result->purged_at = op->now;
		count++;
	}
	*ret_count = count;
	return e;
}

enum kh_err kh_put_purge_run(struct kh_op *op, void *call)
{
	struct kh_purge *purge = call;
	int64_t blocks = 0, effects = 0, results = 0;
	size_t bytes = 0;
	enum kh_err e = purge_blocks(op, &bytes, &blocks);

	if (e == KH_OK)
		e = purge_effects(op, &bytes, &effects);
	if (e == KH_OK)
		e = purge_results(op, &bytes, &results);
	if (e == KH_OK && blocks + effects + results > 0)
		e = kh_op_event(op, KH_AUDIT_CONTENT_PURGED, NULL,
				kh_arena_printf(op->arena, "{\"blocks\":%lld,\"effects\":%lld,\"results\":%lld}",
						(long long)blocks, (long long)effects, (long long)results));
	if (e == KH_OK)
		purge->count = blocks + effects + results;
	return e;
}
