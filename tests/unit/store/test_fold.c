/* The state is the fold of the events: changing any field of any row is found (L3). */
#include "history.h"
#include "store/fold.h"

#include <stdio.h>
#include <stdlib.h>

/* The rows as they were written are what the events say, and obey the rules. */
static void test_fold_good(struct kh_test *t)
{
	struct kh_verify v = kh_history_verify(t, kh_history_fresh(), true);

	if (!v.good)
		print_error("%s, event %lld: %.*s\n", v.code, (long long)v.event, KH_FMT(v.detail));
	assert_true(v.good);
	assert_int_equal(v.events, 22);
	/* system, 3 tokens, context, 2 tasks, 2 blocks, 2 queries, effect, approval, showing, Reader, 2 needs */
	assert_int_equal(v.rows, 17);
}

/* Puts VALUE, or what it does to the old one, into a column, looks, and puts the old one back. */
static size_t spoil(struct kh_test *t, struct kh_history *h, sqlite3 *db, const char *table, const char *column,
		    sqlite3_int64 id, const char *value)
{
	char sql[512];
	sqlite3_stmt *get, *set;

	snprintf(sql, sizeof(sql), "SELECT \"%s\" FROM %s WHERE id = %lld", column, table, (long long)id);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &get, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(get), SQLITE_ROW);
	sqlite3_value *old = sqlite3_value_dup(sqlite3_column_value(get, 0));
	sqlite3_finalize(get);
	snprintf(sql, sizeof(sql), "UPDATE %s SET \"%s\" = %s WHERE id = %lld AND \"%s\" IS NOT %s", table, column,
		 value, (long long)id, column, value);
	int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
	size_t changed = rc == SQLITE_OK && sqlite3_changes(db) == 1;
	if (changed) {
		struct kh_verify v = kh_history_verify(t, h, true);
		if (v.good)
			print_error("not found: %s\n", sql);
		assert_false(v.good);
	}
	snprintf(sql, sizeof(sql), "UPDATE %s SET \"%s\" = ? WHERE id = %lld", table, column, (long long)id);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &set, NULL), SQLITE_OK);
	sqlite3_bind_value(set, 1, old);
	assert_int_equal(sqlite3_step(set), SQLITE_DONE);
	sqlite3_finalize(set);
	sqlite3_value_free(old);
	return changed;
}

/* Every way in which one column can be another: a number by one, a text or blob longer, shorter or empty, each word. */
static size_t spoil_column(struct kh_test *t, struct kh_history *h, sqlite3 *db, const char *table,
			   const struct kh_column *c, sqlite3_int64 id)
{
	static const char *const ways[][5] = {
		[KH_COLUMN_INT] = {"\"%s\" + 1", "\"%s\" - 1", "0"},
		[KH_COLUMN_TEXT] = {"\"%s\" || 'x'", "''", "substr(\"%s\", 2)"},
		[KH_COLUMN_SEALED] = {"CAST(\"%s\" || 'x' AS BLOB)", "x''", "CAST(substr(\"%s\", 2) AS BLOB)"},
		[KH_COLUMN_DIGEST] = {"CAST(substr(\"%s\", 2) || substr(\"%s\", 1, 1) AS BLOB)", "zeroblob(32)",
				      "randomblob(32)"},
	};
	char value[256];
	size_t count = 0;

	if (c->kind == KH_COLUMN_WORD) {
		for (size_t i = 0; i < c->words->n; i++) {
			snprintf(value, sizeof(value), "'%s'", c->words->at[i]);
			count += spoil(t, h, db, table, c->name, id, value);
		}
		return count + spoil(t, h, db, table, c->name, id, "'word'");
	}
	for (size_t i = 0; i < 5 && ways[c->kind][i] != NULL; i++) {
		const char *way = ways[c->kind][i];
		size_t n = 0;
		for (const char *p = way; *p != '\0' && n < sizeof(value) - 40; p++) {
			if (p[0] == '%' && p[1] == 's') {
				n += (size_t)snprintf(value + n, sizeof(value) - n, "%s", c->name);
				p++;
			} else {
				value[n++] = *p;
			}
		}
		value[n] = '\0';
		count += spoil(t, h, db, table, c->name, id, value);
	}
	return count;
}

static size_t spoil_rows(struct kh_test *t, struct kh_history *h, sqlite3 *db, const struct kh_record *record)
{
	sqlite3_int64 ids[16];
	sqlite3_stmt *get;
	char sql[128];
	size_t rows = 0, count = 0;

	snprintf(sql, sizeof(sql), "SELECT id FROM %s", record->table);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &get, NULL), SQLITE_OK);
	while (sqlite3_step(get) == SQLITE_ROW && rows < 16)
		ids[rows++] = sqlite3_column_int64(get, 0);
	sqlite3_finalize(get);
	assert_int_not_equal(rows, 0); /* no table is left out */
	for (size_t i = 0; i < rows; i++) {
		for (size_t c = 0; c < record->count; c++) {
			size_t changed = spoil_column(t, h, db, record->table, &record->columns[c], ids[i]);
			if (changed == 0)
				print_error("%s.%s could not be changed\n", record->table, record->columns[c].name);
			assert_int_not_equal(changed, 0); /* no column is left out */
			count += changed;
		}
	}
	return count;
}

static void test_every_field_of_every_row(struct kh_test *t)
{
	struct kh_history *h = kh_history_fresh();
	size_t count = 0;

	kh_history_operate(h);
	kh_history_lease(h);
	sqlite3 *db = kh_history_connect(h);
	for (enum kh_table table = 0; table < KH_TABLE_COUNT; table++) {
		count += spoil_rows(t, h, db, kh_record_of(table));
		kh_arena_clear(&t->arena);
	}
	sqlite3_close(db);
	assert_true(count > 600);
	assert_true(kh_history_verify(t, h, true).good); /* all was put back */
}

/* Rows that are gone, and rows that nobody wrote. */
static void test_rows_missing_and_added(struct kh_test *t)
{
	static const char *const all[] = {
		"DELETE FROM blocks WHERE id = 2",
		"DELETE FROM needs WHERE id = 2",
		"DELETE FROM showings",
		"DELETE FROM tokens WHERE id = 2",
		"INSERT INTO showings (id, approval, token, page, shown_at) VALUES (2, 1, 2, 1, 1)",
		"INSERT INTO needs (id, task, lowest, name) VALUES (3, 1, 1, 'need:more')",
		("INSERT INTO tokens (id, role, context, parent, created_at, expires_at, revoked_at, secret, name) "
		 "SELECT 4, 'admin', 0, 1, 1, 0, 0, secret, 'mallory' FROM tokens WHERE id = 1"),
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_history *h = kh_history_fresh();
		kh_history_sql(h, all[i]);
		struct kh_verify v = kh_history_verify(t, h, true);
		assert_false(v.good);
		assert_string_equal(v.code, "state_differs");
		assert_int_equal(v.event, 0);
		assert_int_not_equal(v.detail.n, 0);
	}
}

/* --- events that say what cannot be ------------------------------------------------------------------------------- */

/* Takes events from SQL's rows: the history as it is, but for the bodies that a test replaces. */
struct feed {
	struct kh_fold *fold;
	struct kh_verify v;
	int64_t event; /* whose body is replaced */
	const char *from, *to;
	struct kh_arena *arena;
	enum kh_err e;
	bool replaced;
};

static bool feed(const struct kh_audit_entry *entry, void *arg)
{
	static const struct kh_chain some = {.n = 1};
	struct feed *f = arg;
	struct kh_audit_entry changed = *entry;

	/* As verification tells the fold, which trusts it. */
	changed.format = kh_audit_format(entry->body);
	if (kh_view_find(entry->body, KH_LIT(",\"seen\":["), 0) != SIZE_MAX)
		changed.seen = &some;
	if (entry->id == f->event) {
		size_t at = kh_view_find(entry->body, kh_view_str(f->from), 0);
		if (at != SIZE_MAX) {
			struct kh_view head = kh_view_sub(entry->body, 0, at);
			struct kh_view tail = kh_view_from(entry->body, at + strlen(f->from));
			changed.body = kh_arena_printf(f->arena, "%.*s%s%.*s", KH_FMT(head), f->to, KH_FMT(tail));
			f->replaced = true;
		}
	}
	f->e = kh_fold_take(f->fold, &changed, &f->v, NULL);
	return f->e == KH_OK && f->v.code == NULL;
}

static enum kh_err feed_all(struct kh_txn *txn, void *arg)
{
	return kh_audit_read(txn, 0, feed, arg);
}

/* What the fold says of a history in which event EVENT says TO instead of FROM. */
static struct kh_verify replaced(struct kh_test *t, struct kh_history *h, int64_t event, const char *from,
				 const char *to)
{
	struct feed f = {.v = {.arena = &t->arena}, .event = event, .from = from, .to = to, .arena = &h->arena};
	struct kh_error err = {.code = NULL};

	must(t, kh_fold_new(&t->alloc, &f.fold, &err));
	kh_history_open(h);
	enum kh_err e = kh_store_read(h->store, feed_all, &f, &err);
	kh_history_close(h);
	kh_fold_free(f.fold);
	must(t, f.e);
	must(t, e);
	if (!f.replaced)
		print_error("event %lld does not have %s\n", (long long)event, from);
	assert_true(f.replaced);
	return f.v;
}

/* B6, B7, B19, B23, A2, A3, A6, K1, L2, L5, U1, U4: the rules, each broken by one event. */
static void test_rules(struct kh_test *t)
{
	static const struct {
		int64_t event;
		const char *from, *to, *says;
	} all[] = {
		/* budgets */
		{7, "\"remaining\":993000000", "\"remaining\":994000000", "has a budget that is not"},
		{7, "\"remaining\":993000000,\"reserved\":7000000", "\"remaining\":994000000,\"reserved\":6000000",
		 "has other microbits reserved"},
		{7, "\"remaining\":4993000000,\"reserved\":7000000", "\"remaining\":4994000000,\"reserved\":6000000",
		 "has other microbits reserved"},
		{10, "\"charged\":7000000,\"reserved\":0", "\"charged\":6000000,\"reserved\":1000000",
		 "reserved than its queries"},
		{7, "\"total_1\":7000000", "\"total_1\":7000001", "has other totals"},
		{7, "\"queries_1\":1", "\"queries_1\":2", "counts other queries"},
		{18, "\"charged\":7000000,\"ended_at\"", "\"charged\":6999999,\"ended_at\"", "charged"},
		/* taint */
		{10, "\"taint\":\"medium\",\"tainted_by\"", "\"taint\":\"high\",\"tainted_by\"", "taint"},
		{10, ",\"taint\":\"medium\"}", "}", "taint"},
		{21, ",\"taint\":\"low\"", ",\"taint\":\"medium\"", "has a taint that is not the highest"},
		/* blocks */
		{6, "\"type\":\"data\"", "\"type\":\"instruction\"", "untrusted instruction"},
		{10, "\"given\":1,", "", "taint"},
		{6, "\"trust\":\"untrusted\"", "\"trust\":\"vetted\"", "trusted more than"},
		/* queries */
		{7, "\"state\":\"asking\"", "\"state\":\"held\"", "did not begin"},
		{10, "\"event\":10,\"held\"", "\"event\":9,\"held\"", "another event than it names"},
		{10, "\"delivery\":2", "\"delivery\":1", "without its block"},
		{18, "\"outcome\":\"failed\"", "\"outcome\":\"delivered\"", "counts other deliveries"},
		{18, ",\"reason\":\"task_closed\"", ",\"reader_taint\":\"low\",\"reason\":\"task_closed\"",
		 "is another query"},
		{11, "\"escalations\":1", "\"escalations\":3", "escalations"},
		/* approvals */
		{14, "\"decided_by\":2", "\"decided_by\":3", "nobody who may"},
		{14, "\"state\":\"approved\"", "\"state\":\"used\"", "does not follow"},
		{15, "\"used\":1", "\"used\":2", "more often"},
		{14, "\"pending\":0", "\"pending\":1", "counts other"},
		/* tasks, tokens, the system */
		{6, "[\"tasks\",1,{", "[\"tokens\",1,{\"role\":\"controller\"}],[\"tasks\",1,{", "another token"},
		{6, "[\"tasks\",1,{",
		 "[\"system\",1,{\"audit_key\":"
		 "\"0000000000000000000000000000000000000000000000000000000000000000\"}],[\"tasks\",1,{",
		 "another key"},
		{14, "\"set\":[", "\"set\":[[\"showings\",1,{\"page\":2}],", "was changed"},
		{8, "\"set\":[", "\"set\":[[\"needs\",1,{\"lowest\":2}],", "is another need"},
		/* external operations */
		{24, "\"holder\":1,", "\"holder\":1,\"host\":\"evil.example\",", "another declaration"},
		{25, "{\"ended\":\"failed\"", "{\"begun_at\":5,\"ended\":\"failed\"", "or twice"},
		{24, "\"egress\":12,\"reader_egress\":34,\"remaining\"",
		 "\"egress\":13,\"reader_egress\":34,\"remaining\"", "other bytes"},
		{24, "\"reader_egress\":34,\"remaining\"", "\"reader_egress\":33,\"remaining\"", "other bytes"},
		{26, "\"set\":[", "\"set\":[[\"results\",1,{\"declaration\":2}],", "another result"},
		{26, "\"set\":[", "\"set\":[[\"rates\",1,{\"context\":2}],", "another operation"},
		{26, "\"charged\":3000000,\"state\"", "\"charged\":2000000,\"state\"", "charged"},
		{26, "\"charged\":3000000,\"state\"", "\"charged\":3000000,\"fault\":1,\"state\"",
		 "no event of its end brought"},
		/* upstream servers */
		{26, "\"set\":[", "\"set\":[[\"dealings\",1,{\"tainted\":0}],", "without a call that began"},
		{27, "\"upstream\":1", "\"state\":\"approved\",\"upstream\":1", "without a human"},
		{29, "\"state\":\"held\"", "\"state\":\"approved\"", "not what was seen"},
		{29, "[\"tools\",1,{", "[\"tools\",1,{\"alias\":\"sent\",", "another name"},
		{29, "\"set\":[", "\"set\":[[\"upstreams\",1,{\"name\":\"male\"}],", "another name"},
		{29, "\"set\":[", "\"set\":[[\"upstreams\",1,{\"state\":\"seen\"}],", "without a human"},
		{29, "\"set\":[", "\"set\":[[\"leases\",1,{\"holder\":7,\"server\":\"mail\"}],",
		 "without having been taken"},
		{30, "\"holder\":7", "\"holder\":0", "without having been taken"},
		{31, "\"set\":[[\"leases\",1,{", "\"set\":[[\"leases\",1,{\"holder\":8,", "without having been taken"},
		{31, "\"set\":[[\"leases\",1,{", "\"set\":[[\"leases\",1,{\"context\":2,",
		 "of another context or server"},
		{32, "\"wanted\":0", "\"wanted\":1", "without having been taken"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_history *h = kh_history_fresh();
		if (all[i].event > 22)
			kh_history_operate(h);
		if (all[i].event > 29)
			kh_history_lease(h);
		struct kh_verify v = replaced(t, h, all[i].event, all[i].from, all[i].to);
		if (v.code == NULL || kh_view_find(v.detail, kh_view_str(all[i].says), 0) == SIZE_MAX)
			print_error("%lld %s: %s, %.*s\n", (long long)all[i].event, all[i].to,
				    v.code != NULL ? v.code : "good", KH_FMT(v.detail));
		assert_non_null(v.code);
		assert_string_equal(v.code, "state_rule");
		assert_int_equal(v.event, all[i].event);
		assert_int_not_equal(kh_view_find(v.detail, kh_view_str(all[i].says), 0), SIZE_MAX);
	}
}

/* What is no event of Keyhole's. */
static void test_malformed(struct kh_test *t)
{
	static const struct {
		const char *from, *to;
	} all[] = {
		{"\"set\":[", "\"set\": ["}, /* not canonical */
		{"\"set\":[[\"tasks\"", "\"set\":[[\"tusks\""},
		{"[\"tasks\",1,", "[\"tasks\",0,"},
		{"[\"tasks\",1,", "[\"tasks\",\"1\","},
		{"\"blocks\":1,", "\"blacks\":1,"},
		{"\"blocks\":1,", "\"blocks\":\"1\","},
		{"\"blocks\":1,", "\"audit_n\":1,\"blocks\":1,"}, /* a chain's head is in no event */
		{"\"trust\":\"untrusted\"", "\"trust\":\"unknown\""},
		{"\"trust\":\"untrusted\"", "\"trust\":2"},
		{"\"content\":\"", "\"content\":\"0"},
		{"\"content_hash\":\"", "\"content_hash\":\"Z"},
		{"[\"blocks\",1,", "[\"tokens\",3,{}],[\"tokens\",2,{}],[\"blocks\",0,"},
		{",\"what\":{\"size\":27}", ",\"what\":[]"},
		{",\"what\":{\"size\":27}", ",\"what\":{\"size\":27},\"x\":1"},
		{"}", "} "},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_history *h = kh_history_fresh();
		struct kh_verify v = replaced(t, h, 6, all[i].from, all[i].to);
		if (v.code == NULL || strcmp(v.code, "event_malformed") != 0)
			print_error("%s: %s\n", all[i].to, v.code);
		assert_non_null(v.code);
		assert_string_equal(v.code, "event_malformed");
		assert_int_equal(v.event, 6);
	}
}

/*
 * D2, L3: a store that was begun with format 1 goes on with format 2.  There each change names the revision of its row,
 * 1, 2, ... without a gap, and a task's event names the end of the system's chain.
 */
static void test_format_2(struct kh_test *t)
{
	static const struct {
		int64_t event;
		const char *from, *to, *code;
	} all[] = {
		{24, "\"revision\":1", "\"revision\":2", "state_revision"},
		{24, "\"revision\":1,", "", "state_revision"},
		{23, "\"revision\":1", "\"revision\":0", "state_revision"},
		{24, ",\"what\":", ",\"whet\":{},\"what\":", "event_malformed"},
		/* G4: what a token took over 24 hours */
		{25, "\"day_bits\":3000000", "\"day_bits\":2000000", "state_rule"},
		{25, "\"day_marks\":\"", "\"day_marks\":\"1 0 0 0;", "state_rule"},
	};

	for (size_t i = 0; i <= sizeof(all) / sizeof(all[0]); i++) {
		struct kh_history *h = kh_history_fresh();
		kh_history_upgrade(h);
		kh_history_operate(h);
		struct kh_verify v = i == 0 ? kh_history_verify(t, h, true)
					    : replaced(t, h, all[i - 1].event, all[i - 1].from, all[i - 1].to);
		if (v.code != NULL)
			print_message("%s, event %lld: %.*s\n", v.code, (long long)v.event, KH_FMT(v.detail));
		assert_int_equal(v.good, i == 0);
		if (i > 0)
			assert_string_equal(v.code, all[i - 1].code);
	}
}

/* B19: the escalations of a context are those of its queries since its last reset, whatever its rows and events say. */
static void test_context_escalations(struct kh_test *t)
{
	static const struct {
		int64_t event;
		const char *from, *to;
	} all[] = {
		{24, "\"escalations\":1,\"remaining\"",
		 "\"escalations\":2,\"remaining\""}, /* events 24 to 26: one, its end, and a reset */
		{26, "\"escalations\":0", "\"escalations\":1"},
		{24, "\"escalations\":1,\"remaining\"", "\"escalations\":0,\"remaining\""},
	};

	for (size_t i = 0; i <= sizeof(all) / sizeof(all[0]); i++) {
		struct kh_history *h = kh_history_fresh();
		kh_history_upgrade(h);
		kh_history_escalate(h);
		struct kh_verify v = i == 0 ? kh_history_verify(t, h, true)
					    : replaced(t, h, all[i - 1].event, all[i - 1].from, all[i - 1].to);
		if (v.code != NULL)
			print_message("%s, event %lld: %.*s\n", v.code, (long long)v.event, KH_FMT(v.detail));
		assert_int_equal(v.good, i == 0);
		if (i == 0)
			continue;
		assert_string_equal(v.code, "state_rule");
		assert_int_not_equal(kh_view_find(v.detail, KH_LIT("contexts"), 0), SIZE_MAX);
		assert_int_not_equal(kh_view_find(v.detail, KH_LIT("escalations"), 0), SIZE_MAX);
	}
	struct kh_history *h = kh_history_fresh();
	kh_history_upgrade(h);
	kh_history_escalate(h);
	kh_history_sql(h, "UPDATE contexts SET escalations = 7");
	assert_string_equal(kh_history_verify(t, h, true).code, "state_differs");
}

static const struct kh_test_case cases[] = {KH_TEST(test_fold_good),
					    KH_TEST_ONCE(test_every_field_of_every_row),
					    KH_TEST_ONCE(test_rows_missing_and_added),
					    KH_TEST_ONCE(test_rules),
					    KH_TEST_ONCE(test_malformed),
					    KH_TEST_ONCE(test_format_2),
					    KH_TEST_ONCE(test_context_escalations)};
KH_TEST_MAIN(cases)
