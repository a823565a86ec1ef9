#include "core/policy/shadow.h"
#include "harness.h"

struct rule {
	const char *name;
	const char *agents[3];
};

/* The rules of a policy, from the table. */
static struct kh_list rules(struct kh_test *t, const struct rule *from, size_t n)
{
	struct kh_policy_rule *all = KH_NEW_N(&t->arena, struct kh_policy_rule, n);

	must(t, kh_arena_check(&t->arena));
	for (size_t i = 0; i < n; i++) {
		all[i].name = kh_view_str(from[i].name);
		all[i].line = (unsigned)i + 1;
		all[i].agents.at = KH_NEW_N(&t->arena, struct kh_view, 3);
		must(t, kh_arena_check(&t->arena));
		while (all[i].agents.n < 3 && from[i].agents[all[i].agents.n] != NULL) {
			all[i].agents.at[all[i].agents.n] = kh_view_str(from[i].agents[all[i].agents.n]);
			all[i].agents.n++;
		}
	}
	return (struct kh_list){all, n};
}

static enum kh_err check(struct kh_test *t, const struct rule *from, size_t n)
{
	struct kh_outline_source source = {.arena = &t->arena, .file = KH_LIT("a.yaml")};
	struct kh_list list = rules(t, from, n);

	return kh_shadow_check(&source, &list, "policy.tools", &t->err);
}

/* E4, I8: a narrower rule, or one for other agents, stands before a wider one. */
static void test_reached(struct kh_test *t)
{
	static const struct rule all[][3] = {
		{{"a__b", {0}}, {"a__*", {0}}, {"*", {0}}},   {{"a__*", {0}}, {"*__b", {0}}, {"b__*", {0}}},
		{{"a", {"x"}}, {"a", {"y"}}, {"a", {0}}},     {{"a", {"x", "y"}}, {"a", {"y", "z"}}, {"a", {"*"}}},
		{{"a*", {"x"}}, {"ab", {0}}, {"a*", {"x*"}}}, {{"a*b", {0}}, {"a*", {0}}, {"*b", {0}}},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		must(t, check(t, all[i], 3));
	must(t, check(t, all[0], 0));
}

/* I8: one that an earlier rule covers, in its names and in its agents, is an error with its line. */
static void test_never_reached(struct kh_test *t)
{
	static const struct rule all[][2] = {
		{{"a", {0}}, {"a", {0}}},
		{{"a__*", {0}}, {"a__b", {0}}},
		{{"*", {0}}, {"a*b", {0}}},
		{{"a*", {0}}, {"a*b*", {0}}},
		{{"a", {0}}, {"a", {"x"}}},
		{{"a", {"*"}}, {"a", {0}}},
		{{"a", {"x*"}}, {"a", {"xy"}}},
		{{"a", {"x", "y"}}, {"a", {"y", "x"}}},
		{{"a*", {"x*", "y"}}, {"ab", {"x", "xz*", "y"}}},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		must_fail(t, KH_EINPUT, check(t, all[i], 2));
		assert_string_equal(t->err.code, "policy_invalid");
		assert_string_equal(
			t->err.detail,
			"a.yaml:2: policy.tools[1]: it can never be reached: policy.tools[0] on line 1 is for all "
			"that it is for: expected the narrower rule first, or other agents in the earlier one");
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_reached), KH_TEST(test_never_reached)};
KH_TEST_MAIN(cases)
