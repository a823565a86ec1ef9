#include "core/block/sent.h"
#include "harness.h"

static struct kh_view read(struct kh_test *t, struct kh_sent *sent, const char *parameters, size_t at)
{
	struct kh_sent_value *values = NULL;
	size_t count = 0;
	yyjson_val *root = NULL;

	must(t, kh_json_read(&t->arena, kh_view_str(parameters), &root, &t->err));
	must(t, kh_sent_split(&t->arena, KH_LIT("comm.fetch"), root, &values, &count));
	assert_true(at < count);
	sent->name = values[at].name;
	return values[at].value;
}

/* A call with one parameter. */
static void add(struct kh_test *t, struct kh_sent *sent, const char *parameters)
{
	must(t, kh_sent_add(&t->arena, sent, read(t, sent, parameters, 1)));
}

/* K7: the values of a call by their paths; a list is one; the names of members are one more. */
static void test_split(struct kh_test *t)
{
	static const char call[] = "{\"url\":\"https://a.example/%41\",\"args\":[\"x\",{\"k\":\"y\"},12],"
				   "\"in\":{\"b\":5,\"c\":true,\"d e\":\"z\"}}";
	static const char *const names[] = {"comm.fetch names", "comm.fetch .url", "comm.fetch .args",
					    "comm.fetch .in.b", "comm.fetch .in.*"};
	static const char *const values[] = {"url args k in b c d e", "https://a.example/A", "x y 12", "5", "z"};
	struct kh_sent sent = {0};

	for (size_t i = 0; i < 5; i++) {
		assert_view(read(t, &sent, call, i), values[i]);
		assert_view(sent.name, names[i]);
	}
}

/* K7: many parameters share one text after the first ones, and a long value is kept without its middle. */
static void test_bounds(struct kh_test *t)
{
	struct kh_view call = KH_LIT("");
	struct kh_sent sent = {0};
	char *text = kh_arena_alloc(&t->arena, 20000);

	if (text == NULL)
		return;
	for (int i = 0; i < 40; i++)
		call = kh_arena_printf(&t->arena, "%.*s%s\"p%d\":%d", KH_FMT(call), i > 0 ? "," : "{", i, i);
	call = kh_arena_printf(&t->arena, "%.*s}", KH_FMT(call));
	must(t, kh_arena_check(&t->arena));
	struct kh_view rest = read(t, &sent, call.p, KH_SENT_VALUES + 1);
	assert_view(sent.name, "comm.fetch ...");
	assert_int_equal(memcmp(rest.p, "16 17 ", 6), 0);
	memset(text, 'a', 19999);
	memcpy(text, "{\"q\":\"", 6);
	memcpy(text + 19997, "\"}", 2);
	assert_int_equal(read(t, &sent, text, 1).n, 2048);
}

/* K7: what is constant from call to call is taken out, in whole words, of the first value too. */
static void test_constant(struct kh_test *t)
{
	struct kh_sent sent = {0};

	add(t, &sent, "{\"url\":\"https://a.example/log?q=in&x=1\"}");
	assert_view(sent.lines, "https://a.example/log?q=in&x=1\n");
	add(t, &sent, "{\"url\":\"https://a.example/log?q=is&x=1\"}");
	assert_view(sent.lines, "in\nis\n");
	add(t, &sent, "{\"url\":\"https://a.example/log?q=is&x=1\"}");
	add(t, &sent, "{\"url\":\"https://a.example/log?q=of&x=1\"}");
	assert_view(sent.lines, "in\nis\nis\nof\n");
	/* Equal ends of two pieces in a row are no constant. */
	add(t, &sent, "{\"url\":\"https://a.example/log?q=a-of&x=1\"}");
	assert_view(sent.lines, "in\nis\nis\nof\na-of\n");
	assert_int_equal(sent.calls, 5);
}

/* K7: a long value that does not change adds nothing; a short one, or the first one, may be a letter that is repeated. */
static void test_repeated(struct kh_test *t)
{
	struct kh_sent sent = {0}, letter = {0};

	for (int i = 0; i < 3; i++) {
		add(t, &sent, "{\"statement\":\"SELECT a FROM b\"}");
		add(t, &letter, "{\"q\":\"l\"}");
	}
	assert_view(sent.lines, "SELECT a FROM b\nSELECT a FROM b\nSELECT a FROM b\n");
	assert_view(letter.lines, "l\nl\nl\n");
	for (int i = 0; i < 20; i++)
		add(t, &sent, "{\"statement\":\"SELECT a FROM b\"}");
	assert_int_equal(sent.lines.n, 8 * 16);
	for (int i = 0; i < 3; i++)
		add(t, &sent, "{\"statement\":\"SELECT another thing FROM the same table WHERE it is like this one\"}");
	size_t n = sent.lines.n;
	add(t, &sent, "{\"statement\":\"SELECT another thing FROM the same table WHERE it is like this one\"}");
	assert_int_equal(sent.lines.n, n);
}

/* The same with a call that may lack memory. */
static void add_call(struct kh_test *t, struct kh_sent *sent, struct kh_view call)
{
	must(t, kh_arena_check(&t->arena));
	add(t, sent, call.p);
}

/* K7: a letter that comes several times in a row, in the first values or later, is not taken for a constant. */
static void test_doubled(struct kh_test *t)
{
	struct kh_sent first = {0}, later = {0}, counted = {0}, sign = {0};

	for (const char *p = "000012"; *p != '\0'; p++)
		add_call(t, &first, kh_arena_printf(&t->arena, "{\"path\":\"/srv/docs/%c\"}", *p));
	assert_view(first.lines, "0\n0\n0\n0\n1\n2\n");
	for (int i = 0; i < 5; i++)
		add_call(t, &later, kh_arena_printf(&t->arena, "{\"path\":\"/srv/%x/%c\"}", 0xa1 + 3 * i, "swwwx"[i]));
	assert_view(later.lines, "a1/s\na4/w\na7/w\naa/w\nad/x\n");
	for (int i = 0; i < 5; i++)
		add_call(t, &counted, kh_arena_printf(&t->arena, "{\"url\":\"https://x.example/?n=%d&q=12\"}", i));
	assert_view(counted.lines, "0&q=12\n1&q=12\n2&q=12\n3&q=12\n4&q=12\n");
	for (int i = 0; i < 4; i++)
		add_call(t, &sign, kh_arena_printf(&t->arena, "{\"q\":\"!%x\"}", 0xa1 + 3 * i));
	assert_view(sign.lines, "!a1\n!a4\n!a7\n!aa\n");
}

/* K7: the text has a bound, and what falls out is counted. */
static void test_fallen(struct kh_test *t)
{
	struct kh_sent sent = {0};

	for (int i = 0; i < 80; i++) {
		struct kh_view call = kh_arena_printf(&t->arena, "{\"q\":\"%d %01000d\"}", i, i * i);
		if (call.p == NULL)
			return;
		add(t, &sent, call.p);
	}
	assert_true(sent.lines.n <= KH_SENT_BYTES && sent.lines.n > KH_SENT_BYTES - 2048);
	assert_true(sent.fallen > 10000);
	assert_int_equal(sent.lines.p[sent.lines.n - 1], '\n');
}

/* The line of all parameters has what each of them adds. */
static void test_all(struct kh_test *t)
{
	struct kh_sent sent[2] = {{.name = KH_LIT("a"), .last = KH_LIT("x/1"), .calls = 1, .lines = KH_LIT("x/1\n")},
				  {.name = KH_LIT("b"), .last = KH_LIT("the same"), .calls = 1}};
	struct kh_sent_value values[2] = {{.value = KH_LIT("x/2")}, {.value = KH_LIT("the same")}};
	struct kh_view line;

	must(t, kh_sent_all(&t->arena, sent, values, 2, &line));
	assert_view(line, "2");
	sent[1].last = KH_LIT("another");
	must(t, kh_sent_all(&t->arena, sent, values, 2, &line));
	assert_view(line, "2\tthe same");
	sent[1].last = values[1].value = KH_LIT("e");
	must(t, kh_sent_all(&t->arena, sent, values, 2, &line));
	assert_view(line, "2\te");
}

static const struct kh_test_case cases[] = {KH_TEST(test_split),    KH_TEST(test_bounds),  KH_TEST(test_constant),
					    KH_TEST(test_repeated), KH_TEST(test_doubled), KH_TEST_ONCE(test_fallen),
					    KH_TEST(test_all)};
KH_TEST_MAIN(cases)
