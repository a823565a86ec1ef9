#include "core/policy/lookup.h"
#include "core/policy/policy.h"
#include "harness.h"

/* A number below N, from a fixed sequence: every run tries the same. */
static uint32_t below(uint64_t *state, uint32_t n)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 33) % n;
}

/* A word of at most MAX letters of ALPHABET. */
static struct kh_view word(struct kh_test *t, uint64_t *state, const char *alphabet, uint32_t min, uint32_t max)
{
	size_t n = min + below(state, max - min + 1);
	char *p = kh_arena_alloc(&t->arena, n + 1);

	must(t, kh_arena_check(&t->arena));
	for (size_t i = 0; i < n; i++)
		p[i] = alphabet[below(state, (uint32_t)strlen(alphabet))];
	return kh_view_of(p, n);
}

/* The obvious way: a star takes nothing, or one byte and then as before. */
static bool matches(const char *pattern, const char *text)
{
	if (*pattern == '*')
		return matches(pattern + 1, text) || (*text != '\0' && matches(pattern, text + 1));
	if (*pattern == '\0' || *text == '\0')
		return *pattern == *text;
	return *pattern == *text && matches(pattern + 1, text + 1);
}

/* The obvious way: every rule in order. */
static size_t first(const struct kh_list *list, struct kh_view name, struct kh_view agent)
{
	const struct kh_policy_rule *rules = list->at;

	for (size_t i = 0; i < list->n; i++) {
		bool is_for = rules[i].agents.n == 0;
		for (size_t j = 0; j < rules[i].agents.n; j++)
			is_for = is_for || matches(rules[i].agents.at[j].p, agent.p);
		if (is_for && matches(rules[i].name.p, name.p))
			return i;
	}
	return SIZE_MAX;
}

static struct kh_list random_rules(struct kh_test *t, uint64_t *state)
{
	struct kh_list list = {NULL, below(state, 40)};
	struct kh_policy_rule *rules = KH_NEW_N(&t->arena, struct kh_policy_rule, list.n);

	must(t, kh_arena_check(&t->arena));
	list.at = rules;
	for (size_t i = 0; i < list.n; i++) {
		rules[i].name = word(t, state, below(state, 2) ? "ab" : "ab*", 1, 5);
		rules[i].agents.n = below(state, 2) ? 0 : below(state, 4);
		rules[i].agents.at = KH_NEW_N(&t->arena, struct kh_view, rules[i].agents.n);
		must(t, kh_arena_check(&t->arena));
		for (size_t j = 0; j < rules[i].agents.n; j++)
			rules[i].agents.at[j] = word(t, state, below(state, 2) ? "xy" : "xy*", 1, 3);
	}
	return list;
}

/* E4: whatever the rules, the first that matches is found, and none where none matches. */
static void compare(struct kh_test *t, uint64_t seed, unsigned lists, unsigned calls)
{
	uint64_t state = seed;
	size_t found = 0;

	for (unsigned i = 0; i < lists; i++) {
		struct kh_list list = random_rules(t, &state);
		const struct kh_lookup *lookup = kh_lookup_new(&t->arena, &list);
		must(t, kh_arena_check(&t->arena));
		assert_non_null(lookup);
		for (unsigned j = 0; j < calls; j++) {
			struct kh_view name = word(t, &state, "ab", 0, 6), agent = word(t, &state, "xy", 0, 4);
			size_t want = first(&list, name, agent);
			assert_int_equal(kh_lookup_find(lookup, name, agent), want);
			found += want != SIZE_MAX;
		}
	}
	assert_true(lists < 100 || found > (size_t)lists * calls / 10);
}

static void test_random(struct kh_test *t)
{
	compare(t, 1, 3, 20);
}

static void test_random_long(struct kh_test *t)
{
	for (uint64_t seed = 2; seed < 12; seed++) {
		compare(t, seed, 200, 60);
		kh_arena_clear(&t->arena);
	}
}

/* What is longer than any glob is matched by stars alone; and no rule at all finds nothing. */
static void test_long_names(struct kh_test *t)
{
	struct kh_view agents[] = {KH_LIT("x*")};
	struct kh_policy_rule rules[4] = {{.name = KH_LIT("aa")},
					  {.name = KH_LIT("*b")},
					  {.name = KH_LIT("b*")},
					  {.name = KH_LIT("*"), .agents = {agents, 1}}};
	struct kh_list list = {rules, 4}, none = {NULL, 0};
	const struct kh_lookup *lookup = kh_lookup_new(&t->arena, &list), *empty = kh_lookup_new(&t->arena, &none);
	char name[300], agent[300];

	must(t, kh_arena_check(&t->arena));
	memset(name, 'a', sizeof(name));
	memset(agent, 'x', sizeof(agent));
	struct kh_view text = kh_view_of(name, sizeof(name)), caller = kh_view_of(agent, sizeof(agent));
	assert_int_equal(kh_lookup_find(lookup, text, KH_LIT("")), SIZE_MAX);
	assert_int_equal(kh_lookup_find(lookup, text, caller), 3);
	name[299] = 'b';
	assert_int_equal(kh_lookup_find(lookup, text, caller), 1);
	name[0] = 'b', name[299] = 'a';
	assert_int_equal(kh_lookup_find(lookup, text, caller), 2);
	assert_int_equal(kh_lookup_find(lookup, KH_LIT(""), KH_LIT("x")), 3);
	assert_int_equal(kh_lookup_find(empty, text, caller), SIZE_MAX);
	assert_int_equal(kh_lookup_find(empty, KH_LIT(""), KH_LIT("")), SIZE_MAX);
}

static const struct kh_test_case cases[] = {KH_TEST(test_random), KH_TEST_ONCE(test_random_long),
					    KH_TEST(test_long_names)};
KH_TEST_MAIN(cases)
