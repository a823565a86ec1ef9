#include "core/policy/quota.h"
#include "core/policy/schema.h"
#include "harness.h"

struct item {
	struct kh_view name;
	unsigned line;
};

struct thing {
	uint64_t number;
	unsigned word, words;
	struct kh_view text;
	struct kh_texts texts;
	struct kh_rate rate;
	struct kh_list items;
};

static bool no_x(struct kh_view v)
{
	return kh_view_find(v, KH_LIT("x"), 0) == SIZE_MAX;
}

static const struct kh_words colour_words = KH_WORDS("red", NULL, "blue");

static const struct kh_schema_field item_fields[] = {
	{"name", KH_FIELD_TEXT, offsetof(struct item, name), .needed = true, .min = 1, .max = 8, .expected = "a name"}};
static const struct kh_shape item_shape = {
	.fields = item_fields, .count = 1, .size = sizeof(struct item), .line = offsetof(struct item, line)};

static const struct kh_schema_field fields[] = {
	{"number", KH_FIELD_NUMBER, offsetof(struct thing, number), .min = 2, .max = 9},
	{"word", KH_FIELD_WORD, offsetof(struct thing, word), .words = &colour_words},
	{"words", KH_FIELD_WORDS, offsetof(struct thing, words), .words = &colour_words},
	{"text", KH_FIELD_TEXT, offsetof(struct thing, text), .max = 4, .check = no_x, .expected = "a text without x"},
	{"texts", KH_FIELD_TEXTS, offsetof(struct thing, texts), .max = 2, .check = no_x,
	 .expected = "a text without x"},
	{.key = "rate", .kind = KH_FIELD_RATE, .offset = offsetof(struct thing, rate)},
	{"items", KH_FIELD_LIST, offsetof(struct thing, items), .max = 2, .shape = &item_shape},
};
static const struct kh_shape shape = {.fields = fields, .count = 7, .size = sizeof(struct thing), .line = KH_NO_LINE};

static enum kh_err fill(struct kh_test *t, const char *text, struct thing *thing)
{
	struct kh_outline_source source = {.arena = &t->arena};
	const struct kh_outline *root;
	enum kh_err e = kh_outline_read(&source, kh_view_str(text), &root, &t->err);

	return e ? e : kh_schema_read(&source, &shape, root, "thing", thing, &t->err);
}

static void test_read(struct kh_test *t)
{
	struct thing thing = {.number = 5, .text = KH_LIT("kept")};
	const struct item *items;

	must(t, fill(t,
		     "word: blue\nwords: [red, blue]\ntexts: [a, '']\nrate: 3/minute\nitems:\n  - name: one\n  - "
		     "{name: two}\n",
		     &thing));
	assert_int_equal(thing.number, 5); /* left out: as it was */
	assert_view(thing.text, "kept");
	assert_int_equal(thing.word, 2);
	assert_int_equal(thing.words, 5);
	assert_int_equal(thing.texts.n, 2);
	assert_int_equal(thing.rate.count, 3);
	assert_int_equal(thing.items.n, 2);
	items = thing.items.at;
	assert_view(items[1].name, "two");
	assert_int_equal(items[1].line, 7);

	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	struct kh_view json;
	must(t, kh_arena_check(&t->arena));
	must(t, kh_json_write(&t->arena, kh_schema_json(doc, &t->arena, &shape, &thing), &json));
	assert_view(
		json,
		"{\"number\":5,\"word\":\"blue\",\"words\":[\"red\",\"blue\"],\"text\":\"kept\",\"texts\":[\"a\",\"\"],"
		"\"rate\":\"3/minute\",\"items\":[{\"name\":\"one\"},{\"name\":\"two\"}]}");
}

/* I8: every mistake with its line and what was expected. */
static void test_errors(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"number: -1", "line 1: thing.number: \"-1\": expected an integer from 2 to 9"},
		{"number: 1", "line 1: thing.number: \"1\": expected an integer from 2 to 9"},
		{"number: 10", "line 1: thing.number: \"10\": expected an integer from 2 to 9"},
		{"number: 03", "line 1: thing.number: \"03\": expected an integer from 2 to 9"},
		{"number: 0x3", "line 1: thing.number: \"0x3\": expected an integer from 2 to 9"},
		{"number: 3.0", "line 1: thing.number: \"3.0\": expected an integer from 2 to 9"},
		{"number: 3e0", "line 1: thing.number: \"3e0\": expected an integer from 2 to 9"},
		{"number: '3'", "line 1: thing.number: \"3\": expected an integer from 2 to 9"},
		{"number: +3", "line 1: thing.number: \"+3\": expected an integer from 2 to 9"},
		{"number: 99999999999999999999",
		 "line 1: thing.number: \"99999999999999999999\": expected an integer from 2 to 9"},
		{"number:", "line 1: thing.number: an empty value: expected an integer from 2 to 9"},
		{"number: [3]", "line 1: thing.number: a list: expected an integer from 2 to 9"},
		{"\nword: green", "line 2: thing.word: \"green\": expected red or blue"},
		{"word: {}", "line 1: thing.word: a map: expected red or blue"},
		{"words: red", "line 1: thing.words: \"red\": expected a list of red or blue"},
		{"words:\n- red\n- green", "line 3: thing.words: \"green\": expected red or blue"},
		{"text: xyz", "line 1: thing.text: \"xyz\": expected a text without x"},
		{"text: abcde", "line 1: thing.text: \"abcde\": expected a text without x, of 0 to 4 bytes"},
		{"text:", "line 1: thing.text: an empty value: expected a text without x"},
		{"text: [a]", "line 1: thing.text: a list: expected a text without x"},
		{"texts: a", "line 1: thing.texts: \"a\": expected a list of at most 2"},
		{"texts: [a, b, c]", "line 1: thing.texts: a list: expected a list of at most 2"},
		{"texts:\n- a\n- x", "line 3: thing.texts[1]: \"x\": expected a text without x"},
		{"texts:\n- a\n- [b]", "line 3: thing.texts[1]: a list: expected a text without x"},
		{"rate: 3/day",
		 "line 1: thing.rate: \"3/day\": expected 0 (denied), N (an hour) or N/second, N/minute, N/hour, "
		 "with N up to 1000000"},
		{"items: {}", "line 1: thing.items: a map: expected a list of at most 2"},
		{"items: [a]", "line 1: thing.items[0]: \"a\": expected a map of name"},
		{"items:\n- name: a\n- {}\n", "line 3: thing.items[1]: a map: expected the key name in it"},
		{"items:\n- name: a\n  nome: b\n", "line 3: thing.items[0]: unknown key \"nome\": expected name"},
		{"items:\n- name: a\n  name: b\n",
		 "line 3: thing.items[0]: the key stands twice: \"name\": expected each key once"},
		{"word: red\n\nword: red", "line 3: thing: the key stands twice: \"word\": expected each key once"},
		{"<<: {word: red}",
		 "line 1: thing: unknown key \"<<\": expected number, word, words, text, texts, rate or items"},
		{"[a]", "line 1: thing: a list: expected a map of number, word, words, text, texts, rate or items"},
		{"a", "line 1: thing: \"a\": expected a map of number, word, words, text, texts, rate or items"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct thing thing = {0};
		must_fail(t, KH_EINPUT, fill(t, all[i][0], &thing));
		assert_string_equal(t->err.code, "policy_invalid");
		assert_string_equal(t->err.detail, all[i][1]);
	}
	struct thing thing = {0};
	must_fail(t, KH_EINPUT, fill(t, "items: [{name: a}, {name: abcdefghi}]", &thing));
	assert_string_equal(t->err.member, "thing.items[1].name");
}

static const struct kh_test_case cases[] = {KH_TEST(test_read), KH_TEST(test_errors)};
KH_TEST_MAIN(cases)
