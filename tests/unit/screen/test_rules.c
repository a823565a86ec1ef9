#include "shared.h"

/* S3: every rule finds its positive example and not its negative one. */
static void test_examples(struct kh_test *t)
{
	size_t count;
	const struct kh_rule *rules = kh_rules_builtin(&count);

	for (size_t i = 0; i < count; i++) {
		struct kh_findings found = screen_as(t, kh_view_str(rules[i].positive), KH_SCREEN_ANSWER);
		if (find_rule(&found, rules[i].name) == NULL)
			fail_msg("%s does not find \"%s\"", rules[i].name, rules[i].positive);
		found = screen_as(t, kh_view_str(rules[i].negative), KH_SCREEN_ANSWER);
		if (find_rule(&found, rules[i].name) != NULL)
			fail_msg("%s finds \"%s\"", rules[i].name, rules[i].negative);
	}
}

/* P1, S3: in the middle of a long text, where triggers are looked for first, a rule finds the same. */
static void test_triggers(struct kh_test *t)
{
	static const char prose[] = "The harvest was late that summer, and nobody in the valley minded. ";
	size_t count, half = 100 * (sizeof(prose) - 1);
	const struct kh_rule *rules = kh_rules_builtin(&count);

	for (size_t i = 0; i < count; i++) {
		size_t n = strlen(rules[i].positive);
		if (rules[i].triggers[0] == 0 && strpbrk(rules[i].positive, "#<=>@[]\\_`{|}~") == NULL)
			continue; /* a rule for close reading */
		kh_arena_clear(&t->arena);
		char *p = must_alloc(t, 2 * half + n + 2);
		for (size_t k = 0; k < half; k++)
			p[k] = p[half + n + 2 + k] = prose[k % (sizeof(prose) - 1)];
		p[half] = p[half + 1 + n] = '\n';
		memcpy(p + half + 1, rules[i].positive, n);
		struct kh_findings found = screen_as(t, kh_view_of(p, 2 * half + n + 2), KH_SCREEN_DOCUMENT);
		const struct kh_finding *f = must_find(&found, rules[i].name);
		assert_true(f->start >= half && f->end <= half + n + 2);
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
	static const struct kh_rule good = {
		"project_name", "secret", KH_SEVERITY_HIGH, NULL, "\\bblue\\s?heron\\b", "", ""};
	static const struct kh_rule bad = {"broken_one", "secret", KH_SEVERITY_LOW, NULL, "a(b", "", ""};
	static const struct kh_rule taken = {"please", "secret", KH_SEVERITY_LOW, "", "ab", "", ""};
	static const struct kh_rule odd = {"odd", "no_such_code", KH_SEVERITY_LOW, "", "ab", "", ""};
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

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_examples), KH_TEST_ONCE(test_triggers),
					    KH_TEST_ONCE(test_table), KH_TEST_ONCE(test_extra)};
KH_TEST_MAIN(cases)
