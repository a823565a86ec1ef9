/*
 * Statements and jobs of comm.query (E9): whatever the text is, it is taken or refused, and what is taken is one
 * statement for SQLite itself too; names become places and nothing else changes; a job is read strictly.
 */
#include "fuzz.h"

#include "worker/sql/sqljob.h"
#include "worker/sql/sqltext.h"

#include <sqlite3.h>

#define MEMORY (64U << 20)

/* Behind what SQLite takes as the first statement there is nothing that it would run. */
static void check_one(struct kh_view sql)
{
	static sqlite3 *db;
	sqlite3_stmt *first = NULL, *second = NULL;
	const char *tail = NULL;

	if (db == NULL) {
		HOLDS(sqlite3_open(":memory:", &db) == SQLITE_OK);
		sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 100);
		sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 20);
		sqlite3_limit(db, SQLITE_LIMIT_VDBE_OP, 10000);
	}
	int rc = sqlite3_prepare_v2(db, sql.p, (int)sql.n, &first, &tail);
	if (rc == SQLITE_OK && first != NULL && tail != NULL) {
		size_t left = sql.n - (size_t)(tail - sql.p);

		HOLDS(sqlite3_prepare_v2(db, tail, (int)left, &second, NULL) == SQLITE_OK && second == NULL);
	}
	sqlite3_finalize(second);
	sqlite3_finalize(first);
}

static void check_bind(struct kh_arena *arena, struct kh_view sql)
{
	struct kh_sqltext_bound bound;
	yyjson_val *params;

	if (kh_json_read(arena, KH_LIT("{\"a\":1,\"name\":\"x\"}"), &params, NULL) != KH_OK)
		return;
	enum kh_err e = kh_sqltext_bind(arena, sql, params, &bound, NULL);
	HOLDS(e == KH_OK || e == KH_EREFUSED || e == KH_ENOMEM || e == KH_ELIMIT);
	if (e == KH_OK) {
		HOLDS(bound.count == 2);
		HOLDS(bound.sql.n <= sql.n + 64 || bound.sql.n <= 2 * sql.n);
	}
}

static void check_job(struct kh_arena *arena, struct kh_view text)
{
	struct kh_sqljob job;
	yyjson_val *root;

	if (kh_json_read(arena, text, &root, NULL) != KH_OK)
		return;
	if (kh_sqljob_read(arena, root, &job, NULL) != KH_OK)
		return;
	HOLDS((job.file.n > 0) != (job.host.n > 0));
	HOLDS(job.file.n == 0 || job.file.p[0] == '/');
	HOLDS(job.rows > 0 && job.rows <= KH_SQLJOB_ROWS && job.bytes > 0 && job.bytes <= KH_SQLJOB_BYTES);
	HOLDS(job.seconds > 0 && job.seconds <= KH_SQLJOB_SECONDS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view text = kh_fuzz_view(data, size);
	struct kh_arena arena;

	kh_arena_init(&arena, &kh_alloc_system, MEMORY);
	if (kh_sqltext_check(&arena, text, KH_SQLTEXT_SQLITE, NULL) == KH_OK)
		check_one(text);
	if (kh_sqltext_check(&arena, text, KH_SQLTEXT_POSTGRES, NULL) == KH_OK)
		check_bind(&arena, text);
	check_job(&arena, text);
	kh_arena_done(&arena);
	return 0;
}
