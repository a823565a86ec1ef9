/*
 * Random sequences of operations by two Controllers, two Readers, two reviewers, an admin and a host against the
 * engine, each held against the model after every operation: what the caller was told, and what the store has.
 *
 *     KH_SEQUENCES=1000 KH_SEED=1 model      N sequences, from that seed on
 *     KH_ONLY=4711 model                     the sequence of one seed
 *
 * A sequence that differs is made shorter as far as it still differs, and printed with its seed.
 */
#include "operate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define OPERATIONS 40 /* of a sequence */
#define SHARING    50 /* sequences on one store */
#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))
/* How often each is drawn, of all that is drawn. */
static const int weights[KINDS] = {
	[CLOCK] = 14,   [OPEN] = 4,  [CLOSE] = 2,  [PUT] = 5,     [ADMIT] = 20, [NEXT] = 22,
	[RESPOND] = 24, [BEGIN] = 8, [TELL] = 8,   [LOOK] = 12,   [SHOW] = 3,   [DECIDE] = 14,
	[RESET] = 1,    [TOKEN] = 1, [REVOKE] = 1, [MESSAGE] = 1, [STATUS] = 2, [RESTART] = 1,
};

/* --- one sequence ------------------------------------------------------------------------------------------------- */

/* Nothing that a Reader sent and nobody approved is in anything that a Controller heard (B16, B18). */
static bool nothing_heard(struct run *r)
{
	bool clean = kh_view_find(kh_view_of(r->w.heard.at, r->w.heard.n), kh_view_str(SCRIPT_CANARY), 0) == SIZE_MAX;

	r->w.heard.n = 0;
	return clean || operate_differs(r, "a Controller was told what it must not know");
}

/* Where there is nothing that an operation could be about, it is mostly another one, so that sequences get somewhere.
 */
static enum kind sensible(const struct run *r, const struct operation *op)
{
	const struct model *m = &r->m;
	int begun = 0, waiting = 0, running = 0, queued = 0, asked = 0, tasks = 0, blocks = 0;
	enum kind kind = op->kind;

	for (int i = 0; i < m->ask_count; i++) {
		bool program = m->tokens[m->asks[i].reader].program;

		begun += m->asks[i].state == M_BEGUN && !program;
		waiting += m->asks[i].state == M_WAITING && !program;
		running += m->asks[i].state == M_BEGUN && program;
		queued += m->asks[i].state == M_WAITING && program;
	}
	for (int i = 0; i < m->approval_count; i++)
		asked += m->approvals[i].state == M_ASKED;
	for (int i = 0; i < m->task_count; i++) {
		tasks += m->tasks[i].state == M_OPEN;
		blocks += m->tasks[i].state == M_OPEN && m->tasks[i].blocks > 0;
	}
	if (op->draw[7] % 16 == 0)
		return kind;
	if ((kind == SHOW || kind == DECIDE) && asked == 0)
		kind = RESPOND;
	if (kind == TELL && running == 0)
		kind = BEGIN;
	if (kind == BEGIN && queued == 0)
		kind = RESPOND;
	if (kind == RESPOND && begun == 0)
		kind = NEXT;
	if ((kind == NEXT && waiting == 0) || (kind == LOOK && m->query_count == 0))
		kind = ADMIT;
	if (kind == ADMIT && blocks == 0)
		kind = PUT;
	return kind == PUT && tasks == 0 ? OPEN : kind;
}

static bool step(struct run *r, const struct operation *op)
{
	enum kind kind = sensible(r, op);
	bool time_passed = kind == CLOCK || r->unseen;

	if (!model_has_room(&r->m, 3))
		return true;
	r->operations[kind]++;
	/* Only these have to know of it by themselves; whether others come before or after is not for the model to say.
	 */
	if (r->unseen && kind != NEXT && kind != RESPOND && kind != BEGIN && kind != TELL && kind != LOOK &&
	    kind != SHOW && kind != DECIDE) {
		world_due(&r->w);
		model_due(&r->m, true);
	}
	model_due(&r->m, false);
	r->unseen = false;
	if (!operate_run(r, kind, op->draw) || !nothing_heard(r))
		return false;
	if (r->unseen)
		return true;
	if (time_passed || op->draw[7] % 4 == 0) {
		model_due(&r->m, true);
		world_due(&r->w);
	}
	if (compare_run(&r->c))
		return true;
	return operate_differs(r, "%s", r->c.why);
}

/* An admin makes everybody; the host makes the Controllers, so that their contexts are its own. */
static bool cast(struct run *r)
{
	static const enum m_role roles[] = {M_HOST, M_READER, M_READER, M_REVIEWER, M_REVIEWER};

	r->m.tokens[0] = (struct m_token){.role = M_ADMIN, .context = MODEL_NONE, .parent = MODEL_NONE};
	r->tokens[0].token = r->w.admin;
	snprintf(r->names[0].at, sizeof(r->names[0].at), "admin");
	r->m.token_count = 1;
	for (size_t i = 0; i < COUNT(roles); i++)
		if (!operate_token(r, 0, roles[i], 0, 0))
			return false;
	for (int i = 0; i < 2; i++)
		if (!operate_token(r, 1, M_CONTROLLER, 0, 0))
			return false;
	r->m.tokens[r->m.token_count] = (struct m_token){
		.role = M_READER, .context = MODEL_NONE, .parent = MODEL_NONE, .program = true};
	snprintf(r->names[r->m.token_count].at, sizeof(r->names[0].at), WORLD_PROGRAM);
	r->m.token_count++;
	return true;
}

static bool run_sequence(struct run *r, const struct operation *ops, const bool *left_out, int count, bool whole)
{
	r->sequences++;
	r->m = (struct model){.now = r->w.now,
			      .policy = operate_policies[r->policy].is,
			      .policy_number = r->policy,
			      .questions = r->questions,
			      .answers = r->answers,
			      .said = r->said};
	memset(r->digests, 0, sizeof(r->digests));
	compare_begin(&r->c, &r->w, &r->m);
	r->w.heard.n = 0;
	if (!cast(r))
		return false;
	for (int i = 0; i < count; i++) {
		r->c.whole = whole || i % 8 == 7;
		if ((left_out == NULL || !left_out[i]) && !step(r, &ops[i]))
			return false;
	}
	/* In the end everything is over: nothing stays open for ever. */
	for (int i = 0; i < 3; i++) {
		r->w.now += 3600 * SECOND;
		r->m.now = r->w.now;
		model_due(&r->m, true);
		world_due(&r->w);
	}
	r->c.whole = true;
	for (int i = 0; i < r->m.query_count; i++)
		if (r->m.queries[i].state != M_DONE)
			return operate_differs(r, "the model's query %d is still open", i);
	return compare_run(&r->c) || operate_differs(r, "%s", r->c.why);
}

/* --- sequences by seed -------------------------------------------------------------------------------------------- */

static uint64_t draw(uint64_t *seed)
{
	uint64_t z = (*seed += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static void draw_sequence(uint64_t seed, struct operation ops[OPERATIONS])
{
	uint64_t state = seed * UINT64_C(0x2545f4914f6cdd1d);
	int sum = 0;

	for (int k = 0; k < KINDS; k++)
		sum += weights[k];
	for (int i = 0; i < OPERATIONS; i++) {
		int at = (int)(draw(&state) % (uint64_t)sum), kind = 0;

		while (at >= weights[kind])
			at -= weights[kind++];
		ops[i].kind = i < 2 ? OPEN : i < 4 ? PUT : (enum kind)kind; /* something to begin with */
		for (size_t k = 0; k < COUNT(ops[i].draw); k++)
			ops[i].draw[k] = (uint32_t)draw(&state);
	}
}

static void begin(struct run *r, uint64_t seed)
{
	struct run fresh = {.policy = (int)(seed / SHARING % OPERATE_POLICIES)};

	*r = fresh;
	for (size_t i = 0; i < script_question_count; i++)
		r->questions[i] = script_questions[i].is;
	for (size_t i = 0; i < script_answer_count; i++)
		r->answers[i] = script_answers[i].is;
	for (size_t i = 0; i < script_answer_count; i++) {
		const char *text = script_answers[i].delivered;
		size_t j = 0;
		while (j < i && (text == NULL || script_answers[j].delivered == NULL ||
				 strcmp(text, script_answers[j].delivered) != 0))
			j++;
		r->said[i] = (int)j;
	}
	world_make(&r->w, operate_policies[r->policy].yaml, seed);
	r->w.listening = true;
}

/* Whether the sequence, without what is left out, differs on a store of its own. */
static bool differs_alone(struct run *r, uint64_t seed, int policy, const struct operation *ops, const bool *left_out,
			  bool tell)
{
	bool good;

	begin(r, seed);
	if (policy != r->policy) {
		r->policy = policy;
		world_restart(&r->w, operate_policies[policy].yaml);
	}
	r->tell = tell;
	good = run_sequence(r, ops, left_out, OPERATIONS, true);
	world_remove(&r->w);
	return !good;
}

/* Leaves out whatever it differs without, in pieces that get smaller. */
static void shrink(uint64_t seed, int policy, const struct operation *ops)
{
	static struct run r;
	bool left_out[OPERATIONS] = {false};
	char why[sizeof(r.why)];

	if (!differs_alone(&r, seed, policy, ops, left_out, false)) {
		printf("on a store of its own it does not differ\n");
		return;
	}
	memcpy(why, r.why, sizeof(why));
	for (int size = OPERATIONS / 2; size >= 1; size /= 2) {
		for (int at = 0; at < OPERATIONS; at += size) {
			bool tried[OPERATIONS];

			memcpy(tried, left_out, sizeof(tried));
			for (int i = at; i < at + size && i < OPERATIONS; i++)
				tried[i] = true;
			if (differs_alone(&r, seed, policy, ops, tried, false) &&
			    strncmp(why, r.why, strcspn(why, " :")) == 0)
				memcpy(left_out, tried, sizeof(left_out));
		}
	}
	printf("seed %" PRIu64 ", policy %d, made shorter:\n", seed, policy);
	(void)differs_alone(&r, seed, policy, ops, left_out, true);
	printf("  %s\n", r.why);
}

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

/* Some sequences on one store; at the end the audit is verified and the state folded from it. */
static uint64_t run_store(struct run *total, uint64_t seed, uint64_t count)
{
	static struct run r;
	struct operation ops[OPERATIONS];
	uint64_t failed = 0;
	const char *bad;

	begin(&r, seed);
	for (uint64_t i = 0; i < count && failed == 0; i++) {
		int policy = r.policy;

		draw_sequence(seed + i, ops);
		if (run_sequence(&r, ops, NULL, OPERATIONS, false))
			continue;
		printf("seed %" PRIu64 ": %s\n", seed + i, r.why);
		failed++;
		shrink(seed + i, policy, ops);
	}
	bad = failed == 0 ? world_verify(&r.w) : NULL;
	if (bad != NULL) {
		printf("seeds %" PRIu64 " to %" PRIu64 ": the audit: %s\n", seed, seed + count - 1, bad);
		failed++;
	}
	for (int k = 0; k < KINDS; k++)
		total->operations[k] += r.operations[k];
	for (size_t k = 0; k < COUNT(r.outcomes); k++)
		total->outcomes[k] += r.outcomes[k];
	for (size_t k = 0; k < COUNT(r.refused) && r.refused[k].code != NULL; k++)
		operate_count(total, r.refused[k].code, r.refused[k].n);
	world_remove(&r.w);
	return failed;
}

static void tell_figures(const struct run *total, long seconds)
{
	static const char *const outcomes[] = {"nothing yet", "delivered", "failed", "pending",
					       "rejected",    "expired",   "budget"};
	uint64_t all = 0;

	for (int k = 0; k < KINDS; k++)
		all += total->operations[k];
	printf("%" PRIu64 " operations in %ld s; seen by looking:", all, seconds);
	for (size_t k = 0; k < COUNT(outcomes); k++)
		printf(" %s %" PRIu64, outcomes[k], total->outcomes[k]);
	printf("; refused:");
	for (size_t k = 0; k < COUNT(total->refused) && total->refused[k].code != NULL; k++)
		printf(" %s %" PRIu64, total->refused[k].code, total->refused[k].n);
	printf("\n");
}

int main(void)
{
	static struct run total;
	uint64_t sequences = number("KH_SEQUENCES", 1000), first = number("KH_SEED", 1) * 1000000, failed = 0;
	uint64_t faults = number("KH_FAULTS", 1); /* give up after so many */
	time_t began = time(NULL);

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (getenv("KH_ONLY") != NULL) {
		struct operation ops[OPERATIONS];
		static struct run r;
		uint64_t seed = number("KH_ONLY", 0);

		draw_sequence(seed, ops);
		failed = differs_alone(&r, seed, (int)number("KH_POLICY", seed / SHARING % OPERATE_POLICIES), ops, NULL,
				       true);
		printf("%s\n%d passed, %d failed\n", r.why, failed == 0, failed != 0);
		return failed != 0;
	}
	for (uint64_t i = 0; i < sequences && failed < faults; i += SHARING)
		failed += run_store(&total, first + i, sequences - i < SHARING ? sequences - i : SHARING);
	tell_figures(&total, (long)(time(NULL) - began));
	printf("%" PRIu64 " passed, %" PRIu64 " failed\n", sequences - failed, failed);
	return failed != 0;
}
