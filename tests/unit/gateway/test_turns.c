/* A5: decisions that are made in turn: taken once, by the ticket that they are for. */
#include "gateway/turns.h"

#include "fixture.h"

static void test_taken_once(struct kh_test *t)
{
	struct kh_turns *turns = kh_turns_new(&t->alloc);
	struct kh_error err = {.offset = SIZE_MAX};
	struct kh_turns_result turn;

	if (turns == NULL)
		return;
	int64_t first = kh_turns_open(turns), second = kh_turns_open(turns);
	if (first != 0 && second != 0) {
		assert_true(first != second && kh_turns_chain(first) != kh_turns_chain(second));
		assert_true(kh_turns_chain(first) < 0); /* no task has it */
		assert_false(kh_turns_take(turns, first, &turn));
		kh_turns_close(turns, second, KH_OK, NULL, KH_LIT("d0123456789abcdef"));
		assert_false(kh_turns_take(turns, first, &turn));
		assert_true(kh_turns_take(turns, second, &turn));
		assert_int_equal(turn.e, KH_OK);
		assert_string_equal(turn.id, "d0123456789abcdef");
		assert_false(kh_turns_take(turns, second, &turn));
		(void)kh_error_set(&err, KH_EREFUSED, "host_not_allowed", "not there");
		kh_turns_close(turns, first, KH_EREFUSED, &err, KH_LIT(""));
		assert_true(kh_turns_take(turns, first, &turn));
		assert_int_equal(turn.e, KH_EREFUSED);
		assert_string_equal(turn.err.code, "host_not_allowed");
	}
	kh_turns_close(turns, 99, KH_OK, NULL, KH_LIT("d0")); /* whose caller has gone */
	kh_turns_free(turns);
}

/* What nobody takes goes with the rest. */
static void test_left_behind(struct kh_test *t)
{
	struct kh_turns *turns = kh_turns_new(&t->alloc);
	int64_t left;

	if (turns == NULL)
		return;
	for (int i = 0; i < 3; i++) {
		left = kh_turns_open(turns);
		if (left != 0 && i > 0)
			kh_turns_close(turns, left, KH_OK, NULL, KH_LIT("d1"));
	}
	kh_turns_free(turns);
	kh_turns_free(NULL);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_taken_once),
	KH_TEST(test_left_behind),
};
KH_TEST_MAIN(cases)
