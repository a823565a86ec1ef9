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

static void same_ids(const struct kh_blocks *set, const size_t *at, size_t n, const char *want)
{
	struct kh_view rest = kh_view_str(want), id;
	size_t i = 0;

	for (; rest.n > 0 && kh_view_split(&rest, ' ', &id); i++)
		assert_true(i < n && kh_view_eq(set->at[at[i]]->id, id));
	assert_int_equal(i, n);
}

static void closure_is(struct kh_test *t, struct kh_blocks *set, const char *of, const char *want,
		       const char *untrusted)
{
	struct kh_closure closure;

	must(t, kh_taint_closure(set, &t->arena, kh_view_str(of), &closure, &t->err));
	same_ids(set, closure.at, closure.n, want);
	same_ids(set, closure.untrusted, closure.untrusted_count, untrusted);
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
	/* A call that is no block: what it was given, and what influenced that. */
	struct kh_view ids[] = {KH_LIT("b005"), KH_LIT("b002"), KH_LIT("b005")};
	struct kh_closure closure;
	must(t, kh_taint_influences(&set, &t->arena, ids, 3, &closure, &t->err));
	same_ids(&set, closure.at, closure.n, "b001 b002 b003 b004 b005");
	must(t, kh_taint_influences(&set, &t->arena, ids, 0, &closure, &t->err));
	assert_int_equal(closure.n, 0);
	assert_false(closure.flagged);
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
	/* The marks' epoch starts over when it is used up. */
	set.epoch = UINT32_MAX - 3;
	closure_is(t, &set, "diamond", "ok fine", "ok");
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
		assert_int_equal(closure.at[i], i);
	assert_int_equal(closure.untrusted_count, 1);
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

static const struct kh_test_case cases[] = {KH_TEST(test_closure), KH_TEST(test_errors), KH_TEST_ONCE(test_step_down),
					    KH_TEST_ONCE(test_million)};
KH_TEST_MAIN(cases)
