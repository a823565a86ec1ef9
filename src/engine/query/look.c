/* What a Controller may know about its query.  A look also releases an outcome that is due. */
#include "engine/query/look.h"

#include "core/bcp/message.h"
#include "core/block/taint.h"
#include "engine/query/settle.h"
#include "engine/state/find.h"

#include <stdlib.h>

static enum kh_err find(struct kh_op *op, const struct kh_look *look, struct kh_query_row **ret_query)
{
	struct kh_approval_row *approval;

	if (look->query.n > 0)
		return kh_find_query(op, look->query, ret_query);
	enum kh_err e = kh_find_approval(op, look->approval, &approval);
	if (e == KH_OK && approval->query == 0)
		return kh_error_set(op->err, KH_EREFUSED, "no_query", "this approval is not about a query");
	return e == KH_OK ? kh_txn_load(op->txn, KH_TABLE_QUERIES, approval->query, ret_query) : e;
}

/* A source: its block, and the how-manieth block of its task it was to become known. */
struct source {
	int64_t told, id;
};

static int compare_sources(const void *a, const void *b)
{
	const struct source *x = a, *y = b;

	return x->told != y->told ? (x->told > y->told) - (x->told < y->told) : (x->id > y->id) - (x->id < y->id);
}

/* In the order in which they became known (B17): their numbers are in the order in which their operations ended. */
static enum kh_err find_sources(struct kh_op *op, struct kh_view blocks, struct source **ret_sources, size_t *ret_count)
{
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = kh_op_ids(op, blocks, &ids, &count);
	struct source *sources = KH_NEW_N(op->arena, struct source, count + 1);

	if (e == KH_OK && sources == NULL)
		e = KH_ENOMEM;
	for (size_t i = 0; e == KH_OK && i < count; i++) {
		struct kh_block_row block = {0};
		if (count > 1)
			e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, ids[i], &block);
		sources[i] = (struct source){block.told, ids[i]};
	}
	if (e != KH_OK)
		return e;
	qsort(sources, count, sizeof(*sources), compare_sources);
	*ret_sources = sources;
	*ret_count = count;
	return KH_OK;
}

static enum kh_err write_sources(struct kh_op *op, struct kh_view blocks, struct kh_view *ret_json)
{
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_mut_val *list = yyjson_mut_arr(doc);
	struct source *sources = NULL;
	size_t count = 0;
	enum kh_err e = find_sources(op, blocks, &sources, &count);

	for (size_t i = 0; e == KH_OK && i < count; i++) {
		struct kh_view id = kh_op_id(op, KH_ID_BLOCK, sources[i].id);
		yyjson_mut_arr_add_strn(doc, list, id.p, id.n);
	}
	return e == KH_OK ? kh_json_write(op->arena, list, ret_json) : e;
}

static enum kh_err write_delivery(struct kh_op *op, struct kh_look *look, const struct kh_query_row *query)
{
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	struct kh_block_row *block;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_BLOCKS, query->delivery, &block);

	if (e == KH_OK)
		e = write_sources(op, query->blocks, &look->sources);
	if (e != KH_OK)
		return e;
	look->block = kh_op_id(op, KH_ID_BLOCK, block->id);
	look->taint = block->taint;
	yyjson_mut_val *message = kh_message_delivered(
		doc, (unsigned)query->category, yyjson_mut_rawn(doc, block->content.p, block->content.n),
		kh_op_id(op, KH_ID_QUERY, query->id), query->reader, block->taint);
	return kh_json_write(op->arena, message, &look->delivery);
}

/*
 * Whether a query of an ended task was asked before the context was reset (a reset ends every task).  If the clock was
 * set back, that must not bring a delivery back; so block numbers are compared, too.
 */
static bool is_of_before(const struct kh_context_row *context, const struct kh_query_row *query)
{
	return context->reset_at >= query->admitted_at ||
	       (query->delivery != 0 && query->delivery <= context->reset_block);
}

enum kh_err kh_look_run(struct kh_op *op, void *call)
{
	struct kh_look *look = call;
	struct kh_context_row *context;
	struct kh_task_row *task;
	struct kh_query_row *query = NULL;

	look->outcome = KH_OUTCOME_NONE;
	look->due = 0;
	look->waits = look->delivery = look->block = look->sources = (struct kh_view){0};
	enum kh_err e = find(op, look, &query);
	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, query->context, &context);
	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_TASKS, query->task, &task);
	if (e == KH_OK && task->state != KH_TASK_OPEN && is_of_before(context, query))
		e = kh_error_set(op->err, KH_EUNKNOWN, "unknown_query", "it was asked before the context was reset");
	if (e == KH_OK)
		e = kh_settle_due(op, query);
	if (e != KH_OK)
		return e;
	look->row = query;
	look->slot = kh_settle_slot(op, query);
	if (query->state == KH_QUERY_DONE) {
		look->outcome = query->outcome;
		return query->outcome == KH_OUTCOME_DELIVERED ? write_delivery(op, look, query) : KH_OK;
	}
	/* From the time a human was asked until the outcome leaves, the answer is the same: `pending`. */
	if (query->pending_at != 0 && query->pending_at <= op->now) {
		look->outcome = KH_OUTCOME_PENDING;
		look->waits = kh_op_id(op, KH_ID_APPROVAL, query->waits);
	}
	if (query->state == KH_QUERY_READY)
		look->due = query->release_at;
	else if (query->pending_at > op->now)
		look->due = query->pending_at;
	else
		look->due = query->deadline_at;
	return KH_OK;
}
