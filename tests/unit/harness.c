/* The frame around cmocka: counting and failing allocations, leaks, and the loop over failure points. */
#include "harness.h"

#include "base/json.h"

#include <stdio.h>
#include <stdlib.h>

#define ARENA_LIMIT (64U << 20)
#define SAMPLE      12 /* failure points a test, where not all are wanted */

static void *test_resize(void *ctx, void *p, size_t old, size_t n)
{
	struct kh_test *t = ctx;

	(void)old;
	if (n == 0) {
		t->held -= p != NULL;
		free(p);
		return NULL;
	}
	if (++t->calls == t->fail_at) {
		t->fired = true;
		return NULL;
	}
	void *q = realloc(p, n);
	t->held += p == NULL && q != NULL;
	return q;
}

void kh_test_must(struct kh_test *t, enum kh_err e, const char *file, int line)
{
	if (e == KH_ENOMEM && t->fired)
		longjmp(t->content, 1);
	if (e != KH_OK) {
		print_error("%s: %s %s\n", kh_err_name(e), t->err.code ? t->err.code : "", t->err.detail);
		_assert_int_equal((LargestIntegralType)e, KH_OK, file, line);
	}
}

void kh_test_must_fail(struct kh_test *t, enum kh_err want, enum kh_err e, const char *file, int line)
{
	if (e == KH_ENOMEM && t->fired)
		longjmp(t->content, 1);
	_assert_int_equal((LargestIntegralType)e, (LargestIntegralType)want, file, line);
}

void kh_test_assert_view(struct kh_view got, struct kh_view want, const char *file, int line)
{
	if (!kh_view_eq(got, want)) {
		print_error("got  \"%.*s\"\nwant \"%.*s\"\n", KH_FMT(got), KH_FMT(want));
		_fail(file, line);
	}
}

/* One run with the FAIL_AT-th allocation failing; the number of allocations made. */
static size_t run_once(const struct kh_test_case *c, size_t fail_at)
{
	static struct kh_test t; /* static: must survive the longjmp */

	t = (struct kh_test){.fail_at = fail_at, .err = {.offset = SIZE_MAX}};
	t.alloc = (struct kh_alloc){test_resize, &t};
	kh_arena_init(&t.arena, &t.alloc, ARENA_LIMIT);
	if (setjmp(t.content) == 0)
		c->fn(&t);
	kh_arena_done(&t.arena);
	if (t.held != 0) {
		print_error("%s: %zu blocks leaked (allocation %zu failing)\n", c->name, t.held, fail_at);
		fail();
	}
	return t.calls;
}

static void run(void **state)
{
	const struct kh_test_case *c = *state;
	size_t count = run_once(c, 0);
	const char *fault = getenv("KH_FAULT");
	bool all = fault != NULL && kh_view_eq(kh_view_str(fault), KH_LIT("all"));
	unsigned seed = 20261115;

	if (c->once)
		return;
	for (size_t i = 1; i <= (all || count <= SAMPLE ? count : SAMPLE); i++) {
		seed = seed * 1103515245U + 12345U;
		run_once(c, all || count <= SAMPLE ? i : 1 + (seed >> 8) % count);
	}
}

int kh_test_main(const char *file, const struct kh_test_case *cases, size_t count)
{
	struct CMUnitTest *tests = calloc(count, sizeof(*tests));

	if (tests == NULL)
		return 1;
	for (size_t i = 0; i < count; i++) {
		/* cmocka's state is a plain pointer; the case behind it is only read. */
		void *state = (void *)(uintptr_t)&cases[i];
		tests[i] = (struct CMUnitTest){cases[i].name, run, NULL, NULL, state};
	}
	int failed = _cmocka_run_group_tests(file, tests, count, NULL, NULL);
	free(tests);
	return failed != 0;
}
