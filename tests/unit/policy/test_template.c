/* E9: comm.exec's templates: arguments by place, never split, never an option by accident. */
#include "core/policy/template.h"

#include "harness.h"

static struct kh_policy_command command_of(struct kh_view *argv, size_t n)
{
	return (struct kh_policy_command){.name = KH_LIT("c"), .argv = {argv, n}};
}

static enum kh_err fill(struct kh_test *t, const struct kh_policy_command *command, const char *args,
			struct kh_view **ret_argv, size_t *ret_argc)
{
	yyjson_val *list = NULL;

	if (args != NULL)
		must(t, kh_json_read(&t->arena, kh_view_str(args), &list, NULL));
	return kh_template_fill(&t->arena, command, list, ret_argv, ret_argc, &t->err);
}

static void test_places(struct kh_test *t)
{
	struct kh_view argv[] = {KH_LIT("/bin/x{1}"),      KH_LIT("{2}"),
				 KH_LIT("--a={1}:{2}{1}"), KH_LIT("{print $1}"),
				 KH_LIT("{}{0}{01}{x}{1"), KH_LIT("plain")};
	struct kh_policy_command command = command_of(argv, 6);
	struct kh_view *got;
	size_t n;

	assert_int_equal(kh_template_arity(&command), 2);
	must(t, fill(t, &command, "[\"one two\",\"$(rm);'\\\"*\"]", &got, &n));
	assert_int_equal(n, 6);
	assert_view(got[0], "/bin/x{1}"); /* the program is the operator's alone */
	assert_view(got[1], "$(rm);'\"*");
	assert_view(got[2], "--a=one two:$(rm);'\"*one two");
	assert_view(got[3], "{print $1}");
	assert_view(got[4], "{}{0}{01}{x}{1");
	assert_view(got[5], "plain");
}

/* What is put in is not looked at again. */
static void test_not_twice(struct kh_test *t)
{
	struct kh_view argv[] = {KH_LIT("/bin/x"), KH_LIT("{1}"), KH_LIT("{2}")};
	struct kh_policy_command command = command_of(argv, 3);
	struct kh_view *got;
	size_t n;

	must(t, fill(t, &command, "[\"{2}\",\"{1}\"]", &got, &n));
	assert_view(got[1], "{2}");
	assert_view(got[2], "{1}");
}

static void test_refused(struct kh_test *t)
{
	struct kh_view one[] = {KH_LIT("/bin/x"), KH_LIT("{1}")}, none[] = {KH_LIT("/bin/x"), KH_LIT("-v")};
	struct kh_policy_command takes_one = command_of(one, 2), takes_none = command_of(none, 2);
	static const char *const bad[] = {"[]",  "[\"a\",\"b\"]",   "[\"-rf\"]", "[\"-\"]",
					  "[1]", "[\"a\\u0000b\"]", "{}"};
	struct kh_view *got = NULL;
	size_t n = 0;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		must_fail(t, KH_EREFUSED, fill(t, &takes_one, bad[i], &got, &n));
		assert_string_equal(t->err.code, "bad_arguments");
	}
	must_fail(t, KH_EREFUSED, fill(t, &takes_one, NULL, &got, &n));
	must_fail(t, KH_EREFUSED, fill(t, &takes_none, "[\"a\"]", &got, &n));
	assert_null(got);
	must(t, fill(t, &takes_none, NULL, &got, &n));
	must(t, fill(t, &takes_none, "[]", &got, &n));
	must(t, fill(t, &takes_one, "[\"\"]", &got, &n));
	assert_view(got[1], "");
}

/* Behind `--`, and within an argument, a dash is harmless. */
static void test_dashes(struct kh_test *t)
{
	struct kh_view argv[] = {KH_LIT("/bin/x"), KH_LIT("--name={1}"), KH_LIT("--"), KH_LIT("{1}")};
	struct kh_view begins[] = {KH_LIT("/bin/x"), KH_LIT("{1}.txt")};
	struct kh_policy_command command = command_of(argv, 4), other = command_of(begins, 2);
	struct kh_view *got;
	size_t n;

	must(t, fill(t, &command, "[\"-rf\"]", &got, &n));
	assert_view(got[1], "--name=-rf");
	assert_view(got[3], "-rf");
	must_fail(t, KH_EREFUSED, fill(t, &other, "[\"-rf\"]", &got, &n));
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_places),
	KH_TEST(test_not_twice),
	KH_TEST(test_refused),
	KH_TEST(test_dashes),
};

KH_TEST_MAIN(cases)
