#include "cli/checkup.h"

#include "harness.h"

/* I6: the doctor has nothing to say of databases if the configuration names none; no process is started for that.  What
 * it says of real ones is in tests/system/query, and of a home that is not there in tests/system/doctor. */
static void test_none(struct kh_test *t)
{
	struct kh_home home = {.folder.fd = -1};
	size_t count = 1;

	must(t, kh_config_read(&t->arena, KH_LIT("{}"), KH_LIT("keyhole.yaml"), &home.config, &t->err));
	assert_null(kh_checkup_databases(&home, &count));
	assert_int_equal(count, 0);
	assert_null(home.client);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_none)};
KH_TEST_MAIN(cases)
