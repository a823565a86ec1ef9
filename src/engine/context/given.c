/* Walks a context's chain of blocks.  The rows that it passes live in an arena of its own. */
#include "engine/context/given.h"

#include "base/error.h"
#include "core/block/block.h"

#define SCRATCH (64U << 20) /* bytes for a row's lists of ids */

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

/* Goes back from the newest block; a row that is read lives in SCRATCH for one step. */
static enum kh_err walk(struct kh_op *op, const struct kh_context_row *context, bool until_output,
			struct kh_arena *scratch, struct kh_given *given)
{
	struct kh_block_row row;
	size_t cap = 0;
	enum kh_err e = KH_OK;

	for (int64_t id = context->last_block; id > context->reset_block && e == KH_OK; id = row.prev) {
		kh_arena_clear(scratch);
		e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, id, &row);
		if (e == KH_EUNKNOWN || (e == KH_OK && (row.context != context->id || row.prev >= id)))
			return kh_error_set(op->err, KH_ESTORE, "store_corrupt",
					    "a context's chain of blocks is broken");
		if (e == KH_OK && row.given)
			e = push(op, given, &cap, id);
		if (e == KH_OK && row.kind == KH_BLOCK_OUTPUT && given->output == 0) {
			given->output = id;
			if (until_output)
				break;
		}
	}
	return e;
}

enum kh_err kh_given_find(struct kh_op *op, const struct kh_context_row *context, bool until_output,
			  struct kh_given *ret_given)
{
	struct kh_given given = {.ids = NULL};
	struct kh_arena scratch;

	kh_arena_init(&scratch, kh_engine_alloc(op->engine), SCRATCH);
	kh_txn_use_arena(op->txn, &scratch);
	enum kh_err e = walk(op, context, until_output, &scratch, &given);
	kh_txn_use_arena(op->txn, op->arena);
	kh_arena_done(&scratch);
	if (e != KH_OK)
		return e;
	reverse(&given);
	*ret_given = given;
	return KH_OK;
}
