/* Seals content that a caller brings, and removes content past its retention. */
#include "engine/context/put.h"

#include "engine/context/seal.h"
#include "engine/state/each.h"
#include "engine/state/find.h"

#define BATCH       256
#define BATCH_BYTES (8U << 20) /* bytes of content that one purge reads */

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

static size_t empty_block(void *row, int64_t now)
{
	struct kh_block_row *block = row;
	size_t size = block->content.n;

	block->content = KH_LIT("");
	block->purged_at = now;
	return size;
}

static size_t empty_effect(void *row, int64_t now)
{
	struct kh_effect_row *effect = row;
	size_t size = kh_tainted_size(effect->raw) + effect->reasons.n;

	effect->raw = kh_tainted_wrap(KH_LIT(""));
	effect->reasons = KH_LIT("");
	effect->purged_at = now;
	return size;
}

static size_t empty_result(void *row, int64_t now)
{
	struct kh_result_row *result = row;
	size_t size = result->original.n + result->details.n;

	result->original = result->details = KH_LIT("");
	result->purged_at = now;
	return size;
}

/* What is kept for a time, and how it is emptied.  EMPTY returns how many bytes there were. */
static const struct kept {
	enum kh_index index;
	enum kh_table table;
	size_t (*empty)(void *row, int64_t now);
} kept[] = {
	{KH_INDEX_BLOCKS_EXPIRED, KH_TABLE_BLOCKS, empty_block},
	{KH_INDEX_EFFECTS_EXPIRED, KH_TABLE_EFFECTS, empty_effect},
	{KH_INDEX_RESULTS_EXPIRED, KH_TABLE_RESULTS, empty_result},
};

#define KEPT (sizeof(kept) / sizeof(kept[0]))

/* Content is read before it is removed, so that the event can name it; so a batch has a limit in bytes too. */
static enum kh_err purge(struct kh_op *op, const struct kept *of, size_t *bytes, int64_t *ret_count)
{
	struct kh_each each = {.op = op, .index = of->index, .number = op->now};
	void *row;

	while (*ret_count < BATCH && *bytes < BATCH_BYTES && kh_each_load(&each, of->table, &row)) {
		*bytes += of->empty(row, op->now);
		++*ret_count;
	}
	return each.e;
}

enum kh_err kh_put_purge_run(struct kh_op *op, void *call)
{
	struct kh_purge *result = call;
	int64_t counts[KEPT] = {0}, all = 0;
	size_t bytes = 0;
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < KEPT; i++) {
		e = purge(op, &kept[i], &bytes, &counts[i]);
		all += counts[i];
	}
	if (e == KH_OK && all > 0)
		e = kh_op_event(op, KH_AUDIT_CONTENT_PURGED, NULL,
				kh_arena_printf(op->arena, "{\"blocks\":%lld,\"effects\":%lld,\"results\":%lld}",
						(long long)counts[0], (long long)counts[1], (long long)counts[2]));
	if (e == KH_OK)
		result->count = all;
	return e;
}
