/* Public ids: one for each number, and nothing to be read from them. */
#include "engine/state/publicid.h"

#include "harness.h"

static const unsigned char key[KH_PUBLICID_KEY] = "0123456789abcdef";
static const unsigned char other[KH_PUBLICID_KEY] = "0123456789abcdeg";

static void test_ids_lead_back(struct kh_test *t)
{
	static const int64_t numbers[] = {1, 2, 3, 255, 65536, INT64_C(1) << 32, (INT64_C(1) << 53) + 1, INT64_MAX};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct kh_view id = kh_publicid_text(&t->arena, key, KH_ID_TASK, numbers[i]);
		int64_t back = 0;
		must(t, kh_arena_check(&t->arena));
		assert_int_equal(id.n, 17);
		assert_true(kh_publicid_parse(key, KH_ID_TASK, id, &back));
		assert_int_equal(back, numbers[i]);
	}
}

/* CHANNELS: ids of deliveries and blocks tell nothing of how many others there are. */
static void test_neighbours_have_nothing_in_common(struct kh_test *t)
{
	unsigned same = 0;

	for (int64_t n = 1; n <= 256; n++) {
		struct kh_view a = kh_publicid_text(&t->arena, key, KH_ID_QUERY, n);
		struct kh_view b = kh_publicid_text(&t->arena, key, KH_ID_QUERY, n + 1);
		must(t, kh_arena_check(&t->arena));
		for (size_t i = 1; i < 17; i++)
			same += a.p[i] == b.p[i];
	}
	/* 4096 pairs of digits, of which one in 16 agrees by chance: 256, give or take 16 a deviation. */
	assert_in_range(same, 256 - 6 * 16, 256 + 6 * 16);
}

static void test_another_kind_or_key_is_another_id(struct kh_test *t)
{
	struct kh_view task = kh_publicid_text(&t->arena, key, KH_ID_TASK, 7);
	struct kh_view block = kh_publicid_text(&t->arena, key, KH_ID_BLOCK, 7);
	struct kh_view elsewhere = kh_publicid_text(&t->arena, other, KH_ID_TASK, 7);
	int64_t n = 0;

	must(t, kh_arena_check(&t->arena));
	assert_false(kh_view_eq(kh_view_from(task, 1), kh_view_from(block, 1)));
	assert_false(kh_view_eq(task, elsewhere));
	assert_false(kh_publicid_parse(key, KH_ID_BLOCK, task, &n));
	assert_true(!kh_publicid_parse(key, KH_ID_TASK, elsewhere, &n) || n != 7);
}

static void test_only_the_exact_form(struct kh_test *t)
{
	static const char *const bad[] = {"",
					  "t",
					  "t0123456789abcde",
					  "t0123456789abcdef0",
					  "T0123456789abcdef",
					  "t0123456789ABCDEF",
					  "t0123456789abcdeg",
					  "q0123456789abcdef",
					  " 0123456789abcdef"};
	int64_t n = -5;

	(void)t;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(kh_publicid_parse(key, KH_ID_TASK, kh_view_str(bad[i]), &n));
		assert_int_equal(n, -5);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_ids_lead_back),
	KH_TEST(test_neighbours_have_nothing_in_common),
	KH_TEST(test_another_kind_or_key_is_another_id),
	KH_TEST(test_only_the_exact_form),
};
KH_TEST_MAIN(cases)
