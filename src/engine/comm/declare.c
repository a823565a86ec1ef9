/*
 * comm.declare.  Each declaration of a message is decided separately.  Those that need an approval and are similar
 * share one approval, which lists each (E6).
 */
#include "engine/comm/declare.h"

#include "engine/approval/approval.h"
#include "engine/comm/begin.h"
#include "engine/comm/call.h"
#include "engine/state/find.h"
#include "engine/state/refusals.h"

struct declaring {
	struct kh_op *op;
	struct kh_declare *declare;
	struct kh_task_row *task;
	struct kh_context_row *context;
	struct kh_proposal *proposals;
	struct kh_govern *governs;
	bool *handled;
	size_t count;
};

static enum kh_err decide(struct declaring *d, size_t i)
{
	struct kh_declare_item *item = &d->declare->items[i];
	struct kh_govern *g = &d->governs[i];

	*g = (struct kh_govern){.task = d->task, .context = d->context, .proposal = &d->proposals[i]};
	enum kh_err e = kh_govern_decide(d->op, g);
	if (e != KH_OK)
		return e;
	*item = (struct kh_declare_item){
		.operation = d->proposals[i].row.operation,
		.ruling = g->decision.ruling,
		.gate = kh_words_name(&kh_decide_gate_words, g->decision.deciding->gate),
		.code = g->decision.deciding->code,
		.why = g->decision.deciding->why,
	};
	if (item->ruling != KH_DENY && !kh_engine_can_run(d->op->engine, item->operation)) {
		item->ruling = KH_DENY;
		item->gate = kh_words_name(&kh_decide_gate_words, KH_GATE_REGISTRATION);
		item->code = "operation_unknown";
		item->why = KH_LIT("no upstream server of that name is configured");
	}
	e = item->ruling == KH_ASK ? kh_begin_afford(d->op, g, false, true) : KH_OK;
	if (e != KH_EREFUSED)
		return e;
	item->ruling = KH_DENY;
	item->gate = kh_words_name(&kh_decide_gate_words, KH_GATE_PERMISSION);
	item->code = "budget_exceeded";
	item->why = kh_arena_dup(d->op->arena, kh_view_str(d->op->err->detail));
	return kh_arena_check(d->op->arena);
}

static enum kh_err admit(struct declaring *d, size_t i, struct kh_declaration_row **ret_row)
{
	struct kh_declare_item *item = &d->declare->items[i];
	struct kh_view what;
	enum kh_err e;

	d->handled[i] = true;
	if (item->ruling == KH_DENY) {
		e = kh_govern_describe(d->op, &d->governs[i], &what);
		return e == KH_OK ? kh_refusals_add(d->op, KH_AUDIT_DECLARATION_DENIED, d->task, what) : e;
	}
	e = kh_begin_row(d->op, &d->governs[i], ret_row);
	if (e == KH_OK)
		item->id = kh_op_id(d->op, KH_ID_DECLARATION, (*ret_row)->id);
	return e;
}

/* Whether two are shown in one batch. */
static bool is_similar(const struct declaring *d, size_t i, size_t j)
{
	struct kh_grant_call a = kh_govern_call(d->op, &d->proposals[i]), b = kh_govern_call(d->op, &d->proposals[j]);

	return d->declare->items[j].ruling == KH_ASK && kh_grant_similar(&a, &b);
}

/* Asks for an approval of declaration FIRST and of all later ones that are similar to it. */
static enum kh_err ask(struct declaring *d, size_t first)
{
	struct kh_begin_asked asked[KH_DECLARATIONS_MAX];
	size_t items[KH_DECLARATIONS_MAX], count = 0;
	struct kh_approval_row *approval;
	enum kh_err e = KH_OK;

	for (size_t i = first; e == KH_OK && i < d->count; i++) {
		if (i != first && !d->handled[i])
			e = decide(d, i);
		if (e != KH_OK || d->handled[i] || (i != first && !is_similar(d, first, i)))
			continue;
		asked[count] = (struct kh_begin_asked){.proposal = &d->proposals[i],
						       .rule = d->governs[i].rule,
						       .admin = d->governs[i].decision.needs_admin};
		e = admit(d, i, &asked[count].row);
		items[count++] = i;
	}
	if (e == KH_OK)
		e = kh_begin_ask(d->op, d->task, KH_APPROVE_DECLARATION, asked, count, &d->proposals[first].review,
				 &approval);
	for (size_t i = 0; e == KH_OK && i < count; i++)
		d->declare->items[items[i]].approval = kh_op_id(d->op, KH_ID_APPROVAL, approval->id);
	return e;
}

static enum kh_err declare_all(struct declaring *d)
{
	struct kh_declaration_row *row;
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < d->count; i++) {
		if (d->handled[i])
			continue;
		e = decide(d, i);
		if (e == KH_OK)
			e = d->declare->items[i].ruling == KH_ASK ? ask(d, i) : admit(d, i, &row);
	}
	return e == KH_OK ? kh_arena_check(d->op->arena) : e;
}

enum kh_err kh_declare_prepare(struct kh_prepare *at, void *call)
{
	const struct kh_declare *declare = call;

	return kh_propose_prepare(at, declare->declaration, declare->task);
}

enum kh_err kh_declare_run(struct kh_op *op, void *call)
{
	struct kh_declare *declare = call;
	struct declaring d = {.op = op, .declare = declare};
	enum kh_err e = kh_find_meant_task(op, declare->task, &d.task);

	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, d.task->context, &d.context);
	if (e != KH_OK)
		return e;
	e = kh_propose_read(op, d.task, declare->declaration, &d.proposals, &d.count);
	if (e == KH_EINPUT || e == KH_EREFUSED)
		return kh_propose_refuse(op, d.task, e);
	if (e != KH_OK)
		return e;
	declare->items = KH_NEW_N(op->arena, struct kh_declare_item, d.count);
	d.governs = KH_NEW_N(op->arena, struct kh_govern, d.count);
	d.handled = KH_NEW_N(op->arena, bool, d.count);
	if (declare->items == NULL || d.governs == NULL || d.handled == NULL)
		return KH_ENOMEM;
	declare->count = d.count;
	return declare_all(&d);
}
