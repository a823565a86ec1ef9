/* U1: a secret that a server repeats does not come back. */
#include "worker/http/mask.h"

#include "harness.h"

static struct kh_view masked(struct kh_test *t, const struct kh_mask *mask, bool is_json, const char *text)
{
	struct kh_view copy = kh_arena_dup(&t->arena, kh_view_str(text));
	char *p;

	must(t, kh_arena_check(&t->arena));
	memcpy(&p, &copy.p, sizeof(p)); /* it is the arena's */
	kh_mask_apply(mask, is_json, p, copy.n);
	return copy;
}

static void test_mask(struct kh_test *t)
{
	struct kh_mask mask = {.count = 0};

	if (!kh_mask_add(&mask, &t->arena, KH_LIT("Bearer tok-123456")))
		must(t, kh_arena_check(&t->arena));
	assert_view(masked(t, &mask, true, "{\"a\":\"Bearer tok-123456\"}"), "{\"a\":\"*****************\"}");
	assert_view(masked(t, &mask, true, "[\"tok-123456\",\"tok-12345\"]"), "[\"**********\",\"tok-12345\"]");
	assert_view(masked(t, &mask, false, "tok-123456tok-123456"), "********************");
	assert_view(masked(t, &mask, true, ""), "");
}

/* In JSON only its escaped form counts, so that a mask never breaks the form of a message. */
static void test_escaped(struct kh_test *t)
{
	struct kh_mask mask = {.count = 0};

	if (!kh_mask_add(&mask, &t->arena, KH_LIT("ab\"cd\\ef\",\"")))
		must(t, kh_arena_check(&t->arena));
	assert_view(masked(t, &mask, true, "\"ab\\\"cd\\\\ef\\\",\\\"\""), "\"***************\"");
	assert_view(masked(t, &mask, true, "ab\"cd\\ef\",\""), "ab\"cd\\ef\",\"");
	assert_view(masked(t, &mask, false, "ab\"cd\\ef\",\""), "***********");
}

/* One secret that begins as another; a number that stays one; a reason that quotes and cuts. */
static void test_reason(struct kh_test *t)
{
	struct kh_mask mask = {.count = 0};

	if (!kh_mask_add(&mask, &t->arena, KH_LIT("KEYKEYKEY")) ||
	    !kh_mask_add(&mask, &t->arena, KH_LIT("KEYKEYKEY-AND\"MORE")) ||
	    !kh_mask_add(&mask, &t->arena, KH_LIT("1234567890")))
		must(t, kh_arena_check(&t->arena));
	assert_view(masked(t, &mask, true, "[\"KEYKEYKEY-AND\\\"MORE\"]"), "[\"*******************\"]");
	assert_view(masked(t, &mask, true, "{\"id\":1234567890}"), "{\"id\":1111111111}");
	struct kh_view copy = kh_arena_dup(&t->arena, KH_LIT("member \"KEYKEYKEY-AND\\\"MORE\" and \"KEYKEYKE\"..."));
	char *p;
	must(t, kh_arena_check(&t->arena));
	memcpy(&p, &copy.p, sizeof(p));
	kh_mask_reason(&mask, p, copy.n);
	assert_view(copy, "member \"*******************\" and \"********\"...");
	copy = kh_arena_dup(&t->arena, KH_LIT("{\"error\":\"K\\u0045YKEYKEY-AND\\u0022MORE\"}"));
	must(t, kh_arena_check(&t->arena));
	memcpy(&p, &copy.p, sizeof(p));
	kh_mask_reason(&mask, p, copy.n);
	assert_view(copy, "{\"error\":\"****************************\"}");
}

/* What is very short would be found everywhere. */
static void test_short(struct kh_test *t)
{
	struct kh_mask mask = {.count = 0};

	assert_true(kh_mask_add(&mask, &t->arena, KH_LIT("Basic a")));
	assert_int_equal(mask.count, 0);
	for (size_t i = 0; i < KH_MASK_MOST; i++)
		if (!kh_mask_add(&mask, &t->arena, KH_LIT("12345678")))
			must(t, kh_arena_check(&t->arena));
	assert_false(kh_mask_add(&mask, &t->arena, KH_LIT("12345678")));
}

static const struct kh_test_case cases[] = {KH_TEST(test_mask), KH_TEST(test_escaped), KH_TEST(test_reason),
					    KH_TEST(test_short)};
KH_TEST_MAIN(cases)
