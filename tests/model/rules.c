/* What the operations of the model have in common.  Each function follows the requirement that it names. */
#include "rules.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* --- who calls ---------------------------------------------------------------------------------------------------- */

/* SPEC 1: a principal is known by its token; B4, A6: each operation is for its roles. */
bool rule_lives(const struct model *m, int token)
{
	const struct m_token *t = &m->tokens[token];

	if (t->revoked || (t->expires > 0 && t->expires <= m->now))
		return false;
	/* token.h: what a host made is valid as long as the host's own is */
	return t->parent == MODEL_NONE || m->tokens[t->parent].role != M_HOST || rule_lives(m, t->parent);
}

const char *rule_may(const struct model *m, int caller, unsigned roles)
{
	if (caller == MODEL_NONE || m->tokens[caller].program || !rule_lives(m, caller))
		return "unauthorised";
	return roles & ROLE(m->tokens[caller].role) ? NULL : "forbidden";
}

/* Whether a context is the caller's to see: its own, made by it, or anything for humans. */
bool rule_sees(const struct model *m, int caller, int context)
{
	switch (m->tokens[caller].role) {
	case M_CONTROLLER:
		return m->tokens[caller].context == context;
	case M_HOST:
		return m->contexts[context].host == caller;
	case M_REVIEWER:
	case M_ADMIN:
		return true;
	case M_READER:
	case M_SUPERVISOR:
	default:
		return false;
	}
}

const char *rule_task_fault(const struct model *m, int caller, int task, bool must_be_open)
{
	if (task == MODEL_NONE || !rule_sees(m, caller, m->tasks[task].context))
		return "unknown_task";
	if (must_be_open && m->tasks[task].state != M_OPEN)
		return m->tasks[task].state == M_CLOSED ? "task_closed" : "task_failed";
	return NULL;
}

/* --- money (B6-B8) ------------------------------------------------------------------------------------------------ */

uint64_t rule_limit(const struct m_money *money, uint64_t policy)
{
	return money->own > 0 && money->own < policy ? money->own : policy;
}

void rule_follow(struct m_money *money, uint64_t policy)
{
	uint64_t limit = rule_limit(money, policy), spent = money->reserved + money->charged;

	money->budget = limit > spent ? limit : spent;
	money->remaining = limit > spent ? limit - spent : 0;
}

struct m_money rule_fresh(uint64_t own, uint64_t policy)
{
	struct m_money money = {.own = own > policy ? policy : own};

	rule_follow(&money, policy);
	return money;
}

/* What a query may cost: task and context pay the same. */
/* Whether Q counts for the token of CONTEXT, or for its host. */
static bool counts(const struct model *m, const struct m_query *q, int context, bool host)
{
	int other = m->tasks[q->task].context;
	bool hosts = m->tokens[m->contexts[context].host].role == M_HOST;

	if (q->admitted / HOUR < m->now / HOUR - 24)
		return false;
	return host ? hosts && m->contexts[other].host == m->contexts[context].host : other == context;
}

uint64_t rule_day_bits(const struct model *m, int context, bool host)
{
	uint64_t sum = 0;

	for (int i = 0; i < m->query_count; i++)
		sum += counts(m, &m->queries[i], context, host) ? m->queries[i].reserved : 0;
	return sum;
}

uint64_t rule_token_escalations(const struct model *m)
{
	return m->policy.token_escalations > 0 ? m->policy.token_escalations : 4 * m->policy.context_escalations;
}

uint64_t rule_day_escalations(const struct model *m, int context, bool host)
{
	uint64_t sum = 0;

	for (int i = 0; i < m->query_count; i++)
		sum += counts(m, &m->queries[i], context, host) && m->queries[i].escalation;
	return sum;
}

bool rule_reserve(struct model *m, int task, uint64_t amount)
{
	int context = m->tasks[task].context;
	struct m_money *a = &m->tasks[task].money, *b = &m->contexts[m->tasks[task].context].money;

	if (a->remaining < amount || b->remaining < amount)
		return false;
	uint64_t token = m->policy.token > 0 ? m->policy.token : 4 * m->policy.context;
	if (rule_day_bits(m, context, false) + amount > token || rule_day_bits(m, context, true) + amount > token)
		return false;
	a->remaining -= amount;
	b->remaining -= amount;
	a->reserved += amount;
	b->reserved += amount;
	return true;
}

static void charge(struct model *m, int task, uint64_t reserved)
{
	struct m_money *a = &m->tasks[task].money, *b = &m->contexts[m->tasks[task].context].money;

	a->reserved -= reserved;
	b->reserved -= reserved;
	a->charged += reserved;
	b->charged += reserved;
}

struct m_money rule_shown(const struct model *m, int task)
{
	struct m_money now = m->tasks[task].money;

	rule_follow(&now, m->policy.task);
	now.budget = rule_limit(&now, m->policy.task);
	return now;
}

/* --- slots (B17) -------------------------------------------------------------------------------------------------- */

/* log2 in microbits, rounded up (B5). */
static uint64_t log2_of(int n)
{
	return (uint64_t)ceil(log2(n) * 1e6);
}

/* 50 ms, 100 ms, ... and at last the deadline; the first that is not before AFTER. */
int64_t rule_slot(const struct m_query *q, int64_t now)
{
	int64_t at = q->admitted + 50000;

	while (at < now && at < q->deadline)
		at += at - q->admitted;
	return at < q->deadline ? at : q->deadline;
}

/* How long a query may take: as long as a human may, for each time that one is asked. */
int64_t rule_time_for(const struct model *m, int category)
{
	return m->policy.expiry * (category == 3 ? 2 : 1);
}

uint64_t rule_aside(const struct model *m, const struct m_question *question)
{
	bool held = question->category == 2 || question->rounds > 1; /* a summary is pending from the beginning */
	int slots = 1;

	for (int64_t at = 50000; at < rule_time_for(m, question->category); at *= 2)
		slots++;
	/* B8: the outcome, and the slot, or two of them where an answer may be held on the way */
	return 3 * BIT + (m->policy.slots ? log2_of(held ? slots * (slots + 1) / 2 : slots) : 0);
}

/* --- how queries end ---------------------------------------------------------------------------------------------- */

static void void_approvals(struct model *m, int task, int query)
{
	for (int i = 0; i < m->approval_count; i++) {
		struct m_approval *a = &m->approvals[i];

		if (a->task != task || a->state != M_ASKED || (query != MODEL_NONE && a->query != query))
			continue;
		a->state = M_VOID;
		m->tasks[task].pending--;
	}
}

static void close_asks(struct model *m, int query)
{
	for (int i = 0; i < m->ask_count; i++)
		if (m->asks[i].query == query && m->asks[i].state <= M_BEGUN)
			m->asks[i].state = M_FAULTY;
}

/* B23: high to medium, medium to low, low stays. */
static enum m_taint step_down(enum m_taint taint)
{
	return taint == M_HIGH ? M_MEDIUM : M_LOW;
}

static void deliver(struct model *m, struct m_query *q)
{
	struct m_task *task = &m->tasks[q->task];
	struct m_context *c = &m->contexts[task->context];
	enum m_taint taint = step_down(q->reader_taint);

	m->blocks[m->block_count] = (struct m_block){.context = task->context,
						     .task = q->task,
						     .delivered = true,
						     .from = q->from,
						     .said = q->said | UINT64_C(1) << m->said[q->answer],
						     .taint = taint};
	q->block = m->block_count++;
	if (taint > c->taint)
		c->taint = taint;
	c->exposed += q->charged;
	c->deliveries++;
	m->deliveries++;
}

/* A2: what a reviewer agreed to deliver is delivered once, in its time, under the policy of then. */
static enum m_outcome use_grant(struct model *m, const struct m_query *q)
{
	struct m_approval *a = q->approval == MODEL_NONE ? NULL : &m->approvals[q->approval];

	if (a == NULL || (a->state != M_APPROVED && a->state != M_EDITED))
		return M_DELIVERED;
	a->state = a->policy != m->policy_number ? M_VOID : a->expires <= m->now ? M_LAPSED : M_USED;
	return a->state == M_USED ? M_DELIVERED : a->state == M_VOID ? M_REJECTED : M_EXPIRED;
}

/* B6, B7: what was announced and reserved is charged in the end, whatever comes of the query. */
void rule_end(struct model *m, struct m_query *q, enum m_outcome outcome)
{
	if (outcome == M_DELIVERED)
		outcome = use_grant(m, q);
	charge(m, q->task, q->reserved);
	q->charged = q->reserved;
	q->state = M_DONE;
	q->outcome = outcome;
	close_asks(m, (int)(q - m->queries));
	void_approvals(m, q->task, (int)(q - m->queries));
	if (outcome == M_DELIVERED)
		deliver(m, q);
}

/* The outcome is known, and leaves at its slot (B17). */
void rule_ready(struct model *m, struct m_query *q, enum m_outcome outcome)
{
	q->state = M_READY;
	q->outcome = outcome;
	q->release = m->policy.slots ? rule_slot(q, m->now) : m->now;
	close_asks(m, (int)(q - m->queries));
	if (q->release <= m->now)
		rule_end(m, q, outcome);
}

void rule_end_task(struct model *m, int task, enum m_task_state state)
{
	for (int i = 0; i < m->query_count; i++)
		if (m->queries[i].task == task && m->queries[i].state != M_DONE)
			rule_end(m, &m->queries[i], M_FAIL);
	void_approvals(m, task, MODEL_NONE);
	m->tasks[task].state = state;
}

/* B19: what the blocks of a query are, or were derived from. */
void rule_sources(const struct model *m, const struct m_query_call *call, unsigned *from, uint64_t *said)
{
	*from = call->block_count == 0 ? m->blocks[m->tasks[call->task].first_block].from : 0;
	*said = 0;
	for (int i = 0; i < call->block_count; i++) {
		*from |= m->blocks[call->blocks[i]].from;
		*said |= m->blocks[call->blocks[i]].said;
	}
}

/* B19: which things a query is about: what it names itself, and the contents of its blocks and of their sources. */
void rule_things(const struct model *m, const struct m_query_call *call, bool *things)
{
	unsigned from;
	uint64_t said;

	rule_sources(m, call, &from, &said);
	if (call->need != MODEL_NONE)
		things[call->need] = true;
	for (int i = 0; i < MODEL_CONTENTS; i++)
		things[MODEL_NEEDS + i] = (from >> i & 1) != 0;
	for (int i = 0; i < MODEL_SAID; i++)
		things[MODEL_NEEDS + MODEL_CONTENTS + i] = (said >> i & 1) != 0;
}

bool rule_escalates(const struct m_task *task, const struct m_question *question, const bool *things)
{
	bool escalation = question->category == 3 ||
			  (question->category == 1 && question->content > 64 * BIT); /* B10 */

	for (int i = 0; i < MODEL_THINGS; i++)
		escalation |= things[i] && task->lowest[i] > 0 && question->category > task->lowest[i];
	return escalation;
}
