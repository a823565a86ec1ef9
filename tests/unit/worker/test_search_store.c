/* E9: the index's file: made where there is none, thrown away where it cannot be used, read by who may not write. */
#include "searching.h"

static const char *file(const char *suffix)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/" KH_SEARCH_STORE_FILE "%s", searching_index, suffix);
	return path;
}

static void open_and_close(struct kh_test *t)
{
	sqlite3 *db = NULL;

	must(t, kh_search_store_write(searching_index, false, &db, &t->err));
	sqlite3_close(db);
}

static int64_t documents(struct kh_test *t)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *stmt = NULL;

	must(t, kh_search_store_read(searching_index, &db, &t->err));
	must(t, kh_search_store_prepare(db, "SELECT count(*) FROM docs", &stmt, &t->err));
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	int64_t n = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return n;
}

static void add_document(struct kh_test *t)
{
	sqlite3 *db = NULL;

	must(t, kh_search_store_write(searching_index, false, &db, &t->err));
	must(t, kh_search_store_exec(db, "INSERT INTO docs(title, body) VALUES('a', 'b')", &t->err));
	sqlite3_close(db);
}

static void test_missing(struct kh_test *t)
{
	sqlite3 *db = NULL;

	searching_new();
	must_fail(t, KH_EREFUSED, kh_search_store_read(searching_index, &db, &t->err));
	assert_string_equal(t->err.code, "index_missing");
	open_and_close(t);
	assert_int_equal(documents(t), 0);
}

static void overwrite(const char *path, off_t from, size_t n)
{
	char noise[4096];
	int fd = open(path, O_WRONLY);

	memset(noise, 0x5a, sizeof(noise));
	assert_true(fd >= 0);
	for (size_t i = 0; i < n; i += sizeof(noise))
		assert_true(pwrite(fd, noise, sizeof(noise), from + (off_t)i) > 0);
	close(fd);
}

/* Whatever is there in its place, there is a good index afterwards. */
static void test_damaged(struct kh_test *t)
{
	sqlite3 *db = NULL;

	searching_new();
	add_document(t);
	assert_int_equal(documents(t), 1);
	overwrite(file(""), 0, 4096);
	must_fail(t, KH_EREFUSED, kh_search_store_read(searching_index, &db, &t->err));
	assert_string_equal(t->err.code, "index_corrupt");
	open_and_close(t);
	assert_int_equal(documents(t), 0);

	add_document(t);
	assert_int_equal(truncate(file(""), 100), 0);
	open_and_close(t);
	assert_int_equal(documents(t), 0);
}

static void test_other_version(struct kh_test *t)
{
	sqlite3 *db = NULL;

	searching_new();
	add_document(t);
	assert_int_equal(sqlite3_open(file(""), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 99", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	open_and_close(t); /* which leaves its log there again */
	assert_int_equal(documents(t), 0);
}

static void test_rebuild(struct kh_test *t)
{
	sqlite3 *db = NULL;

	searching_new();
	add_document(t);
	must(t, kh_search_store_write(searching_index, true, &db, &t->err));
	sqlite3_close(db);
	assert_int_equal(documents(t), 0);
}

static void test_cannot(struct kh_test *t)
{
	sqlite3 *db = NULL;

	searching_new();
	must_fail(t, KH_EREFUSED, kh_search_store_write("/nowhere/at/all", false, &db, &t->err));
	assert_string_equal(t->err.code, "index_failed");
	must_fail(t, KH_EREFUSED, kh_search_store_read("/nowhere/at/all", &db, &t->err));
	assert_string_equal(t->err.code, "index_missing");
}

static void test_keys(struct kh_test *t)
{
	struct kh_view key = kh_search_store_key(&t->arena, KH_LIT("/a/b/"));

	must(t, kh_arena_check(&t->arena));
	assert_true(kh_view_eq(key, kh_view_of("\0a\0b", 4)));
	struct kh_view path = kh_search_store_path(&t->arena, key);
	must(t, kh_arena_check(&t->arena));
	assert_view(path, "/a/b");
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_missing), KH_TEST_ONCE(test_damaged), KH_TEST_ONCE(test_other_version),
	KH_TEST_ONCE(test_rebuild), KH_TEST_ONCE(test_cannot),  KH_TEST(test_keys),
};

KH_TEST_MAIN(cases)
