/* E8: a worker that lacks a library says which, and what it was needed for. */
#include "worker/library.h"

#include "harness.h"

struct symbols {
	double (*cos)(double);
	double (*sin)(double);
};

static const struct kh_library_symbol symbols[] = {
	{"cos", offsetof(struct symbols, cos)},
	{"sin", offsetof(struct symbols, sin)},
	{"no_such_function", 0},
};

static void test_load(struct kh_test *t)
{
	struct kh_library library = {.file = "libm.so.6", .code = "libm", .need = "", .symbols = symbols, .count = 2};
	struct symbols found = {NULL, NULL};

	must(t, kh_library_load(&library, &found, &t->err));
	assert_true(found.cos(0) == 1 && found.sin(0) == 0);
	library.count = 3;
	assert_int_equal(kh_library_load(&library, &found, &t->err), KH_EREFUSED);
	assert_string_equal(t->err.code, "libm");
	assert_string_equal(t->err.detail, "libm.so.6 has no no_such_function");
	library.file = "libnothing.so.0";
	library.need = ": nothing works without it";
	assert_int_equal(kh_library_load(&library, &found, &t->err), KH_EREFUSED);
	assert_string_equal(t->err.detail, "libnothing.so.0 cannot be loaded: nothing works without it");
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_load)};

KH_TEST_MAIN(cases)
