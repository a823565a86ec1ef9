#include "core/bcp/bits.h"
#include "core/policy/account.h"
#include "harness.h"

/* B8: fields or text, outcome (3 bits), delivery time (log2 of the slots). */
static void test_items(struct kh_test *t)
{
	struct kh_account account;

	(void)t;
	/* B17: 50, 100, 200, 400, 800 ms and the deadline of 1 s: six slots; 2.584963 bits. */
	assert_int_equal(kh_account_open(KH_RELEASE_SLOTS, 6906892, 1000, false, &account), KH_OK);
	assert_int_equal(account.content, 6906892);
	assert_int_equal(account.outcome, 3000000);
	assert_int_equal(account.time, kh_bits_log2(6));
	assert_int_equal(account.total, 6906892 + 3000000 + 2584963);
	assert_int_equal(kh_account_open(KH_RELEASE_IMMEDIATE, 6906892, 1000, false, &account), KH_OK);
	assert_int_equal(account.time, 0);
	assert_int_equal(account.total, 9906892);
	assert_int_equal(kh_account_open(KH_RELEASE_SLOTS, UINT64_MAX, 1000, false, &account), KH_ELIMIT);
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
		assert_int_equal(kh_account_open(KH_RELEASE_SLOTS, 0, deadline, true, &account), KH_OK);
		assert_int_equal(account.time, kh_bits_log2(histories));
	}
	assert_int_equal(kh_account_open(KH_RELEASE_IMMEDIATE, 0, 600000, true, &account), KH_OK);
	assert_int_equal(account.time, 0);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_items), KH_TEST_ONCE(test_two_slots)};
KH_TEST_MAIN(cases)
