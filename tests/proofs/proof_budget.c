/*
 * B6: for every budget at every moment budget == remaining + reserved + charged, nothing overflows and nothing falls
 * below zero; what is refused changes nothing; what is done is done to the task's and the context's budget alike.
 *
 * Small budgets: all states that any sequence of operations can reach, of whatever length, for two tasks of one context
 * and every size of the three budgets up to MOST and WIDEST.  Large ones: every state with parts among values around 0,
 * 2^63 and 2^64, sound or not, under every operation with amounts among the same.
 */
#include "core/policy/budget.h"
#include "prove.h"

#include <string.h>

#define MOST    6            /* of a task's budget */
#define WIDEST  (2 * MOST)   /* of the context's */
#define AMOUNTS (WIDEST + 2) /* 0..WIDEST + 1 */

enum operation { RESERVE, CHARGE, OPERATIONS };

struct pair {
	struct kh_budget task, context;
};

static uint64_t operations;

/* What OPERATION must come to for one budget, in integers that cannot overflow.  True where it is permitted. */
static bool expect(struct kh_budget *b, enum operation operation, uint64_t a)
{
	unsigned __int128 sum = (unsigned __int128)b->remaining + b->reserved + b->charged;

	if (sum != b->budget)
		return false;
	if (operation == RESERVE) {
		if (b->remaining < a)
			return false;
		b->remaining -= a;
		b->reserved += a;
		return true;
	}
	if (b->reserved < a)
		return false;
	b->reserved -= a;
	b->charged += a;
	return true;
}

static bool same(const struct kh_budget *a, const struct kh_budget *b)
{
	return a->budget == b->budget && a->remaining == b->remaining && a->reserved == b->reserved &&
	       a->charged == b->charged;
}

/* Does OPERATION to *P and compares with what it must come to. */
static bool step(struct pair *p, enum operation operation, uint64_t a)
{
	struct kh_budget *const both[] = {&p->task, &p->context};
	struct pair before = *p, want = *p;
	bool task = expect(&want.task, operation, a), context = expect(&want.context, operation, a);
	enum kh_err e = operation == RESERVE ? kh_budget_reserve(both, 2, a) : kh_budget_charge(both, 2, a);

	operations++;
	if (!task || !context)
		want = before;
	PROVE(e == (task && context ? KH_OK : KH_EREFUSED), "operation %d with %llu", (int)operation,
	      (unsigned long long)a);
	PROVE(same(&p->task, &want.task) && same(&p->context, &want.context), "operation %d with %llu", (int)operation,
	      (unsigned long long)a);
	if (e == KH_OK) {
		PROVE(kh_budget_valid(&p->task) && kh_budget_valid(&p->context), "no longer sound");
		PROVE(operation != CHARGE || p->task.charged == before.task.charged + a, "not what was reserved");
		/* There is no refund: what is spent never gets less. */
		PROVE(p->task.remaining <= before.task.remaining && p->task.charged >= before.task.charged, "a refund");
	}
	return e == KH_OK;
}

/* Two tasks and the context that they are both paid from. */
struct state {
	struct kh_budget task[2], context;
};

#define SIDE   (MOST + 1)
#define STATES (SIDE * SIDE * SIDE * SIDE)

/* A state as a number: two parts of each task's budget tell everything else. */
static size_t number(const struct state *s)
{
	return ((s->task[0].remaining * SIDE + s->task[0].reserved) * SIDE + s->task[1].remaining) * SIDE +
	       s->task[1].reserved;
}

/* Everything that can be reached from fresh budgets. */
static size_t reach(uint64_t first, uint64_t second, uint64_t context)
{
	static struct state queue[STATES];
	static bool seen[STATES];
	size_t head = 0, tail = 0;

	memset(seen, 0, sizeof(seen));
	queue[tail++] = (struct state){{kh_budget_new(first), kh_budget_new(second)}, kh_budget_new(context)};
	seen[number(&queue[0])] = true;
	while (head < tail) {
		struct state from = queue[head++];
		for (unsigned i = 0; i < 2 * OPERATIONS * AMOUNTS; i++) {
			enum operation operation = (enum operation)(i / 2 % OPERATIONS);
			uint64_t a = i / 2 / OPERATIONS;
			struct pair p = {from.task[i % 2], from.context};
			struct state to = from;
			if (!step(&p, operation, a))
				continue;
			to.task[i % 2] = p.task;
			to.context = p.context;
			PROVE(to.context.reserved == to.task[0].reserved + to.task[1].reserved &&
				      to.context.charged == to.task[0].charged + to.task[1].charged,
			      "the context's books are not the sum of its tasks'");
			if (!seen[number(&to)]) {
				seen[number(&to)] = true;
				queue[tail++] = to;
			}
		}
	}
	return tail;
}

static const uint64_t edges[] = {0,
				 1,
				 2,
				 UINT64_C(1) << 32,
				 (UINT64_C(1) << 63) - 1,
				 UINT64_C(1) << 63,
				 (UINT64_C(1) << 63) + 1,
				 UINT64_MAX - 1,
				 UINT64_MAX};
#define EDGES (sizeof(edges) / sizeof(edges[0]))

/* Every operation with amounts among the edges, on B beside a budget that permits everything. */
static void try_edges(struct kh_budget b)
{
	for (unsigned i = 0; i < OPERATIONS * EDGES; i++) {
		enum operation operation = (enum operation)(i % OPERATIONS);
		uint64_t a = edges[i / OPERATIONS];
		struct pair p = {b, b};
		step(&p, operation, a);
		p = (struct pair){b, kh_budget_new(UINT64_MAX)};
		step(&p, operation, a);
	}
	for (unsigned percent = 0; percent <= 100; percent++) {
		unsigned __int128 used = (unsigned __int128)b.reserved + b.charged;
		bool past = used * 100 >= (unsigned __int128)b.budget * percent;
		PROVE(kh_budget_past(&b, percent) == past, "the threshold of %u percent", percent);
	}
}

int main(void)
{
	size_t states = 0, sound = 0, unsound = 0;

	for (unsigned i = 0; i < SIDE * SIDE * (WIDEST + 1); i++)
		states += reach(i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE);
	PROVED("B6 budget = remaining + reserved + charged, all >= 0, and a context's books the sum of its tasks', "
	       "after "
	       "every operation of sequences of any length: all %zu states that two tasks of 0..%d microbits in a "
	       "context of "
	       "0..%d reach, amounts 0..%d, %llu operations",
	       states, MOST, WIDEST, AMOUNTS - 1, (unsigned long long)operations);
	operations = 0;
	for (size_t i = 0; i < EDGES * EDGES * EDGES * EDGES; i++) {
		struct kh_budget b = {.budget = edges[i % EDGES],
				      .remaining = edges[i / EDGES % EDGES],
				      .reserved = edges[i / EDGES / EDGES % EDGES],
				      .charged = edges[i / EDGES / EDGES / EDGES]};
		unsigned __int128 sum = (unsigned __int128)b.remaining + b.reserved + b.charged;
		PROVE(kh_budget_valid(&b) == (sum == b.budget), "whether a budget is sound");
		*(sum == b.budget ? &sound : &unsound) += 1;
		try_edges(b);
		/* And the sound ones with the same parts. */
		b.budget = (uint64_t)sum;
		if (sum <= UINT64_MAX)
			try_edges(b);
	}
	PROVED("B6 the same, without overflow, where parts and amounts are 0, 1, 2, 2^32, 2^63-1, 2^63, 2^63+1, 2^64-2 "
	       "or "
	       "2^64-1: %zu sound and %zu unsound budgets (which nothing changes), %llu operations",
	       sound, unsound, (unsigned long long)operations);
	return 0;
}
