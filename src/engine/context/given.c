/* Finds all that a context was given by an index, and what it was given since its newest output by its chain of blocks. */
#include "engine/context/given.h"

#include "base/error.h"
#include "core/block/block.h"

#define SCRATCH (64U << 20) /* bytes for a row's lists of ids */
#define PAGE    512         /* ids that are asked for at once */

static enum kh_err push(struct kh_op *op, struct kh_given *given, size_t *cap, int64_t id)
{
	if (given->n == KH_BLOCK_REFS_MAX)
		return kh_error_set(op->err, KH_ELIMIT, "too_large", "the context was given more than %u blocks",
				    KH_BLOCK_REFS_MAX);
	given->ids = kh_arena_more(op->arena, given->ids, given->n, cap, sizeof(*given->ids));
	if (given->ids == NULL)
		return KH_ENOMEM;
	given->ids[given->n++] = id;
	return KH_OK;
}

static void reverse(struct kh_given *given)
{
	for (size_t i = 0; i < given->n / 2; i++) {
		int64_t id = given->ids[i];
		given->ids[i] = given->ids[given->n - 1 - i];
		given->ids[given->n - 1 - i] = id;
	}
}

/* Goes back from the newest block to the newest output; a row that is read lives in SCRATCH for one step. */
static enum kh_err walk(struct kh_op *op, const struct kh_context_row *context, struct kh_arena *scratch,
			struct kh_given *given)
{
	struct kh_block_row row;
	size_t cap = 0;
	enum kh_err e = KH_OK;

	for (int64_t id = context->last_block; id > context->reset_block && e == KH_OK && given->output == 0;
	     id = row.prev) {
		kh_arena_clear(scratch);
		e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, id, &row);
		if (e == KH_EUNKNOWN || (e == KH_OK && (row.context != context->id || row.prev >= id)))
			return kh_error_set(op->err, KH_ESTORE, "store_corrupt",
					    "a context's chain of blocks is broken");
		if (e == KH_OK && row.given)
			e = push(op, given, &cap, id);
		if (e == KH_OK && row.kind == KH_BLOCK_OUTPUT)
			given->output = id;
	}
	reverse(given);
	return e;
}

static enum kh_err find_since(struct kh_op *op, const struct kh_context_row *context, struct kh_given *given)
{
	struct kh_arena scratch;

	kh_arena_init(&scratch, kh_engine_alloc(op->engine), SCRATCH);
	kh_txn_use_arena(op->txn, &scratch);
	enum kh_err e = walk(op, context, &scratch, given);
	kh_txn_use_arena(op->txn, op->arena);
	kh_arena_done(&scratch);
	return e;
}

static enum kh_err find_all(struct kh_op *op, const struct kh_context_row *context, struct kh_given *given)
{
	int64_t *ids = NULL, after = context->reset_block;
	size_t count = 0, cap = 0;
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_BLOCKS_OUTPUT, context->id, KH_LIT(""), after, 1, &ids, &count);

	if (e == KH_OK && count == 1)
		given->output = ids[0];
	do {
		if (e == KH_OK)
			e = kh_txn_find(op->txn, KH_INDEX_BLOCKS_GIVEN, context->id, KH_LIT(""), after, PAGE, &ids,
					&count);
		for (size_t i = 0; i < count && e == KH_OK; i++)
			e = push(op, given, &cap, after = ids[i]);
	} while (e == KH_OK && count == PAGE);
	return e;
}

enum kh_err kh_given_find(struct kh_op *op, const struct kh_context_row *context, bool until_output,
			  struct kh_given *ret_given)
{
	struct kh_given given = {.ids = NULL};
	enum kh_err e = until_output ? find_since(op, context, &given) : find_all(op, context, &given);

	if (e == KH_OK)
		*ret_given = given;
	return e;
}
