/*
 * Ends everything that is due, one kind of row after the other.  Each kind has an index of its open rows, says when a
 * row is due, and knows how to end it.
 */
#include "engine/due.h"

#include "engine/approval/approval.h"
#include "engine/comm/end.h"
#include "engine/query/respond.h"
#include "engine/query/settle.h"
#include "engine/state/each.h"
#include "engine/state/refusals.h"

#define AGENT_TIME INT64_C(60000000) /* microseconds that an agent has to answer an ask that it took */

union row {
	struct kh_approval_row approval;
	struct kh_effect_row effect;
	struct kh_declaration_row declaration;
	struct kh_query_row query;
};

struct kind {
	enum kh_index index;
	enum kh_table table;
	int64_t (*due_at)(const struct kh_op *op, const union row *seen); /* 0: not due by time */
	enum kh_err (*end)(struct kh_op *op, void *row);
};

static int64_t approval_at(const struct kh_op *op, const union row *seen)
{
	(void)op;
	return seen->approval.expires_at;
}

static int64_t decision_at(const struct kh_op *op, const union row *seen)
{
	(void)op;
	return seen->approval.told_at;
}

static enum kh_err end_approval(struct kh_op *op, void *row)
{
	return kh_approval_due(op, row);
}

/* An agent that took an ask and does not answer: a failed try, as for any other Reader. */
static int64_t effect_at(const struct kh_op *op, const union row *seen)
{
	bool agents = seen->effect.state == KH_EFFECT_BEGUN &&
		      kh_engine_reader(op->engine, seen->effect.reader) == NULL;

	return agents ? seen->effect.begun_at + AGENT_TIME : 0;
}

static enum kh_err end_effect(struct kh_op *op, void *row)
{
	return kh_respond_fail(op, row, KH_READER_LATE, KH_LIT(""));
}

/* Declarations that wait for a decision expire with their approval. */
static int64_t declaration_at(const struct kh_op *op, const union row *seen)
{
	(void)op;
	/* One microsecond past its last slot, one that runs is late (end.c). */
	if (seen->declaration.state == KH_DECLARATION_RUNNING)
		return kh_comm_end_last(&seen->declaration) + 1;
	return seen->declaration.state == KH_DECLARATION_READY ? seen->declaration.release_at : 0;
}

static enum kh_err end_declaration(struct kh_op *op, void *row)
{
	return kh_comm_end_due(op, row);
}

static int64_t query_at(const struct kh_op *op, const union row *seen)
{
	(void)op;
	return seen->query.state == KH_QUERY_READY ? seen->query.release_at : seen->query.deadline_at;
}

static enum kh_err end_query(struct kh_op *op, void *row)
{
	return kh_settle_due(op, row);
}

static const struct kind kinds[] = {
	{KH_INDEX_APPROVALS_PENDING, KH_TABLE_APPROVALS, approval_at, end_approval},
	{KH_INDEX_APPROVALS_UNTOLD, KH_TABLE_APPROVALS, decision_at, end_approval},
	{KH_INDEX_EFFECTS_OPEN, KH_TABLE_EFFECTS, effect_at, end_effect},
	{KH_INDEX_DECLARATIONS_ALL_OPEN, KH_TABLE_DECLARATIONS, declaration_at, end_declaration},
	{KH_INDEX_QUERIES_ALL_OPEN, KH_TABLE_QUERIES, query_at, end_query},
};

static void sooner(struct kh_due *due, int64_t time)
{
	if (due->next == 0 || time < due->next)
		due->next = time;
}

/* Whether this call may end one more; if so, it is counted. */
static bool takes(struct kh_due *due)
{
	due->more = due->more || due->count == KH_DUE_MOST;
	due->count += !due->more;
	return !due->more;
}

static enum kh_err end_one(struct kh_op *op, const struct kind *kind, int64_t id, const union row *seen,
			   struct kh_due *due)
{
	int64_t at = kind->due_at(op, seen);
	void *row;

	if (at > op->now)
		sooner(due, at);
	if (at == 0 || at > op->now || !takes(due))
		return KH_OK;
	enum kh_err e = kh_txn_load(op->txn, kind->table, id, &row);
	return e == KH_OK ? kind->end(op, row) : e;
}

static enum kh_err end_all(struct kh_op *op, const struct kind *kind, struct kh_due *due)
{
	struct kh_each each = {.op = op, .index = kind->index};
	union row seen;

	while (!due->more && kh_each_peek(&each, kind->table, &seen))
		each.e = end_one(op, kind, each.id, &seen, due);
	return each.e;
}

enum kh_err kh_due_run(struct kh_op *op, void *call)
{
	enum kh_err e = kh_refusals_write(op, false);

	for (size_t i = 0; e == KH_OK && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		e = end_all(op, &kinds[i], call);
	return e;
}
