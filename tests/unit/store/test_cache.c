#include "opened.h"

#include "store/sqlite/cache.h"

static void assert_same(enum kh_table table, const void *a, const void *b)
{
	const struct kh_record *record = kh_record_of(table);

	for (size_t i = 0; i < record->count; i++) {
		if (!kh_record_same(&record->columns[i], a, b))
			fail_msg("%s.%s differs", record->table, record->columns[i].name);
	}
}

static struct kh_cache *new_cache(void)
{
	struct kh_cache *cache = calloc(1, sizeof(*cache));

	assert_non_null(cache);
	return cache;
}

static void free_cache(struct kh_cache *cache)
{
	kh_cache_clear(cache);
	free(cache);
}

/* Every table: what was put in comes out, by value, and only where it was put. */
static void test_put_and_get(struct kh_test *t)
{
	struct kh_cache *cache = new_cache();
	union opened_row wrote, read;

	for (unsigned i = 0; i < KH_TABLE_COUNT; i++) {
		enum kh_table table = (enum kh_table)i;
		opened_fill(table, &t->arena, 2, &wrote);
		assert_false(kh_cache_get(cache, table, 2, false, &t->arena, &read));
		kh_cache_put(cache, table, &wrote);
		assert_true(kh_cache_get(cache, table, 2, false, &t->arena, &read));
		assert_int_equal(read.id, 2);
		assert_same(table, &wrote, &read);
		assert_false(kh_cache_get(cache, table, 3, false, &t->arena, &read));
	}
	free_cache(cache);
	assert_false(kh_cache_get(NULL, KH_TABLE_TASKS, 2, false, &t->arena, &read));
}

static void test_peek_has_nothing_sealed(struct kh_test *t)
{
	struct kh_cache *cache = new_cache();
	union opened_row wrote, read;

	opened_fill(KH_TABLE_BLOCKS, &t->arena, 2, &wrote);
	kh_cache_put(cache, KH_TABLE_BLOCKS, &wrote);
	assert_true(kh_cache_get(cache, KH_TABLE_BLOCKS, 2, true, &t->arena, &read));
	assert_int_equal(read.block.content.n, 0);
	assert_true(kh_view_eq(read.block.source, wrote.block.source));
	free_cache(cache);
}

/* Only the columns that are said to be changed are. */
static void test_update_some_columns(struct kh_test *t)
{
	const struct kh_record *record = kh_record_of(KH_TABLE_TASKS);
	struct kh_cache *cache = new_cache();
	union opened_row was, now, want, read;

	opened_fill(KH_TABLE_TASKS, &t->arena, 2, &was);
	for (size_t i = 0; i < record->count; i++) {
		const struct kh_column *c = &record->columns[i];
		size_t n = c->kind == KH_COLUMN_INT      ? sizeof(int64_t)
			   : c->kind == KH_COLUMN_WORD   ? sizeof(unsigned)
			   : c->kind == KH_COLUMN_DIGEST ? KH_DIGEST_SIZE
							 : sizeof(struct kh_view);
		opened_fill(KH_TABLE_TASKS, &t->arena, 1, &now);
		now.id = 2;
		now.task.title = KH_LIT("a longer title than it had before, by some");
		want = was;
		memcpy((char *)&want + c->offset, (char *)&now + c->offset, n);
		kh_cache_put(cache, KH_TABLE_TASKS, &was);
		kh_cache_update(cache, KH_TABLE_TASKS, &now, UINT64_C(1) << i);
		assert_true(kh_cache_get(cache, KH_TABLE_TASKS, 2, false, &t->arena, &read));
		assert_same(KH_TABLE_TASKS, &want, &read);
	}
	kh_cache_clear(cache);
	kh_cache_update(cache, KH_TABLE_TASKS, &now, 1); /* one that is not there does not get in by halves */
	assert_false(kh_cache_get(cache, KH_TABLE_TASKS, 2, false, &t->arena, &read));
	free_cache(cache);
}

/* A row that has grown large is not kept, and neither is what it was. */
static void test_large_is_dropped(struct kh_test *t)
{
	static char large[KH_CACHE_MOST];
	struct kh_cache *cache = new_cache();
	union opened_row row, read;

	memset(large, 'x', sizeof(large));
	opened_fill(KH_TABLE_BLOCKS, &t->arena, 2, &row);
	kh_cache_put(cache, KH_TABLE_BLOCKS, &row);
	row.block.content = kh_view_of(large, sizeof(large));
	kh_cache_update(cache, KH_TABLE_BLOCKS, &row, UINT64_MAX);
	assert_false(kh_cache_get(cache, KH_TABLE_BLOCKS, 2, false, &t->arena, &read));
	opened_fill(KH_TABLE_BLOCKS, &t->arena, 2, &row);
	kh_cache_put(cache, KH_TABLE_BLOCKS, &row);
	row.block.content = kh_view_of(large, sizeof(large));
	kh_cache_put(cache, KH_TABLE_BLOCKS, &row);
	assert_false(kh_cache_get(cache, KH_TABLE_BLOCKS, 2, false, &t->arena, &read));
	free_cache(cache);
}

static void test_version(struct kh_test *t)
{
	struct kh_cache *cache = new_cache();
	union opened_row row, read;

	kh_cache_check(cache, 5);
	opened_fill(KH_TABLE_READERS, &t->arena, 2, &row);
	kh_cache_put(cache, KH_TABLE_READERS, &row);
	kh_cache_check(cache, 5);
	assert_true(kh_cache_get(cache, KH_TABLE_READERS, 2, false, &t->arena, &read));
	kh_cache_check(cache, 6);
	assert_false(kh_cache_get(cache, KH_TABLE_READERS, 2, false, &t->arena, &read));
	free_cache(cache);
}

/* --- in the store ------------------------------------------------------------------------------------------------- */

struct adding {
	struct kh_arena *arena;
	enum kh_err end;
	uint64_t seen;
};

static enum kh_err add_one(struct kh_txn *txn, void *arg)
{
	struct adding *a = arg;
	struct kh_reader_row row;

	kh_txn_use_arena(txn, a->arena);
	enum kh_err e = txn->backend->get(txn, KH_TABLE_READERS, 1, &row);
	if (e != KH_OK)
		return e;
	a->seen = ++row.total_1;
	e = txn->backend->update(txn, KH_TABLE_READERS, &row, UINT64_MAX >> (64 - 10));
	return e == KH_OK ? a->end : e;
}

/* What was taken back was not seen by anybody after it, and what another connection wrote is seen by the next. */
static void test_store_sees_what_is(struct kh_test *t)
{
	struct adding a = {.arena = &t->arena};
	struct kh_store *other = NULL;
	struct opened o;

	opened_new(&o);
	must_store(&o, kh_store_run(o.store, opened_first_rows, &t->arena, &o.err));
	must_store(&o, kh_store_run(o.store, add_one, &a, &o.err));
	assert_int_equal(a.seen, 1);
	a.end = KH_EREFUSED;
	assert_int_equal(kh_store_run(o.store, add_one, &a, &o.err), KH_EREFUSED);
	assert_int_equal(a.seen, 2);
	a.end = KH_OK;
	must_store(&o, kh_store_run(o.store, add_one, &a, &o.err));
	assert_int_equal(a.seen, 2);
	must_store(&o, kh_store_open(&kh_sqlite_backend, o.path, KH_STORE_EXISTING, &other, &o.err));
	for (uint64_t i = 3; i < 20; i += 2) {
		must_store(&o, kh_store_run(other, add_one, &a, &o.err));
		assert_int_equal(a.seen, i);
		must_store(&o, kh_store_run(o.store, add_one, &a, &o.err));
		assert_int_equal(a.seen, i + 1);
	}
	kh_store_close(other);
	assert_int_equal(opened_sql(&o, "UPDATE readers SET total_1 = 1000"), SQLITE_OK);
	must_store(&o, kh_store_run(o.store, add_one, &a, &o.err));
	assert_int_equal(a.seen, 1001);
	opened_remove(&o);
}

/* P6: however many rows are put in, what it holds is bounded, and the newest is there. */
static void test_bytes_are_bounded(struct kh_test *t)
{
	struct kh_cache *cache = new_cache();
	union opened_row wrote, read;
	char text[1500];

	memset(text, 'x', sizeof(text));
	opened_fill(KH_TABLE_NEEDS, &t->arena, 1, &wrote);
	wrote.need.name = kh_view_of(text, sizeof(text));
	for (int64_t id = 1; id < 2 * (int64_t)(KH_CACHE_BYTES / sizeof(text)); id++) {
		wrote.id = id;
		kh_cache_put(cache, KH_TABLE_NEEDS, &wrote);
		assert_true(cache->bytes <= KH_CACHE_BYTES);
	}
	assert_true(kh_cache_get(cache, KH_TABLE_NEEDS, wrote.id, false, &t->arena, &read));
	assert_true(kh_view_eq(read.need.name, wrote.need.name));
	kh_cache_clear(cache);
	assert_int_equal(cache->bytes, 0);
	free_cache(cache);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_put_and_get),         KH_TEST_ONCE(test_peek_has_nothing_sealed),
	KH_TEST_ONCE(test_update_some_columns), KH_TEST_ONCE(test_large_is_dropped),
	KH_TEST_ONCE(test_bytes_are_bounded),   KH_TEST_ONCE(test_version),
	KH_TEST_ONCE(test_store_sees_what_is),
};
KH_TEST_MAIN(cases)
