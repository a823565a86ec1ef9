/* E9: comm.search of configured tables: the query is bound, and its wildcards stand for themselves. */
#include "looking.h"

#include "errand/tablesearch.h"

#include <sqlite3.h>

static struct kh_view columns[2] = {KH_LIT_INIT("name"), KH_LIT_INIT("note")};
static struct kh_config_database databases[2];
static struct kh_config_table tables[2];
static struct kh_config config;
static char file[64];

static struct kh_view fetched(const struct kh_message *message, unsigned *ret_status, enum kh_fault *ret_fault)
{
	(void)message;
	(void)ret_status;
	*ret_fault = KH_FAULT_CONNECT;
	return KH_LIT("");
}

static struct kh_errand_tools begin(struct kh_test *t)
{
	sqlite3 *db = NULL;

	looking_new();
	snprintf(file, sizeof(file), "%s/crm.db", looking_home);
	assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db,
				      "CREATE TABLE people(id INTEGER, name TEXT, note TEXT, secret TEXT);"
				      "INSERT INTO people VALUES(1, 'Ada Byron', '100% sure', 's1');"
				      "INSERT INTO people VALUES(2, 'Grace Hopper', 'ships and boats', 's2');"
				      "INSERT INTO people VALUES(3, 'Alan', '100 boats', NULL);"
				      "INSERT INTO people VALUES(4, 'Barbara', NULL, 'boats');",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(db);
	databases[0] = (struct kh_config_database){
		.name = KH_LIT("crm"), .file = kh_view_str(file), .seconds = 10, .rows = 100, .bytes = 65536};
	databases[1] = (struct kh_config_database){.name = KH_LIT("gone"),
						   .file = KH_LIT("/nowhere/at/all.db"),
						   .seconds = 10,
						   .rows = 100,
						   .bytes = 65536};
	tables[0] = (struct kh_config_table){
		.database = KH_LIT("crm"), .table = KH_LIT("main.people"), .columns = {columns, 2}};
	tables[1] = (struct kh_config_table){
		.database = KH_LIT("gone"), .table = KH_LIT("people"), .columns = {columns, 2}};
	config = (struct kh_config){.databases = {databases, 2}, .search = {.tables = {tables, 1}}};
	return looking_tools(t, &config);
}

static void test_statement(struct kh_test *t)
{
	struct kh_config_table table = {.table = KH_LIT("public.people"), .columns = {columns, 2}};
	struct kh_view sql;

	must(t, kh_tablesearch_statement(&t->arena, &table, false, 1, 5, &sql));
	assert_view(sql,
		    "SELECT \"name\", \"note\" FROM \"public\".\"people\" WHERE (CAST(\"name\" AS text) LIKE ?1 ESCAPE "
		    "'\\' OR CAST(\"note\" AS text) LIKE ?1 ESCAPE '\\') LIMIT 5");
	must(t, kh_tablesearch_statement(&t->arena, &table, true, 2, 5, &sql));
	assert_view(
		sql,
		"SELECT \"name\", \"note\" FROM \"public\".\"people\" WHERE (CAST(\"name\" AS text) ILIKE $1 ESCAPE "
		"'\\' OR CAST(\"note\" AS text) ILIKE $1 ESCAPE '\\') AND (CAST(\"name\" AS text) ILIKE $2 ESCAPE "
		"'\\' OR CAST(\"note\" AS text) ILIKE $2 ESCAPE '\\') LIMIT 5");
}

static void test_pattern(struct kh_test *t)
{
	struct kh_view pattern = kh_tablesearch_pattern(&t->arena, KH_LIT("50%_a\\b"));

	must(t, kh_arena_check(&t->arena));
	assert_view(pattern, "%50\\%\\_a\\\\b%");
}

static void test_rows(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t);
	struct kh_errand_result result = looking_run(t, &tools, "{\"query\":\"BOATS\",\"scope\":\"database\"}", NULL);

	assert_int_equal(result.end, KH_ERRAND_OK);
	assert_view(result.source, "search:database");
	/* Not the row that has it in a column that is not searched. */
	assert_true(looking_has(&result, "{\"results\":[{\"database\":\"crm\",\"table\":\"main.people\",\"row\":{"
					 "\"name\":\"Grace Hopper\",\"note\":\"ships and boats\"},\"rank\":1,"
					 "\"time\":\"20"));
	assert_true(looking_has(&result, "Z\"},{\"database\":\"crm\",\"table\":\"main.people\",\"row\":{\"name\":"
					 "\"Alan\",\"note\":\"100 boats\"},\"rank\":2,\"time\":\"20"));
	assert_false(looking_has(&result, "\"rank\":3"));
	result = looking_run(t, &tools, "{\"query\":\"boats grace\",\"scope\":\"database\"}", NULL);
	assert_true(looking_has(&result, "Grace"));
	assert_false(looking_has(&result, "Alan"));
	result = looking_run(t, &tools, "{\"query\":\"boats\",\"scope\":\"database\",\"limit\":1}", NULL);
	assert_false(looking_has(&result, "Alan"));
}

/* Wildcards and SQL in a query are text that is looked for. */
static void test_hostile(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t);
	struct kh_errand_result result = looking_run(t, &tools, "{\"query\":\"100%\",\"scope\":\"database\"}", NULL);

	assert_true(looking_has(&result, "Ada"));
	assert_false(looking_has(&result, "Alan"));
	result = looking_run(t, &tools, "{\"query\":\"a' OR 1=1 --\",\"scope\":\"database\"}", NULL);
	assert_view(kh_tainted_open(result.content), "{\"results\":[]}");
	result = looking_run(t, &tools, "{\"query\":\"\\\"x; DROP TABLE people\\\"\",\"scope\":\"database\"}", NULL);
	assert_view(kh_tainted_open(result.content), "{\"results\":[]}");
	result = looking_run(t, &tools, "{\"query\":\"** %%\",\"scope\":\"database\"}", NULL);
	assert_int_equal(result.end, KH_ERRAND_FAILED);
	assert_view(result.why, "the query has no word that could be looked for");
}

/* A table that cannot be asked is told of, and the others are searched all the same. */
static void test_one_fails(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t);

	config.search.tables.n = 2;
	struct kh_errand_result result = looking_run(t, &tools, "{\"query\":\"boats\",\"scope\":\"database\"}", NULL);
	assert_int_equal(result.end, KH_ERRAND_OK);
	assert_true(looking_has(&result, "Grace"));
	assert_true(looking_says(&result, "\"database\":\"gone\",\"table\":\"people\",\"failed\":"));
	config.search.tables.n = 1;
	tables[0] = tables[1];
	result = looking_run(t, &tools, "{\"query\":\"boats\",\"scope\":\"database\"}", NULL);
	assert_int_equal(result.end, KH_ERRAND_FAILED);
	assert_true(result.why.n > 0);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_statement),    KH_TEST(test_pattern),        KH_TEST_ONCE(test_rows),
	KH_TEST_ONCE(test_hostile), KH_TEST_ONCE(test_one_fails),
};

EXECUTOR_TEST_MAIN(cases)
