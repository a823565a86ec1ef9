#include "cli/databases.h"

#include "harness.h"

#include <stdlib.h>

/* I6: without a home folder the doctor has nothing to say of databases; one that was named and is not there is said.
 * What it says of real ones is in tests/system/query. */
static void test_homes(struct kh_test *t)
{
	struct kh_diagnosis rows[KH_DATABASES_ROWS];

	assert_int_equal(unsetenv("KEYHOLE_HOME"), 0);
	assert_int_equal(unsetenv("XDG_DATA_HOME"), 0);
	assert_int_equal(setenv("HOME", "/nonexistent", 1), 0);
	assert_int_equal(kh_databases_examine(NULL, &t->arena, rows), 0);
	assert_int_equal(kh_databases_examine("/nonexistent/home", &t->arena, rows), 1);
	assert_string_equal(rows[0].name, "configuration");
	assert_false(rows[0].has);
	assert_non_null(strstr(rows[0].detail, "/nonexistent/home"));
	assert_true(rows[0].without[0] != '\0' && rows[0].remedy[0] != '\0');
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_homes)};
KH_TEST_MAIN(cases)
