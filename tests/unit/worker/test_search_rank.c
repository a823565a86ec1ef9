/* E9: the better a document fits, the higher its score; how long it is counts too. */
#include "searching.h"

#include "worker/search/rank.h"

static void test_lengths(struct kh_test *t)
{
	(void)t;
	assert_int_equal(kh_search_rank_length(0), 0);
	assert_int_equal(kh_search_rank_length(64), 0);
	assert_int_equal(kh_search_rank_length(65), 1);
	assert_int_equal(kh_search_rank_length(4096), 6);
	assert_int_equal(kh_search_rank_length(SIZE_MAX), (1 << KH_SEARCH_RANK_BITS) - 1);
}

/* Documents by how well they fit WORDS. */
static const char *order(struct kh_test *t, const char *words)
{
	static char text[64];
	sqlite3 *db = NULL;
	sqlite3_stmt *stmt = NULL;
	size_t n = 0;

	must(t, kh_search_store_write(searching_index, false, &db, &t->err));
	must(t, kh_search_rank_add(db, &t->err));
	must(t, kh_search_store_prepare(
			db, "SELECT rowid >> 4, score(docs) AS s FROM docs WHERE docs MATCH ?1 ORDER BY s DESC", &stmt,
			&t->err));
	sqlite3_bind_text(stmt, 1, words, -1, SQLITE_STATIC);
	while (sqlite3_step(stmt) == SQLITE_ROW)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%d ", sqlite3_column_int(stmt, 0));
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	text[n > 0 ? n - 1 : 0] = '\0';
	return text;
}

static void put(sqlite3 *db, int id, int length, const char *title, const char *body)
{
	char sql[512];

	snprintf(sql, sizeof(sql), "INSERT INTO docs(rowid, title, name, body) VALUES(%d, '%s', 'n', '%s')",
		 id << 4 | length, title, body);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static void test_order(struct kh_test *t)
{
	sqlite3 *db = NULL;

	searching_new();
	must(t, kh_search_store_write(searching_index, false, &db, &t->err));
	put(db, 1, 1, "x", "apple pear plum");
	put(db, 2, 1, "x", "apple apple plum");
	put(db, 3, 1, "apple", "plum plum plum");
	put(db, 4, 9, "x", "apple pear plum"); /* a long one */
	for (int i = 5; i < 15; i++)
		put(db, i, 1, "x", "plum plum");
	sqlite3_close(db);
	assert_string_equal(order(t, "apple"), "3 2 1 4");
	assert_string_equal(order(t, "pear"), "1 4");
	assert_string_equal(order(t, "apple OR pear"), "3 1 2 4");
	assert_string_equal(order(t, "zeppelin"), "");
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_lengths), KH_TEST_ONCE(test_order)};

KH_TEST_MAIN(cases)
