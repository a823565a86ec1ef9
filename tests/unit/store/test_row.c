#include "opened.h"

struct trip {
	struct kh_arena *arena;
	enum kh_table table;
	union opened_row wrote, read;
	uint64_t changed;
	size_t count;
};

static void assert_same(const struct kh_record *record, const void *a, const void *b)
{
	for (size_t i = 0; i < record->count; i++) {
		if (!kh_record_same(&record->columns[i], a, b))
			fail_msg("%s.%s differs", record->table, record->columns[i].name);
	}
}

static enum kh_err insert_and_get(struct kh_txn *txn, void *arg)
{
	struct trip *t = arg;
	int64_t id = 0;

	kh_txn_use_arena(txn, t->arena);
	enum kh_err e = txn->backend->next_id(txn, t->table, &id);
	if (e != KH_OK)
		return e;
	opened_fill(t->table, t->arena, id, &t->wrote);
	if (t->table == KH_TABLE_SYSTEM)
		return txn->backend->get(txn, t->table, 1, &t->read) == KH_OK && id == 2 ? KH_OK : KH_EINPUT;
	e = txn->backend->insert(txn, t->table, &t->wrote);
	return e == KH_OK ? txn->backend->get(txn, t->table, id, &t->read) : e;
}

/* D3: every column of every table comes back as it went in, and the next id is one that was never there. */
static void test_round_trip(struct kh_test *test)
{
	struct opened o;

	opened_new(&o);
	must_store(&o, kh_store_run(o.store, opened_first_rows, &test->arena, &o.err));
	for (unsigned i = 0; i < KH_TABLE_COUNT; i++) {
		struct trip t = {.arena = &test->arena, .table = (enum kh_table)i};
		must_store(&o, kh_store_run(o.store, insert_and_get, &t, &o.err));
		if (t.table == KH_TABLE_SYSTEM)
			opened_fill(t.table, t.arena, 1, &t.wrote);
		else
			assert_int_equal(t.read.id, 2);
		assert_same(kh_record_of(t.table), &t.wrote, &t.read);
	}
	opened_remove(&o);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_round_trip)};
KH_TEST_MAIN(cases)
