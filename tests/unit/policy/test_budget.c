#include "core/bcp/bound.h"
#include "core/policy/account.h"
#include "core/policy/budget.h"
#include "harness.h"

static void assert_sound(const struct kh_budget *b)
{
	/* B6: budget = remaining + reserved + charged, and remaining >= 0 (unsigned: the sum would not come out). */
	assert_true(kh_budget_valid(b));
	assert_true(b->remaining <= b->budget && b->reserved <= b->budget && b->charged <= b->budget);
}

/* Every state of a budget of at most LIMIT, every amount: reserve. */
static void reserve_all(const struct kh_budget *from, uint64_t limit)
{
	for (uint64_t amount = 0; amount <= limit; amount++) {
		struct kh_budget b = *from, *list[] = {&b};
		enum kh_err e = kh_budget_reserve(list, 1, amount);
		assert_sound(&b);
		assert_int_equal(e, amount <= from->remaining ? KH_OK : KH_EREFUSED);
		assert_int_equal(b.remaining, e == KH_OK ? from->remaining - amount : from->remaining);
		assert_int_equal(b.charged, from->charged);
	}
}

/* The same: charge, with every reservation. */
static void charge_all(const struct kh_budget *from, uint64_t limit)
{
	for (uint64_t reserved = 0; reserved <= limit; reserved++) {
		struct kh_budget b = *from, *list[] = {&b};
		bool fits = reserved <= from->reserved;
		assert_int_equal(kh_budget_charge(list, 1, reserved), fits ? KH_OK : KH_EREFUSED);
		assert_sound(&b);
		/* B7: charged is what was reserved; a refused charge changes nothing. */
		assert_int_equal(b.charged, from->charged + (fits ? reserved : 0));
		assert_int_equal(b.remaining, from->remaining); /* B6: no refund */
	}
}

/* B6: a proof by exhaustion over all budgets up to 7, all their states, and all amounts up to 9. */
static void test_exhaustive(struct kh_test *t)
{
	(void)t;
	for (uint64_t budget = 0; budget <= 7; budget++) {
		for (uint64_t reserved = 0; reserved <= budget; reserved++) {
			for (uint64_t charged = 0; charged <= budget - reserved; charged++) {
				struct kh_budget b = {budget, budget - reserved - charged, reserved, charged,
						      KH_BUDGET_ANY};
				assert_sound(&b);
				reserve_all(&b, 9);
				charge_all(&b, 9);
			}
		}
	}
}

/* B6: under any limit, lower or higher: remaining is max(0, limit - reserved - charged), and the budget stays sound. */
static void test_under(struct kh_test *t)
{
	(void)t;
	for (uint64_t i = 0; i < 6 * 6 * 6 * 20; i++) {
		uint64_t remaining = i % 6, reserved = i / 6 % 6, charged = i / 36 % 6, limit = i / 216;
		struct kh_budget from = {remaining + reserved + charged, remaining, reserved, charged, KH_BUDGET_ANY};
		struct kh_budget b = kh_budget_under(from, limit);
		assert_sound(&b);
		assert_int_equal(b.remaining, limit > reserved + charged ? limit - reserved - charged : 0);
		assert_int_equal(b.reserved, reserved);
		assert_int_equal(b.charged, charged);
		b = kh_budget_under(b, from.budget); /* and back */
		assert_int_equal(b.remaining, remaining);
	}
	struct kh_budget broken = {.budget = 1, .remaining = 7};
	assert_false(kh_budget_valid(&(struct kh_budget){.budget = kh_budget_under(broken, 9).budget, .remaining = 7}));
}

/* B6: a row of an older version: one that is smaller than the default of then was made smaller, and stays so. */
static void test_own(struct kh_test *t)
{
	struct kh_budget old = {.budget = 100, .remaining = 100};

	(void)t;
	assert_int_equal(kh_budget_with_own(old, 101).own, 100);
	assert_int_equal(kh_budget_with_own(old, 100).own, KH_BUDGET_ANY);
	assert_int_equal(kh_budget_with_own(old, 99).own, KH_BUDGET_ANY);
	old.own = 7;
	assert_int_equal(kh_budget_with_own(old, 101).own, 7);
}

/* B6: nothing overflows near 2^64. */
static void test_boundaries(struct kh_test *t)
{
	static const uint64_t edges[] = {
		0, 1, 2, UINT32_MAX, (uint64_t)INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 1, UINT64_MAX};
	size_t n = sizeof(edges) / sizeof(edges[0]);

	(void)t;
	for (size_t i = 0; i < n * n; i++) {
		uint64_t amount = edges[i % n], reserved = edges[i / n];
		struct kh_budget b = kh_budget_new(UINT64_MAX), *list[] = {&b};
		enum kh_err e = kh_budget_reserve(list, 1, amount);
		assert_int_equal(e, KH_OK);
		e = kh_budget_charge(list, 1, reserved);
		assert_sound(&b);
		assert_true(e != KH_OK || b.charged == reserved);
		e = kh_budget_reserve(list, 1, amount);
		assert_sound(&b);
	}
	/* What a store hands over may be anything: a sum that overflows to the budget is not sound. */
	struct kh_budget broken = {.budget = 1, .remaining = UINT64_MAX, .reserved = 2}, *list[] = {&broken};
	assert_false(kh_budget_valid(&broken));
	assert_int_equal(kh_budget_reserve(list, 1, 0), KH_EREFUSED);
	assert_int_equal(kh_budget_charge(list, 1, 1), KH_EREFUSED);
}

/* B6: task and context together, both or none. */
static void test_together(struct kh_test *t)
{
	struct kh_budget task = kh_budget_new(100), context = kh_budget_new(150), *both[] = {&task, &context};

	(void)t;
	assert_int_equal(kh_budget_reserve(both, 2, 95), KH_OK);
	assert_int_equal(kh_budget_charge(both, 2, 95), KH_OK);
	task = kh_budget_new(100); /* another task of the same context */
	assert_int_equal(kh_budget_reserve(both, 2, 60), KH_EREFUSED);
	assert_int_equal(task.remaining, 100);
	assert_int_equal(kh_budget_reserve(both, 2, 50), KH_OK);
	assert_int_equal(kh_budget_charge(both, 2, 51), KH_EREFUSED);
	assert_int_equal(kh_budget_charge(both, 2, 50), KH_OK);
	assert_int_equal(task.charged, 50);
	assert_int_equal(context.charged, 145);
	assert_sound(&task);
	assert_sound(&context);
}

/* B9: the alert is raised once, when 80 % is reached. */
static void test_alert(struct kh_test *t)
{
	struct kh_budget before = kh_budget_new(1000), after, *list[] = {&after};
	unsigned alerts = 0;

	(void)t;
	for (unsigned i = 0; i < 10; i++) {
		after = before;
		assert_int_equal(kh_budget_reserve(list, 1, 100), KH_OK);
		if (kh_budget_crossed(&before, &after, 80)) {
			assert_int_equal(after.remaining, 200);
			alerts++;
		}
		before = after;
	}
	assert_int_equal(alerts, 1);
	struct kh_budget huge = {UINT64_MAX, 0, 0, UINT64_MAX, KH_BUDGET_ANY};
	assert_true(kh_budget_past(&huge, 100));
	/* B9: far past the Reader's own history. */
	assert_false(kh_budget_unusual(7, 7, 1000));
	assert_false(kh_budget_unusual(8, 80, 40));
	assert_true(kh_budget_unusual(8, 80, 41));
	assert_true(kh_budget_unusual(UINT64_MAX, UINT64_MAX, UINT64_MAX));
}

/* B9 and COMPAT.md section 1: a budget in words. */
static void test_words(struct kh_test *t)
{
	static const struct {
		uint64_t bits;
		const char *words;
	} all[] = {
		{16384, "about 34 short answers left"},
		{480 * 37, "about 37 short answers left"},
		{480, "about 1 short answer left"},
		{479, "less than one short answer left"},
		{0, "nothing left"},
	};

	/* The unit is what a short answer of five words really reserves by the default policy. */
	struct kh_account account;
	assert_int_equal(kh_account_open(KH_RELEASE_SLOTS,
					 kh_bound_answer(KH_FORMAT_SHORT_TEXT, (struct kh_format_detail){0}, 5), 600000,
					 2, &account),
			 KH_OK);
	assert_true(account.total <= KH_BUDGET_ANSWER && account.total > KH_BUDGET_ANSWER - KH_MICROBIT);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_budget b = kh_budget_new(all[i].bits * KH_MICROBIT);
		struct kh_view words = kh_budget_words(&t->arena, &b);
		must(t, kh_arena_check(&t->arena));
		assert_view(words, all[i].words);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_exhaustive), KH_TEST_ONCE(test_boundaries), KH_TEST_ONCE(test_under), KH_TEST_ONCE(test_own),
	KH_TEST_ONCE(test_together),   KH_TEST_ONCE(test_alert),      KH_TEST(test_words)};
KH_TEST_MAIN(cases)
