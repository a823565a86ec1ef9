/* E9: a statement for a database of the configuration, over an executor without sandboxes. */
#include "looking.h"

#include "errand/statement.h"

#include <sqlite3.h>

static struct kh_config_database databases[3];
static struct kh_config config;
static struct kh_view passwords[3];
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
	assert_int_equal(
		sqlite3_exec(db, "CREATE TABLE t(a, b); INSERT INTO t VALUES (1, 'x'), (2, NULL)", NULL, NULL, NULL),
		SQLITE_OK);
	sqlite3_close(db);
	databases[0] = (struct kh_config_database){
		.name = KH_LIT("crm"), .file = kh_view_str(file), .seconds = 10, .rows = 100, .bytes = 65536};
	databases[1] = (struct kh_config_database){.name = KH_LIT("far"),
						   .host = KH_LIT("db.example.com"),
						   .port = 5432,
						   .dbname = KH_LIT("sales"),
						   .user = KH_LIT("agent"),
						   .seconds = 10,
						   .rows = 100,
						   .bytes = 65536};
	databases[2] = databases[1];
	databases[2].name = KH_LIT("near");
	databases[2].host = KH_LIT("/run/postgresql");
	passwords[1] = KH_LIT("sesame");
	config = (struct kh_config){.databases = {databases, 3}};
	struct kh_errand_tools tools = looking_tools(t, &config);
	tools.passwords = passwords;
	return tools;
}

static void test_rows(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t);
	struct kh_statement statement = {.database = &databases[0], .sql = KH_LIT("SELECT a, b FROM t WHERE a >= ?")};
	struct kh_statement_result got;

	must(t, kh_json_read(&t->arena, KH_LIT("[2]"), &statement.params, &t->err));
	must(t, kh_statement_run(&tools, &statement, &t->arena, &got));
	assert_true(got.done);
	assert_int_equal(yyjson_arr_size(got.columns), 2);
	assert_int_equal(yyjson_arr_size(got.rows), 1);
	assert_int_equal(yyjson_get_int(yyjson_arr_get(yyjson_arr_get_first(got.rows), 0)), 2);
	assert_false(got.truncated);
}

/* A refusal is an end like any other, with the worker's word and a sentence. */
static void test_refused(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t);
	struct kh_statement statement = {.database = &databases[0], .sql = KH_LIT("DELETE FROM t")};
	struct kh_statement_result got;

	must(t, kh_statement_run(&tools, &statement, &t->arena, &got));
	assert_false(got.done);
	assert_view(kh_tainted_open(got.code), "statement_refused");
	assert_true(kh_view_find(got.why, KH_LIT("begins with SELECT"), 0) != SIZE_MAX);
	/* This executor connects nobody. */
	statement.database = &databases[1];
	statement.password = kh_statement_password(&tools, &databases[1]);
	statement.sql = KH_LIT("SELECT 1");
	must(t, kh_statement_run(&tools, &statement, &t->arena, &got));
	assert_false(got.done);
	assert_true(kh_view_find(got.why, KH_LIT("sesame"), 0) == SIZE_MAX);
}

/* E12: where it came from, without user and password. */
static void test_source(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t);
	struct kh_view source[3];

	for (size_t i = 0; i < 3; i++)
		source[i] = kh_statement_source(&t->arena, &databases[i]);
	must(t, kh_arena_check(&t->arena));
	assert_view(source[0], "database crm");
	assert_view(source[1], "postgresql://db.example.com/sales");
	assert_view(source[2], "database near");
	assert_view(kh_statement_password(&tools, &databases[1]), "sesame");
	tools.passwords = NULL;
	assert_int_equal(kh_statement_password(&tools, &databases[1]).n, 0);
}

static const struct kh_test_case cases[] = {KH_TEST(test_rows), KH_TEST(test_refused), KH_TEST(test_source)};
EXECUTOR_TEST_MAIN(cases)
