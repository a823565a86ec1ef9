/* A store in a folder of its own, and valid rows of every table to put into it. */
#ifndef KH_TESTS_STORE_OPENED_H
#define KH_TESTS_STORE_OPENED_H

#include "harness.h"
#include "store/backend.h"
#include "store/sqlite/sqlite.h"
#include "store/txn.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct opened {
	char folder[64];
	char path[80];
	struct kh_store *store;
	struct kh_error err;
};

static inline void opened_folder(struct opened *o)
{
	memset(o, 0, sizeof(*o));
	snprintf(o->folder, sizeof(o->folder), "/tmp/kh-store-XXXXXX");
	assert_non_null(mkdtemp(o->folder));
	snprintf(o->path, sizeof(o->path), "%s/db", o->folder);
}

static inline void opened_open(struct opened *o, enum kh_store_mode mode)
{
	enum kh_err e = kh_store_open(&kh_sqlite_backend, o->path, mode, &o->store, &o->err);

	if (e != KH_OK)
		fail_msg("kh_store_open: %s: %s", o->err.code, o->err.detail);
}

static inline void opened_new(struct opened *o)
{
	opened_folder(o);
	opened_open(o, KH_STORE_CREATE);
}

static inline void opened_remove(struct opened *o)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-holders", "-journal", "-reserve"};
	char name[128];

	kh_store_close(o->store);
	o->store = NULL;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", o->path, suffixes[i]);
		unlink(name);
	}
	assert_int_equal(rmdir(o->folder), 0); /* nothing else was left behind */
}

/* Runs SQL on the file itself, past the store. */
static inline int opened_sql(struct opened *o, const char *sql)
{
	sqlite3 *db;
	int rc = sqlite3_open_v2(o->path, &db, SQLITE_OPEN_READWRITE, NULL);

	assert_int_equal(rc, SQLITE_OK);
	sqlite3_extended_result_codes(db, 1);
	sqlite3_busy_timeout(db, 5000);
	assert_int_equal(sqlite3_exec(db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL), SQLITE_OK);
	rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_close(db);
	return rc;
}

/* Room for a row of any table. */
union opened_row {
	int64_t id;
	struct kh_system_row system;
	struct kh_token_row token;
	struct kh_context_row context;
	struct kh_task_row task;
	struct kh_block_row block;
	struct kh_query_row query;
	struct kh_effect_row effect;
	struct kh_approval_row approval;
	struct kh_showing_row showing;
	struct kh_reader_row reader;
	struct kh_need_row need;
	struct kh_declaration_row declaration;
	struct kh_result_row result;
	struct kh_rate_row rate;
	struct kh_sent_row sent;
	struct kh_upstream_row upstream;
	struct kh_tool_row tool;
	struct kh_dealing_row dealing;
	struct kh_lease_row lease;
};

static inline void opened_column(const struct kh_column *c, struct kh_arena *arena, int64_t id, void *row)
{
	unsigned word = c->kind == KH_COLUMN_WORD ? (unsigned)(id % (int64_t)c->words->n) : 0;
	char *at = (char *)row + c->offset;
	struct kh_view v;

	switch (c->kind) {
	case KH_COLUMN_INT:
		memcpy(at, &(int64_t){id > 1}, sizeof(int64_t)); /* also the first row of whatever it refers to */
		break;
	case KH_COLUMN_WORD:
		memcpy(at, &word, sizeof(word));
		break;
	case KH_COLUMN_TEXT:
		v = kh_arena_printf(arena, "%s \xc3\xa9 %d", c->name, (int)id);
		memcpy(at, &v, sizeof(v));
		break;
	case KH_COLUMN_SEALED:
		v = kh_arena_printf(arena, "%c\xff%s", 0, c->name);
		memcpy(at, &v, sizeof(v));
		break;
	case KH_COLUMN_DIGEST:
		memset(at, (int)(id * 16 + c->name[0]), KH_DIGEST_SIZE);
		break;
	}
}

/* A row with this id that breaks no constraint; what it refers to is the first row of its table. */
static inline void opened_fill(enum kh_table table, struct kh_arena *arena, int64_t id, union opened_row *row)
{
	const struct kh_record *record = kh_record_of(table);

	memset(row, 0, sizeof(*row));
	row->id = id;
	for (size_t i = 0; i < record->count; i++)
		opened_column(&record->columns[i], arena, id, row);
	switch (table) {
	case KH_TABLE_CONTEXTS:
		row->context.budget = (struct kh_budget){6, 1, 2, 3, 4};
		break;
	case KH_TABLE_TASKS:
		row->task.context = 1;
		row->task.budget = (struct kh_budget){6, 1, 2, 3, 4};
		break;
	case KH_TABLE_BLOCKS:
		row->block.context = 1;
		row->block.trust = KH_UNTRUSTED;
		row->block.type = KH_DATA;
		row->block.kind = KH_BLOCK_SEALED;
		row->block.purged_at = 0;
		break;
	case KH_TABLE_QUERIES:
		row->query.task = row->query.context = row->query.n = row->query.category = 1;
		row->query.state = KH_QUERY_ASKING;
		row->query.outcome = KH_OUTCOME_NONE;
		row->query.event = 0;
		break;
	case KH_TABLE_EFFECTS:
		row->effect.task = row->effect.query = 1;
		row->effect.purged_at = 0;
		break;
	case KH_TABLE_APPROVALS:
		row->approval.state = KH_APPROVAL_APPROVED;
		break;
	case KH_TABLE_SHOWINGS:
		row->showing.approval = row->showing.token = row->showing.page = 1;
		break;
	case KH_TABLE_NEEDS:
		row->need.task = row->need.lowest = 1;
		break;
	case KH_TABLE_DECLARATIONS:
		row->declaration.task = row->declaration.context = 1;
		row->declaration.state = KH_DECLARATION_DECLARED;
		row->declaration.ended = KH_ENDED_NOT;
		row->declaration.block = row->declaration.working = row->declaration.fault = 0;
		break;
	case KH_TABLE_RESULTS:
		row->result.task = row->result.declaration = 1;
		row->result.purged_at = 0;
		break;
	case KH_TABLE_RATES:
		row->rate.context = 1;
		break;
	case KH_TABLE_SENT:
		row->sent.token = 1;
		break;
	case KH_TABLE_TOOLS:
		row->tool.upstream = 1;
		row->tool.seen_hash = row->tool.pinned_hash;
		break;
	case KH_TABLE_DEALINGS:
		row->dealing.context = 1;
		row->dealing.tainted = row->dealing.carried = id % 2;
		break;
	case KH_TABLE_SYSTEM:
	case KH_TABLE_TOKENS:
	case KH_TABLE_READERS:
	case KH_TABLE_UPSTREAMS:
	case KH_TABLE_LEASES:
	case KH_TABLE_COUNT:
		break;
	}
}

/* The tables in an order in which a row's references are there before it. */
static const enum kh_table opened_order[] = {
	KH_TABLE_SYSTEM,    KH_TABLE_TOKENS,       KH_TABLE_CONTEXTS,  KH_TABLE_TASKS,    KH_TABLE_QUERIES,
	KH_TABLE_BLOCKS,    KH_TABLE_EFFECTS,      KH_TABLE_APPROVALS, KH_TABLE_SHOWINGS, KH_TABLE_READERS,
	KH_TABLE_NEEDS,     KH_TABLE_DECLARATIONS, KH_TABLE_RESULTS,   KH_TABLE_RATES,    KH_TABLE_SENT,
	KH_TABLE_UPSTREAMS, KH_TABLE_TOOLS,        KH_TABLE_DEALINGS,  KH_TABLE_LEASES,
};

/* An operation that inserts the first row of every table. */
static inline enum kh_err opened_first_rows(struct kh_txn *txn, void *arg)
{
	union opened_row row;
	enum kh_err e = KH_OK;

	kh_arena_clear(arg);
	for (size_t i = 0; i < KH_TABLE_COUNT && e == KH_OK; i++) {
		opened_fill(opened_order[i], arg, 1, &row);
		e = txn->backend->insert(txn, opened_order[i], &row);
	}
	return e;
}

#define must_store(o, e)                                                                                               \
	do {                                                                                                           \
		enum kh_err must_e = (e);                                                                              \
		if (must_e != KH_OK)                                                                                   \
			fail_msg("%s:%d: %d %s: %s", __FILE__, __LINE__, (int)must_e, (o)->err.code, (o)->err.detail); \
	} while (0)

#define must_store_fail(o, want, word, e)                                         \
	do {                                                                      \
		assert_int_equal((e), (want));                                    \
		assert_string_equal((o)->err.code ? (o)->err.code : "-", (word)); \
	} while (0)

#endif
