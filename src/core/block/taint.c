/*
 * The closure over tainted_by: a depth-first walk with its own stack, so that a chain of a million blocks is as safe as
 * one of three.  The ids and their references are hostile: unknown ids and cycles among what is reached are errors.
 *
 * A block's mark in the set says what this walk knows of it: below `epoch` nothing, `epoch` that the walk is still
 * below it, `epoch + 1` that it is done.  A new walk takes a new epoch, so marks need no clearing.
 */
#include "core/block/taint.h"

#include <stdlib.h>

enum kh_taint kh_taint_step_down(enum kh_taint taint)
{
	return taint == KH_TAINT_HIGH ? KH_TAINT_MEDIUM : KH_TAINT_LOW;
}

struct frame {
	uint32_t block;
	uint32_t next; /* reference to follow */
};

struct walk {
	struct kh_blocks *set;
	struct kh_arena *arena;
	struct frame *stack;
	size_t depth, stack_cap;
	size_t *reached;
	size_t n, cap;
	struct kh_error *err;
};

static void begin(struct walk *walk, struct kh_blocks *set, struct kh_arena *arena, struct kh_error *err)
{
	*walk = (struct walk){.set = set, .arena = arena, .err = err};
	if (set->epoch > UINT32_MAX - 4) {
		if (set->n > 0)
			memset(set->marks, 0, set->n * sizeof(*set->marks));
		set->epoch = 0;
	}
	set->epoch += 2;
}

/* Goes down into block I, which has no mark yet. */
static enum kh_err enter(struct walk *walk, size_t i)
{
	if (walk->depth == walk->stack_cap) {
		size_t cap = walk->stack_cap ? walk->stack_cap * 2 : 16;
		struct frame *stack = kh_arena_grow(walk->arena, walk->stack, walk->depth * sizeof(*stack),
						    cap * sizeof(*stack));
		if (stack == NULL)
			return KH_ENOMEM;
		walk->stack = stack;
		walk->stack_cap = cap;
	}
	walk->set->marks[i] = walk->set->epoch;
	walk->stack[walk->depth++] = (struct frame){.block = (uint32_t)i};
	return KH_OK;
}

/* Leaves the block on top of the stack for good. */
static enum kh_err leave(struct walk *walk)
{
	size_t i = walk->stack[--walk->depth].block;

	if (walk->n == walk->cap) {
		size_t cap = walk->cap ? walk->cap * 2 : 16;
		size_t *reached = kh_arena_grow(walk->arena, walk->reached, walk->n * sizeof(*reached),
						cap * sizeof(*reached));
		if (reached == NULL)
			return KH_ENOMEM;
		walk->reached = reached;
		walk->cap = cap;
	}
	walk->set->marks[i] = walk->set->epoch + 1;
	walk->reached[walk->n++] = i;
	return KH_OK;
}

/* Follows a reference to ID. */
static enum kh_err follow(struct walk *walk, struct kh_view id)
{
	size_t i = kh_blocks_find(walk->set, id);

	if (i == KH_BLOCKS_NONE) {
		struct kh_view quoted = kh_arena_quote(walk->arena, id);
		return kh_error_set(walk->err, KH_EUNKNOWN, "unknown_id", "there is no block %.*s", KH_FMT(quoted));
	}
	uint32_t mark = walk->set->marks[i];
	if (mark == walk->set->epoch)
		return kh_error_set(walk->err, KH_EREFUSED, "cycle", "block \"%.*s\" influenced itself", KH_FMT(id));
	return mark == walk->set->epoch + 1 ? KH_OK : enter(walk, i);
}

/* Everything below ID, then ID itself, as far as it has not been reached before. */
static enum kh_err run(struct walk *walk, struct kh_view id)
{
	enum kh_err e = follow(walk, id);

	while (e == KH_OK && walk->depth > 0) {
		struct frame *top = &walk->stack[walk->depth - 1];
		const struct kh_block *block = walk->set->at[top->block];
		if (top->next == block->tainted_by_count)
			e = leave(walk);
		else
			e = follow(walk, block->tainted_by[top->next++]);
	}
	return e;
}

static int compare_indices(const void *a, const void *b)
{
	size_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

/* Puts what was reached into the blocks' order: by their marks where that is most of the set, else by sorting. */
static void order(struct walk *walk)
{
	size_t n = 0;

	if (walk->n < walk->set->n / 8) {
		if (walk->n > 1)
			qsort(walk->reached, walk->n, sizeof(*walk->reached), compare_indices);
		return;
	}
	for (size_t i = 0; n < walk->n; i++) {
		if (walk->set->marks[i] == walk->set->epoch + 1)
			walk->reached[n++] = i;
	}
}

static enum kh_err finish(struct walk *walk, struct kh_closure *ret_closure)
{
	size_t *untrusted = KH_NEW_N(walk->arena, size_t, walk->n);
	struct kh_closure closure = {.at = walk->reached, .n = walk->n, .untrusted = untrusted};

	if (untrusted == NULL)
		return KH_ENOMEM;
	for (size_t k = 0; k < walk->n; k++) {
		const struct kh_block *block = walk->set->at[walk->reached[k]];
		closure.taint = kh_label_max_taint(closure.taint, block->taint);
		if (block->trust == KH_UNTRUSTED)
			untrusted[closure.untrusted_count++] = walk->reached[k];
	}
	closure.flagged = closure.untrusted_count > 0;
	*ret_closure = closure;
	return KH_OK;
}

enum kh_err kh_taint_closure(struct kh_blocks *set, struct kh_arena *arena, struct kh_view of,
			     struct kh_closure *ret_closure, struct kh_error *err)
{
	struct walk walk;

	begin(&walk, set, arena, err);
	enum kh_err e = run(&walk, of);
	if (e != KH_OK)
		return e;
	/* The walk leaves its root last. */
	set->marks[walk.reached[--walk.n]] = 0;
	order(&walk);
	return finish(&walk, ret_closure);
}

enum kh_err kh_taint_influences(struct kh_blocks *set, struct kh_arena *arena, const struct kh_view *ids, size_t count,
				struct kh_closure *ret_closure, struct kh_error *err)
{
	struct walk walk;
	enum kh_err e = KH_OK;

	begin(&walk, set, arena, err);
	for (size_t i = 0; i < count && e == KH_OK; i++)
		e = run(&walk, ids[i]);
	if (e != KH_OK)
		return e;
	order(&walk);
	return finish(&walk, ret_closure);
}
