#include "core/block/taint.h"
#include "harness.h"

#include <stdio.h>
#include <time.h>

static const unsigned char seed[KH_BLOCKS_SEED] = "0123456789abcde";

/* Adds a block; BY is a list like "b1 b2". */
static void add(struct kh_test *t, struct kh_blocks *set, const char *id, enum kh_trust trust, const char *by)
{
	struct kh_block_spec spec = {.id = kh_view_str(id), .trust = trust, .type = KH_DATA};
	struct kh_view *ids = KH_NEW_N(&t->arena, struct kh_view, 16), rest = kh_view_str(by);

	must(t, kh_arena_check(&t->arena));
	while (rest.n > 0 && kh_view_split(&rest, ' ', &ids[spec.tainted_by_count]))
		spec.tainted_by_count++;
	spec.tainted_by = ids;
	must(t, kh_blocks_add(set, &spec, &t->err));
}

/* The blocks of the closure, or the untrusted ones of them, are WANT, in this order. */
static void same_ids(const struct kh_blocks *set, const struct kh_closure *closure, bool untrusted, const char *want)
{
	struct kh_view rest = kh_view_str(want), id;

	for (size_t i = 0; i < closure->n; i++) {
		if (untrusted && closure->at[i].trust != KH_UNTRUSTED)
			continue;
		assert_true(rest.n > 0 && kh_view_split(&rest, ' ', &id));
		assert_true(kh_view_eq(set->at[closure->at[i].id]->id, id));
	}
	assert_int_equal(rest.n, 0);
}

static void closure_is(struct kh_test *t, struct kh_blocks *set, const char *of, const char *want,
		       const char *untrusted)
{
	struct kh_closure closure;

	must(t, kh_taint_closure(set, &t->arena, kh_view_str(of), &closure, &t->err));
	same_ids(set, &closure, false, want);
	same_ids(set, &closure, true, untrusted);
	assert_int_equal(closure.flagged, untrusted[0] != '\0');
	assert_int_equal(closure.taint, untrusted[0] != '\0' ? KH_TAINT_HIGH : KH_TAINT_LOW);
}

/* K5: the chain of blocks.md, over any number of steps, in the blocks' order, without the block itself. */
static void test_closure(struct kh_test *t)
{
	struct kh_blocks set;

	kh_blocks_init(&set, &t->arena, seed);
	add(t, &set, "b006", KH_TRUSTED, "b005 b001");
	add(t, &set, "b001", KH_TRUSTED, "");
	add(t, &set, "b002", KH_VETTED, "");
	add(t, &set, "b003", KH_UNTRUSTED, "");
	add(t, &set, "b004", KH_TRUSTED, "b003 b002 b001");
	add(t, &set, "b005", KH_TRUSTED, "b004");
	add(t, &set, "b007", KH_UNTRUSTED, "b002");
	closure_is(t, &set, "b004", "b001 b002 b003", "b003");
	closure_is(t, &set, "b006", "b001 b002 b003 b004 b005", "b003");
	closure_is(t, &set, "b001", "", "");
	closure_is(t, &set, "b003", "", "");
	closure_is(t, &set, "b007", "b002", "");
}

/* Books of six blocks, with numbers that are far apart; the walk asks for each that it reaches once. */
struct book {
	unsigned looked[6];
};

#define FAR ((INT64_C(1) << 61) + 7)

static enum kh_err look(void *ctx, int64_t id, struct kh_taint_block *ret_block, struct kh_error *err)
{
	static const int64_t one[] = {5}, two[] = {9, 5}, three[] = {FAR, 9}, four[] = {12}, five[] = {77};
	static const struct {
		int64_t id;
		struct kh_taint_block block;
	} blocks[] = {
		{5, {NULL, 0, KH_UNTRUSTED, KH_TAINT_HIGH, 1}}, {9, {one, 1, KH_TRUSTED, KH_TAINT_LOW, 2}},
		{FAR, {two, 2, KH_VETTED, KH_TAINT_LOW, 3}},    {11, {three, 2, KH_TRUSTED, KH_TAINT_MEDIUM, 4}},
		{12, {four, 1, KH_TRUSTED, KH_TAINT_LOW, 5}},   {13, {five, 1, KH_TRUSTED, KH_TAINT_LOW, 6}},
	};
	struct book *book = ctx;

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		if (blocks[i].id == id) {
			book->looked[i]++;
			*ret_block = blocks[i].block;
			return KH_OK;
		}
	}
	return kh_error_set(err, KH_EUNKNOWN, "unknown_id", "there is no block %lld", (long long)id);
}

static struct kh_view name(void *ctx, int64_t id)
{
	(void)ctx;
	return id == 12 ? KH_LIT("twelve") : KH_LIT("another");
}

/* K5: the walk over a look-up function: ids in order, the books' own word of each, and no block looked up twice. */
static void test_walk(struct kh_test *t)
{
	struct book book = {{0}};
	const struct kh_taint_books books = {&book, look, name};
	const int64_t ids[] = {11, 5, 11};
	struct kh_closure closure;

	must(t, kh_taint_walk(&books, &t->arena, ids, 3, &closure, &t->err));
	assert_int_equal(closure.n, 4);
	assert_int_equal(closure.at[0].id, 5);
	assert_int_equal(closure.at[1].id, 9);
	assert_int_equal(closure.at[2].id, 11);
	assert_true(closure.at[3].id == FAR);
	assert_int_equal(closure.at[0].kind, 1);
	assert_int_equal(closure.at[2].kind, 4);
	assert_int_equal(closure.at[3].trust, KH_VETTED);
	assert_true(closure.flagged);
	assert_int_equal(closure.taint, KH_TAINT_HIGH);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(book.looked[i], i < 4);
	must(t, kh_taint_walk(&books, &t->arena, NULL, 0, &closure, &t->err));
	assert_int_equal(closure.n, 0);
	assert_false(closure.flagged);
	must_fail(t, KH_EREFUSED, kh_taint_walk(&books, &t->arena, (int64_t[]){9, 12}, 2, &closure, &t->err));
	assert_string_equal(t->err.code, "cycle");
	assert_non_null(strstr(t->err.detail, "twelve"));
	must_fail(t, KH_EUNKNOWN, kh_taint_walk(&books, &t->arena, (int64_t[]){9, 13}, 2, &closure, &t->err));
	assert_string_equal(t->err.code, "unknown_id");
}

static void closure_fails(struct kh_test *t, struct kh_blocks *set, const char *of, enum kh_err want, const char *code,
			  const char *id)
{
	struct kh_closure closure = {.n = 77};

	must_fail(t, want, kh_taint_closure(set, &t->arena, kh_view_str(of), &closure, &t->err));
	must(t, kh_arena_check(&t->arena)); /* else there was no memory to quote the id */
	assert_string_equal(t->err.code, code);
	assert_non_null(strstr(t->err.detail, id));
	assert_int_equal(closure.n, 77);
}

/* K5: an unknown id or a cycle among what is reached is an error that names it; elsewhere it does not matter. */
static void test_errors(struct kh_test *t)
{
	struct kh_blocks set;

	kh_blocks_init(&set, &t->arena, seed);
	closure_fails(t, &set, "b1", KH_EUNKNOWN, "unknown_id", "\"b1\"");
	add(t, &set, "ok", KH_UNTRUSTED, "");
	add(t, &set, "fine", KH_TRUSTED, "ok");
	add(t, &set, "lost", KH_TRUSTED, "ok nowhere");
	add(t, &set, "c1", KH_TRUSTED, "fine c2");
	add(t, &set, "c2", KH_TRUSTED, "c3");
	add(t, &set, "c3", KH_TRUSTED, "c1");
	add(t, &set, "below", KH_TRUSTED, "c1");
	add(t, &set, "diamond", KH_TRUSTED, "fine ok");
	closure_fails(t, &set, "lost", KH_EUNKNOWN, "unknown_id", "\"nowhere\"");
	closure_fails(t, &set, "no\nid", KH_EUNKNOWN, "unknown_id", "\"no\\u{a}id\"");
	closure_fails(t, &set, "c2", KH_EREFUSED, "cycle", "\"c2\"");
	closure_fails(t, &set, "below", KH_EREFUSED, "cycle", "\"c1\"");
	/* An error leaves nothing behind that a later walk would trip over. */
	closure_is(t, &set, "fine", "ok", "ok");
	closure_is(t, &set, "diamond", "ok fine", "ok");
}

/* B23: the one table by which taint falls. */
static void test_step_down(struct kh_test *t)
{
	(void)t;
	assert_int_equal(kh_taint_step_down(KH_TAINT_HIGH), KH_TAINT_MEDIUM);
	assert_int_equal(kh_taint_step_down(KH_TAINT_MEDIUM), KH_TAINT_LOW);
	assert_int_equal(kh_taint_step_down(KH_TAINT_LOW), KH_TAINT_LOW);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* K5: a million blocks in a chain, from the far end and from near the start; no recursion, no quadratic step. */
static void test_million(struct kh_test *t)
{
	enum { COUNT = 1000000 };
	struct kh_arena arena;
	struct kh_blocks set;
	struct kh_closure closure;
	double start = seconds();

	kh_arena_init(&arena, NULL, (size_t)2 << 30);
	kh_blocks_init(&set, &arena, seed);
	struct kh_view *ids = KH_NEW_N(&arena, struct kh_view, COUNT);
	assert_non_null(ids);
	for (size_t i = 0; i < COUNT; i++) {
		struct kh_block_spec spec = {
			.trust = i ? KH_TRUSTED : KH_UNTRUSTED, .type = KH_DATA, .content = KH_LIT("x")};
		char id[16];
		int n = snprintf(id, sizeof(id), "b%zu", i);
		spec.id = ids[i] = kh_arena_dup(&arena, kh_view_of(id, (size_t)n));
		spec.tainted_by = i ? &ids[i - 1] : NULL;
		spec.tainted_by_count = i > 0;
		must(t, kh_blocks_add(&set, &spec, &t->err));
	}
	must(t, kh_taint_closure(&set, &arena, ids[COUNT - 1], &closure, &t->err));
	print_message("a closure over a million blocks, with building the set: %.0f ms\n", (seconds() - start) * 1e3);
	assert_int_equal(closure.n, COUNT - 1);
	for (size_t i = 0; i < closure.n; i += 1000)
		assert_int_equal(closure.at[i].id, i);
	assert_true(closure.flagged);
	/* Small closures in a large set cost what they reach. */
	start = seconds();
	for (size_t i = 0; i < 100000; i++) {
		must(t, kh_taint_closure(&set, &arena, ids[3], &closure, &t->err));
		assert_int_equal(closure.n, 3);
	}
	double took = seconds() - start;
	print_message("a closure over three of them: %.2f us\n", took * 1e6 / 100000);
	assert_true(took < 10);
	kh_arena_done(&arena);
}

static const struct kh_test_case cases[] = {KH_TEST(test_closure), KH_TEST(test_walk), KH_TEST(test_errors),
					    KH_TEST_ONCE(test_step_down), KH_TEST_ONCE(test_million)};
KH_TEST_MAIN(cases)
