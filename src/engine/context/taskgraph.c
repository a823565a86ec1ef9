/*
 * The blocks of a task's graph.  There is no index of a task's deliveries, so the context's chain of blocks is followed
 * from the newest back to the task's first one.  The blocks found are roots; the walk of the closure finds the rest.
 */
#include "engine/context/taskgraph.h"

#include "engine/context/assemble.h"
#include "engine/context/influence.h"
#include "engine/state/find.h"

#include <stdlib.h>

#define SCRATCH (64U << 20) /* bytes for one row's lists of ids */

/* An output on the way, and what it is tainted by. */
struct output {
	int64_t id;
	int64_t *by; /* ascending */
	size_t count;
};

struct gathering {
	struct kh_op *op;
	const struct kh_context_row *context;
	const struct kh_task_row *task;
	int64_t roots[KH_TASKGRAPH_BLOCKS]; /* descending; first the task's own, then outputs */
	size_t n;
	struct output outputs[KH_TASKGRAPH_BLOCKS]; /* newest first */
	size_t output_count;
	size_t links;
};

static enum kh_err too_many(struct kh_op *op)
{
	return kh_error_set(op->err, KH_EREFUSED, "too_many_blocks",
			    "the task's graph has more than %d blocks, or too many that these are tainted by",
			    KH_TASKGRAPH_BLOCKS);
}

static enum kh_err count_links(struct gathering *g, size_t count)
{
	g->links += count;
	return g->links <= KH_TASKGRAPH_LINKS ? KH_OK : too_many(g->op);
}

static enum kh_err add_root(struct gathering *g, int64_t id)
{
	if (g->n == KH_TASKGRAPH_BLOCKS)
		return too_many(g->op);
	g->roots[g->n++] = id;
	return KH_OK;
}

static enum kh_err add_output(struct gathering *g, const struct kh_block_row *row)
{
	if (g->output_count == KH_TASKGRAPH_BLOCKS)
		return too_many(g->op);
	struct output *output = &g->outputs[g->output_count++];
	output->id = row->id;
	enum kh_err e = kh_op_ids(g->op, row->tainted_by, &output->by, &output->count);
	return e == KH_OK ? count_links(g, output->count) : e;
}

/* Goes from the context's newest block back to the task's first. */
static enum kh_err go_back(struct gathering *g, struct kh_arena *scratch)
{
	struct kh_op *op = g->op;
	struct kh_block_row row;
	size_t rows = 0;
	enum kh_err e = KH_OK;

	if (g->task->first_block == 0)
		return KH_OK;
	for (int64_t id = g->context->last_block; e == KH_OK && id >= g->task->first_block; id = row.prev) {
		if (++rows > KH_TASKGRAPH_ROWS)
			return too_many(op);
		kh_arena_clear(scratch);
		kh_txn_use_arena(op->txn, scratch);
		e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, id, &row);
		kh_txn_use_arena(op->txn, op->arena);
		if (e == KH_EUNKNOWN || (e == KH_OK && row.prev >= id))
			return kh_error_set(op->err, KH_ESTORE, "store_corrupt",
					    "a context's chain of blocks is broken");
		if (e == KH_OK && row.told < 0)
			continue; /* its slot has not come */
		if (e == KH_OK && row.task == g->task->id)
			e = add_root(g, id);
		else if (e == KH_OK && row.kind == KH_BLOCK_OUTPUT)
			e = add_output(g, &row);
	}
	return e;
}

static int descending(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/*
 * Makes roots of the outputs that one of the task's COUNT own blocks has influenced.  *RET_NEWEST: the newest of those
 * since the context's reset; 0: there is none.
 */
static enum kh_err take_outputs(struct gathering *g, size_t count, int64_t *ret_newest)
{
	enum kh_err e = KH_OK;

	*ret_newest = 0;
	for (size_t i = 0; i < g->output_count && e == KH_OK; i++) {
		const struct output *output = &g->outputs[i];
		bool is_influenced = false;
		for (size_t k = 0; k < output->count && !is_influenced; k++)
			is_influenced = bsearch(&output->by[k], g->roots, count, sizeof(g->roots[0]), descending) !=
					NULL;
		if (!is_influenced)
			continue;
		if (*ret_newest == 0 && output->id > g->context->reset_block)
			*ret_newest = output->id;
		e = add_root(g, output->id);
	}
	return e;
}

static enum kh_err add_block(struct gathering *g, struct kh_blocks *set, int64_t id)
{
	struct kh_op *op = g->op;
	const struct kh_token_row *caller = op->caller;
	bool sees_all = caller == NULL || caller->role == KH_ROLE_REVIEWER || caller->role == KH_ROLE_ADMIN;
	const struct kh_block *block;
	struct kh_block_row row;
	enum kh_err e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, id, &row);

	if (e != KH_OK)
		return e;
	if (!sees_all && row.put_by != caller->id)
		row.source = KH_LIT("");
	e = kh_context_assemble_outline(op, &row, &block);
	if (e == KH_OK)
		e = count_links(g, block->tainted_by_count);
	return e == KH_OK ? kh_blocks_put(set, block, op->err) : e;
}

static enum kh_err gather(struct gathering *g, struct kh_closure *ret_closure)
{
	struct kh_arena scratch;
	int64_t newest = 0;

	kh_arena_init(&scratch, kh_engine_alloc(g->op->engine), SCRATCH);
	enum kh_err e = go_back(g, &scratch);
	kh_arena_done(&scratch);
	if (e == KH_OK)
		e = take_outputs(g, g->n, &newest);
	if (e == KH_OK)
		e = kh_influence_of(g->op, g->context, newest, g->roots, g->n, ret_closure);
	return e == KH_OK && ret_closure->n > KH_TASKGRAPH_BLOCKS ? too_many(g->op) : e;
}

enum kh_err kh_taskgraph_run(struct kh_op *op, void *call)
{
	struct kh_taskgraph *graph = call;
	struct gathering *g = KH_NEW(op->arena, struct gathering);
	struct kh_context_row *context = NULL;
	struct kh_closure closure = {0};
	unsigned char seed[KH_BLOCKS_SEED];
	struct kh_task_row *task = NULL;
	enum kh_err e = g != NULL ? kh_find_task(op, graph->task, &task) : KH_ENOMEM;

	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, task->context, &context);
	if (e != KH_OK)
		return e;
	g->op = op;
	g->context = context;
	g->task = task;
	e = gather(g, &closure);
	kh_engine_random(op->engine, seed, sizeof(seed));
	kh_blocks_init(&graph->blocks, op->arena, seed);
	for (size_t i = 0; i < closure.n && e == KH_OK; i++)
		e = add_block(g, &graph->blocks, closure.at[i].id);
	return e;
}
