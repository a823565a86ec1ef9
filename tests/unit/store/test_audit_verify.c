/* Verification of events, chains and checkpoints: what somebody with the file could do to it is found (L3). */
#include "history.h"

#include <stdio.h>
#include <stdlib.h>

static void expect(struct kh_test *t, struct kh_history *h, const char *code, int64_t event, int64_t chain)
{
	struct kh_verify v = kh_history_verify(t, h, false);

	if (v.code == NULL || strcmp(v.code, code) != 0 || v.event != event || v.chain != chain)
		print_error("%s, event %lld, chain %lld: %.*s\n", v.code, (long long)v.event, (long long)v.chain,
			    KH_FMT(v.detail));
	assert_false(v.good);
	assert_string_equal(v.code, code);
	assert_int_equal(v.event, event);
	assert_int_equal(v.chain, chain);
	assert_int_not_equal(v.detail.n, 0);
}

/* A store that nobody touched is good, and its figures are what it has. */
static void test_good(struct kh_test *t)
{
	struct kh_history *h = kh_history_fresh();
	struct kh_verify v = kh_history_verify(t, h, false);

	if (!v.good)
		print_error("%s, event %lld: %.*s\n", v.code, (long long)v.event, KH_FMT(v.detail));
	assert_true(v.good);
	assert_null(v.code);
	assert_int_equal(v.events, 22);
	assert_int_equal(v.chains, 3);
	assert_int_equal(v.checkpoints, 2);
	assert_int_equal(v.covered, 20);
	assert_int_not_equal(v.bytes, 0);
}

/* An empty store has nothing wrong with it, and neither has one that has only begun. */
static void test_only_begun(struct kh_test *t)
{
	struct kh_history h;

	kh_history_begin(&h);
	struct kh_verify v = {.arena = &t->arena};
	enum kh_err e = kh_verify_store(h.store, &v, &t->err);
	kh_history_remove(&h);
	must(t, e);
	assert_true(v.good);
	assert_int_equal(v.events, 1);
	assert_int_equal(v.checkpoints, 0);
	assert_int_equal(v.covered, 0);
}

static void test_removed(struct kh_test *t)
{
	struct kh_history *h = kh_history_fresh();

	kh_history_sql(h, "DELETE FROM task_audits WHERE id = 9");
	expect(t, h, "event_missing", 9, 0);
	h = kh_history_fresh();
	kh_history_sql(h, "DELETE FROM system_logs WHERE id = 1");
	expect(t, h, "event_missing", 1, 0);
}

/* Cut off at the end: after the last checkpoint by the rows' heads, before it by the checkpoint. */
static void test_truncated(struct kh_test *t)
{
	struct kh_history *h = kh_history_fresh();

	kh_history_sql(h, "DELETE FROM system_logs WHERE id >= 22");
	expect(t, h, "event_missing", 21, 0);
	h = kh_history_fresh();
	kh_history_sql(h, "DELETE FROM system_logs WHERE id >= 20; DELETE FROM task_audits WHERE id >= 20");
	expect(t, h, "event_missing", 19, 0);
}

static void test_swapped(struct kh_test *t)
{
	struct kh_history *h = kh_history_fresh();

	/* The rows change places, bodies, hashes and all. */
	kh_history_sql(h, "UPDATE task_audits SET id = 1000 WHERE id = 7; UPDATE task_audits SET id = 7 WHERE id = 8;"
			  "UPDATE task_audits SET id = 8 WHERE id = 1000");
	expect(t, h, "event_link", 7, 1);
	h = kh_history_fresh();
	/* With the columns of their new places. */
	kh_history_sql(h, "UPDATE task_audits SET id = 1000 WHERE id = 7; UPDATE task_audits SET id = 7 WHERE id = 8;"
			  "UPDATE task_audits SET id = 8 WHERE id = 1000;"
			  "UPDATE task_audits SET n = 1000 WHERE id = 8;"
			  "UPDATE task_audits SET n = 3, prev = 6 WHERE id = 7;"
			  "UPDATE task_audits SET n = 4, prev = 7 WHERE id = 8");
	expect(t, h, "event_columns", 7, 1);
}

/* An event of one chain put into the other's table and chain. */
static void test_moved_to_other_chain(struct kh_test *t)
{
	struct kh_history *h = kh_history_fresh();

	kh_history_sql(h, "UPDATE task_audits SET chain = 3, n = 1, prev = 0 WHERE id = 7");
	expect(t, h, "event_columns", 7, 3);
}

/* Every column of every event, each changed to something that could be. */
static void test_columns(struct kh_test *t)
{
	static const char *const all[] = {
		"chain = chain + 5",   "n = n + 100",
		"prev = prev - 1",     "at = at + 1",
		"\"by\" = 1",          "kind = 'alert'",
		"hash = zeroblob(32)", "body = replace(body, '\"set\"', '\"sat\"')",
		"body = ''",
	};
	char sql[160];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_history *h = kh_history_fresh();
		snprintf(sql, sizeof(sql), "UPDATE task_audits SET %s WHERE id = 8", all[i]);
		kh_history_sql(h, sql);
		struct kh_verify v = kh_history_verify(t, h, false);
		assert_false(v.good);
		assert_int_equal(v.event, 8);
	}
}

/* Every byte of a body. */
static void test_body_bytes(struct kh_test *t)
{
	struct kh_history *h = kh_history_fresh();
	sqlite3 *db = kh_history_connect(h);
	sqlite3_stmt *get, *set;

	assert_int_equal(
		sqlite3_prepare_v2(db, "SELECT CAST(body AS BLOB) FROM task_audits WHERE id = 8", -1, &get, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(get), SQLITE_ROW);
	size_t n = (size_t)sqlite3_column_bytes(get, 0);
	char *body = malloc(n);
	memcpy(body, sqlite3_column_blob(get, 0), n);
	sqlite3_finalize(get);
	assert_int_equal(sqlite3_prepare_v2(db, "UPDATE task_audits SET body = ? WHERE id = 8", -1, &set, NULL),
			 SQLITE_OK);
	for (size_t i = 0; i < n; i++) {
		body[i] ^= 1;
		sqlite3_bind_text(set, 1, body, (int)n, SQLITE_TRANSIENT);
		assert_int_equal(sqlite3_step(set), SQLITE_DONE);
		sqlite3_reset(set);
		struct kh_verify v = kh_history_verify(t, h, false);
		assert_false(v.good);
		assert_string_equal(v.code, "event_changed");
		assert_int_equal(v.event, 8);
		body[i] ^= 1;
	}
	free(body);
	sqlite3_finalize(set);
	sqlite3_close(db);
}

/* The heads in the rows, by which what comes after the last checkpoint is held. */
static void test_heads(struct kh_test *t)
{
	static const struct {
		const char *sql, *code;
		int64_t event, chain;
	} all[] = {
		{"UPDATE tasks SET audit_n = audit_n + 1 WHERE id = 1", "event_missing", 19, 1},
		{"UPDATE tasks SET audit_n = audit_n - 1 WHERE id = 1", "chain_end", 19, 1},
		{"UPDATE tasks SET audit_last = 3 WHERE id = 1", "chain_end", 19, 1},
		{"UPDATE tasks SET audit_head = zeroblob(32) WHERE id = 2", "chain_end", 17, 2},
		{"UPDATE system SET audit_last = 3", "chain_end", 22, 0},
		{"UPDATE system SET audit_head = zeroblob(32)", "chain_end", 22, 0},
		{"DELETE FROM tasks WHERE id = 2", "chain_end", 17, 2},
		{"DELETE FROM system", "checkpoint_signature", 0, 0},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_history *h = kh_history_fresh();
		kh_history_sql(h, all[i].sql);
		expect(t, h, all[i].code, all[i].event, all[i].chain);
	}
}

static void test_checkpoints(struct kh_test *t)
{
	static const struct {
		const char *sql, *code;
		int64_t event;
	} all[] = {
		{"DELETE FROM checkpoints WHERE id = 1", "checkpoint_missing", 0},
		{"UPDATE checkpoints SET signature = zeroblob(64) WHERE id = 2", "checkpoint_signature", 9},
		{"UPDATE checkpoints SET body = replace(body, '\"n\":2', '\"n\":3') WHERE id = 2",
		 "checkpoint_signature", 9},
		/* A second one that is the first again: signed, but not in its place. */
		{"DELETE FROM checkpoints WHERE id = 2; INSERT INTO checkpoints SELECT 2, signature, body FROM "
		 "checkpoints",
		 "checkpoint_order", 9},
		{"UPDATE system SET audit_key = zeroblob(32)", "checkpoint_signature", 0},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_history *h = kh_history_fresh();
		kh_history_sql(h, all[i].sql);
		expect(t, h, all[i].code, all[i].event, 0);
	}
}

/* Gives the events from FROM on new hashes and links, and the rows new heads: a forger without the key. */
static void rechain(const struct kh_history *h, int64_t from)
{
	sqlite3 *db = kh_history_connect(h);
	sqlite3_stmt *get, *set[2];
	struct kh_digest heads[3] = {{{0}}};
	struct kh_arena arena;

	kh_arena_init(&arena, &kh_alloc_system, 1U << 20);
	assert_int_equal(sqlite3_prepare_v2(db,
					    "SELECT id, chain, body, hash FROM task_audits UNION ALL "
					    "SELECT id, chain, body, hash FROM system_logs ORDER BY id",
					    -1, &get, NULL),
			 SQLITE_OK);
	assert_int_equal(
		sqlite3_prepare_v2(db, "UPDATE system_logs SET body = ?, hash = ? WHERE id = ?", -1, &set[0], NULL),
		SQLITE_OK);
	assert_int_equal(
		sqlite3_prepare_v2(db, "UPDATE task_audits SET body = ?, hash = ? WHERE id = ?", -1, &set[1], NULL),
		SQLITE_OK);
	while (sqlite3_step(get) == SQLITE_ROW) {
		int64_t id = sqlite3_column_int64(get, 0), chain = sqlite3_column_int64(get, 1);
		if (id < from) {
			memcpy(&heads[chain], sqlite3_column_blob(get, 3), 32);
			continue;
		}
		struct kh_view body = kh_arena_dup(&arena, kh_view_of((const char *)sqlite3_column_text(get, 2),
								      (size_t)sqlite3_column_bytes(get, 2)));
		struct kh_view hex = kh_canonical_hex(&arena, &heads[chain]);
		size_t at = kh_view_find(body, KH_LIT("\"prev\":\""), 0) + 8;
		char *bytes = (char *)(uintptr_t)body.p;
		memcpy(bytes + at, hex.p, 64);
		heads[chain] = kh_canonical_digest(body);
		sqlite3_stmt *s = set[chain != 0];
		sqlite3_bind_text(s, 1, body.p, (int)body.n, SQLITE_STATIC);
		sqlite3_bind_blob(s, 2, &heads[chain], 32, SQLITE_STATIC);
		sqlite3_bind_int64(s, 3, id);
		assert_int_equal(sqlite3_step(s), SQLITE_DONE);
		sqlite3_reset(s);
	}
	sqlite3_finalize(get);
	sqlite3_finalize(set[0]);
	sqlite3_finalize(set[1]);
	assert_int_equal(sqlite3_prepare_v2(db, "UPDATE tasks SET audit_head = ? WHERE id = ?", -1, &set[0], NULL),
			 SQLITE_OK);
	for (int i = 1; i <= 2; i++) {
		sqlite3_bind_blob(set[0], 1, &heads[i], 32, SQLITE_STATIC);
		sqlite3_bind_int(set[0], 2, i);
		assert_int_equal(sqlite3_step(set[0]), SQLITE_DONE);
		sqlite3_reset(set[0]);
	}
	sqlite3_finalize(set[0]);
	assert_int_equal(sqlite3_prepare_v2(db, "UPDATE system SET audit_head = ?", -1, &set[0], NULL), SQLITE_OK);
	sqlite3_bind_blob(set[0], 1, &heads[0], 32, SQLITE_STATIC);
	assert_int_equal(sqlite3_step(set[0]), SQLITE_DONE);
	sqlite3_finalize(set[0]);
	sqlite3_close(db);
	kh_arena_done(&arena);
}

/* A history written anew, without a fault in it but that nobody signed it. */
static void test_forged(struct kh_test *t)
{
	struct kh_history *h = kh_history_fresh();

	kh_history_sql(h, "UPDATE task_audits SET body = replace(body, '\"size\":27', '\"size\":28') WHERE id = 6");
	rechain(h, 6);
	expect(t, h, "checkpoint_heads", 9, 1);
	/* The same after the first checkpoint, in another chain. */
	h = kh_history_fresh();
	kh_history_sql(
		h, "UPDATE system_logs SET at = at + 1, body = replace(body, '\"at\":' || at, '\"at\":' || (at + 1)) "
		   "WHERE id = 16");
	rechain(h, 16);
	expect(t, h, "checkpoint_heads", 20, 0);
}

/* Without its checkpoints such a history would pass, unless the key or a witness is known. */
static void test_wrong_key(struct kh_test *t)
{
	struct kh_history *h = kh_history_fresh();
	struct kh_digest other = kh_canonical_digest(KH_LIT("another"));
	struct kh_verify v = {.audit_key = &other, .arena = &t->arena};
	struct kh_verify right = {.audit_key = &h->key.public, .arena = &t->arena};

	kh_history_open(h);
	enum kh_err e = kh_verify_store(h->store, &v, &t->err);
	enum kh_err f = kh_verify_store(h->store, &right, &t->err);
	kh_history_close(h);
	must(t, e);
	must(t, f);
	assert_false(v.good);
	assert_string_equal(v.code, "audit_key_other");
	assert_true(right.good);
}

static struct kh_verify against(struct kh_test *t, struct kh_history *h, const char *lines)
{
	struct kh_verify v = {.witness = kh_view_str(lines), .has_witness = true, .arena = &t->arena};

	kh_history_open(h);
	enum kh_err e = kh_verify_store(h->store, &v, &t->err);
	kh_history_close(h);
	must(t, e);
	return v;
}

/* An older copy of the store, or one whose end was signed anew, against what a witness has. */
static void test_against_witness(struct kh_test *t)
{
	struct kh_history *h = kh_history_fresh();
	char lines[sizeof(h->lines) + 64];

	assert_true(against(t, h, h->lines).good);
	assert_string_equal(against(t, h, "nothing\nof use\n").code, "witness_unreadable");
	snprintf(lines, sizeof(lines), "Nov 15 08:00:00 host keyhole: %s{\"checkpoint\":", h->lines);
	assert_true(against(t, h, lines).good); /* syslog's prefix, and a line that was cut */
	/* Back to before the second checkpoint, with all that hangs on it: good in itself. */
	kh_history_sql(h, "DELETE FROM checkpoints WHERE id = 2");
	assert_true(kh_history_verify(t, h, false).good);
	struct kh_verify v = against(t, h, h->lines);
	assert_false(v.good);
	assert_string_equal(v.code, "store_older");
	/* And another one signed in its place. */
	kh_history_open(h);
	kh_history_checkpoint(h);
	kh_history_close(h);
	h->lines[strlen(h->lines)] = '\0';
	char *first = h->lines, *second = strchr(first, '\n') + 1, *third = strchr(second, '\n') + 1;
	char old[1024];
	snprintf(old, sizeof(old), "%.*s", (int)(third - first), first);
	v = against(t, h, old);
	assert_false(v.good);
	assert_string_equal(v.code, "store_forked");
}

/* The system's chain says which tasks there are. */
static void test_listing(struct kh_test *t)
{
	struct kh_history *h = kh_history_fresh();

	/* A task that was opened, and of which nothing is left. */
	kh_history_sql(h, "DELETE FROM checkpoints; UPDATE system_logs SET "
			  "body = replace(body, '\"task\":2', '\"task\":3') WHERE id = 16");
	rechain(h, 16);
	expect(t, h, "chain_missing", 0, 3);
	/* One of which the system's chain knows nothing. */
	h = kh_history_fresh();
	kh_history_sql(h, "DELETE FROM checkpoints; UPDATE system_logs SET kind = 'alert', "
			  "body = replace(body, 'task.listed', 'alert') WHERE id = 16");
	rechain(h, 16);
	expect(t, h, "chain_unlisted", 17, 2);
	/* The end that the system's chain has of a task's. */
	h = kh_history_fresh();
	kh_history_sql(h, "DELETE FROM checkpoints; UPDATE system_logs SET "
			  "body = replace(body, '\"n\":13,\"task\"', '\"n\":12,\"task\"') WHERE id = 20");
	rechain(h, 20);
	expect(t, h, "event_link", 19, 1);
	h = kh_history_fresh();
	kh_history_sql(h, "DELETE FROM checkpoints; UPDATE system_logs SET "
			  "body = replace(body, '\"task\":1', '\"tusk\":1') WHERE id = 20");
	rechain(h, 20);
	expect(t, h, "event_malformed", 20, 0);
}

struct progress {
	uint64_t calls, done, of;
};

static void progress(void *ctx, uint64_t done, uint64_t of)
{
	struct progress *p = ctx;

	assert_true(done > p->done);
	*p = (struct progress){p->calls + 1, done, of};
}

/* Many events: all are looked at, and how far it has come is told. */
static void test_many(struct kh_test *t)
{
	struct kh_history *h = kh_history_fresh();
	struct progress p = {0};
	struct kh_verify v = {.progress = progress, .ctx = &p, .arena = &t->arena};

	kh_history_open(h);
	kh_history_grow(h, 20032);
	kh_history_checkpoint(h);
	enum kh_err e = kh_verify_store(h->store, &v, &t->err);
	kh_history_close(h);
	must(t, e);
	assert_true(v.good);
	assert_int_equal(v.events, 22 + 20032);
	assert_int_equal(v.covered, 22 + 20032);
	assert_int_equal(v.checkpoints, 3);
	assert_int_equal(p.calls, 2);
	assert_int_equal(p.of, 22 + 20032);
	kh_history_sql(h, "UPDATE task_audits SET body = replace(body, '80', '81') WHERE id = 15000");
	expect(t, h, "event_changed", 15000, 2);
}

/* Whether --state finds what plain verification, which reads events alone, cannot. */
static void expect_of_state(struct kh_test *t, struct kh_history *h)
{
	assert_true(kh_history_verify(t, h, false).good);
	struct kh_verify v = kh_history_verify(t, h, true);
	assert_false(v.good);
	assert_string_equal(v.code, "store_corrupt");
	assert_int_not_equal(v.detail.n, 0);
}

/* An index that leaves rows out hides them from whoever looks for them: here, an open task. */
static void test_index_without_rows(struct kh_test *t)
{
	struct kh_history *h = kh_history_fresh();

	assert_true(kh_history_verify(t, h, true).good);
	kh_history_sql(h,
		       "PRAGMA writable_schema = ON;"
		       "UPDATE sqlite_schema SET sql = replace(sql, '''open''', '''none''') WHERE name = 'tasks_open';"
		       "PRAGMA writable_schema = RESET; REINDEX tasks_open; PRAGMA writable_schema = ON;"
		       "UPDATE sqlite_schema SET sql = replace(sql, '''none''', '''open''') WHERE name = 'tasks_open';"
		       "PRAGMA writable_schema = RESET");
	expect_of_state(t, h);
}

/* A number as text reads as the same number, and is another for every condition on it. */
static void test_number_as_text(struct kh_test *t)
{
	struct kh_history *h = kh_history_fresh();

	kh_history_sql(h, "PRAGMA writable_schema = ON; CREATE TEMP TABLE was AS SELECT sql FROM sqlite_schema WHERE "
			  "name = 'readers';"
			  "UPDATE sqlite_schema SET sql = replace(replace(sql, 'STRICT', ''), 'queries_1 INTEGER', "
			  "'queries_1 BLOB') WHERE name = 'readers';"
			  "PRAGMA writable_schema = RESET; PRAGMA ignore_check_constraints = ON;"
			  "UPDATE readers SET queries_1 = CAST(queries_1 AS TEXT); PRAGMA writable_schema = ON;"
			  "UPDATE sqlite_schema SET sql = (SELECT sql FROM was) WHERE name = 'readers';"
			  "PRAGMA writable_schema = RESET");
	expect_of_state(t, h);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_good),
	KH_TEST(test_only_begun),
	KH_TEST(test_removed),
	KH_TEST(test_truncated),
	KH_TEST(test_swapped),
	KH_TEST(test_moved_to_other_chain),
	KH_TEST_ONCE(test_columns),
	KH_TEST_ONCE(test_body_bytes),
	KH_TEST_ONCE(test_heads),
	KH_TEST_ONCE(test_checkpoints),
	KH_TEST_ONCE(test_forged),
	KH_TEST(test_wrong_key),
	KH_TEST_ONCE(test_against_witness),
	KH_TEST_ONCE(test_listing),
	KH_TEST_ONCE(test_many),
	KH_TEST(test_index_without_rows),
	KH_TEST(test_number_as_text),
};
KH_TEST_MAIN(cases)
