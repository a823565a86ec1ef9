/* The tour finds ids and digests in what commands write, and takes nothing else for one. */
#include "cli/tour/typed.h"
#include "harness.h"

static void test_typed_id(struct kh_test *t)
{
	struct kh_view text = KH_LIT("at b0123456789abcde, xa0123456789abcdef a0123456789abcdef0 (a0123456789abcdef)");
	const char *id = kh_typed_id(&t->arena, text, 'a'), *none = kh_typed_id(&t->arena, text, 'b');

	must(t, kh_arena_check(&t->arena));
	assert_string_equal(id, "a0123456789abcdef");
	assert_string_equal(none, "");
	assert_string_equal(kh_typed_id(&t->arena, KH_LIT(""), 'a'), "");
}

static void test_typed_digest(struct kh_test *t)
{
	struct kh_view text = KH_LIT("Digest     0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\n");
	const char *digest = kh_typed_digest(&t->arena, text);

	must(t, kh_arena_check(&t->arena));
	assert_string_equal(digest, "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
	assert_string_equal(kh_typed_digest(&t->arena, kh_view_sub(text, 0, 70)), "");
}

static const struct kh_test_case cases[] = {KH_TEST(test_typed_id), KH_TEST(test_typed_digest)};
KH_TEST_MAIN(cases)
