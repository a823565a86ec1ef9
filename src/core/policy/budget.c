/* Budget arithmetic: pure, checked, all or nothing.  Trusts none of its arguments, not even counters from the store. */
#include "core/policy/budget.h"

#define UNUSUAL_QUERIES 8
#define UNUSUAL_FACTOR  4

struct kh_budget kh_budget_new(uint64_t microbits)
{
	return (struct kh_budget){.budget = microbits, .remaining = microbits, .own = KH_BUDGET_ANY};
}

bool kh_budget_valid(const struct kh_budget *budget)
{
	uint64_t sum;

	return !__builtin_add_overflow(budget->remaining, budget->reserved, &sum) &&
	       !__builtin_add_overflow(sum, budget->charged, &sum) && sum == budget->budget;
}

struct kh_budget kh_budget_with_own(struct kh_budget budget, uint64_t once)
{
	if (budget.own == 0)
		budget.own = budget.budget < once ? budget.budget : KH_BUDGET_ANY;
	return budget;
}

struct kh_budget kh_budget_under(struct kh_budget budget, uint64_t limit)
{
	if (!kh_budget_valid(&budget)) /* nothing is done with it */
		return budget;
	uint64_t spent = budget.reserved + budget.charged;
	budget.budget = limit > spent ? limit : spent;
	budget.remaining = budget.budget - spent;
	return budget;
}

/* True if every budget is consistent and has WANT left and HELD reserved. */
static bool all_have(struct kh_budget *const *budgets, size_t count, uint64_t want, uint64_t held)
{
	for (size_t i = 0; i < count; i++) {
		if (!kh_budget_valid(budgets[i]) || budgets[i]->remaining < want || budgets[i]->reserved < held)
			return false;
	}
	return true;
}

enum kh_err kh_budget_reserve(struct kh_budget *const *budgets, size_t count, uint64_t amount)
{
	if (!all_have(budgets, count, amount, 0))
		return KH_EREFUSED;
	for (size_t i = 0; i < count; i++) {
		budgets[i]->remaining -= amount;
		budgets[i]->reserved += amount; /* cannot overflow, because all parts together are the budget */
	}
	return KH_OK;
}

enum kh_err kh_budget_charge(struct kh_budget *const *budgets, size_t count, uint64_t reserved)
{
	if (!all_have(budgets, count, 0, reserved))
		return KH_EREFUSED;
	for (size_t i = 0; i < count; i++) {
		budgets[i]->reserved -= reserved;
		budgets[i]->charged += reserved;
	}
	return KH_OK;
}

bool kh_budget_past(const struct kh_budget *budget, unsigned percent)
{
	unsigned __int128 used = (unsigned __int128)budget->reserved + budget->charged;

	return used * 100 >= (unsigned __int128)budget->budget * percent;
}

bool kh_budget_crossed(const struct kh_budget *before, const struct kh_budget *after, unsigned percent)
{
	return !kh_budget_past(before, percent) && kh_budget_past(after, percent);
}

bool kh_budget_unusual(uint64_t queries, uint64_t total, uint64_t amount)
{
	return queries >= UNUSUAL_QUERIES &&
	       (unsigned __int128)amount * queries > (unsigned __int128)total * UNUSUAL_FACTOR;
}

struct kh_view kh_budget_words(struct kh_arena *arena, const struct kh_budget *budget)
{
	uint64_t answers = budget->remaining / KH_BUDGET_ANSWER;

	if (answers == 0)
		return kh_arena_printf(arena, "%s",
				       budget->remaining ? "less than one short answer left" : "nothing left");
	return kh_arena_printf(arena, "about %llu short answer%s left", (unsigned long long)answers,
			       answers == 1 ? "" : "s");
}
