#include "core/policy/outline.h"
#include "harness.h"

#include <time.h>

static enum kh_err outline(struct kh_test *t, struct kh_view text, const struct kh_outline **ret_root)
{
	struct kh_outline_source source = {.arena = &t->arena, .file = KH_LIT("k.yaml")};

	return kh_outline_read(&source, text, ret_root, &t->err);
}

/* I8: every value keeps its line. */
static void test_lines(struct kh_test *t)
{
	const struct kh_outline *root, *b;

	must(t, outline(t, KH_LIT("a: 1\nb:\n  - x\n  - 'y z'\n  - {k: \"\"}\n# end\n"), &root));
	assert_int_equal(root->kind, KH_OUTLINE_MAP);
	assert_int_equal(root->count, 2);
	assert_view(root->first->key, "a");
	assert_view(root->first->text, "1");
	assert_true(root->first->plain);
	b = root->first->next;
	assert_int_equal(b->key_line, 2);
	assert_int_equal(b->kind, KH_OUTLINE_LIST);
	assert_int_equal(b->count, 3);
	assert_int_equal(b->first->next->line, 4);
	assert_false(b->first->next->plain);
	assert_int_equal(b->first->next->next->line, 5);
}

/* An empty file and one of comments are maps without members. */
static void test_empty(struct kh_test *t)
{
	static const char *const all[] = {"", "\n\n", "# nothing\n", "---\n...\n"};
	const struct kh_outline *root;

	for (size_t i = 0; i < 3; i++) {
		must(t, outline(t, kh_view_str(all[i]), &root));
		assert_int_equal(root->kind, KH_OUTLINE_MAP);
		assert_int_equal(root->count, 0);
	}
}

static void refused(struct kh_test *t, struct kh_view text, const char *want)
{
	const struct kh_outline *root = NULL;

	must_fail(t, KH_EINPUT, outline(t, text, &root));
	assert_null(root);
	assert_string_equal(t->err.code, "policy_invalid");
	if (strcmp(t->err.detail, want) != 0)
		print_error("got  %s\nwant %s\n", t->err.detail, want);
	assert_string_equal(t->err.detail, want);
}

/* I8: what a configuration has no use for is refused, with its line. */
static void test_refused(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"a: &x 1\nb: *x\n", "k.yaml:1: an anchor: expected values written out, without & and *"},
		{"a: 1\nb: *x\n", "k.yaml:2: an alias: expected values written out, without & and *"},
		{"*x : 2\n", "k.yaml:1: not a key: expected a key of plain text"},
		{"a: &x [1]\n", "k.yaml:1: an anchor: expected values written out, without & and *"},
		{"a: &x {b: 1}\n", "k.yaml:1: an anchor: expected values written out, without & and *"},
		{"a: !!str 1\n", "k.yaml:1: a tag: expected values without a ! tag"},
		{"a: !evil {}\n", "k.yaml:1: a tag: expected values without a ! tag"},
		{"a: 1\n---\nb: 2\n", "k.yaml:2: a second document: expected one document a file"},
		{"? [a]\n: 1\n", "k.yaml:1: not a key: expected a key of plain text"},
		{"? {a: b}\n: 1\n", "k.yaml:1: not a key: expected a key of plain text"},
		{"a: 1\n'': 2\n", "k.yaml:2: not a key: expected a key of plain text"},
		{"a: \"x\\0y\"\n", "k.yaml:1: a control character: expected text without control characters"},
		{"a: \"\\e[2J\"\n", "k.yaml:1: a control character: expected text without control characters"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		refused(t, kh_view_str(all[i][0]), all[i][1]);
}

/* I8: broken YAML, with the line that is broken. */
static void test_syntax(struct kh_test *t)
{
	static const struct {
		const char *text, *place;
	} all[] = {
		{"a:\n\t- b\n", "k.yaml:2: not YAML: "},  {"a: 1\nb: [1, 2\n", "k.yaml:3: not YAML: "},
		{"a: 'x\n", "k.yaml:2: not YAML: "},      {"a: 1\n b: 2\n", "k.yaml:2: not YAML: "},
		{"a: 1\nb: }\n", "k.yaml:2: not YAML: "}, {"%YAML 9.9\n---\na: 1\n", "k.yaml:1: not YAML: "},
		{"a: \x01\n", "k.yaml:1: not YAML: "},    {"a: 1\nb: \x7f\n", "k.yaml:2: not YAML: "},
		{"a: @x\n", "k.yaml:1: not YAML: "},
	};
	const struct kh_outline *root;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		must_fail(t, KH_EINPUT, outline(t, kh_view_str(all[i].text), &root));
		if (strncmp(t->err.detail, all[i].place, strlen(all[i].place)) != 0)
			print_error("%zu: %s\n", i, t->err.detail);
		assert_int_equal(strncmp(t->err.detail, all[i].place, strlen(all[i].place)), 0);
		assert_non_null(strstr(t->err.detail, ": expected "));
	}
}

static void test_bytes(struct kh_test *t)
{
	refused(t, kh_view_of("a: 1\nb: x\0y\n", 12), "k.yaml:2: a NUL byte: expected text in UTF-8");
	refused(t, KH_LIT("a: 1\n\nb: \xff\n"), "k.yaml:3: not UTF-8: expected text in UTF-8");
	refused(t, KH_LIT("\xff\xfe\x61\x00"), "k.yaml:1: not UTF-8: expected text in UTF-8");
	refused(t, KH_LIT("a: \xed\xa0\x80\n"), "k.yaml:1: not UTF-8: expected text in UTF-8");
}

static struct kh_view repeat(struct kh_test *t, const char *piece, size_t count)
{
	size_t n = strlen(piece);
	char *p = kh_arena_alloc(&t->arena, n * count);

	must(t, kh_arena_check(&t->arena));
	for (size_t i = 0; i < count; i++)
		memcpy(p + i * n, piece, n);
	return kh_view_of(p, n * count);
}

/* Hostile sizes: too large, too many, too deep; none takes long. */
static void test_limits(struct kh_test *t)
{
	static const char *const pieces[] = {"[", "{",  "- ", "? ", "a: ", "[a,", "{a: ", "&a ",
					     "'", "\n", " ",  "%",  "#\n", "- [", "? - "};
	const struct kh_outline *root;
	struct timespec begin, end;

	refused(t, repeat(t, "#", KH_OUTLINE_SIZE + 1), "k.yaml:1: too large: expected a file of at most 262144 bytes");
	refused(t, repeat(t, "- a\n", KH_OUTLINE_NODES),
		"k.yaml:20000: too many values: expected at most 20000 in one file");
	refused(t, KH_LIT("[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]"),
		"k.yaml:1: nested too deep: expected at most 16 levels");
	must(t, outline(t, KH_LIT("[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]"), &root));
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct kh_view text = repeat(t, pieces[i], KH_OUTLINE_SIZE / strlen(pieces[i]));
		clock_gettime(CLOCK_MONOTONIC, &begin);
		enum kh_err e = outline(t, text, &root);
		clock_gettime(CLOCK_MONOTONIC, &end);
		assert_true(e == KH_OK || e == KH_EINPUT || (e == KH_ENOMEM && t->fired));
		if (end.tv_sec - begin.tv_sec >= 5)
			print_error("slow: %s\n", pieces[i]);
		assert_true(end.tv_sec - begin.tv_sec < 5);
	}
}

/* A file's name cannot forge a message. */
static void test_place(struct kh_test *t)
{
	struct kh_outline_source source = {.arena = &t->arena, .file = KH_LIT("a\nb")};
	struct kh_view place = kh_outline_place(&source, 3), without;

	source.file = KH_LIT("");
	without = kh_outline_place(&source, 3);
	must(t, kh_arena_check(&t->arena));
	assert_view(place, "\"a\\u{a}b\":3");
	assert_view(without, "line 3");
}

static const struct kh_test_case cases[] = {KH_TEST(test_lines),  KH_TEST(test_empty), KH_TEST(test_refused),
					    KH_TEST(test_syntax), KH_TEST(test_bytes), KH_TEST_ONCE(test_limits),
					    KH_TEST(test_place)};
KH_TEST_MAIN(cases)
