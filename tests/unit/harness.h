/*
 * The unit tests' frame around cmocka.
 *
 * Every test runs once as it is, and then again with the n-th allocation failing: a seeded sample of n, or every n
 * where KH_FAULT=all (make deep).  Memory comes from t->alloc, which counts; whatever a test still holds at its end is
 * a leak and fails it.  A call that may run out of memory is wrapped in must(): when an allocation was made to fail and
 * the call says so, the test ends there, content.  Anything else that goes wrong after a failed allocation is a bug.
 *
 *     static void test_dup(struct kh_test *t)
 *     {
 *             struct kh_view v = kh_arena_dup(&t->arena, KH_LIT("abc"));
 *             must(t, kh_arena_check(&t->arena));
 *             assert_view(v, "abc");
 *     }
 *
 *     static const struct kh_test_case cases[] = {KH_TEST(test_dup)};
 *     KH_TEST_MAIN(cases)
 */
#ifndef KH_TESTS_HARNESS_H
#define KH_TESTS_HARNESS_H

#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct kh_test {
	struct kh_arena arena; /* 64 MiB; emptied after the test */
	struct kh_alloc alloc; /* counts, and fails where it is told to */
	struct kh_error err;
	size_t calls;   /* allocations so far */
	size_t fail_at; /* the one that fails; 0 for none */
	bool fired;
	size_t held; /* blocks not given back */
	jmp_buf content;
};

typedef void kh_test_fn(struct kh_test *t);

struct kh_test_case {
	const char *name;
	kh_test_fn *fn;
	bool once; /* not again with failing allocations */
};

#define KH_TEST(fn)            \
	{                      \
#fn, fn, false \
	}
#define KH_TEST_ONCE(fn)      \
	{                     \
#fn, fn, true \
	} /* for tests that take long or allocate nothing */

/* Ends the test, content, where E is KH_ENOMEM because the harness made an allocation fail; else E must be KH_OK. */
#define must(t, e) kh_test_must((t), (e), __FILE__, __LINE__)
void kh_test_must(struct kh_test *t, enum kh_err e, const char *file, int line);

/* The same for a call that must fail with WANT. */
#define must_fail(t, want, e) kh_test_must_fail((t), (want), (e), __FILE__, __LINE__)
void kh_test_must_fail(struct kh_test *t, enum kh_err want, enum kh_err e, const char *file, int line);

#define assert_view(v, s) kh_test_assert_view((v), kh_view_str(s), __FILE__, __LINE__)
void kh_test_assert_view(struct kh_view got, struct kh_view want, const char *file, int line);

int kh_test_main(const char *file, const struct kh_test_case *cases, size_t count);

#define KH_TEST_MAIN(cases)                                                               \
	int main(void)                                                                    \
	{                                                                                 \
		return kh_test_main(__FILE__, cases, sizeof(cases) / sizeof((cases)[0])); \
	}

#endif
