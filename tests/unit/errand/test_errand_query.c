/* E9: comm.query: which statement is asked of which database, and what becomes of its rows. */
#include "looking.h"

#include "errand/errand.h"

#include <sqlite3.h>

static struct kh_config_database databases[2];
static struct kh_policy_statement statements[2] = {
	{.name = KH_LIT_INIT("one"),
	 .database = KH_LIT_INIT("crm"),
	 .sql = KH_LIT_INIT("SELECT a, b FROM t WHERE a = :a")},
	{.name = KH_LIT_INIT("other"), .database = KH_LIT_INIT("elsewhere"), .sql = KH_LIT_INIT("SELECT 1")},
};
static struct kh_policy_rule rule;
static struct kh_config config;
static char file[64];

static struct kh_view fetched(const struct kh_message *message, unsigned *ret_status, enum kh_fault *ret_fault)
{
	(void)message;
	(void)ret_status;
	*ret_fault = KH_FAULT_CONNECT;
	return KH_LIT("");
}

static struct kh_errand_tools begin(struct kh_test *t, enum kh_permission free_sql)
{
	sqlite3 *db = NULL;

	looking_new();
	snprintf(file, sizeof(file), "%s/crm.db", looking_home);
	assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_exec(db, "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x\n'), (2, NULL)", NULL, NULL, NULL),
		SQLITE_OK);
	sqlite3_close(db);
	databases[0] = (struct kh_config_database){
		.name = KH_LIT("crm"), .file = kh_view_str(file), .seconds = 10, .rows = 1, .bytes = 65536};
	config = (struct kh_config){.databases = {databases, 1}};
	rule = (struct kh_policy_rule){.statements = {statements, 2}, .free_sql = free_sql};
	return looking_tools(t, &config);
}

static struct kh_errand_result run(struct kh_test *t, const struct kh_errand_tools *tools, const char *parameters)
{
	struct kh_errand errand = {.operation = KH_LIT("comm.query"), .rule = &rule, .wall_ms = 30000};
	struct kh_errand_result result = {.end = KH_ERRAND_UNKNOWN};

	must(t, kh_json_read(&t->arena, kh_view_str(parameters), &errand.parameters, &t->err));
	must(t, kh_errand_run(tools, &errand, &t->arena, &result));
	return result;
}

/* JSON Lines: what follows, then the rows. */
static void test_lines(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t, KH_PERMISSION_ALLOW);
	struct kh_errand_result result = run(t, &tools,
					     "{\"database\":\"crm\",\"statement\":\"one\",\"params\":{\"a\":1}}");

	assert_int_equal(result.end, KH_ERRAND_OK);
	assert_view(kh_tainted_open(result.content),
		    "{\"columns\":[\"a\",\"b\"],\"rows\":1,\"truncated\":false}\n{\"a\":1,\"b\":\"x\\n\"}\n");
	assert_view(kh_tainted_open(result.details), "{\"rows\":1,\"truncated\":false}");
	assert_view(result.source, "database crm");
	result = run(t, &tools, "{\"database\":\"crm\",\"statement\":\"SELECT a, a, 3 AS a_2 FROM t\"}");
	assert_view(kh_tainted_open(result.content),
		    "{\"columns\":[\"a\",\"a_2\",\"a_2_3\"],\"rows\":1,\"truncated\":true}\n"
		    "{\"a\":1,\"a_2\":1,\"a_2_3\":3}\n");
	result = run(t, &tools, "{\"database\":\"crm\",\"statement\":\"SELECT a FROM t WHERE a > 9\"}");
	assert_view(kh_tainted_open(result.content), "{\"columns\":[\"a\"],\"rows\":0,\"truncated\":false}\n");
}

/* E9: free SQL only where the policy says so; a name counts for its own database alone. */
static void test_refused(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t, KH_PERMISSION_DENY);
	static const struct {
		const char *parameters, *why;
	} all[] = {
		{"{\"database\":\"crm\",\"statement\":\"SELECT 1\"}", "no free SQL"},
		{"{\"database\":\"crm\",\"statement\":\"other\"}", "no free SQL"},
		{"{\"database\":\"elsewhere\",\"statement\":\"other\"}", "no database of this name"},
		{"{\"database\":\"crm\",\"statement\":\"one\"}", "no value is given"},
		{"{\"database\":\"crm\",\"statement\":\"one\",\"params\":[1,2]}", "2 values are given"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_errand_result result = run(t, &tools, all[i].parameters);

		assert_int_equal(result.end, KH_ERRAND_FAILED);
		assert_int_equal(kh_tainted_size(result.content), 0);
		if (kh_view_find(result.why, kh_view_str(all[i].why), 0) == SIZE_MAX)
			fail_msg("%s: %.*s", all[i].parameters, KH_FMT(result.why));
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_lines), KH_TEST(test_refused)};
EXECUTOR_TEST_MAIN(cases)
