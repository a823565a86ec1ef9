#include "core/bcp/bits.h"

#include "harness.h"

#include <math.h>

/* B5: booleans, choices, ranges; the example of bcp.txt is 6,906,892 microbits. */
static void test_log2(struct kh_test *t)
{
	(void)t;
	assert_int_equal(kh_bits_log2(1), 0);
	assert_int_equal(kh_bits_log2(2), 1000000);
	assert_int_equal(kh_bits_log2(3), 1584963);
	assert_int_equal(kh_bits_log2(4), 2000000);
	assert_int_equal(kh_bits_log2(5), 2321929);
	assert_int_equal(KH_MICROBIT + kh_bits_log2(3) + kh_bits_log2(5) + kh_bits_log2(4), 6906892);
	assert_int_equal(kh_bits_log2(UINT64_C(1) << 63), 63000000);
	assert_int_equal(kh_bits_log2((UINT64_C(1) << 54) + 1), 54000001);
	assert_int_equal(kh_bits_log2(UINT64_MAX), 64000000);
}

/* Against the long double of the C library, which is exact enough where it is not just at a whole microbit. */
static void test_log2_against_libm(struct kh_test *t)
{
	(void)t;
	for (uint64_t n = 2; n < 300000; n++) {
		long double exact = log2l((long double)n) * 1e6L;
		long double near = exact - floorl(exact);
		if (near < 1e-6L || near > 1 - 1e-6L)
			continue;
		assert_int_equal(kh_bits_log2(n), (uint64_t)ceill(exact));
	}
}

static void test_width(struct kh_test *t)
{
	(void)t;
	assert_int_equal(kh_bits_width(1), 0);
	assert_int_equal(kh_bits_width(2), 1);
	assert_int_equal(kh_bits_width(3), 2);
	assert_int_equal(kh_bits_width(50), 6);
	assert_int_equal(kh_bits_width(64), 6);
	assert_int_equal(kh_bits_width(65), 7);
	assert_int_equal(kh_bits_width(UINT64_MAX), 64);
}

/* B17: slots double up to the deadline; nothing leaves between them. */
static void test_slots(struct kh_test *t)
{
	(void)t;
	assert_int_equal(kh_bits_slots(50), 1);
	assert_int_equal(kh_bits_slots(51), 2);
	assert_int_equal(kh_bits_slots(60000), 12);
	assert_int_equal(kh_bits_slot(0, 60000), 50);
	assert_int_equal(kh_bits_slot(50, 60000), 50);
	assert_int_equal(kh_bits_slot(51, 60000), 100);
	assert_int_equal(kh_bits_slot(51201, 60000), 60000);
	assert_int_equal(kh_bits_slot(UINT64_MAX, 60000), 60000);
	assert_int_equal(kh_bits_slot(10, 20), 20);
	/* The number of different slots is what is counted. */
	for (uint64_t deadline = 1; deadline < 5000; deadline += 37) {
		uint64_t last = 0;
		unsigned different = 0;
		for (uint64_t ready = 0; ready <= deadline; ready++) {
			uint64_t slot = kh_bits_slot(ready, deadline);
			different += slot != last;
			assert_true(slot >= last && slot <= deadline);
			last = slot;
		}
		assert_int_equal(different, kh_bits_slots(deadline));
	}
}

/* B17: of a decision, nobody waits more than an eighth longer than it took, or 50 ms. */
static void test_decision_slots(struct kh_test *t)
{
	(void)t;
	assert_int_equal(kh_bits_decision_slots(600000), 71);
	assert_int_equal(kh_bits_decision_slot(0, 600000), 50);
	assert_int_equal(kh_bits_decision_slot(401, 600000), 450);
	assert_int_equal(kh_bits_decision_slot(1297, 600000), 1458);
	assert_int_equal(kh_bits_decision_slot(UINT64_MAX, 600000), 600000);
	for (uint64_t limit = 1; limit < 9000; limit += 97) {
		uint64_t last = 0;
		unsigned different = 0;
		for (uint64_t ready = 0; ready <= limit; ready++) {
			uint64_t slot = kh_bits_decision_slot(ready, limit);
			different += slot != last;
			assert_true(slot >= last && slot >= ready && slot <= limit);
			assert_true(slot <= ready + 50 || slot - ready <= ready / 8);
			last = slot;
		}
		assert_int_equal(different, kh_bits_decision_slots(limit));
	}
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_log2), KH_TEST_ONCE(test_log2_against_libm),
					    KH_TEST_ONCE(test_width), KH_TEST_ONCE(test_slots),
					    KH_TEST_ONCE(test_decision_slots)};
KH_TEST_MAIN(cases)
