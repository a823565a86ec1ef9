/* E9: a look at a database for the doctor.  A server's rights are looked at in tests/system/query. */
#include "looking.h"

#include "errand/rights.h"

#include <sqlite3.h>

static struct kh_config_database databases[3];
static struct kh_config config;
static char file[64];

static struct kh_view fetched(const struct kh_message *message, unsigned *ret_status, enum kh_fault *ret_fault)
{
	(void)message;
	(void)ret_status;
	*ret_fault = KH_FAULT_CONNECT;
	return KH_LIT("");
}

static void test_files(struct kh_test *t)
{
	struct kh_rights *rights = KH_NEW(&t->arena, struct kh_rights);
	sqlite3 *db = NULL;

	must(t, kh_arena_check(&t->arena));
	looking_new();
	snprintf(file, sizeof(file), "%s/crm.db", looking_home);
	assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE t(a)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	databases[0] = (struct kh_config_database){.file = kh_view_str(file), .seconds = 9, .rows = 1, .bytes = 64};
	databases[1] = (struct kh_config_database){.file = KH_LIT("/nowhere.db"), .seconds = 9, .rows = 1, .bytes = 64};
	databases[2] = (struct kh_config_database){.host = KH_LIT("h"),
						   .port = 1,
						   .dbname = KH_LIT("d"),
						   .user = KH_LIT("u"),
						   .seconds = 9,
						   .rows = 1,
						   .bytes = 64};
	config = (struct kh_config){.databases = {databases, 3}};
	struct kh_errand_tools tools = looking_tools(t, &config);
	must(t, kh_rights_look(&tools, &databases[0], &t->arena, rights));
	assert_true(rights->looked);
	assert_int_equal(rights->n, 0);
	must(t, kh_rights_look(&tools, &databases[1], &t->arena, rights));
	assert_false(rights->looked);
	assert_true(kh_view_find(rights->why, KH_LIT("not there"), 0) != SIZE_MAX);
	must(t, kh_rights_look(&tools, &databases[2], &t->arena, rights));
	assert_false(rights->looked);
	assert_int_equal(rights->n, 0);
}

static const struct kh_test_case cases[] = {KH_TEST(test_files)};
EXECUTOR_TEST_MAIN(cases)
