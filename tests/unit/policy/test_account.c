#include "core/bcp/bits.h"
#include "core/policy/account.h"
#include "harness.h"

/* B8: fields or text, outcome (3 bits), delivery time (log2 of the slots). */
static void test_items(struct kh_test *t)
{
	struct kh_account account;

	(void)t;
	/* B17: 50, 100, 200, 400, 800 ms and the deadline of 1 s: six slots; 2.584963 bits. */
	assert_int_equal(kh_account_open(KH_RELEASE_SLOTS, 6906892, 1000, 1, &account), KH_OK);
	assert_int_equal(account.content, 6906892);
	assert_int_equal(account.outcome, 3000000);
	assert_int_equal(account.time, kh_bits_log2(6));
	assert_int_equal(account.total, 6906892 + 3000000 + 2584963);
	assert_int_equal(kh_account_open(KH_RELEASE_IMMEDIATE, 6906892, 1000, 1, &account), KH_OK);
	assert_int_equal(account.time, 0);
	assert_int_equal(account.total, 9906892);
	assert_int_equal(kh_account_open(KH_RELEASE_SLOTS, UINT64_MAX, 1000, 1, &account), KH_ELIMIT);
}

/* B8: every history of a held query that can be told apart is paid for: from when `pending`, from when how it ended. */
static void test_two_slots(struct kh_test *t)
{
	struct kh_account account;

	(void)t;
	for (uint64_t deadline = 1; deadline < 2000000; deadline = deadline * 3 + 1) {
		uint64_t slots = kh_bits_slots(deadline), histories = 0;
		for (uint64_t pending = 0; pending < slots; pending++) {
			for (uint64_t end = pending; end < slots; end++)
				histories++;
		}
		assert_int_equal(kh_account_open(KH_RELEASE_SLOTS, 0, deadline, 2, &account), KH_OK);
		assert_int_equal(account.time, kh_bits_log2(histories));
	}
	assert_int_equal(kh_account_open(KH_RELEASE_IMMEDIATE, 0, 600000, 2, &account), KH_OK);
	assert_int_equal(account.time, 0);
}

/* B8: a query that is compared before it is taken, and may be held: when it is taken, when it is pending, when it ends. */
static void test_three_slots(struct kh_test *t)
{
	struct kh_account account;

	(void)t;
	for (uint64_t deadline = 1; deadline < 2000000; deadline = deadline * 3 + 1) {
		uint64_t slots = kh_bits_slots(deadline), histories = 0;
		for (uint64_t taken = 0; taken < slots; taken++) {
			for (uint64_t pending = taken; pending < slots; pending++)
				histories += slots - pending;
		}
		assert_int_equal(kh_account_open(KH_RELEASE_SLOTS, 0, deadline, 3, &account), KH_OK);
		assert_int_equal(account.time, kh_bits_log2(histories));
	}
}

/* B8: a decision on an act: its outcome, its moment, and since when it is waited for. */
static void test_decision(struct kh_test *t)
{
	(void)t;
	assert_int_equal(kh_account_decision(KH_RELEASE_IMMEDIATE, 600000), 3000000);
	assert_int_equal(kh_account_decision(KH_RELEASE_SLOTS, 600000),
			 3000000 + kh_bits_log2((uint64_t)kh_bits_decision_slots(600000) * 15));
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_items), KH_TEST_ONCE(test_two_slots),
					    KH_TEST_ONCE(test_three_slots), KH_TEST_ONCE(test_decision)};
KH_TEST_MAIN(cases)
