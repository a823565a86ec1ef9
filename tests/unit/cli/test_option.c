/* I6: options are read as the table says, and what is wrong with one is said. */
#include "cli/option.h"
#include "harness.h"

struct values {
	bool flag;
	const char *text;
	struct kh_view view;
	struct kh_option_list list;
	uint64_t count, number, bytes, time, wait;
};

static const struct kh_option all[] = {
	{"--flag", NULL, "a flag", KH_OPTION(struct values, flag)},
	{"--text", "TEXT", "a text", KH_OPTION(struct values, text)},
	{"--view", "TEXT", "the same", KH_OPTION(struct values, view)},
	{"--list", "TEXT", "a list", KH_OPTION(struct values, list)},
	{"--count", "N", "a count", KH_OPTION(struct values, count)},
	{"--number", "N", "a number", KH_OPTION(struct values, number), .unit = KH_OPTION_NUMBER},
	{"--bytes", "BYTES", "bytes", KH_OPTION(struct values, bytes), .unit = KH_OPTION_BYTES},
};

static const struct kh_option times[] = {
	{"--time", "SECONDS", "a time", KH_OPTION(struct values, time), .unit = KH_OPTION_SECONDS},
	{"--wait", "SECONDS", "a time, or none", KH_OPTION(struct values, wait), .unit = KH_OPTION_WAIT, .preset = 7},
};

/* Reads ARGV (ended by NULL); the index of what is no option, or -1. */
static int take(struct values *v, struct kh_error *err, char **argv)
{
	const struct kh_options tables[] = {{all, sizeof(all) / sizeof(all[0]), v},
					    {times, sizeof(times) / sizeof(times[0]), v}};
	char *words[KH_OPTION_LIST + 4];
	int argc = 0, count = 0;

	*v = (struct values){0};
	while (argv[argc] != NULL)
		argc++;
	kh_option_preset(&tables[1]);
	return kh_option_read(tables, 2, true, argc, argv, words, &count, err) == KH_OK ? argc - count : -1;
}

#define TAKE(v, err, ...) take(v, err, (char *[]){(char[]){"command"}, __VA_ARGS__, NULL})
#define A(s)              ((char[]){s})

static void test_values(struct kh_test *t)
{
	struct values v;

	assert_int_equal(
		TAKE(&v, &t->err, A("--flag"), A("--text"), A("a b"), A("--list=x"), A("--list"), A(""), A("rest")), 7);
	assert_true(v.flag && v.list.n == 2);
	assert_string_equal(v.text, "a b");
	assert_string_equal(v.list.at[0], "x");
	assert_string_equal(v.list.at[1], "");
	assert_int_equal(TAKE(&v, &t->err, A("--view="), A("x")), 2);
	assert_true(v.view.p != NULL && v.view.n == 0); /* given, and empty */
	assert_int_equal(TAKE(&v, &t->err, A("--view"), A("x"), A("--view"), A("y")), -1);
	assert_int_equal(TAKE(&v, &t->err, A("--text=--flag"), A("--"), A("--flag")), 3);
	assert_false(v.flag);
	assert_string_equal(v.text, "--flag");
	assert_int_equal(TAKE(&v, &t->err, A("-"), A("--flag")), 1); /* standard input is no option */
}

/* Arguments may stand between options, if the command has them so; after "--" there is no option. */
static void test_words(struct kh_test *t)
{
	struct values v = {0};
	const struct kh_options table = {all, sizeof(all) / sizeof(all[0]), &v};
	char *argv[] = {A("command"), A("a"),  A("--flag"),   A("b"), A("--text"),
			A("x"),       A("--"), A("--list=1"), A("--")};
	char *words[sizeof(argv) / sizeof(argv[0])];
	int count;

	must(t, kh_option_read(&table, 1, false, 9, argv, words, &count, &t->err));
	assert_int_equal(count, 4);
	assert_string_equal(words[0], "a");
	assert_string_equal(words[1], "b");
	assert_string_equal(words[2], "--list=1");
	assert_string_equal(words[3], "--");
	assert_true(v.flag && v.list.n == 0);
	v = (struct values){0};
	must(t, kh_option_read(&table, 1, true, 9, argv, words, &count, &t->err));
	assert_int_equal(count, 8);
	assert_false(v.flag);
}

static void test_numbers(struct kh_test *t)
{
	static const struct {
		const char *text;
		uint64_t bytes, time; /* 0: refused */
	} cases[] = {
		{"1", 1, 1000},
		{"64K", 65536, 0},
		{"2M", 2097152, 0},
		{"3G", 3221225472, 0},
		{"0.5", 0, 500},
		{"1.25", 0, 1250},
		{"0.001", 0, 1},
		{"0", 0, 0},
		{"0.0", 0, 0},
		{"-1", 0, 0},
		{"", 0, 0},
		{"K", 0, 0},
		{"1.", 0, 0},
		{".5", 0, 0},
		{"1.2345", 0, 0},
		{"1k", 0, 0},
		{"1 ", 0, 0},
		{"0x10", 0, 0},
		{"01", 0, 0},
		{"1e3", 0, 0},
		{"1.2.3", 0, 0},
		{"1.-2", 0, 0},
		{"9223372036854775807G", 0, 0},
		{"18446744073709551616", 0, 0},
	};
	struct values v;
	char text[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "--bytes=%s", cases[i].text);
		assert_int_equal(TAKE(&v, &t->err, text), cases[i].bytes ? 2 : -1);
		assert_int_equal(v.bytes, cases[i].bytes);
		snprintf(text, sizeof(text), "--time=%s", cases[i].text);
		assert_int_equal(TAKE(&v, &t->err, text), cases[i].time ? 2 : -1);
		assert_int_equal(v.time, cases[i].time);
	}
	assert_int_equal(TAKE(&v, &t->err, A("--number"), A("0"), A("--count"), A("7")), 5);
	assert_true(v.number == 0 && v.count == 7);
	assert_int_equal(TAKE(&v, &t->err, A("--count"), A("0")), -1);
	assert_int_equal(v.wait, 7); /* the preset */
	assert_int_equal(TAKE(&v, &t->err, A("--wait"), A("0")), 3);
	assert_int_equal(v.wait, 0);
	assert_int_equal(TAKE(&v, &t->err, A("--wait=1.5")), 2);
	assert_int_equal(v.wait, 1500);
	assert_int_equal(TAKE(&v, &t->err, A("--wait=-1")), -1);
}

static void test_refused(struct kh_test *t)
{
	struct values v;

	assert_int_equal(TAKE(&v, &t->err, A("--fla")), -1); /* nothing is abbreviated */
	assert_string_equal(t->err.code, "bad_option");
	assert_string_equal(t->err.detail, "\"--fla\" is not an option of this command; did you mean --flag?");
	assert_int_equal(TAKE(&v, &t->err, A("--nothing-like-it")), -1);
	assert_string_equal(t->err.detail, "\"--nothing-like-it\" is not an option of this command");
	assert_int_equal(TAKE(&v, &t->err, A("--flag=1")), -1);
	assert_int_equal(TAKE(&v, &t->err, A("--text")), -1);
	assert_int_equal(TAKE(&v, &t->err, A("--text"), A("a"), A("--text"), A("b")), -1);
	assert_int_equal(TAKE(&v, &t->err, A("-f")), -1);
	assert_int_equal(TAKE(&v, &t->err, A("--\033[31m")), -1);
	assert_null(strchr(t->err.detail, '\033'));
}

static void test_many(struct kh_test *t)
{
	char option[] = "--list=x", *argv[KH_OPTION_LIST + 3] = {option};
	struct values v;

	for (size_t i = 1; i <= KH_OPTION_LIST; i++)
		argv[i] = option;
	assert_int_equal(take(&v, &t->err, argv), KH_OPTION_LIST + 1);
	argv[KH_OPTION_LIST + 1] = option;
	assert_int_equal(take(&v, &t->err, argv), -1);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_values),  KH_TEST_ONCE(test_words), KH_TEST_ONCE(test_numbers),
	KH_TEST_ONCE(test_refused), KH_TEST_ONCE(test_many),
};
KH_TEST_MAIN(cases)
