#include "core/block/label.h"
#include "harness.h"

/* K1: the words, both ways, exactly. */
static void test_words(struct kh_test *t)
{
	static const char *const bad[] = {"",     "Trusted", "trusted ", "un trusted", "instructions",
					  "DATA", "none",    "highest"};
	enum kh_trust trust;
	enum kh_type type;
	enum kh_taint taint;

	(void)t;
	for (int i = KH_TRUSTED; i <= KH_UNTRUSTED; i++)
		assert_true(kh_words_parse(&kh_label_trust_words,
					   kh_view_str(kh_words_name(&kh_label_trust_words, (enum kh_trust)i)),
					   &trust) &&
			    (int)trust == i);
	for (int i = KH_INSTRUCTION; i <= KH_DATA; i++)
		assert_true(kh_words_parse(&kh_label_type_words,
					   kh_view_str(kh_words_name(&kh_label_type_words, (enum kh_type)i)), &type) &&
			    (int)type == i);
	for (int i = KH_TAINT_LOW; i <= KH_TAINT_HIGH; i++)
		assert_true(kh_words_parse(&kh_label_taint_words,
					   kh_view_str(kh_words_name(&kh_label_taint_words, (enum kh_taint)i)),
					   &taint) &&
			    (int)taint == i);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kh_view word = kh_view_str(bad[i]);
		assert_false(kh_words_parse(&kh_label_trust_words, word, &trust) ||
			     kh_words_parse(&kh_label_type_words, word, &type) ||
			     kh_words_parse(&kh_label_taint_words, word, &taint));
	}
	assert_int_equal(kh_label_initial_taint(KH_TRUSTED), KH_TAINT_LOW);
	assert_int_equal(kh_label_initial_taint(KH_VETTED), KH_TAINT_LOW);
	assert_int_equal(kh_label_initial_taint(KH_UNTRUSTED), KH_TAINT_HIGH);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_words)};
KH_TEST_MAIN(cases)
