#include "shared.h"

/* S3: every rule finds its positive example and not its negative one. */
static void test_examples(struct kh_test *t)
{
	size_t count;
	const struct kh_rule *rules = kh_rules_builtin(&count);

	for (size_t i = 0; i < count; i++) {
		struct kh_findings found = screen_as(t, kh_view_str(rules[i].positive), KH_SCREEN_DOCUMENT);
		if (find_rule(&found, rules[i].name) == NULL)
			fail_msg("%s does not find \"%s\"", rules[i].name, rules[i].positive);
		found = screen_as(t, kh_view_str(rules[i].negative), KH_SCREEN_DOCUMENT);
		if (find_rule(&found, rules[i].name) != NULL)
			fail_msg("%s finds \"%s\"", rules[i].name, rules[i].negative);
	}
}

static void test_table(struct kh_test *t)
{
	size_t count;
	const struct kh_rule *rules = kh_rules_builtin(&count);

	(void)t;
	for (size_t i = 0; i < count; i++) {
		assert_true(kh_screen_code_exists(rules[i].code));
		assert_true(rules[i].severity > KH_SEVERITY_NONE);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(rules[i].name, rules[j].name);
	}
	/* COMPAT.md section 2: the pattern names of the running system. */
	static const char *const names[] = {"ignore_previous",    "new_instruction", "forget_previous",
					    "update_policy",      "override",        "supersede",
					    "disregard_previous", "reveal_prompt",   "what_instructions",
					    "execute_code",       "curl_pipe_bash",  "wget_pipe_bash"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t j = 0;
		while (j < count && strcmp(rules[j].name, names[i]) != 0)
			j++;
		assert_true(j < count);
	}
}

/* S3: rules of the configuration; what is wrong with one is said, with its name. */
static void test_extra(struct kh_test *t)
{
	static const struct kh_rule good = {"project_name", "secret", KH_SEVERITY_HIGH, "\\bblue\\s?heron\\b", "", ""};
	static const struct kh_rule bad = {"broken_one", "secret", KH_SEVERITY_LOW, "a(b", "", ""};
	static const struct kh_rule taken = {"please", "secret", KH_SEVERITY_LOW, "ab", "", ""};
	static const struct kh_rule odd = {"odd", "no_such_code", KH_SEVERITY_LOW, "ab", "", ""};
	struct kh_rules *rules;
	struct kh_screen *screen;
	struct kh_findings found;

	must_fail(t, KH_EINPUT, kh_rules_new(&t->alloc, &bad, 1, &rules, &t->err));
	assert_non_null(strstr(t->err.detail, "broken_one"));
	assert_non_null(strstr(t->err.detail, "parenthes"));
	must_fail(t, KH_EINPUT, kh_rules_new(&t->alloc, &taken, 1, &rules, &t->err));
	must_fail(t, KH_EINPUT, kh_rules_new(&t->alloc, &odd, 1, &rules, &t->err));
	must(t, kh_rules_new(&t->alloc, &good, 1, &rules, &t->err));
	enum kh_err e = kh_screen_new(&t->alloc, rules, &screen);
	if (e == KH_OK) {
		e = kh_screen_text(screen, &t->arena, KH_LIT("operation Blue Heron"), KH_SCREEN_DOCUMENT, &found);
		kh_screen_free(screen);
	}
	kh_rules_free(rules);
	must(t, e);
	assert_non_null(find_rule(&found, "project_name"));
	assert_int_equal(found.severity, KH_SEVERITY_HIGH);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_examples), KH_TEST_ONCE(test_table),
					    KH_TEST_ONCE(test_extra)};
KH_TEST_MAIN(cases)
