/* What a Controller may know about its query.  A look also releases an outcome that is due. */
#include "engine/query/look.h"

#include "core/bcp/message.h"
#include "core/block/taint.h"
#include "engine/context/giver.h"
#include "engine/context/influence.h"
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

/* By the how-manieth block of its task each was to become known. */
static int compare_sources(const void *a, const void *b)
{
	const struct kh_block_row *x = a, *y = b;

	return x->told != y->told ? (x->told > y->told) - (x->told < y->told) : (x->id > y->id) - (x->id < y->id);
}

struct sources {
	struct kh_block_row *at; /* without their content */
	size_t n;
	bool derived; /* one of them is a delivery */
};

/* In the order in which they became known (B17): their numbers are in the order in which their operations ended. */
static enum kh_err find_sources(struct kh_op *op, const int64_t *ids, size_t count, struct sources *ret)
{
	*ret = (struct sources){.at = KH_NEW_N(op->arena, struct kh_block_row, count + 1), .n = count};
	enum kh_err e = ret->at != NULL ? KH_OK : KH_ENOMEM;

	for (size_t i = 0; e == KH_OK && i < count; i++) {
		e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, ids[i], &ret->at[i]);
		ret->derived = ret->derived || (e == KH_OK && ret->at[i].kind == KH_BLOCK_DELIVERY);
	}
	if (e == KH_OK && count > 1)
		qsort(ret->at, count, sizeof(*ret->at), compare_sources);
	return e;
}

static enum kh_err write_sources(struct kh_op *op, const struct sources *sources, struct kh_view *ret_json)
{
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_mut_val *list = yyjson_mut_arr(doc);

	for (size_t i = 0; i < sources->n; i++) {
		struct kh_view id = kh_op_id(op, KH_ID_BLOCK, sources->at[i].id);
		yyjson_mut_arr_add_strn(doc, list, id.p, id.n);
	}
	return kh_json_write(op->arena, list, ret_json);
}

/* --- attribution -------------------------------------------------------------------------------------------------- */

/* The sealed blocks that a delivery among SOURCES was derived from stand in its place. */
static enum kh_err find_roots(struct kh_op *op, const struct kh_context_row *context, const int64_t *ids, size_t count,
			      struct sources *sources)
{
	struct kh_closure closure;
	enum kh_err e = kh_influence_of(op, context, 0, ids, count, &closure);
	int64_t *roots = e == KH_OK ? KH_NEW_N(op->arena, int64_t, closure.n + 1) : NULL;
	size_t n = 0;

	if (e == KH_OK && roots == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; e == KH_OK && i < closure.n; i++) {
		if (closure.at[i].kind == KH_BLOCK_SEALED)
			roots[n++] = closure.at[i].id;
	}
	return e == KH_OK ? find_sources(op, roots, n, sources) : e;
}

/* The Controller's own parameters, and the tier of the operation by the policy now in force. */
static enum kh_err add_call(struct kh_op *op, const struct kh_block_row *block, yyjson_mut_doc *doc,
			    yyjson_mut_val *obj)
{
	struct kh_declaration_row call;
	struct kh_view agent, path;
	yyjson_val *parameters = NULL;
	enum kh_err e = kh_txn_peek(op->txn, KH_TABLE_DECLARATIONS, block->declaration, &call);

	if (e == KH_OK)
		e = kh_find_agent(op, block->context, &agent);
	if (e == KH_OK)
		e = kh_json_read(op->arena, call.parameters, &parameters, op->err);
	if (e != KH_OK)
		return e;
	const struct kh_policy_rule *rule = kh_policy_rule(op->policy, op->arena, call.operation, agent, &path);
	enum kh_tier tier = kh_policy_tier(op->policy, rule, call.operation, parameters);
	kh_json_add(doc, obj, "operation", call.operation);
	kh_json_add_raw(doc, obj, "parameters", call.parameters);
	yyjson_mut_obj_add_str(doc, obj, "tier", kh_words_name(&kh_tier_words, tier));
	return KH_OK;
}

/*
 * B23: of each source what its Controller may know.  What the world said of itself, such as a final URL, is sealed with
 * the content.
 */
static enum kh_err add_source(struct kh_op *op, const struct kh_block_row *block, yyjson_mut_doc *doc,
			      yyjson_mut_val *list)
{
	yyjson_val *attribution = NULL;
	enum kh_err e = kh_json_read(op->arena, block->attribution, &attribution, op->err);

	if (e != KH_OK)
		return e;
	yyjson_mut_val *obj = yyjson_mut_arr_add_obj(doc, list);
	kh_json_add(doc, obj, "block", kh_op_id(op, KH_ID_BLOCK, block->id));
	e = block->declaration != 0 ? add_call(op, block, doc, obj) : kh_giver_add(op, block, doc, obj);
	kh_op_add_time(op, doc, obj, "time", block->created_at);
	kh_json_add(doc, obj, "audit_id", kh_json_str(kh_json_get(attribution, "audit_id")));
	return e;
}

static enum kh_err add_attribution(struct kh_op *op, const struct sources *sources, yyjson_mut_doc *doc,
				   yyjson_mut_val *message)
{
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, message, "attribution");
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < sources->n; i++)
		e = add_source(op, &sources->at[i], doc, list);
	return e;
}

/* --- the delivery ------------------------------------------------------------------------------------------------- */

static enum kh_err write_delivery(struct kh_op *op, struct kh_look *look, const struct kh_context_row *context,
				  const struct kh_query_row *query)
{
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	struct kh_block_row *block;
	struct sources sources;
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_BLOCKS, query->delivery, &block);

	if (e == KH_OK)
		e = kh_op_ids(op, query->blocks, &ids, &count);
	if (e == KH_OK)
		e = find_sources(op, ids, count, &sources);
	if (e == KH_OK)
		e = write_sources(op, &sources, &look->sources);
	if (e == KH_OK && sources.derived)
		e = find_roots(op, context, ids, count, &sources);
	if (e != KH_OK)
		return e;
	look->block = kh_op_id(op, KH_ID_BLOCK, block->id);
	look->taint = block->taint;
	yyjson_mut_val *message = kh_message_delivered(
		doc, (unsigned)query->category, yyjson_mut_rawn(doc, block->content.p, block->content.n),
		kh_op_id(op, KH_ID_QUERY, query->id), query->reader, block->taint);
	e = add_attribution(op, &sources, doc, message);
	return e == KH_OK ? kh_json_write(op->arena, message, &look->delivery) : e;
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
		return query->outcome == KH_OUTCOME_DELIVERED ? write_delivery(op, look, context, query) : KH_OK;
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
