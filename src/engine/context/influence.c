/*
 * The look-up function that the walk uses to read rows.  A row's texts live in an arena that is cleared for each row,
 * because a context can have many outputs, each with a long list.
 */
#include "engine/context/influence.h"

#include "engine/context/given.h"
#include "engine/state/find.h"

#define SCRATCH (64U << 20) /* bytes for one row's lists of ids */

struct books {
	struct kh_op *op;
	struct kh_arena scratch;
	int64_t context, reset_block;
	int64_t output; /* the context's newest since its reset; 0: none */
};

/*
 * An output's list includes the whole list of the previous output since the reset (output.c), so the newest output's
 * list includes all of them.  The older ones need not be read; reading them would take time with the square of their
 * number.
 */
static bool is_in_newest(const struct books *books, const struct kh_block_row *row)
{
	return row->kind == KH_BLOCK_OUTPUT && row->context == books->context && row->id > books->reset_block &&
	       row->id < books->output;
}

static enum kh_err peek(struct books *books, int64_t id, struct kh_block_row *ret_row, struct kh_error *err)
{
	struct kh_op *op = books->op;

	kh_arena_clear(&books->scratch);
	kh_txn_use_arena(op->txn, &books->scratch);
	enum kh_err e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, id, ret_row);
	kh_txn_use_arena(op->txn, op->arena);
	if (e != KH_EUNKNOWN)
		return e;
	return kh_error_set(err, KH_ESTORE, "store_corrupt", "a block is tainted by one that is not there");
}

static enum kh_err look(void *ctx, int64_t id, struct kh_taint_block *ret_block, struct kh_error *err)
{
	struct books *books = ctx;
	struct kh_block_row row;
	int64_t *by = NULL;
	size_t count = 0;
	enum kh_err e = peek(books, id, &row, err);

	if (e == KH_OK && row.tainted_by.n > 0 && !kh_view_eq(row.tainted_by, KH_LIT("[]")) &&
	    !is_in_newest(books, &row))
		e = kh_op_ids(books->op, row.tainted_by, &by, &count);
	if (e == KH_OK)
		*ret_block = (struct kh_taint_block){by, count, row.trust, row.taint, (int)row.kind};
	return e;
}

static struct kh_view name(void *ctx, int64_t id)
{
	struct books *books = ctx;

	return kh_op_id(books->op, KH_ID_BLOCK, id);
}

enum kh_err kh_influence_of(struct kh_op *op, const struct kh_context_row *context, int64_t output, const int64_t *ids,
			    size_t count, struct kh_closure *ret_closure)
{
	struct books books = {.op = op, .context = context->id, .reset_block = context->reset_block, .output = output};
	const struct kh_taint_books of = {&books, look, name};

	kh_arena_init(&books.scratch, kh_engine_alloc(op->engine), SCRATCH);
	enum kh_err e = kh_taint_walk(&of, op->arena, ids, count, ret_closure, op->err);
	kh_arena_done(&books.scratch);
	return e;
}

enum kh_err kh_influence_find(struct kh_op *op, const struct kh_context_row *context, const int64_t *more,
			      size_t more_count, struct kh_closure *ret_closure)
{
	struct kh_given given = {0};
	enum kh_err e = kh_given_find(op, context, false, &given);

	if (e != KH_OK)
		return e;
	int64_t *ids = kh_arena_grow(op->arena, given.ids, given.n * sizeof(*ids),
				     (given.n + more_count) * sizeof(*ids));
	if (ids == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < more_count; i++)
		ids[given.n + i] = more[i];
	return kh_influence_of(op, context, given.output, ids, given.n + more_count, ret_closure);
}
