/* I6: a word that is no command or option is answered with the name that it is nearest to, and with none that is far.
 */
#include "base/nearest.h"
#include "harness.h"

static const char *nearest(const char *word)
{
	static const char *const names[] = {"init",  "serve", "mcp",     "task",  "token",
					    "query", "audit", "--batch", "--json"};
	struct kh_nearest n;

	kh_nearest_begin(&n, kh_view_str(word));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		kh_nearest_try(&n, kh_view_str(names[i]));
	return n.name.n > 0 ? n.name.p : "";
}

static void test_near(struct kh_test *t)
{
	static const struct {
		const char *word, *name;
	} cases[] = {
		{"taks", "task"},    {"tsak", "task"}, {"tas", "task"},     {"tasks", "task"},      {"serv", "serve"},
		{"server", "serve"}, {"inti", "init"}, {"querry", "query"}, {"--bacth", "--batch"}, {"--jsn", "--json"},
		{"toekn", "token"},  {"task", "task"}, {"mpc", "mcp"},      {"aduit", "audit"},
	};

	(void)t;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(nearest(cases[i].word), cases[i].name);
}

static void test_far(struct kh_test *t)
{
	(void)t;
	assert_string_equal(nearest(""), "");
	assert_string_equal(nearest("x"), "");
	assert_string_equal(nearest("nonsense"), "");
	assert_string_equal(nearest("\033[31m"), "");
	assert_string_equal(nearest("tasktasktasktasktasktasktasktasktask"), ""); /* longer than any name */
}

static const struct kh_test_case cases[] = {KH_TEST(test_near), KH_TEST(test_far)};
KH_TEST_MAIN(cases)
