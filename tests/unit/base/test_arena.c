#include "harness.h"

/* The arena gives zeroed, aligned memory within its limit, and gives all of it back. */
static void test_alloc(struct kh_test *t)
{
	char *all[200];

	for (size_t i = 0; i < 200; i++) {
		all[i] = kh_arena_alloc(&t->arena, i * 7);
		must(t, kh_arena_check(&t->arena));
		assert_int_equal((uintptr_t)all[i] % sizeof(void *), 0);
		for (size_t j = 0; j < i * 7; j++)
			assert_int_equal(all[i][j], 0);
		memset(all[i], (int)i, i * 7);
	}
	for (size_t i = 0; i < 200; i++) {
		for (size_t j = 0; j < i * 7; j++)
			assert_int_equal((unsigned char)all[i][j], i);
	}
}

static void test_limit(struct kh_test *t)
{
	struct kh_arena small;

	kh_arena_init(&small, &t->alloc, 10000);
	assert_null(kh_arena_alloc(&small, 10001));
	assert_int_equal(kh_arena_check(&small), KH_ENOMEM);
	kh_arena_clear(&small);
	assert_int_equal(kh_arena_check(&small), KH_OK);
	assert_null(kh_arena_array(&small, SIZE_MAX / 2, 4));
	assert_null(kh_arena_alloc(&small, SIZE_MAX));
	kh_arena_done(&small);
}

static void test_clear_keeps_a_chunk(struct kh_test *t)
{
	kh_arena_alloc(&t->arena, 3000);
	must(t, kh_arena_check(&t->arena));
	size_t calls = t->calls;
	for (int i = 0; i < 50; i++) {
		kh_arena_clear(&t->arena);
		char *p = kh_arena_alloc(&t->arena, 3000);
		assert_non_null(p);
		assert_int_equal(p[2999], 0);
		p[2999] = 1;
	}
	assert_int_equal(t->calls, calls);
}

static void test_grow(struct kh_test *t)
{
	char *p = kh_arena_alloc(&t->arena, 10);
	must(t, kh_arena_check(&t->arena));
	memcpy(p, "0123456789", 10);
	char *q = kh_arena_grow(&t->arena, p, 10, 100);
	must(t, kh_arena_check(&t->arena));
	assert_ptr_equal(p, q); /* in place: it was the last one */
	assert_int_equal(q[99], 0);
	kh_arena_alloc(&t->arena, 1);
	q = kh_arena_grow(&t->arena, p, 100, 200);
	must(t, kh_arena_check(&t->arena));
	assert_ptr_not_equal(p, q);
	assert_memory_equal(q, "0123456789", 10);
}

/* Memory that is not zeroed, and then grows: what is new of it is zero, also what it was rounded up by. */
static void test_bare(struct kh_test *t)
{
	char *p = kh_arena_alloc(&t->arena, 64);

	must(t, kh_arena_check(&t->arena));
	memset(p, 'x', 64);
	kh_arena_clear(&t->arena);
	p = kh_arena_bare(&t->arena, 10);
	must(t, kh_arena_check(&t->arena));
	memcpy(p, "0123456789", 10);
	char *q = kh_arena_grow(&t->arena, p, 10, 40);
	must(t, kh_arena_check(&t->arena));
	assert_memory_equal(q, "0123456789\0\0\0\0\0\0\0\0", 18);
	assert_int_equal(q[39], 0);
}

/* Input in a message cannot do anything to a terminal, a log or JSON. */
static void test_quote(struct kh_test *t)
{
	static const struct {
		struct kh_view in;
		const char *out;
	} all[] = {
		{KH_LIT_INIT("plain"), "\"plain\""},
		{KH_LIT_INIT("a\"b\\c"), "\"a\\\"b\\\\c\""},
		{KH_LIT_INIT("\x1b[31m\n"), "\"\\u{1b}[31m\\u{a}\""},
		{KH_LIT_INIT("\xff\xc3"), "\"\\xff\\xc3\""},
		{KH_LIT_INIT("\xe2\x80\xae"), "\"\\u{202e}\""},
		{KH_LIT_INIT("\xf3\xa0\x81\x81"), "\"\\u{e0041}\""},
		{KH_LIT_INIT("\xc5\x82"), "\"\xc5\x82\""},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_view v = kh_arena_quote(&t->arena, all[i].in);
		must(t, kh_arena_check(&t->arena));
		assert_view(v, all[i].out);
	}
	char *many = kh_arena_alloc(&t->arena, 4000);
	must(t, kh_arena_check(&t->arena));
	memset(many, 1, 4000);
	struct kh_view v = kh_arena_quote(&t->arena, kh_view_of(many, 4000));
	must(t, kh_arena_check(&t->arena));
	assert_true(v.n < 800 && kh_view_ends(v, KH_LIT("\"...")));
}

/* A longer quotation has a limit of its own, of what comes out; at every limit it is whole characters. */
static void test_quote_most(struct kh_test *t)
{
	static const char text[] = "a\n\"\xc5\x82\xf3\xa0\x81\x81\xff";
	static const char whole[] = "\"a\\u{a}\\\"\xc5\x82\\u{e0041}\\xff\"";

	for (size_t most = 8; most < 64; most++) {
		struct kh_view v = kh_arena_quote_most(&t->arena, kh_view_str(text), most);
		must(t, kh_arena_check(&t->arena));
		assert_true(v.n <= most);
		if (most >= strlen(whole) + 3)
			assert_view(v, whole);
		else
			assert_true(kh_view_ends(v, KH_LIT("\"...")));
		assert_int_equal(strncmp(v.p, whole, v.n - (v.n == strlen(whole) ? 1 : 4)), 0);
	}
	struct kh_view v = kh_arena_quote_most(&t->arena, kh_view_of(NULL, 0), 8);
	must(t, kh_arena_check(&t->arena));
	assert_view(v, "\"\"");
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_alloc), KH_TEST(test_limit), KH_TEST(test_clear_keeps_a_chunk), KH_TEST(test_grow),
	KH_TEST(test_bare),  KH_TEST(test_quote), KH_TEST(test_quote_most)};
KH_TEST_MAIN(cases)
