/* Seals content that a caller brings, and removes content past its retention. */
#include "engine/context/put.h"

#include "core/block/prints.h"
#include "core/comm/operations.h"
#include "engine/context/giver.h"
#include "engine/context/seal.h"
#include "engine/state/allowance.h"
#include "engine/state/each.h"
#include "engine/state/find.h"

#define BATCH       256
#define BATCH_BYTES (8U << 20) /* bytes of content that one purge reads */

/* STATED: the operation that the giver says brought it; a name of the registry, or empty. */
static enum kh_err record_seal(struct kh_op *op, const struct kh_seal *seal, struct kh_view stated)
{
	struct kh_emit what;
	struct kh_view text;

	kh_op_describe(op, &what);
	kh_emit_add_int(&what, "block", seal->row->id);
	kh_emit_add_digest(&what, "digest", &seal->digest);
	kh_emit_add_int(&what, "size", (int64_t)seal->row->content.n);
	if (stated.n > 0)
		kh_emit_add(&what, "stated_operation", stated);
	kh_emit_end(&what);
	enum kh_err e = kh_emit_finish(&what, &text);
	return e == KH_OK ? kh_op_event(op, KH_AUDIT_BLOCK_SEALED, seal->task, text) : e;
}

/* G4: content over a quota is refused, and that is on the record. */
static enum kh_err take_room(struct kh_op *op, const struct kh_put *put, struct kh_seal *seal)
{
	struct kh_allowance allowance;
	enum kh_err e = kh_allowance_load(op, seal->task, seal->context, &allowance);

	seal->put = (int64_t)kh_tainted_size(put->content);
	if (e == KH_OK)
		e = kh_allowance_take(&allowance, (struct kh_window_sums){.put = (uint64_t)seal->put});
	if (e != KH_EREFUSED)
		return e;
	return kh_op_refuse(op, KH_AUDIT_REFUSED, NULL,
			    kh_arena_printf(op->arena,
					    "{\"code\":\"%s\",\"limit\":\"%s\",\"operation\":\"content.put\"}",
					    op->err->code, allowance.limit),
			    e);
}

enum kh_err kh_put_prepare(struct kh_prepare *at, void *call)
{
	struct kh_put *put = call;
	struct kh_operation_name name;

	if (put->operation.n > 0)
		put->e = kh_error_member(
			&put->err, KH_LIT("operation"),
			kh_operation_find(at->arena, &kh_operations_own, put->operation, &name, &put->err));
	return put->e == KH_ENOMEM ? KH_ENOMEM : kh_seal_prepare(at, put->content, true);
}

enum kh_err kh_put_run(struct kh_op *op, void *call)
{
	struct kh_put *put = call;
	struct kh_seal seal = {
		.operation = KH_LIT(KH_ATTRIBUTION_PUT),
		.giver = kh_giver_caller(op),
		.source = put->source,
		.content = put->content,
	};
	enum kh_err e = kh_find_task(op, put->task, &seal.task);

	if (e == KH_OK)
		e = kh_find_open(op, seal.task);
	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, seal.task->context, &seal.context);
	if (e == KH_OK && put->e != KH_OK) {
		*op->err = put->err;
		return put->e;
	}
	if (e == KH_OK && kh_tainted_size(put->content) <= KH_BLOCK_CONTENT_MAX) /* more is too large for a block */
		e = take_room(op, put, &seal);
	if (e != KH_OK || op->refused != KH_OK)
		return e;
	e = kh_seal_block(op, &seal);
	if (e == KH_OK)
		e = record_seal(op, &seal, put->operation);
	if (e != KH_OK)
		return e;
	put->id = kh_op_id(op, KH_ID_BLOCK, seal.row->id);
	return kh_arena_check(op->arena);
}

/* --- purge -------------------------------------------------------------------------------------------------------- */

static const struct kh_purge_block *find_prints(const struct kh_purge *purge, int64_t id)
{
	for (size_t i = 0; i < purge->print_count; i++) {
		if (purge->prints[i].id == id)
			return &purge->prints[i];
	}
	return NULL;
}

/* A block whose content somebody may repeat is emptied when its fingerprints are there. */
static size_t empty_block(void *row, int64_t now, struct kh_purge *purge)
{
	struct kh_block_row *block = row;
	const struct kh_purge_block *prints = find_prints(purge, block->id);
	size_t size = block->content.n;

	if (prints == NULL && size > 0 && block->trust == KH_UNTRUSTED) {
		purge->wanted[purge->wanted_count++] = (struct kh_purge_block){.id = block->id,
									       .content = block->content};
		return size;
	}
	if (prints != NULL)
		block->prints = prints->prints;
	block->content = KH_LIT("");
	block->purged_at = now;
	return size;
}

static size_t empty_effect(void *row, int64_t now, struct kh_purge *purge)
{
	struct kh_effect_row *effect = row;
	size_t size = kh_tainted_size(effect->raw) + effect->reasons.n;

	(void)purge;
	effect->raw = kh_tainted_wrap(KH_LIT(""));
	effect->reasons = KH_LIT("");
	effect->purged_at = now;
	return size;
}

static size_t empty_result(void *row, int64_t now, struct kh_purge *purge)
{
	struct kh_result_row *result = row;
	size_t size = result->original.n + result->details.n;

	(void)purge;
	result->original = result->details = KH_LIT("");
	result->purged_at = now;
	return size;
}

/* What is kept for a time, and how it is emptied.  EMPTY returns how many bytes there were. */
static const struct kept {
	enum kh_index index;
	enum kh_table table;
	size_t (*empty)(void *row, int64_t now, struct kh_purge *purge);
} kept[] = {
	{KH_INDEX_BLOCKS_EXPIRED, KH_TABLE_BLOCKS, empty_block},
	{KH_INDEX_EFFECTS_EXPIRED, KH_TABLE_EFFECTS, empty_effect},
	{KH_INDEX_RESULTS_EXPIRED, KH_TABLE_RESULTS, empty_result},
};

#define KEPT (sizeof(kept) / sizeof(kept[0]))

/* Content is read before it is removed, so that the event can name it; so a batch has a limit in bytes too. */
static enum kh_err purge(struct kh_op *op, const struct kept *of, struct kh_purge *call, size_t *bytes,
			 int64_t *ret_count)
{
	struct kh_each each = {.op = op, .index = of->index, .number = op->now};
	void *row;

	while (*ret_count < BATCH && *bytes < BATCH_BYTES && kh_each_load(&each, of->table, &row)) {
		*bytes += of->empty(row, op->now, call);
		++*ret_count;
	}
	return each.e;
}

enum kh_err kh_put_purge_run(struct kh_op *op, void *call)
{
	struct kh_purge *result = call;
	int64_t counts[KEPT] = {0}, all = 0;
	size_t bytes = 0;

	result->wanted = KH_NEW_N(op->arena, struct kh_purge_block, BATCH);
	result->wanted_count = 0;
	enum kh_err e = result->wanted != NULL ? KH_OK : KH_ENOMEM;
	for (size_t i = 0; e == KH_OK && i < KEPT; i++) {
		e = purge(op, &kept[i], result, &bytes, &counts[i]);
		all += counts[i];
	}
	counts[0] -= (int64_t)result->wanted_count;
	if (e == KH_OK && all > (int64_t)result->wanted_count)
		e = kh_op_event(op, KH_AUDIT_CONTENT_PURGED, NULL,
				kh_arena_printf(op->arena, "{\"blocks\":%lld,\"effects\":%lld,\"results\":%lld}",
						(long long)counts[0], (long long)counts[1], (long long)counts[2]));
	if (e == KH_OK)
		result->count = all;
	return e;
}

enum kh_err kh_put_print(const struct kh_engine *engine, struct kh_arena *arena, struct kh_purge *purge)
{
	unsigned char key[KH_PRINTS_KEY];
	enum kh_err e = KH_OK;

	kh_engine_prints_key(engine, key);
	for (size_t i = 0; i < purge->wanted_count && e == KH_OK; i++)
		e = kh_prints_make(arena, key, purge->wanted[i].content, &purge->wanted[i].prints);
	return e;
}
