#include "opened.h"

struct trip {
	struct kh_arena *arena;
	enum kh_table table;
	union opened_row wrote, read, peeked;
	size_t column; /* the one that is changed */
	size_t count;
};

static void assert_same(const struct kh_record *record, const void *a, const void *b)
{
	for (size_t i = 0; i < record->count; i++) {
		if (!kh_record_same(&record->columns[i], a, b))
			fail_msg("%s.%s differs", record->table, record->columns[i].name);
	}
}

/* What the file has, by a connection that keeps no rows in memory. */
static enum kh_err get_again(struct kh_txn *txn, void *arg)
{
	struct trip *t = arg;

	kh_txn_use_arena(txn, t->arena);
	return txn->backend->get(txn, t->table, t->wrote.id, &t->read);
}

static enum kh_err insert_and_get(struct kh_txn *txn, void *arg)
{
	struct trip *t = arg;
	int64_t id = 0;

	kh_txn_use_arena(txn, t->arena);
	enum kh_err e = txn->backend->next_id(txn, t->table, &id);
	if (e != KH_OK)
		return e;
	assert_int_equal(id, 2);
	if (t->table == KH_TABLE_SYSTEM)
		id = 1; /* has one row */
	opened_fill(t->table, t->arena, id, &t->wrote);
	if (id == 2)
		e = txn->backend->insert(txn, t->table, &t->wrote);
	if (e == KH_OK)
		e = txn->backend->peek(txn, t->table, id, &t->peeked);
	return e == KH_OK ? txn->backend->get(txn, t->table, id, &t->read) : e;
}

/* A row as peeking gives it: without what is sealed. */
static void unseal(const struct kh_record *record, union opened_row *row)
{
	for (size_t i = 0; i < record->count; i++) {
		if (record->columns[i].kind == KH_COLUMN_SEALED)
			memset((char *)row + record->columns[i].offset, 0, sizeof(struct kh_view));
	}
}

/* D3: every column of every table comes back as it went in, and the next id is one that was never there. */
static void test_round_trip(struct kh_test *test)
{
	struct opened o;

	opened_new(&o);
	must_store(&o, kh_store_run(o.store, opened_first_rows, &test->arena, &o.err));
	for (unsigned i = 0; i < KH_TABLE_COUNT; i++) {
		struct trip t = {.arena = &test->arena, .table = (enum kh_table)i};
		const struct kh_record *record = kh_record_of(t.table);
		must_store(&o, kh_store_run(o.store, insert_and_get, &t, &o.err));
		assert_int_equal(t.read.id, t.wrote.id);
		assert_same(record, &t.wrote, &t.read);
		must_store(&o, kh_store_read(o.store, get_again, &t, &o.err));
		assert_same(record, &t.wrote, &t.read);
		unseal(record, &t.wrote);
		assert_same(record, &t.wrote, &t.peeked);
	}
	opened_remove(&o);
}

/* Gives one column another value that no constraint is against; false where there is none. */
static bool change(struct trip *t)
{
	const struct kh_column *c = &kh_record_of(t->table)->columns[t->column];
	char *at = (char *)&t->wrote + c->offset;
	struct kh_view v = kh_arena_printf(t->arena, "%s changed", c->name);
	int64_t number;

	switch (c->kind) {
	case KH_COLUMN_INT:
		memcpy(&number, at, sizeof(number));
		number = number == 0 ? 1 : 0;
		memcpy(at, &number, sizeof(number));
		return true;
	case KH_COLUMN_WORD: {
		unsigned word;
		memcpy(&word, at, sizeof(word));
		word = word == 0 ? 1 : 0;
		if (word >= c->words->n)
			return false;
		memcpy(at, &word, sizeof(word));
		return true;
	}
	case KH_COLUMN_TEXT:
	case KH_COLUMN_SEALED:
		memcpy(at, &v, sizeof(v));
		return true;
	case KH_COLUMN_DIGEST:
		at[31] ^= 1;
		return true;
	}
	return false;
}

static enum kh_err update_and_get(struct kh_txn *txn, void *arg)
{
	struct trip *t = arg;

	kh_txn_use_arena(txn, t->arena);
	enum kh_err e = txn->backend->update(txn, t->table, &t->wrote, UINT64_C(1) << t->column);
	return e == KH_OK ? txn->backend->get(txn, t->table, 1, &t->read) : e;
}

/* The test goes on from the row as it was. */
static enum kh_err change_back(struct kh_txn *txn, void *arg)
{
	struct trip *t = arg;
	union opened_row other;

	opened_fill(t->table, t->arena, 1, &other);
	return txn->backend->update(txn, t->table, &other, UINT64_C(1) << t->column);
}

/* Every column can be changed by itself, and changes nothing else; or a constraint is against that value. */
static void test_update_each_column(struct kh_test *test)
{
	struct opened o;
	size_t changed = 0, refused = 0;

	opened_new(&o);
	must_store(&o, kh_store_run(o.store, opened_first_rows, &test->arena, &o.err));
	for (unsigned i = 0; i < KH_TABLE_COUNT; i++) {
		for (size_t k = 0; k < kh_record_of((enum kh_table)i)->count; k++) {
			struct trip t = {.arena = &test->arena, .table = (enum kh_table)i, .column = k};
			opened_fill(t.table, t.arena, 1, &t.wrote);
			if (!change(&t))
				continue;
			enum kh_err e = kh_store_run(o.store, update_and_get, &t, &o.err);
			if (e != KH_OK) {
				must_store_fail(&o, KH_ESTORE, "store_refused", e);
				refused++;
				continue;
			}
			assert_same(kh_record_of(t.table), &t.wrote, &t.read);
			must_store(&o, kh_store_read(o.store, get_again, &t, &o.err));
			assert_same(kh_record_of(t.table), &t.wrote, &t.read);
			must_store(&o, kh_store_run(o.store, change_back, &t, &o.err));
			changed++;
		}
	}
	/* All but budgets (two each), what must be a reference, prev < id, states that go with outcomes, ... */
	assert_true(changed > 130);
	assert_true(refused > 10 && refused < 60);
	opened_remove(&o);
}

static enum kh_err update_missing(struct kh_txn *txn, void *arg)
{
	struct trip *t = arg;

	opened_fill(KH_TABLE_READERS, t->arena, 99, &t->wrote);
	return txn->backend->update(txn, KH_TABLE_READERS, &t->wrote, 1);
}

static enum kh_err get_missing(struct kh_txn *txn, void *arg)
{
	struct trip *t = arg;

	kh_txn_use_arena(txn, t->arena);
	return txn->backend->get(txn, KH_TABLE_READERS, 99, &t->read);
}

static void test_missing_row(struct kh_test *test)
{
	struct trip t = {.arena = &test->arena};
	struct opened o;

	opened_new(&o);
	assert_int_equal(kh_store_run(o.store, get_missing, &t, &o.err), KH_EUNKNOWN);
	must_store_fail(&o, KH_ESTORE, "store_corrupt", kh_store_run(o.store, update_missing, &t, &o.err));
	opened_remove(&o);
}

/* --- indexes ------------------------------------------------------------------------------------------------------ */

struct many {
	struct kh_arena *arena;
	enum kh_err e;
};

static void put(struct kh_txn *txn, struct many *m, enum kh_table table, const union opened_row *row)
{
	if (m->e == KH_OK)
		m->e = txn->backend->insert(txn, table, row);
}

/* Rows 2 to 9 of what the indexes are of, different in what they ask for. */
static enum kh_err many_rows(struct kh_txn *txn, void *arg)
{
	struct many *m = arg;
	union opened_row row;

	for (int64_t id = 2; id < 10; id++) {
		bool odd = id % 2 == 1;
		opened_fill(KH_TABLE_TOKENS, m->arena, id, &row);
		row.token.name = odd ? KH_LIT("odd") : KH_LIT("even");
		row.token.revoked_at = id > 5 ? 7 : 0;
		put(txn, m, KH_TABLE_TOKENS, &row);
		opened_fill(KH_TABLE_CONTEXTS, m->arena, id, &row);
		put(txn, m, KH_TABLE_CONTEXTS, &row);
		opened_fill(KH_TABLE_TASKS, m->arena, id, &row);
		row.task.context = odd ? 3 : 2;
		row.task.state = id > 5 ? KH_TASK_CLOSED : KH_TASK_OPEN;
		put(txn, m, KH_TABLE_TASKS, &row);
		opened_fill(KH_TABLE_QUERIES, m->arena, id, &row);
		row.query.task = odd ? 3 : 2;
		if (id > 5) {
			row.query.state = KH_QUERY_DONE;
			row.query.outcome = KH_OUTCOME_FAILED;
		} else if (!odd || id == 5) {
			row.query.state = KH_QUERY_READY;
			row.query.outcome = id == 5 ? KH_OUTCOME_REJECTED : KH_OUTCOME_DELIVERED;
		}
		row.query.context = 2;
		row.query.category = id == 2 ? 1 : 2;
		put(txn, m, KH_TABLE_QUERIES, &row);
		opened_fill(KH_TABLE_BLOCKS, m->arena, id, &row);
		row.block.task = odd ? 3 : 2;
		row.block.context = odd ? 3 : 2;
		row.block.given = id == 2 || id == 3 || id > 5;
		row.block.kind = id < 6 ? KH_BLOCK_SEALED : odd ? KH_BLOCK_HOST : KH_BLOCK_OUTPUT;
		row.block.told = id > 5 ? 20 - id : 0;
		row.block.expires_at = id == 4 ? 0 : id * 10;
		put(txn, m, KH_TABLE_BLOCKS, &row);
		opened_fill(KH_TABLE_EFFECTS, m->arena, id, &row);
		row.effect.reader = odd ? KH_LIT("odd") : KH_LIT("even");
		row.effect.state = id > 7 ? KH_EFFECT_DONE : id > 5 ? KH_EFFECT_BEGUN : KH_EFFECT_WAITING;
		row.effect.expires_at = id * 10;
		row.effect.purged_at = id == 3;
		if (row.effect.purged_at)
			row.effect.raw = kh_tainted_wrap(KH_LIT(""));
		put(txn, m, KH_TABLE_EFFECTS, &row);
		opened_fill(KH_TABLE_APPROVALS, m->arena, id, &row);
		row.approval.task = odd ? 3 : 2;
		row.approval.state = id > 5 ? KH_APPROVAL_VOID : KH_APPROVAL_PENDING;
		row.approval.decided_by = row.approval.used = 0;
		row.approval.told_at = id > 3 ? id : 0;
		put(txn, m, KH_TABLE_APPROVALS, &row);
		opened_fill(KH_TABLE_SHOWINGS, m->arena, id, &row);
		row.showing.approval = odd ? 3 : 2;
		put(txn, m, KH_TABLE_SHOWINGS, &row);
		opened_fill(KH_TABLE_READERS, m->arena, id, &row);
		put(txn, m, KH_TABLE_READERS, &row);
		opened_fill(KH_TABLE_NEEDS, m->arena, id, &row);
		row.need.task = odd ? 3 : 2;
		put(txn, m, KH_TABLE_NEEDS, &row);
		opened_fill(KH_TABLE_DECLARATIONS, m->arena, id, &row);
		row.declaration.task = odd ? 3 : 2;
		row.declaration.context = odd ? 3 : 2;
		row.declaration.operation = odd ? KH_LIT("odd") : KH_LIT("even");
		row.declaration.approval = odd ? 3 : 2;
		row.declaration.asks = odd ? 2 : 3;
		row.declaration.begun_at = row.declaration.holder = 1;
		row.declaration.working = id == 6 || id == 7;
		row.declaration.state = id > 7   ? KH_DECLARATION_DONE
					: id > 5 ? KH_DECLARATION_RUNNING
						 : KH_DECLARATION_ASKED;
		row.declaration.ended = id > 7 ? KH_ENDED_FAILED : KH_ENDED_NOT;
		put(txn, m, KH_TABLE_DECLARATIONS, &row);
		opened_fill(KH_TABLE_RESULTS, m->arena, id, &row);
		row.result.declaration = odd ? 3 : 2;
		row.result.expires_at = id * 10;
		put(txn, m, KH_TABLE_RESULTS, &row);
		opened_fill(KH_TABLE_RATES, m->arena, id, &row);
		row.rate.context = odd ? 3 : 2;
		put(txn, m, KH_TABLE_RATES, &row);
		opened_fill(KH_TABLE_SENT, m->arena, id, &row);
		row.sent.token = odd ? 3 : 2;
		put(txn, m, KH_TABLE_SENT, &row);
		opened_fill(KH_TABLE_UPSTREAMS, m->arena, id, &row);
		put(txn, m, KH_TABLE_UPSTREAMS, &row);
		opened_fill(KH_TABLE_TOOLS, m->arena, id, &row);
		row.tool.upstream = odd ? 3 : 2;
		put(txn, m, KH_TABLE_TOOLS, &row);
		opened_fill(KH_TABLE_DEALINGS, m->arena, id, &row);
		row.dealing.context = odd ? 3 : 2;
		put(txn, m, KH_TABLE_DEALINGS, &row);
		opened_fill(KH_TABLE_LEASES, m->arena, id, &row);
		row.lease.context = odd ? 3 : 2;
		row.lease.holder = id < 6 ? 7 : 8;
		row.lease.wanted = odd;
		put(txn, m, KH_TABLE_LEASES, &row);
	}
	return m->e;
}

struct finding {
	enum kh_index index;
	int64_t key;
	const char *text;
	int64_t after;
	size_t limit;
	const char *want; /* the ids as digits */
	char got[32];
};

static enum kh_err find(struct kh_txn *txn, void *arg)
{
	struct finding *f = arg;
	int64_t ids[16];
	size_t count = 0;
	enum kh_err e = txn->backend->find(txn, f->index, f->key, kh_view_str(f->text), f->after, f->limit, ids,
					   &count);

	for (size_t i = 0; i < count && e == KH_OK; i++)
		f->got[i] = (char)('0' + ids[i]);
	return e;
}

/* Every index gives exactly the rows that record.h says, ascending, after AFTER, no more than LIMIT. */
static void test_find(struct kh_test *test)
{
	struct finding all[] = {
		{KH_INDEX_TOKENS, 0, "", 0, 16, "123456789", ""},
		{KH_INDEX_TOKENS, 0, "", 4, 3, "567", ""},
		{KH_INDEX_TOKENS_NAMED, 0, "odd", 0, 16, "35", ""},
		{KH_INDEX_TOKENS_NAMED, 0, "even", 2, 16, "4", ""},
		{KH_INDEX_TOKENS_READERS, 0, "", 0, 16, "1", ""},
		{KH_INDEX_CONTEXTS, 0, "", 0, 16, "123456789", ""},
		{KH_INDEX_TASKS, 0, "", 7, 16, "89", ""},
		{KH_INDEX_TASKS_OF_CONTEXT, 2, "", 0, 16, "2468", ""},
		{KH_INDEX_TASKS_OF_CONTEXT, 3, "", 5, 1, "7", ""},
		{KH_INDEX_TASKS_OPEN, 3, "", 0, 16, "35", ""},
		{KH_INDEX_TASKS_ALL_OPEN, 0, "", 1, 16, "2345", ""},
		{KH_INDEX_BLOCKS_OF_TASK, 2, "", 0, 16, "24", ""},
		{KH_INDEX_BLOCKS_TOLD, 2, "", 0, 16, "86", ""},
		{KH_INDEX_BLOCKS_TOLD, 2, "", 12, 16, "6", ""},
		{KH_INDEX_BLOCKS_GIVEN, 2, "", 0, 16, "268", ""},
		{KH_INDEX_BLOCKS_GIVEN, 3, "", 3, 1, "7", ""},
		{KH_INDEX_BLOCKS_OUTPUT, 2, "", 0, 16, "8", ""},
		{KH_INDEX_BLOCKS_OUTPUT, 2, "", 8, 16, "", ""},
		{KH_INDEX_BLOCKS_OUTPUT, 3, "", 0, 16, "", ""},
		{KH_INDEX_QUERIES_OPEN, 3, "", 0, 16, "35", ""},
		{KH_INDEX_QUERIES_ALL_OPEN, 0, "", 1, 3, "234", ""},
		{KH_INDEX_QUERIES_COMING, 2, "", 0, 16, "4", ""},
		{KH_INDEX_QUERIES_COMING, 3, "", 0, 16, "", ""},
		{KH_INDEX_EFFECTS_OPEN, 0, "", 1, 16, "234567", ""},
		{KH_INDEX_EFFECTS_READER, 0, "even", 0, 16, "24", ""},
		{KH_INDEX_EFFECTS_BEGUN, 0, "even", 0, 16, "6", ""},
		{KH_INDEX_APPROVALS, 0, "", 7, 16, "89", ""},
		{KH_INDEX_APPROVALS_PENDING, 0, "", 0, 16, "2345", ""},
		{KH_INDEX_APPROVALS_UNTOLD, 0, "", 4, 16, "56789", ""},
		{KH_INDEX_APPROVALS_OF_TASK, 2, "", 0, 16, "2468", ""},
		{KH_INDEX_SHOWINGS, 3, "", 0, 16, "3579", ""},
		{KH_INDEX_READERS_NAMED, 0, "name \xc3\xa9 4", 0, 16, "4", ""},
		{KH_INDEX_NEEDS, 2, "name \xc3\xa9 4", 0, 16, "4", ""},
		{KH_INDEX_NEEDS, 3, "name \xc3\xa9 4", 0, 16, "", ""},
		{KH_INDEX_BLOCKS_EXPIRED, 60, "", 0, 16, "2356", ""},
		{KH_INDEX_BLOCKS_EXPIRED, 19, "", 0, 16, "", ""},
		{KH_INDEX_EFFECTS_EXPIRED, 50, "", 0, 16, "245", ""},
		{KH_INDEX_DECLARATIONS_OF_TASK, 3, "", 0, 16, "3579", ""},
		{KH_INDEX_DECLARATIONS_OPEN, 2, "", 0, 16, "246", ""},
		{KH_INDEX_DECLARATIONS_ALL_OPEN, 0, "", 1, 4, "2345", ""},
		{KH_INDEX_DECLARATIONS_UNTOLD, 3, "odd", 0, 16, "7", ""},
		{KH_INDEX_DECLARATIONS_WORKING, 0, "", 0, 16, "67", ""},
		{KH_INDEX_DECLARATIONS_OF_APPROVAL, 2, "", 0, 16, "2468", ""},
		{KH_INDEX_DECLARATIONS_ASKING, 2, "", 0, 3, "357", ""},
		{KH_INDEX_RESULTS_OF_DECLARATION, 3, "", 3, 2, "57", ""},
		{KH_INDEX_RESULTS_EXPIRED, 40, "", 0, 16, "234", ""},
		{KH_INDEX_RATES, 2, "operation \xc3\xa9 4", 0, 16, "4", ""},
		{KH_INDEX_RATES, 3, "operation \xc3\xa9 4", 0, 16, "", ""},
		{KH_INDEX_SENT, 2, "name \xc3\xa9 4", 0, 16, "4", ""},
		{KH_INDEX_SENT, 3, "name \xc3\xa9 4", 0, 16, "", ""},
		{KH_INDEX_SENT_OF_TOKEN, 3, "", 0, 2, "35", ""},
		{KH_INDEX_UPSTREAMS, 0, "", 6, 16, "789", ""},
		{KH_INDEX_UPSTREAMS_NAMED, 0, "name \xc3\xa9 4", 0, 16, "4", ""},
		{KH_INDEX_TOOLS_OF_UPSTREAM, 2, "", 2, 2, "46", ""},
		{KH_INDEX_TOOLS_NAMED, 2, "alias \xc3\xa9 4", 0, 16, "4", ""},
		{KH_INDEX_TOOLS_NAMED, 3, "alias \xc3\xa9 4", 0, 16, "", ""},
		{KH_INDEX_DEALINGS, 2, "server \xc3\xa9 4", 0, 16, "4", ""},
		{KH_INDEX_DEALINGS, 3, "server \xc3\xa9 4", 0, 16, "", ""},
		{KH_INDEX_DEALINGS_OF_CONTEXT, 2, "", 2, 2, "46", ""},
		{KH_INDEX_DEALINGS_TAINTED, 0, "server \xc3\xa9 5", 0, 16, "5", ""},
		{KH_INDEX_DEALINGS_TAINTED, 0, "server \xc3\xa9 4", 0, 16, "", ""},
		{KH_INDEX_LEASES, 2, "server \xc3\xa9 4", 0, 16, "4", ""},
		{KH_INDEX_LEASES, 3, "server \xc3\xa9 4", 0, 16, "", ""},
		{KH_INDEX_LEASES_WANTED, 7, "", 0, 16, "35", ""},
		{KH_INDEX_LEASES_WANTED, 8, "", 7, 16, "9", ""},
	};
	struct many m = {&test->arena, KH_OK};
	bool tried[KH_INDEX_COUNT] = {false};
	struct opened o;

	opened_new(&o);
	must_store(&o, kh_store_run(o.store, opened_first_rows, &test->arena, &o.err));
	must_store(&o, kh_store_run(o.store, many_rows, &m, &o.err));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		must_store(&o, kh_store_run(o.store, find, &all[i], &o.err));
		if (strcmp(all[i].got, all[i].want) != 0)
			fail_msg("case %zu: %s, not %s", i, all[i].got, all[i].want);
		tried[all[i].index] = true;
	}
	for (size_t i = 0; i < KH_INDEX_COUNT; i++)
		assert_true(tried[i]);
	opened_remove(&o);
}

/* --- all rows ----------------------------------------------------------------------------------------------------- */

static bool count_row(const void *row, void *arg)
{
	struct trip *t = arg;
	const struct kh_reader_row *reader = row;

	t->count++;
	assert_int_equal(reader->id, t->count);
	opened_fill(KH_TABLE_READERS, t->arena, reader->id, &t->wrote);
	assert_same(kh_record_of(KH_TABLE_READERS), row, &t->wrote);
	return t->count < 7;
}

static enum kh_err each_row(struct kh_txn *txn, void *arg)
{
	return txn->backend->each(txn, KH_TABLE_READERS, count_row, arg);
}

static void test_each(struct kh_test *test)
{
	struct many m = {&test->arena, KH_OK};
	struct trip t = {.arena = &test->arena};
	struct opened o;

	opened_new(&o);
	must_store(&o, kh_store_run(o.store, opened_first_rows, &test->arena, &o.err));
	must_store(&o, kh_store_run(o.store, many_rows, &m, &o.err));
	must_store(&o, kh_store_read(o.store, each_row, &t, &o.err));
	assert_int_equal(t.count, 7); /* and then it was told to stop */
	opened_remove(&o);
}

/* More sets of columns than statements are kept: each still writes what it should. */
static enum kh_err many_updates(struct kh_txn *txn, void *arg)
{
	struct trip *t = arg;
	const struct kh_record *record = kh_record_of(KH_TABLE_CONTEXTS);
	enum kh_err e = KH_OK;

	kh_txn_use_arena(txn, t->arena);
	for (int round = 0; round < 3 && e == KH_OK; round++) {
		for (size_t i = 0; i < record->count && e == KH_OK; i++) {
			uint64_t bits = (UINT64_C(1) << i) | (UINT64_C(1) << (i * 7 % record->count));
			opened_fill(KH_TABLE_CONTEXTS, t->arena, 1, &t->wrote);
			t->wrote.context.deliveries = (int64_t)i + round;
			t->wrote.context.token = (int64_t)i;
			e = txn->backend->update(txn, KH_TABLE_CONTEXTS, &t->wrote, bits);
			t->count++;
		}
	}
	t->wrote.context.token = 77;
	if (e == KH_OK)
		e = txn->backend->update(txn, KH_TABLE_CONTEXTS, &t->wrote, (UINT64_C(1) << record->count) - 1);
	return e == KH_OK ? txn->backend->get(txn, KH_TABLE_CONTEXTS, 1, &t->read) : e;
}

static void test_many_updates(struct kh_test *test)
{
	struct trip t = {.arena = &test->arena};
	struct opened o;

	opened_new(&o);
	must_store(&o, kh_store_run(o.store, opened_first_rows, &test->arena, &o.err));
	must_store(&o, kh_store_run(o.store, many_updates, &t, &o.err));
	assert_true(t.count > 50);
	assert_same(kh_record_of(KH_TABLE_CONTEXTS), &t.wrote, &t.read);
	t.table = KH_TABLE_CONTEXTS;
	must_store(&o, kh_store_read(o.store, get_again, &t, &o.err));
	assert_same(kh_record_of(KH_TABLE_CONTEXTS), &t.wrote, &t.read);
	opened_remove(&o);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_round_trip),  KH_TEST_ONCE(test_update_each_column),
	KH_TEST_ONCE(test_missing_row), KH_TEST_ONCE(test_find),
	KH_TEST_ONCE(test_each),        KH_TEST_ONCE(test_many_updates),
};
KH_TEST_MAIN(cases)
