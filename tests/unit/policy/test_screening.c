#include "core/policy/config.h"
#include "core/policy/screening.h"
#include "harness.h"

static enum kh_err screening(struct kh_test *t, const char *text, struct kh_rules **ret_rules)
{
	const struct kh_policy *policy;
	enum kh_err e = kh_config_policy(&t->arena, kh_view_str(text), KH_LIT("keyhole.yaml"), &policy, &t->err);

	return e ? e : kh_screening_new(&t->alloc, &t->arena, policy, ret_rules, &t->err);
}

#define RULE(name, pattern, positive, negative)                                                                        \
	"    - {name: " name ", code: secret, pattern: '" pattern "', positive: " positive ", negative: " negative "}" \
	"\n"
#define GOOD RULE("heron", "project\\s+heron", "the project heron", "a heron")

/* S3: rules of the configuration count beside the built-in ones. */
static void test_good(struct kh_test *t)
{
	struct kh_rules *rules;
	size_t builtin;

	must(t, screening(t, "policy:\n  screen:\n" GOOD, &rules));
	kh_rules_builtin(&builtin);
	size_t count = kh_rules_count(rules);
	assert_string_equal(kh_rules_at(rules, count - 1)->name, "heron");
	kh_rules_free(rules);
	assert_int_equal(count, builtin + 1);
}

/* S3, I8: a rule that does not compile, or does not pass its own examples, is named with its line. */
static void test_bad(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"policy:\n  screen:\n" GOOD RULE("b", "(", "x", "y"), "keyhole.yaml:4: policy.screen[1]: "},
		{"policy:\n  screen:\n" GOOD RULE("b", "abc", "xyz", "y"),
		 "keyhole.yaml:4: policy.screen[1]: the pattern does not find its own `positive`: expected a text that "
		 "it finds"},
		{"policy:\n  screen:\n" GOOD RULE("b", "abc", "abc", "xabcx"),
		 "keyhole.yaml:4: policy.screen[1]: the pattern finds its own `negative`: expected a text that it does "
		 "not find"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_rules *rules = NULL;
		must_fail(t, KH_EINPUT, screening(t, all[i][0], &rules));
		assert_null(rules);
		assert_string_equal(t->err.code, "policy_invalid");
		if (strncmp(t->err.detail, all[i][1], strlen(all[i][1])) != 0)
			print_error("got %s\n", t->err.detail);
		assert_int_equal(strncmp(t->err.detail, all[i][1], strlen(all[i][1])), 0);
		assert_non_null(strstr(t->err.detail, ": expected "));
	}
}

/* Compiling takes long: once, and not with every allocation failing. */
static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_good), KH_TEST_ONCE(test_bad)};
KH_TEST_MAIN(cases)
