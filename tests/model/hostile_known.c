/* What is known, and whether what begins is what every gate says. */
#include "hostile.h"

#include <inttypes.h>
#include <stdio.h>

struct hostile hostile;

static uint64_t draw(void)
{
	uint64_t z = (hostile.seed += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

int hostile_pick(int n)
{
	return (int)(draw() % (uint64_t)n);
}

bool hostile_chance(int of)
{
	return hostile_pick(of) == 0;
}

__attribute__((format(printf, 1, 2))) bool hostile_broken(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(hostile.why, sizeof(hostile.why), fmt, args);
	va_end(args);
	return false;
}

__attribute__((format(printf, 1, 2))) void hostile_told(const char *fmt, ...)
{
	va_list args;

	if (!hostile.tell)
		return;
	va_start(args, fmt);
	printf("  %12" PRId64 " ", (hostile.w[0].now - WORLD_START) / 1000);
	vprintf(fmt, args);
	printf("\n");
	va_end(args);
}

void hostile_count(const char *code)
{
	size_t i = 0;

	while (i + 1 < COUNT(hostile.refused) && hostile.refused[i].code != NULL &&
	       strcmp(hostile.refused[i].code, code) != 0)
		i++;
	hostile.refused[i].code = code;
	hostile.refused[i].n++;
}

/* One of the newest of COUNT things that are kept in a ring; -1: there is none. */
int hostile_recent(int count)
{
	int most = hostile_chance(3) ? 16 : 3, kept = count < most ? count : most;

	return kept == 0 ? -1 : (count - 1 - hostile_pick(kept)) % KEPT;
}

const char *hostile_token(int controller)
{
	return hostile.controllers[controller].token.at;
}

/* --- what is known -------------------------------------------------------------------------------------------------
 */

int hostile_find(const char *id)
{
	int kept = hostile.declaration_count < KEPT ? hostile.declaration_count : KEPT;

	for (int i = 0; i < kept; i++)
		if (strcmp(hostile.declarations[i].id.at, id) == 0)
			return i;
	return -1;
}

static int find_approval(const char *id)
{
	int kept = hostile.approval_count < KEPT ? hostile.approval_count : KEPT;

	for (int i = 0; i < kept; i++)
		if (strcmp(hostile.approvals[i].id.at, id) == 0)
			return i;
	return -1;
}

int hostile_declared(const char *id, int context, int task, int call, bool valid)
{
	int at = hostile_find(id);
	struct a_declaration *d;

	if (at >= 0)
		return at;
	/* A running one is not forgotten. */
	while (hostile.declaration_count >= KEPT && hostile.declarations[hostile.declaration_count % KEPT].running)
		hostile.declaration_count++;
	at = hostile.declaration_count++ % KEPT;
	d = &hostile.declarations[at];
	*d = (struct a_declaration){.is = {.context = context, .task = task, .call = call, .valid = valid}};
	snprintf(d->id.at, sizeof(d->id.at), "%s", id);
	d->row = world_row(&hostile.w[0], KH_ID_DECLARATION, id);
	return at;
}

/* An approval was asked for, of declaration D. */
void hostile_asked(const char *id, int d, int process)
{
	int at = find_approval(id);
	struct g_declaration *is = &hostile.declarations[d].is;
	struct kh_approval_row row;

	if (at >= 0) { /* a batch: it lists one more */
		if (hostile.approvals[at].is.state == G_PENDING && hostile.declarations[d].approval != at + 1) {
			hostile.approvals[at].is.calls |= 1U << is->call;
			hostile.approvals[at].is.uses++;
		}
		hostile.declarations[d].approval = at + 1;
		return;
	}
	at = hostile.approval_count++ % KEPT;
	hostile.approvals[at] = (struct an_approval){
		.is = {.context = is->context,
		       .task = is->task,
		       .op = g_calls[is->call].op,
		       .calls = 1U << is->call,
		       .policy = hostile.policy[process],
		       .state = G_PENDING,
		       .expires = hostile.w[0].now + g_policies[hostile.policy[process]].expiry,
		       .uses = 1},
		.row = world_row(&hostile.w[0], KH_ID_APPROVAL, id)};
	snprintf(hostile.approvals[at].id.at, sizeof(hostile.approvals[at].id.at), "%s", id);
	WORLD_LOAD(&hostile.w[process], KH_TABLE_APPROVALS, hostile.approvals[at].row, &row);
	hostile.declarations[d].approval = at + 1;
	hostile.approvals[at].is.verifies = row.kind == KH_APPROVE_TOOL_CALL;
}

static int running_of(enum g_op op)
{
	int n = 0;

	for (int i = 0; i < KEPT; i++)
		n += hostile.declarations[i].running && g_calls[hostile.declarations[i].is.call].op == op;
	return n;
}

/* --- the moment of truth -------------------------------------------------------------------------------------------
 */

static struct g_moment moment(int d, int process)
{
	const struct g_declaration *is = &hostile.declarations[d].is;

	return (struct g_moment){.policy = &g_policies[hostile.policy[process]],
				 .policy_number = hostile.policy[process],
				 .context = &hostile.contexts[is->context],
				 .task = &hostile.tasks[is->task].is,
				 .declaration = is,
				 .running = running_of(g_calls[is->call].op),
				 .now = hostile.w[0].now};
}

/* Whether an approval verifies the call of M: a human's, or a supervisor's for what is of low risk. */
static bool verifies(const struct g_moment *m, const struct g_grant *grant)
{
	const struct g_call *call = &g_calls[m->declaration->call];
	bool may = grant->by_human || m->policy->rules[call->op].risk == G_LOW;
	bool lists = grant->host != NULL ? strcmp(grant->host, call->host) == 0
					 : (grant->calls >> m->declaration->call & 1) != 0;

	return grant->state == G_APPROVED && grant->verifies && may && lists && grant->op == call->op &&
	       grant->task == m->declaration->task && grant->policy == m->policy_number && grant->expires > m->now;
}

static bool verified(const struct g_moment *m)
{
	for (int i = 0; i < KEPT && i < hostile.approval_count; i++)
		if (verifies(m, &hostile.approvals[i].is))
			return true;
	return false;
}

/*
 * The approvals that the engine has used since we last looked: a grant, and the word of whoever verified it where that
 * was another.  The human's, or else the last, comes out; -1: none.
 */
static int used_now(struct world *w, int task)
{
	int found = -1;

	for (int i = 0; i < KEPT && i < hostile.approval_count; i++) {
		struct g_grant *grant = &hostile.approvals[i].is;
		struct kh_approval_row row;

		if (grant->task != task || grant->state == G_PENDING)
			continue;
		WORLD_LOAD(w, KH_TABLE_APPROVALS, hostile.approvals[i].row, &row);
		if (row.used <= grant->used)
			continue;
		if (found < 0 || !hostile.approvals[found].is.by_human)
			found = i;
		hostile.just_used[i] = true;
	}
	return found;
}

/* The engine has begun declaration D for CALLER: is that what every gate says? */
bool hostile_begins(int d, int caller, int process)
{
	struct a_declaration *a = &hostile.declarations[d];
	struct g_moment m = moment(d, process);
	int used = used_now(&hostile.w[process], a->is.task);
	const char *refuses;

	m.grant = used >= 0 ? &hostile.approvals[used].is : NULL;
	m.verified = verified(&m);
	if (caller != a->is.context)
		return hostile_broken("%s began for Controller %d, whose it is not", a->id.at, caller);
	refuses = g_refuses(&m);
	if (refuses != NULL)
		return hostile_broken("%s (%s %s) began: %s; approval %s", a->id.at, g_names[g_calls[a->is.call].op],
				      g_calls[a->is.call].parameters, refuses,
				      used >= 0 ? hostile.approvals[used].id.at : "none");
	for (int i = 0; i < KEPT; i++) {
		hostile.approvals[i].is.used += hostile.just_used[i];
		hostile.just_used[i] = false;
	}
	a->is.began = a->running = true;
	a->process = process;
	g_begins(&hostile.contexts[a->is.context], &hostile.tasks[a->is.task].is, &g_calls[a->is.call], m.now);
	hostile.began++;
	hostile_told("%s begins, by %s", a->id.at, used >= 0 ? hostile.approvals[used].id.at : "no grant");
	return true;
}

/* It did not begin: would every gate have passed?  Being stricter is no bypass, and is counted. */
void hostile_held(int d, int process, const char *code)
{
	struct g_moment m = moment(d, process);

	m.verified = verified(&m);
	if (g_asks(&m))
		for (int i = 0; i < KEPT && i < hostile.approval_count; i++) {
			m.grant = &hostile.approvals[i].is;
			if (g_refuses(&m) == NULL)
				break;
			m.grant = NULL;
		}
	if (g_refuses(&m) != NULL)
		return;
	hostile.stricter++;
	if (hostile.tell || hostile.stricter <= 3)
		printf("stricter than the gates: %s %s: %s, policy %d\n", g_names[g_calls[m.declaration->call].op],
		       g_calls[m.declaration->call].parameters, code, m.policy_number);
}
