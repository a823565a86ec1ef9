/* Rows of the store against the arrays of the model. */
#include "compare.h"

#include <stdio.h>

/* Notes the first difference; false. */
__attribute__((format(printf, 2, 3))) static bool differs(struct compare *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->why, sizeof(c->why), fmt, args);
	va_end(args);
	return false;
}

static bool same(struct compare *c, const char *what, int at, const char *member, int64_t store, int64_t model)
{
	if (store == model)
		return true;
	return differs(c, "%s %d: %s is %lld, the model says %lld", what, at, member, (long long)store,
		       (long long)model);
}

static bool get(struct compare *c, struct kh_txn *txn, enum kh_table table, int64_t row, const char *what, int at,
		void *ret_row)
{
	enum kh_err e = kh_txn_load_row(txn, table, row, ret_row);

	return e == KH_OK || differs(c, "%s %d: row %lld cannot be read", what, at, (long long)row);
}

/* B6: budget = remaining + reserved + charged, in the store itself. */
static bool money(struct compare *c, const char *what, int at, const struct kh_budget *b, const struct m_money *m)
{
	if (b->budget != b->remaining + b->reserved + b->charged || b->remaining > b->budget)
		return differs(c, "%s %d: the budget does not add up", what, at);
	return same(c, what, at, "budget", (int64_t)b->budget, (int64_t)m->budget) &&
	       same(c, what, at, "remaining", (int64_t)b->remaining, (int64_t)m->remaining) &&
	       same(c, what, at, "reserved", (int64_t)b->reserved, (int64_t)m->reserved) &&
	       same(c, what, at, "charged", (int64_t)b->charged, (int64_t)m->charged);
}

static bool totals(struct compare *c, const char *what, int at, const uint64_t row[3], const uint64_t model[4])
{
	return same(c, what, at, "total_1", (int64_t)row[0], (int64_t)model[1]) &&
	       same(c, what, at, "total_2", (int64_t)row[1], (int64_t)model[2]) &&
	       same(c, what, at, "total_3", (int64_t)row[2], (int64_t)model[3]);
}

static bool compare_context(struct compare *c, struct kh_txn *txn, int at)
{
	const struct m_context *m = &c->m->contexts[at];
	struct kh_context_row *row;

	if (!get(c, txn, KH_TABLE_CONTEXTS, c->places.contexts[at], "context", at, &row))
		return false;
	if ((enum m_taint)row->taint < c->taint[at] && row->resets == c->resets[at])
		return differs(c, "context %d: its taint fell without a reset", at);
	c->taint[at] = (enum m_taint)row->taint;
	c->resets[at] = row->resets;
	return same(c, "context", at, "taint", row->taint, m->taint) &&
	       money(c, "context", at, &row->budget, &m->money) &&
	       totals(c, "context", at, (uint64_t[]){row->total_1, row->total_2, row->total_3}, m->total) &&
	       same(c, "context", at, "exposed", (int64_t)row->exposed, (int64_t)m->exposed) &&
	       same(c, "context", at, "deliveries", row->deliveries, m->deliveries) &&
	       same(c, "context", at, "escalations", (int64_t)row->escalations, (int64_t)m->escalations) &&
	       same(c, "context", at, "resets", row->resets, m->resets);
}

static bool compare_task(struct compare *c, struct kh_txn *txn, int at)
{
	const struct m_task *m = &c->m->tasks[at];
	struct kh_task_row *row;

	return get(c, txn, KH_TABLE_TASKS, c->places.tasks[at], "task", at, &row) &&
	       same(c, "task", at, "context", row->context, c->places.contexts[m->context]) &&
	       same(c, "task", at, "state", row->state, m->state) && money(c, "task", at, &row->budget, &m->money) &&
	       totals(c, "task", at, (uint64_t[]){row->total_1, row->total_2, row->total_3}, m->total) &&
	       same(c, "task", at, "escalations", (int64_t)row->escalations, (int64_t)m->escalations) &&
	       same(c, "task", at, "escalation_limit", (int64_t)row->escalation_limit, (int64_t)m->limit) &&
	       same(c, "task", at, "pending", row->pending, m->pending) &&
	       same(c, "task", at, "blocks", row->blocks, m->blocks) &&
	       same(c, "task", at, "queries", row->queries, m->queries);
}

/* A thing that an operation made by the way is found through its query, and must be a new one. */
static bool settle_place(struct compare *c, int64_t *places, int count, int at, const char *what, int64_t row)
{
	if (row == 0)
		return differs(c, "%s %d: there is none", what, at);
	for (int i = 0; i < count; i++)
		if (places[i] == row)
			return differs(c, "%s %d: it is %s %d", what, at, what, i);
	places[at] = row;
	return true;
}

static bool settle_places(struct compare *c, int at, const struct kh_query_row *row)
{
	const struct model *m = c->m;

	for (int i = 0; i < m->ask_count; i++)
		if (m->asks[i].query == at && c->places.asks[i] == 0 &&
		    !settle_place(c, c->places.asks, m->ask_count, i, "ask", row->effect))
			return false;
	for (int i = 0; i < m->approval_count; i++)
		if (m->approvals[i].query == at && c->places.approvals[i] == 0 &&
		    !settle_place(c, c->places.approvals, m->approval_count, i, "approval", row->approval))
			return false;
	if (m->queries[at].block != MODEL_NONE && c->places.blocks[m->queries[at].block] == 0)
		return settle_place(c, c->places.blocks, m->block_count, m->queries[at].block, "block", row->delivery);
	return true;
}

static bool compare_query(struct compare *c, struct kh_txn *txn, int at)
{
	const struct m_query *m = &c->m->queries[at];
	struct kh_query_row *row;

	if (!get(c, txn, KH_TABLE_QUERIES, c->places.queries[at], "query", at, &row))
		return false;
	if (!same(c, "query", at, "task", row->task, c->places.tasks[m->task]) ||
	    !same(c, "query", at, "state", row->state, m->state) ||
	    !same(c, "query", at, "outcome", row->outcome, m->outcome) ||
	    !same(c, "query", at, "reader_taint", row->reader_taint, m->reader_taint) ||
	    !same(c, "query", at, "reserved", (int64_t)row->reserved, (int64_t)m->reserved) ||
	    !same(c, "query", at, "charged", (int64_t)row->charged, (int64_t)m->charged) ||
	    !same(c, "query", at, "escalation", row->escalation, m->escalation) ||
	    (m->state < M_READY && !same(c, "query", at, "tries", row->tries, m->tries)) ||
	    !same(c, "query", at, "round", row->round, m->round) ||
	    !same(c, "query", at, "deadline_at", row->deadline_at, m->deadline))
		return false;
	if (m->state == M_READY && !same(c, "query", at, "release_at", row->release_at, m->release))
		return false;
	if ((row->delivery != 0) != (m->block != MODEL_NONE) || (row->delivery != 0) != (row->event != 0))
		return differs(c, "query %d: delivery %lld, event %lld, the model's block %d", at,
			       (long long)row->delivery, (long long)row->event, m->block);
	return settle_places(c, at, row);
}

static bool compare_ask(struct compare *c, struct kh_txn *txn, int at)
{
	const struct m_ask *m = &c->m->asks[at];
	struct kh_effect_row *row;

	return get(c, txn, KH_TABLE_EFFECTS, c->places.asks[at], "ask", at, &row) &&
	       same(c, "ask", at, "state", row->state, m->state) &&
	       same(c, "ask", at, "query", row->query, c->places.queries[m->query]) &&
	       same(c, "ask", at, "round", row->round, m->round);
}

static bool compare_approval(struct compare *c, struct kh_txn *txn, int at)
{
	const struct m_approval *m = &c->m->approvals[at];
	struct kh_approval_row *row;

	return get(c, txn, KH_TABLE_APPROVALS, c->places.approvals[at], "approval", at, &row) &&
	       same(c, "approval", at, "kind", row->kind, m->kind) &&
	       same(c, "approval", at, "state", row->state, m->state) &&
	       same(c, "approval", at, "query", row->query, c->places.queries[m->query]) &&
	       same(c, "approval", at, "task", row->task, c->places.tasks[m->task]);
}

static bool compare_block(struct compare *c, struct kh_txn *txn, int at)
{
	const struct m_block *m = &c->m->blocks[at];
	struct kh_block_row *row;

	return get(c, txn, KH_TABLE_BLOCKS, c->places.blocks[at], "block", at, &row) &&
	       same(c, "block", at, "taint", row->taint, m->taint) &&
	       same(c, "block", at, "sealed", row->kind == KH_BLOCK_SEALED, m->sealed) &&
	       same(c, "block", at, "context", row->context, c->places.contexts[m->context]) &&
	       same(c, "block", at, "task", row->task, m->task == MODEL_NONE ? 0 : c->places.tasks[m->task]);
}

/* Bytes, padding too: where only that differs, a row is compared once too often. */
static bool is_changed(const void *now, const void *before, size_t size)
{
	return memcmp(now, before, size) != 0;
}

#define EACH(things, thing)                                                                      \
	for (int i = 0; i < c->m->thing##_count; i++)                                            \
		if (c->whole || i >= c->before.thing##_count ||                                  \
		    is_changed(&c->m->things[i], &c->before.things[i], sizeof(c->m->things[i]))) \
			if (!compare_##thing(c, txn, i))                                         \
				return false;

/* L2: every effect has one event, which is on disk when the call that brought it about has returned. */
static bool count_event(const struct kh_audit_entry *entry, void *arg)
{
	struct compare *c = arg;

	c->event = entry->id;
	c->begun += kh_view_eq(entry->kind, kh_view_str(kh_words_name(&kh_audit_kind_words, KH_AUDIT_ASK_BEGUN)));
	c->deliveries += kh_view_eq(entry->kind,
				    kh_view_str(kh_words_name(&kh_audit_kind_words, KH_AUDIT_QUERY_DELIVERED)));
	c->decisions += kh_view_eq(entry->kind,
				   kh_view_str(kh_words_name(&kh_audit_kind_words, KH_AUDIT_APPROVAL_DECIDED)));
	return true;
}

static bool compare_all(struct compare *c, struct kh_txn *txn)
{
	EACH(contexts, context)
	EACH(tasks, task)
	EACH(queries, query)
	EACH(asks, ask)
	EACH(approvals, approval)
	EACH(blocks, block)
	if (kh_audit_read(txn, c->event, count_event, c) != KH_OK)
		return differs(c, "the audit cannot be read");
	return same(c, "audit", 0, "asks begun", c->begun, c->m->begun) &&
	       same(c, "audit", 0, "deliveries", c->deliveries, c->m->deliveries) &&
	       same(c, "audit", 0, "decisions", c->decisions, c->m->decisions);
}

struct reading {
	struct compare *c;
	bool good;
};

static enum kh_err read_all(struct kh_txn *txn, void *arg)
{
	struct reading *reading = arg;

	reading->good = compare_all(reading->c, txn);
	return KH_OK;
}

static bool note_event(const struct kh_audit_entry *entry, void *arg)
{
	struct compare *c = arg;

	c->event = entry->id;
	return true;
}

static enum kh_err last_event(struct kh_txn *txn, void *arg)
{
	struct compare *c = arg;

	return kh_audit_read(txn, c->event, note_event, c);
}

void compare_begin(struct compare *c, struct world *w, const struct model *m)
{
	int64_t event = c->w == w ? c->event : 0; /* where the last sequence on this store ended */

	*c = (struct compare){.w = w, .m = m, .event = event};
	kh_arena_clear(&w->call);
	world_inside(w, last_event, c);
}

bool compare_run(struct compare *c)
{
	struct reading reading = {.c = c};

	kh_arena_clear(&c->w->call);
	world_inside(c->w, read_all, &reading);
	c->before = *c->m;
	return reading.good;
}
