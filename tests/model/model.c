/* The operations of the model.  Each function follows the requirement that it names, and nothing else. */
#include "rules.h"

#include <stddef.h>

static const struct m_told fine = {.made = MODEL_NONE, .approval = MODEL_NONE};

static struct m_told refused(const char *code)
{
	struct m_told told = fine;

	told.code = code;
	return told;
}

static struct m_told made(int what)
{
	struct m_told told = fine;

	told.made = what;
	return told;
}

bool model_has_room(const struct model *m, int n)
{
	return m->token_count + n < MODEL_TOKENS && m->task_count + n < MODEL_MAX && m->block_count + n < MODEL_MAX &&
	       m->query_count + n < MODEL_MAX && m->ask_count + n < MODEL_MAX && m->approval_count + n < MODEL_MAX;
}

/* --- tokens, tasks, contexts -------------------------------------------------------------------------------------- */

struct m_told model_token(struct model *m, int caller, enum m_role role, int64_t expires, uint64_t budget)
{
	const char *fault = rule_may(m, caller, ROLE(M_ADMIN) | ROLE(M_HOST));
	struct m_token *t = &m->tokens[m->token_count];

	if (fault)
		return refused(fault);
	if (m->tokens[caller].role == M_HOST && role != M_CONTROLLER)
		return refused("forbidden");
	*t = (struct m_token){.role = role, .context = MODEL_NONE, .parent = caller, .expires = expires};
	if (role == M_CONTROLLER) {
		m->contexts[m->context_count] = (struct m_context){.host = caller};
		m->contexts[m->context_count].money = rule_fresh(budget, m->policy.context);
		t->context = m->context_count++;
	}
	return made(m->token_count++);
}

struct m_told model_revoke(struct model *m, int caller, int token)
{
	const char *fault = rule_may(m, caller, ROLE(M_ADMIN) | ROLE(M_HOST));

	if (fault)
		return refused(fault);
	if (token == MODEL_NONE || m->tokens[token].program ||
	    (m->tokens[caller].role == M_HOST && m->tokens[token].parent != caller))
		return refused("unknown_token");
	if (m->tokens[token].revoked)
		return refused("already_revoked");
	m->tokens[token].revoked = true;
	/* token.h: a Controller's tasks are closed; what a Reader was asked and has not answered fails */
	for (int i = 0; i < m->task_count; i++)
		if (m->tokens[token].context == m->tasks[i].context && m->tasks[i].state == M_OPEN)
			rule_end_task(m, i, M_CLOSED);
	for (int i = 0; i < m->query_count; i++)
		if (m->queries[i].reader == token && m->queries[i].state == M_ASKING)
			rule_ready(m, &m->queries[i], M_FAIL);
	return fine;
}

struct m_told model_open(struct model *m, int caller, uint64_t budget)
{
	const char *fault = rule_may(m, caller, ROLE(M_CONTROLLER));
	struct m_task *task = &m->tasks[m->task_count];

	if (fault)
		return refused(fault);
	*task = (struct m_task){.context = m->tokens[caller].context, .first_block = MODEL_NONE};
	task->money = rule_fresh(budget, m->policy.task);
	task->limit = m->policy.escalations;
	return made(m->task_count++);
}

struct m_told model_close(struct model *m, int caller, int task)
{
	const char *fault = rule_may(m, caller, ROLE(M_CONTROLLER) | ROLE(M_HOST) | ROLE(M_ADMIN));

	if (!fault)
		fault = rule_task_fault(m, caller, task, true);
	if (fault)
		return refused(fault);
	rule_end_task(m, task, M_CLOSED);
	return fine;
}

struct m_told model_see(struct model *m, int caller, int task)
{
	const char *fault = rule_may(m, caller, ROLE(M_CONTROLLER) | ROLE(M_HOST) | ROLE(M_REVIEWER) | ROLE(M_ADMIN));

	return fault ? refused(fault) : refused(rule_task_fault(m, caller, task, false));
}

struct m_told model_put(struct model *m, int caller, int task, int content)
{
	const char *fault = rule_may(m, caller, ROLE(M_CONTROLLER) | ROLE(M_HOST) | ROLE(M_ADMIN));

	if (!fault)
		fault = rule_task_fault(m, caller, task, true);
	if (fault)
		return refused(fault);
	m->blocks[m->block_count] = (struct m_block){.context = m->tasks[task].context,
						     .task = task,
						     .sealed = true,
						     .content = content,
						     .from = 1U << content,
						     .taint = M_HIGH}; /* SPEC 1 */
	if (m->tasks[task].blocks++ == 0)
		m->tasks[task].first_block = m->block_count;
	return made(m->block_count++);
}

/* SPEC 1: only an audited reset by a human clears a context.  Its tasks are closed first. */
struct m_told model_reset(struct model *m, int caller, int context)
{
	const char *fault = rule_may(m, caller, ROLE(M_REVIEWER) | ROLE(M_ADMIN));
	struct m_context *c;

	if (fault)
		return refused(fault);
	if (context == MODEL_NONE)
		return refused("unknown_context");
	for (int i = 0; i < m->task_count; i++)
		if (m->tasks[i].context == context && m->tasks[i].state == M_OPEN)
			rule_end_task(m, i, M_CLOSED);
	c = &m->contexts[context];
	c->taint = M_LOW;
	c->exposed = 0;
	c->deliveries = 0;
	c->escalations = 0;
	c->resets++;
	c->money = rule_fresh(c->money.own, m->policy.context);
	return fine;
}

struct m_told model_message(struct model *m, int caller, int context)
{
	const char *fault = rule_may(m, caller, ROLE(M_HOST));

	if (fault)
		return refused(fault);
	if (context == MODEL_NONE || !rule_sees(m, caller, context))
		return refused("unknown_context");
	m->blocks[m->block_count] = (struct m_block){.context = context, .task = MODEL_NONE};
	if (m->policy.untrusted_users) { /* given to the context at once */
		m->blocks[m->block_count].taint = M_HIGH;
		m->contexts[context].taint = M_HIGH;
	}
	return made(m->block_count++);
}

/* --- queries ------------------------------------------------------------------------------------------------------ */

/* B1: the blocks that are named, which must be sealed ones of the task; or the task's only one. */
static const char *blocks_fault(const struct model *m, const struct m_query_call *call, enum m_taint *ret_taint)
{
	const struct m_task *task = &m->tasks[call->task];
	enum m_taint taint = M_LOW;

	if (call->block_count == 0) {
		if (task->blocks != 1)
			return "blocks_needed";
		*ret_taint = m->blocks[task->first_block].taint;
		return NULL;
	}
	for (int i = 0; i < call->block_count; i++) {
		int b = call->blocks[i];

		if (b == MODEL_NONE || m->blocks[b].task != call->task ||
		    (!m->blocks[b].sealed && !m->blocks[b].delivered))
			return "unknown_block";
		if (m->blocks[b].taint > taint)
			taint = m->blocks[b].taint;
	}
	*ret_taint = taint;
	return NULL;
}

/* B9: N a minute, wherever the minute begins.  The minute is cut into eighths; what touches it counts (quota.h). */
static bool within_rate(const struct model *m, int reader, int category)
{
	int64_t part = MINUTE / 8, now = m->now / part;
	int n = 0;

	for (int i = 0; i < m->query_count; i++)
		n += m->puts[i].reader == reader && m->puts[i].category == category && m->puts[i].at / part >= now - 8;
	return n < m->policy.rate[category];
}

static int ask_for(struct model *m, int query)
{
	m->asks[m->ask_count] = (struct m_ask){
		.query = query, .reader = m->queries[query].reader, .round = m->queries[query].round};
	return m->ask_count++;
}

static int request(struct model *m, enum m_approval_kind kind, int query)
{
	struct m_query *q = &m->queries[query];

	m->approvals[m->approval_count] = (struct m_approval){.kind = kind,
							      .task = q->task,
							      .query = query,
							      .expires = m->now + m->policy.expiry,
							      .policy = m->policy_number};
	m->tasks[q->task].pending++;
	q->approval = m->approval_count;
	if (q->asked_human == MODEL_NONE) {
		q->asked_human = m->approval_count;
		q->pending = kind == M_ESCALATION || !m->policy.slots ? m->now : rule_slot(q, m->now);
	}
	return m->approval_count++;
}

static int enter(struct model *m, const struct m_query_call *call, enum m_taint taint, uint64_t amount, bool escalation)
{
	const struct m_question *question = &m->questions[call->question];
	struct m_task *task = &m->tasks[call->task];
	struct m_context *c = &m->contexts[task->context];

	m->queries[m->query_count] = (struct m_query){.task = call->task,
						      .question = call->question,
						      .reader = call->reader,
						      .state = M_ASKING,
						      .reader_taint = taint > c->taint ? taint : c->taint,
						      .reserved = amount,
						      .escalation = escalation,
						      .resets = c->resets,
						      .admitted = m->now,
						      .deadline = m->now + rule_time_for(m, question->category),
						      .answer = MODEL_NONE,
						      .approval = MODEL_NONE,
						      .asked_human = MODEL_NONE,
						      .block = MODEL_NONE};
	task->queries++;
	task->escalations += escalation;
	c->escalations += escalation;
	task->total[question->category] += amount;
	c->total[question->category] += amount;
	rule_sources(m, call, &m->queries[m->query_count].from, &m->queries[m->query_count].said);
	m->puts[m->query_count] = (struct m_put){call->reader, question->category, m->now};
	return m->query_count++;
}

/* Queries of category 3 whose outcome has not left: how many approvals wait, as far as a Controller can tell. */
static int known_to_wait(const struct model *m, int task)
{
	int n = 0;

	for (int i = 0; i < m->query_count; i++)
		n += m->queries[i].task == task && m->questions[m->queries[i].question].category == 3 &&
		     m->queries[i].state != M_DONE;
	return n;
}

/* What is in the way before anything is counted; *RET_TAINT: of the blocks. */
static const char *admit_fault(const struct model *m, int caller, const struct m_query_call *call,
			       enum m_taint *ret_taint)
{
	const struct m_question *question = &m->questions[call->question];
	const char *fault = rule_may(m, caller, ROLE(M_CONTROLLER));

	if (!fault)
		fault = rule_task_fault(m, caller, call->task, true);
	if (!fault)
		fault = question->fault;
	if (!fault)
		fault = blocks_fault(m, call, ret_taint);
	if (!fault && question->category == 3 && known_to_wait(m, call->task) >= m->policy.pending)
		fault = "too_many_pending"; /* A6, by what the Controller knows itself */
	if (!fault &&
	    (call->reader == MODEL_NONE || m->tokens[call->reader].role != M_READER || !rule_lives(m, call->reader)))
		fault = "unknown_reader";
	if (!fault && !within_rate(m, call->reader, question->category))
		fault = "rate_limited";
	return fault;
}

struct m_told model_admit(struct model *m, int caller, const struct m_query_call *call)
{
	const struct m_question *question = &m->questions[call->question];
	enum m_taint taint = M_LOW;
	const char *fault = admit_fault(m, caller, call, &taint);
	struct m_told told = fine;
	uint64_t amount = question->content + rule_aside(m, question);
	bool things[MODEL_THINGS] = {false}, escalation;
	struct m_task *task;

	if (fault)
		return refused(fault);
	task = &m->tasks[call->task];
	rule_things(m, call, things);
	escalation = rule_escalates(task, question, things);
	if (escalation && m->contexts[task->context].escalations >= m->policy.context_escalations)
		return refused("escalations_exceeded");
	for (int host = 0; escalation && host < 2; host++)
		if (rule_day_escalations(m, task->context, host == 1) >= rule_token_escalations(m))
			return refused("escalations_exceeded");
	rule_follow(&task->money, m->policy.task);
	rule_follow(&m->contexts[task->context].money, m->policy.context);
	if (escalation && task->escalations >= task->limit) {
		rule_end_task(m, call->task, M_FAILED);
		told.outcome = M_FAIL;
		return told;
	}
	if (!rule_reserve(m, call->task, amount)) {
		told.outcome = M_BUDGET;
		return told;
	}
	for (int i = 0; i < MODEL_THINGS; i++)
		if (things[i] && (task->lowest[i] == 0 || question->category < task->lowest[i]))
			task->lowest[i] = question->category;
	told.made = enter(m, call, taint, amount, escalation);
	if (question->category == 3) {                          /* B20: a human first */
		bool full = task->pending >= m->policy.pending; /* of flagged answers, which it must not learn */

		m->queries[told.made].state = M_APPROVAL;
		told.approval = request(m, M_ESCALATION, told.made);
		if (full) {
			m->approvals[told.approval].state = M_VOID;
			task->pending--;
			rule_ready(m, &m->queries[told.made], M_FAIL);
		}
	} else {
		ask_for(m, told.made);
	}
	return told;
}

/* --- the Reader --------------------------------------------------------------------------------------------------- */

/* A2: an escalation's grant is used here, once, and holds only in its time and under the policy that it was asked
 * under; without it the Reader sees nothing. */
static bool granted(struct model *m, const struct m_ask *ask)
{
	struct m_query *q = &m->queries[ask->query];
	struct m_approval *a = q->approval == MODEL_NONE ? NULL : &m->approvals[q->approval];

	if (a == NULL || a->kind != M_ESCALATION || a->state != M_APPROVED)
		return true;
	if (a->policy != m->policy_number) {
		a->state = M_VOID;
		rule_ready(m, q, M_REJECTED); /* nobody has agreed to this */
		return false;
	}
	if (a->expires <= m->now) {
		a->state = M_LAPSED;
		rule_ready(m, q, M_EXPIRED);
		return false;
	}
	a->state = M_USED;
	return true;
}

static bool begin(struct model *m, int ask)
{
	struct m_ask *a = &m->asks[ask];

	if (a->state != M_WAITING || !granted(m, a))
		return false;
	a->state = M_BEGUN;
	a->begun = m->now;
	m->begun++;
	return true;
}

/* The task of what this Reader was given and can still answer. */
static int present_task(const struct model *m, int reader)
{
	for (int i = 0; i < m->ask_count; i++) {
		const struct m_query *q = &m->queries[m->asks[i].query];
		if (m->asks[i].reader == reader && m->asks[i].state == M_BEGUN && q->state == M_ASKING &&
		    q->deadline > m->now)
			return q->task;
	}
	return MODEL_NONE;
}

/* The oldest that waits for this Reader, one task at a time (I3). */
struct m_told model_next(struct model *m, int caller)
{
	const char *fault = rule_may(m, caller, ROLE(M_READER));

	if (fault)
		return refused(fault);
	const int task = present_task(m, caller);

	for (int i = 0; i < m->ask_count; i++)
		if (m->asks[i].reader == caller && (task == MODEL_NONE || m->queries[m->asks[i].query].task == task) &&
		    begin(m, i))
			return made(i);
	return fine;
}

struct m_told model_begin(struct model *m, int ask)
{
	return begin(m, ask) ? made(ask) : fine;
}

/* B16: invalid, lost or late; asked again up to the limit. */
static void failed_try(struct model *m, int query)
{
	if (m->queries[query].tries++ >= m->policy.retries)
		rule_ready(m, &m->queries[query], M_FAIL);
	else
		ask_for(m, query);
}

static void hold(struct model *m, int query, enum m_approval_kind kind)
{
	struct m_query *q = &m->queries[query];

	if (m->tasks[q->task].pending >= m->policy.pending) { /* A6: nobody will be asked */
		rule_ready(m, q, M_FAIL);
		return;
	}
	q->state = M_HELD;
	(void)request(m, kind, query);
}

static void take(struct model *m, int query, int answer, enum m_verdict verdict)
{
	struct m_query *q = &m->queries[query];
	const struct m_question *question = &m->questions[q->question];

	if (q->round == 0)
		q->answer = answer;
	else if (m->answers[answer].value != m->answers[q->answer].value)
		q->flagged = true; /* B14 */
	if (verdict == M_HOLD)
		q->flagged = true; /* one held answer holds the response (B13) */
	if (q->round + 1 < question->rounds) {
		q->round++;
		ask_for(m, query);
		return;
	}
	if (q->flagged || question->category == 3) {
		hold(m, query, question->category == 3 ? M_SUMMARY : M_ANSWER);
		return;
	}
	rule_ready(m, q, M_DELIVERED);
}

static enum m_verdict verdict_of(const struct model *m, int ask, int answer)
{
	const struct m_answer *a = &m->answers[answer];

	if (a->question != m->queries[m->asks[ask].query].question)
		return M_REJECT;
	return m->asks[ask].round == 0 ? a->first : a->again;
}

static const char *judge(struct model *m, int ask, int answer)
{
	enum m_verdict verdict = answer == MODEL_NONE ? M_REJECT : verdict_of(m, ask, answer);

	if (m->asks[ask].state != M_BEGUN)
		return "closed";
	m->asks[ask].state = answer == MODEL_NONE ? M_FAULTY : M_ANSWERED;
	if (verdict == M_REJECT) {
		failed_try(m, m->asks[ask].query);
		return "invalid";
	}
	take(m, m->asks[ask].query, answer, verdict);
	return "accepted";
}

/* B4: only the Reader that it went to, and only while it is open. */
struct m_told model_respond(struct model *m, int caller, int ask, int answer)
{
	const char *fault = rule_may(m, caller, ROLE(M_READER));
	struct m_told told = fine;

	if (fault)
		return refused(fault);
	if (ask == MODEL_NONE || m->asks[ask].reader != caller)
		return refused("unknown_query");
	told.word = judge(m, ask, answer);
	return told;
}

struct m_told model_tell(struct model *m, int ask, int answer)
{
	struct m_told told = fine;

	told.word = judge(m, ask, answer);
	return told;
}

/* At most once (E7): what had begun is not begun again. */
void model_recover(struct model *m)
{
	int count = m->ask_count;

	for (int i = 0; i < count; i++) {
		if (m->asks[i].state != M_BEGUN || !m->tokens[m->asks[i].reader].program)
			continue;
		m->asks[i].state = M_FAULTY;
		failed_try(m, m->asks[i].query);
	}
}

/* B16: an outcome and no more; nothing before its slot (B17). */
struct m_told model_look(struct model *m, int caller, int query)
{
	const char *fault = rule_may(m, caller, ROLE(M_CONTROLLER) | ROLE(M_HOST) | ROLE(M_REVIEWER) | ROLE(M_ADMIN));
	struct m_told told = fine;
	const struct m_query *q;

	if (!fault && query == MODEL_NONE)
		fault = "unknown_query";
	if (fault)
		return refused(fault);
	q = &m->queries[query];
	if (!rule_sees(m, caller, m->tasks[q->task].context))
		return refused("unknown_query");
	if (q->resets != m->contexts[m->tasks[q->task].context].resets)
		return refused("unknown_query"); /* what was asked before a reset is not given again */
	if (q->state == M_DONE) {
		told.outcome = q->outcome;
	} else if (q->asked_human != MODEL_NONE && q->pending <= m->now) {
		told.outcome = M_PENDING; /* from its slot on, and whatever happens behind it until the end */
		told.approval = q->asked_human;
		told.early = m->policy.slots && m->approvals[q->asked_human].kind == M_ESCALATION &&
			     m->now < rule_slot(q, q->pending);
	}
	return told;
}

/* --- approvals ---------------------------------------------------------------------------------------------------- */

/* A6: humans; a supervisor has to do with tool calls alone, of which there are none here. */
static const char *reviewer_fault(const struct model *m, int caller, int approval)
{
	const char *fault = rule_may(m, caller, ROLE(M_REVIEWER) | ROLE(M_ADMIN) | ROLE(M_SUPERVISOR));

	if (!fault && (approval == MODEL_NONE || m->tokens[caller].role == M_SUPERVISOR))
		fault = "unknown_approval";
	return fault;
}

struct m_told model_show(struct model *m, int caller, int approval)
{
	const char *fault = reviewer_fault(m, caller, approval);

	if (fault)
		return refused(fault);
	m->approvals[approval].shown[caller] = true;
	return fine;
}

static const char *decide_fault(const struct model *m, int caller, const struct m_approval *a, enum m_choice choice,
				bool named, int answer)
{
	if (a->state != M_ASKED)
		return "already_decided"; /* A4: the first wins */
	if (!named)
		return "shown_differs"; /* A6 */
	if (!a->shown[caller])
		return "not_shown";
	if (choice == M_EDIT && a->kind == M_ESCALATION)
		return "not_editable";
	if (choice == M_EDIT &&
	    (m->answers[answer].first == M_REJECT || m->answers[answer].question != m->queries[a->query].question))
		return "bad_edit"; /* B15: validated like an answer */
	return NULL;
}

struct m_told model_decide(struct model *m, int caller, int approval, enum m_choice choice, bool named, int answer)
{
	const char *fault = reviewer_fault(m, caller, approval);
	struct m_approval *a;
	struct m_query *q;

	if (fault)
		return refused(fault);
	a = &m->approvals[approval];
	fault = decide_fault(m, caller, a, choice, named, answer);
	if (fault)
		return refused(fault);
	q = &m->queries[a->query];
	m->tasks[a->task].pending--;
	m->decisions++;
	if (choice == M_REFUSE) {
		a->state = M_REFUSED;
		rule_ready(m, q, M_REJECTED);
		return fine;
	}
	a->state = choice == M_EDIT ? M_EDITED : M_APPROVED;
	a->expires = m->now + m->policy.expiry; /* of the grant, now */
	if (a->kind == M_ESCALATION) {
		q->state = M_ASKING;
		ask_for(m, a->query);
		return fine;
	}
	if (choice == M_EDIT)
		q->answer = answer;
	rule_ready(m, q, M_DELIVERED);
	return fine;
}

/* --- time --------------------------------------------------------------------------------------------------------- */

/* An agent that took an ask has a minute for it; then that try has failed. */
static void late_agents(struct model *m)
{
	int count = m->ask_count;

	for (int i = 0; i < count; i++) {
		if (m->asks[i].state != M_BEGUN || m->tokens[m->asks[i].reader].program ||
		    m->asks[i].begun + MINUTE > m->now)
			continue;
		m->asks[i].state = M_FAULTY;
		failed_try(m, m->asks[i].query);
	}
}

void model_due(struct model *m, bool seen_to)
{
	for (int i = 0; i < m->approval_count; i++) {
		struct m_approval *a = &m->approvals[i];

		if (a->state == M_ASKED && a->expires <= m->now) { /* A3: expiry is not rejection */
			a->state = M_LAPSED;
			m->tasks[a->task].pending--;
			rule_ready(m, &m->queries[a->query], M_EXPIRED);
		}
	}
	if (seen_to)
		late_agents(m);
	for (int i = 0; i < m->query_count; i++) {
		struct m_query *q = &m->queries[i];

		if (q->state == M_READY && q->release <= m->now)
			rule_end(m, q, q->outcome);
		else if (q->state < M_READY && q->deadline <= m->now)
			rule_end(m, q, M_EXPIRED);
	}
}
