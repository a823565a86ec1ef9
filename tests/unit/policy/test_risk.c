#include "core/policy/risk.h"
#include "harness.h"

/* K6: the default table, cell by cell; an allow with a finding of tier 1 is a verify. */
static void test_table(struct kh_test *t)
{
	static const char *const want[3][3] = {
		[KH_TAINT_HIGH] = {"verify", "verify", "deny"},
		[KH_TAINT_MEDIUM] = {"allow", "verify", "verify"},
		[KH_TAINT_LOW] = {"allow", "allow", "verify"},
	};

	(void)t;
	for (unsigned taint = 0; taint < 3; taint++) {
		for (unsigned risk = 0; risk < 3; risk++) {
			enum kh_ruling v = kh_risk_decide(&kh_risk_default, taint, risk, false);
			enum kh_ruling suspicious = kh_risk_decide(&kh_risk_default, taint, risk, true);
			assert_string_equal(kh_words_name(&kh_risk_ruling_words, v), want[taint][risk]);
			assert_int_equal(suspicious, v == KH_ALLOW ? KH_VERIFY : v);
		}
	}
}

static void test_words(struct kh_test *t)
{
	struct kh_view list = kh_words_list(&t->arena, &kh_risk_ruling_words);
	unsigned value;

	must(t, kh_arena_check(&t->arena));
	assert_view(list, "allow, verify, ask or deny");
	for (unsigned i = 0; i < kh_risk_words.n; i++) {
		assert_true(kh_words_parse(&kh_risk_words, kh_view_str(kh_words_name(&kh_risk_words, i)), &value));
		assert_int_equal(value, i);
	}
	assert_false(kh_words_parse(&kh_risk_words, KH_LIT("High"), &value));
	assert_false(kh_words_parse(&kh_risk_words, KH_LIT(""), &value));
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_table), KH_TEST(test_words)};
KH_TEST_MAIN(cases)
