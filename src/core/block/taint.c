/*
 * The closure over tainted_by: a depth-first walk with its own stack, so that a chain of a million blocks cannot
 * overflow the call stack.  The ids and their references are hostile: unknown ids and cycles among the reached blocks
 * are errors.
 *
 * The walk's state of a block is a mark in an open-addressed table: none; the walk is still below the block; or the
 * block is done.  A mark is 2 * (id + 1), plus 1 if the block is done; 0 is a free slot.
 */
#include "core/block/taint.h"

#include <stdlib.h>

enum kh_taint kh_taint_step_down(enum kh_taint taint)
{
	return taint == KH_TAINT_HIGH ? KH_TAINT_MEDIUM : KH_TAINT_LOW;
}

/* A block that the walk is below.  A frame is small, because there can be millions. */
struct frame {
	struct kh_closure_block block;
	const int64_t *next, *end; /* the references that are still to be followed */
};

struct walk {
	const struct kh_taint_books *books;
	struct kh_arena *arena;
	struct frame *stack;
	size_t depth, stack_cap;
	struct kh_closure_block *reached; /* in the order in which they were done */
	size_t n, cap;
	uint64_t *marks;
	size_t mark_count;
	unsigned mark_bits; /* there are 2^mark_bits slots */
	struct kh_error *err;
};

/* --- marks -------------------------------------------------------------------------------------------------------- */

/* The slot of ID's mark, or the free slot for it.  Multiplying spreads consecutive ids. */
static uint64_t *place_of(const struct walk *walk, int64_t id)
{
	uint64_t mark = 2 * ((uint64_t)id + 1), last = ((uint64_t)1 << walk->mark_bits) - 1;
	uint64_t i = ((uint64_t)id * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - walk->mark_bits);

	while (walk->marks[i] != 0 && (walk->marks[i] | 1) != (mark | 1))
		i = (i + 1) & last;
	return &walk->marks[i];
}

/* Makes room for one more mark: at most half of the slots are used. */
static enum kh_err grow_marks(struct walk *walk)
{
	size_t old_count = walk->marks != NULL ? (size_t)1 << walk->mark_bits : 0;
	const uint64_t *old = walk->marks;

	if (2 * (walk->mark_count + 1) <= old_count)
		return KH_OK;
	walk->mark_bits = old != NULL ? walk->mark_bits + 1 : 5;
	walk->marks = KH_NEW_N(walk->arena, uint64_t, (size_t)1 << walk->mark_bits);
	if (walk->marks == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < old_count; i++) {
		if (old[i] != 0)
			*place_of(walk, (int64_t)(old[i] / 2) - 1) = old[i];
	}
	return KH_OK;
}

/* --- the walk ----------------------------------------------------------------------------------------------------- */

/* Goes down into block ID, which has no mark yet. */
static enum kh_err enter(struct walk *walk, int64_t id)
{
	struct frame *stack = kh_arena_more(walk->arena, walk->stack, walk->depth, &walk->stack_cap, sizeof(*stack));

	if (stack == NULL)
		return KH_ENOMEM;
	walk->stack = stack;
	struct kh_taint_block found = {0};
	enum kh_err e = walk->books->look(walk->books->ctx, id, &found, walk->err);
	if (e == KH_OK)
		e = grow_marks(walk);
	if (e != KH_OK)
		return e;
	*place_of(walk, id) = 2 * ((uint64_t)id + 1);
	walk->mark_count++;
	walk->stack[walk->depth++] = (struct frame){
		.block = {id, found.trust, found.taint, found.kind},
		.next = found.tainted_by,
		.end = found.tainted_by_count > 0 ? found.tainted_by + found.tainted_by_count : found.tainted_by,
	};
	return KH_OK;
}

/* Leaves the block on top of the stack for good. */
static enum kh_err leave(struct walk *walk)
{
	const struct frame *top = &walk->stack[--walk->depth];

	struct kh_closure_block *reached = kh_arena_more(walk->arena, walk->reached, walk->n, &walk->cap,
							 sizeof(*reached));
	if (reached == NULL)
		return KH_ENOMEM;
	walk->reached = reached;
	*place_of(walk, top->block.id) |= 1;
	walk->reached[walk->n++] = top->block;
	return KH_OK;
}

/* Follows a reference to ID. */
static enum kh_err follow(struct walk *walk, int64_t id)
{
	uint64_t mark = walk->marks != NULL ? *place_of(walk, id) : 0;

	if (mark == 0)
		return enter(walk, id);
	if ((mark & 1) != 0)
		return KH_OK;
	struct kh_view name = walk->books->name(walk->books->ctx, id);
	return kh_error_set(walk->err, KH_EREFUSED, "cycle", "block \"%.*s\" influenced itself", KH_FMT(name));
}

/* Visits everything below ID, then ID itself, unless it has been reached before. */
static enum kh_err run(struct walk *walk, int64_t id)
{
	enum kh_err e = follow(walk, id);

	while (e == KH_OK && walk->depth > 0) {
		struct frame *top = &walk->stack[walk->depth - 1];
		e = top->next == top->end ? leave(walk) : follow(walk, *top->next++);
	}
	return e;
}

/* --- what was reached --------------------------------------------------------------------------------------------- */

static int compare_blocks(const void *a, const void *b)
{
	const struct kh_closure_block *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* The reached blocks, sorted by id.  Influencing blocks are mostly older, so they are often in order already. */
static struct kh_closure finish(struct walk *walk)
{
	struct kh_closure closure = {.at = walk->reached, .n = walk->n};
	bool sorted = true;

	for (size_t i = 0; i < walk->n; i++) {
		sorted &= i == 0 || walk->reached[i - 1].id < walk->reached[i].id;
		closure.taint = kh_label_max_taint(closure.taint, walk->reached[i].taint);
		closure.flagged |= walk->reached[i].trust == KH_UNTRUSTED;
	}
	if (!sorted)
		qsort(closure.at, closure.n, sizeof(*closure.at), compare_blocks);
	return closure;
}

enum kh_err kh_taint_walk(const struct kh_taint_books *books, struct kh_arena *arena, const int64_t *ids, size_t count,
			  struct kh_closure *ret_closure, struct kh_error *err)
{
	struct walk walk = {.books = books, .arena = arena, .err = err};
	enum kh_err e = KH_OK;

	for (size_t i = 0; i < count && e == KH_OK; i++)
		e = run(&walk, ids[i]);
	if (e == KH_OK)
		*ret_closure = finish(&walk);
	return e;
}

/* --- of a set ----------------------------------------------------------------------------------------------------- */

struct in_set {
	const struct kh_blocks *set;
	struct kh_arena *arena;
};

static enum kh_err find(const struct in_set *in, struct kh_view id, int64_t *ret_index, struct kh_error *err)
{
	size_t i = kh_blocks_find(in->set, id);

	if (i == KH_BLOCKS_NONE)
		return kh_error_set(err, KH_EUNKNOWN, "unknown_id", "there is no block %.*s",
				    KH_FMT(kh_arena_quote(in->arena, id)));
	*ret_index = (int64_t)i;
	return KH_OK;
}

static enum kh_err look_in_set(void *ctx, int64_t id, struct kh_taint_block *ret_block, struct kh_error *err)
{
	const struct in_set *in = ctx;
	const struct kh_block *block = in->set->at[id];
	int64_t *ids = KH_NEW_N(in->arena, int64_t, block->tainted_by_count);
	enum kh_err e = ids != NULL ? KH_OK : KH_ENOMEM;

	for (size_t i = 0; i < block->tainted_by_count && e == KH_OK; i++)
		e = find(in, block->tainted_by[i], &ids[i], err);
	if (e == KH_OK)
		*ret_block = (struct kh_taint_block){ids, block->tainted_by_count, block->trust, block->taint, 0};
	return e;
}

static struct kh_view name_in_set(void *ctx, int64_t id)
{
	const struct in_set *in = ctx;

	return in->set->at[id]->id;
}

enum kh_err kh_taint_closure(const struct kh_blocks *set, struct kh_arena *arena, struct kh_view of,
			     struct kh_closure *ret_closure, struct kh_error *err)
{
	struct in_set in = {set, arena};
	const struct kh_taint_books books = {&in, look_in_set, name_in_set};
	struct walk walk = {.books = &books, .arena = arena, .err = err};
	int64_t root = 0;
	enum kh_err e = find(&in, of, &root, err);

	if (e == KH_OK)
		e = run(&walk, root);
	if (e != KH_OK)
		return e;
	walk.n--; /* the walk leaves its root last */
	*ret_closure = finish(&walk);
	return KH_OK;
}
