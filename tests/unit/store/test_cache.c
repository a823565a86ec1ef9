#include "opened.h"

#include "store/sqlite/commits.h"

#include <sys/wait.h>

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
	kh_cache_init(cache);
	return cache;
}

static void free_cache(struct kh_cache *cache)
{
	kh_cache_done(cache);
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
		assert_false(kh_cache_get(cache, KH_CACHE_STORE, table, 2, false, &t->arena, &read));
		kh_cache_put(cache, table, &wrote, false);
		assert_true(kh_cache_get(cache, KH_CACHE_STORE, table, 2, false, &t->arena, &read));
		assert_int_equal(read.id, 2);
		assert_same(table, &wrote, &read);
		assert_false(kh_cache_get(cache, KH_CACHE_STORE, table, 3, false, &t->arena, &read));
	}
	free_cache(cache);
	assert_false(kh_cache_get(NULL, KH_CACHE_STORE, KH_TABLE_TASKS, 2, false, &t->arena, &read));
}

static void test_peek_has_nothing_sealed(struct kh_test *t)
{
	struct kh_cache *cache = new_cache();
	union opened_row wrote, read;

	opened_fill(KH_TABLE_BLOCKS, &t->arena, 2, &wrote);
	kh_cache_put(cache, KH_TABLE_BLOCKS, &wrote, false);
	assert_true(kh_cache_get(cache, KH_CACHE_STORE, KH_TABLE_BLOCKS, 2, true, &t->arena, &read));
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
		kh_cache_put(cache, KH_TABLE_TASKS, &was, false);
		kh_cache_update(cache, KH_TABLE_TASKS, &now, UINT64_C(1) << i);
		assert_true(kh_cache_get(cache, KH_CACHE_STORE, KH_TABLE_TASKS, 2, false, &t->arena, &read));
		assert_same(KH_TABLE_TASKS, &want, &read);
	}
	kh_cache_clear(cache);
	kh_cache_update(cache, KH_TABLE_TASKS, &now, 1); /* one that is not there does not get in by halves */
	assert_false(kh_cache_get(cache, KH_CACHE_STORE, KH_TABLE_TASKS, 2, false, &t->arena, &read));
	free_cache(cache);
}

/* A row that has grown large is kept without its sealed columns, and what it was is not. */
static void test_large_is_peeked_at(struct kh_test *t)
{
	static char large[KH_CACHE_MOST];
	struct kh_cache *cache = new_cache();
	union opened_row row, read;

	memset(large, 'x', sizeof(large));
	opened_fill(KH_TABLE_BLOCKS, &t->arena, 2, &row);
	kh_cache_put(cache, KH_TABLE_BLOCKS, &row, false);
	row.block.content = kh_view_of(large, sizeof(large));
	kh_cache_update(cache, KH_TABLE_BLOCKS, &row, UINT64_MAX);
	assert_false(kh_cache_get(cache, KH_CACHE_STORE, KH_TABLE_BLOCKS, 2, false, &t->arena, &read));
	opened_fill(KH_TABLE_BLOCKS, &t->arena, 2, &row);
	kh_cache_put(cache, KH_TABLE_BLOCKS, &row, false);
	row.block.content = kh_view_of(large, sizeof(large));
	kh_cache_put(cache, KH_TABLE_BLOCKS, &row, false);
	assert_false(kh_cache_get(cache, KH_CACHE_STORE, KH_TABLE_BLOCKS, 2, false, &t->arena, &read));
	assert_true(kh_cache_get(cache, KH_CACHE_STORE, KH_TABLE_BLOCKS, 2, true, &t->arena, &read));
	row.block.content = row.block.prints = KH_LIT("");
	assert_same(KH_TABLE_BLOCKS, &row, &read);
	free_cache(cache);
}

/* A row that was peeked at answers those who peek alone, also when it changes, until it is read whole. */
static void test_peeked_is_not_whole(struct kh_test *t)
{
	struct kh_cache *cache = new_cache();
	union opened_row whole, peeked, read;

	opened_fill(KH_TABLE_BLOCKS, &t->arena, 2, &whole);
	peeked = whole;
	peeked.block.content = peeked.block.prints = KH_LIT("");
	kh_cache_put(cache, KH_TABLE_BLOCKS, &peeked, true);
	kh_cache_commit(cache, false);
	for (int i = 0; i < 2; i++) {
		assert_false(kh_cache_get(cache, KH_CACHE_STORE, KH_TABLE_BLOCKS, 2, false, &t->arena, &read));
		assert_false(kh_cache_get(cache, KH_CACHE_OTHER, KH_TABLE_BLOCKS, 2, false, &t->arena, &read));
		assert_true(kh_cache_get(cache, KH_CACHE_STORE, KH_TABLE_BLOCKS, 2, true, &t->arena, &read));
		assert_same(KH_TABLE_BLOCKS, &peeked, &read);
		peeked.block.source = whole.block.source = KH_LIT("elsewhere");
		kh_cache_update(cache, KH_TABLE_BLOCKS, &whole, UINT64_MAX);
	}
	kh_cache_put(cache, KH_TABLE_BLOCKS, &whole, false);
	assert_true(kh_cache_get(cache, KH_CACHE_STORE, KH_TABLE_BLOCKS, 2, false, &t->arena, &read));
	assert_same(KH_TABLE_BLOCKS, &whole, &read);
	free_cache(cache);
}

/* Rows that are asked for stay, however many others are written once. */
static void test_used_rows_stay(struct kh_test *t)
{
	struct kh_cache *cache = new_cache();
	union opened_row row, read;
	struct kh_arena arena;

	kh_arena_init(&arena, &kh_alloc_system, 1U << 20);
	for (int64_t id = 1; id <= 64; id++) {
		opened_fill(KH_TABLE_TASKS, &t->arena, id, &row);
		kh_cache_put(cache, KH_TABLE_TASKS, &row, false);
	}
	opened_fill(KH_TABLE_EFFECTS, &t->arena, 1, &row);
	for (int64_t id = 1; id <= (int64_t)4 * KH_CACHE_ROWS; id++) {
		row.id = id;
		kh_cache_put(cache, KH_TABLE_EFFECTS, &row, false);
		kh_arena_clear(&arena);
		assert_true(kh_cache_get(cache, KH_CACHE_STORE, KH_TABLE_TASKS, id % 64 + 1, false, &arena, &read));
	}
	assert_true(cache->bytes <= KH_CACHE_BYTES);
	kh_arena_done(&arena);
	free_cache(cache);
}

static void test_version(struct kh_test *t)
{
	struct kh_cache *cache = new_cache();
	union opened_row row, read;

	kh_cache_check(cache, 5);
	opened_fill(KH_TABLE_READERS, &t->arena, 2, &row);
	kh_cache_put(cache, KH_TABLE_READERS, &row, false);
	kh_cache_check(cache, 5);
	assert_true(kh_cache_get(cache, KH_CACHE_STORE, KH_TABLE_READERS, 2, false, &t->arena, &read));
	kh_cache_check(cache, 6);
	assert_false(kh_cache_get(cache, KH_CACHE_STORE, KH_TABLE_READERS, 2, false, &t->arena, &read));
	free_cache(cache);
}

/* Others see a row as it was committed last, whatever the transaction that goes on makes of it. */
static void test_others_see_what_is_committed(struct kh_test *t)
{
	struct kh_cache *cache = new_cache();
	union opened_row first, second, read;

	opened_fill(KH_TABLE_TASKS, &t->arena, 2, &first);
	second = first;
	second.task.title = KH_LIT("a longer title than it had before, by some");
	second.task.queries = first.task.queries + 1;
	kh_cache_put(cache, KH_TABLE_TASKS, &first, false);
	assert_false(kh_cache_get(cache, KH_CACHE_OTHER, KH_TABLE_TASKS, 2, false, &t->arena, &read));
	kh_cache_commit(cache, true);
	assert_true(kh_cache_get(cache, KH_CACHE_OTHER, KH_TABLE_TASKS, 2, false, &t->arena, &read));
	assert_same(KH_TABLE_TASKS, &first, &read);
	for (int i = 0; i < 3; i++) { /* again and again in one transaction, in whole and in part */
		kh_cache_update(cache, KH_TABLE_TASKS, &second, UINT64_MAX);
		kh_cache_put(cache, KH_TABLE_TASKS, &second, false);
		assert_true(kh_cache_get(cache, KH_CACHE_OTHER, KH_TABLE_TASKS, 2, false, &t->arena, &read));
		assert_same(KH_TABLE_TASKS, &first, &read);
		assert_true(kh_cache_get(cache, KH_CACHE_STORE, KH_TABLE_TASKS, 2, false, &t->arena, &read));
		assert_same(KH_TABLE_TASKS, &second, &read);
	}
	kh_cache_commit(cache, true);
	assert_true(kh_cache_get(cache, KH_CACHE_OTHER, KH_TABLE_TASKS, 2, false, &t->arena, &read));
	assert_same(KH_TABLE_TASKS, &second, &read);
	kh_cache_update(cache, KH_TABLE_TASKS, &first, UINT64_MAX);
	kh_cache_clear(cache); /* taken back: nobody knows anything */
	assert_false(kh_cache_get(cache, KH_CACHE_OTHER, KH_TABLE_TASKS, 2, false, &t->arena, &read));
	assert_int_equal(cache->bytes, 0);
	free_cache(cache);
}

/* It is current if nobody else has committed since the last commit here, also if that came right after it. */
static void test_current(struct kh_test *t)
{
	struct kh_cache *cache = new_cache();
	uint32_t commits = UINT32_MAX;

	(void)t;
	kh_cache_check(cache, 5);
	kh_cache_commit(cache, false);
	assert_false(kh_cache_is_current(cache)); /* nobody counts */
	cache->commits = &commits;
	kh_cache_check(cache, 5);
	commits++;
	kh_cache_commit(cache, true);
	assert_true(kh_cache_is_current(cache));
	kh_cache_check(cache, 5);
	kh_cache_commit(cache, false);
	assert_true(kh_cache_is_current(cache));
	commits++;
	assert_false(kh_cache_is_current(cache));
	kh_cache_check(cache, 6);
	commits += 2;
	kh_cache_commit(cache, true);
	assert_false(kh_cache_is_current(cache));
	free_cache(cache);
}

/* What an index has found is found again, by others after the commit, and only for the same key and text. */
static void test_found(struct kh_test *t)
{
	static char text[KH_CACHE_TEXT + 1];
	struct kh_cache *cache = new_cache();
	struct kh_view name = KH_LIT("block:7"), most = kh_view_of(text, KH_CACHE_TEXT);

	(void)t;
	memset(text, 'x', sizeof(text));
	assert_int_equal(kh_cache_found(cache, KH_CACHE_STORE, KH_INDEX_NEEDS, 3, name), 0);
	kh_cache_put_found(cache, KH_INDEX_NEEDS, 3, name, 12);
	assert_int_equal(kh_cache_found(cache, KH_CACHE_STORE, KH_INDEX_NEEDS, 3, name), 12);
	assert_int_equal(kh_cache_found(cache, KH_CACHE_OTHER, KH_INDEX_NEEDS, 3, name), 0);
	kh_cache_commit(cache, true);
	assert_int_equal(kh_cache_found(cache, KH_CACHE_OTHER, KH_INDEX_NEEDS, 3, name), 12);
	assert_int_equal(kh_cache_found(cache, KH_CACHE_OTHER, KH_INDEX_NEEDS, 4, name), 0);
	assert_int_equal(kh_cache_found(cache, KH_CACHE_OTHER, KH_INDEX_NEEDS, 3, KH_LIT("block:70")), 0);
	assert_int_equal(kh_cache_found(cache, KH_CACHE_OTHER, KH_INDEX_READERS_NAMED, 3, name), 0);
	kh_cache_put_found(cache, KH_INDEX_NEEDS, 3, most, 13);
	kh_cache_put_found(cache, KH_INDEX_NEEDS, 3, kh_view_of(text, sizeof(text)), 14);
	assert_int_equal(kh_cache_found(cache, KH_CACHE_STORE, KH_INDEX_NEEDS, 3, most), 13);
	assert_int_equal(kh_cache_found(cache, KH_CACHE_STORE, KH_INDEX_NEEDS, 3, kh_view_of(text, sizeof(text))), 0);
	kh_cache_clear(cache);
	assert_int_equal(kh_cache_found(cache, KH_CACHE_STORE, KH_INDEX_NEEDS, 3, most), 0);
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

/* What is likely: what was committed, while an operation that has changed it goes on or was taken back. */
struct looking {
	struct kh_store *store;
	struct kh_arena *arena;
	uint64_t seen, within;
};

static enum kh_err look(struct kh_txn *txn, void *arg)
{
	struct looking *l = arg;
	struct kh_reader_row row;
	struct kh_arena own;
	int64_t ids[1];
	size_t count = 0;

	kh_arena_init(&own, NULL, 1 << 20);
	kh_txn_use_arena(txn, &own);
	enum kh_err e = txn->backend->get(txn, KH_TABLE_READERS, 1, &row);
	if (e == KH_OK)
		e = txn->backend->find(txn, KH_INDEX_READERS_NAMED, 0, row.name, 0, 1, ids, &count);
	l->seen = e == KH_OK && count == 1 && ids[0] == 1 ? row.total_1 : UINT64_MAX;
	kh_arena_done(&own);
	return e;
}

static enum kh_err add_and_look(struct kh_txn *txn, void *arg)
{
	struct looking *l = arg;
	struct adding a = {.arena = l->arena};
	enum kh_err e = add_one(txn, &a);

	if (e == KH_OK)
		e = kh_store_read_soon(l->store, look, l); /* from here, as another thread would */
	l->within = l->seen;
	return e;
}

static void test_store_tells_others_what_is_committed(struct kh_test *t)
{
	struct adding a = {.arena = &t->arena};
	struct opened o;

	opened_new(&o);
	struct looking l = {.store = o.store, .arena = &t->arena};
	must_store(&o, kh_store_run(o.store, opened_first_rows, &t->arena, &o.err));
	for (uint64_t i = 0; i < 5; i++) {
		must_store(&o, kh_store_run(o.store, add_and_look, &l, &o.err));
		assert_int_equal(l.within, 2 * i);
		assert_int_equal(kh_store_read_soon(o.store, look, &l), KH_OK);
		assert_int_equal(l.seen, 2 * i + 1);
		a.end = KH_OK;
		must_store(&o, kh_store_run(o.store, add_one, &a, &o.err));
		a.end = KH_EREFUSED;
		assert_int_equal(kh_store_run(o.store, add_one, &a, &o.err), KH_EREFUSED);
		assert_int_equal(kh_store_read_soon(o.store, look, &l), KH_OK);
		assert_int_equal(l.seen, 2 * i + 2);
	}
	opened_remove(&o);
}

static enum kh_err do_nothing(struct kh_txn *txn, void *arg)
{
	(void)txn;
	(void)arg;
	return KH_OK;
}

/* SQLite counts each commit that wrote once, whoever it is of; otherwise no cache would ever be current. */
static void test_commits_are_counted(struct kh_test *t)
{
	struct adding a = {.arena = &t->arena};
	struct kh_connection c = {.db = NULL};
	int64_t readers = 0;
	struct opened o;

	opened_new(&o);
	must_store(&o, kh_store_run(o.store, opened_first_rows, &t->arena, &o.err));
	must_store(&o, kh_connection_open(&c, o.path, KH_STORE_READ, &o.err));
	must_store(&o, kh_connection_number(&c, "SELECT count(*) FROM readers", &readers, &o.err));
	const volatile uint32_t *commits = kh_commits_of(&c);
	assert_non_null(commits);
	uint32_t before = *commits;
	must_store(&o, kh_store_run(o.store, add_one, &a, &o.err));
	assert_int_equal(*commits, before + 1);
	must_store(&o, kh_store_run(o.store, do_nothing, NULL, &o.err));
	assert_int_equal(*commits, before + 1);
	assert_int_equal(opened_sql(&o, "UPDATE readers SET total_1 = 1000"), SQLITE_OK);
	assert_int_equal(*commits, before + 2);
	kh_connection_close(&c);
	opened_remove(&o);
}

/* --- with another process ----------------------------------------------------------------------------------------- */

/* A process of its own on the same store, which adds one whenever it is told to. */
struct neighbour {
	pid_t pid;
	int tell, told;
};

static void be_neighbour(const char *path, int in, int out)
{
	struct kh_store *store;
	struct kh_error err;
	struct kh_arena arena;
	struct adding a = {.arena = &arena};
	char word;

	kh_arena_init(&arena, NULL, 1U << 20);
	if (kh_store_open(&kh_sqlite_backend, path, KH_STORE_EXISTING, &store, &err) != KH_OK)
		_exit(1);
	while (read(in, &word, 1) == 1) {
		if (kh_store_run(store, add_one, &a, &err) != KH_OK || write(out, &word, 1) != 1)
			_exit(2);
	}
	kh_store_close(store);
	_exit(0);
}

/* No store is open here while it is started: SQLite's files are not to be taken along. */
static void start_neighbour(struct neighbour *n, const char *path)
{
	int to[2], from[2];

	assert_int_equal(pipe(to), 0);
	assert_int_equal(pipe(from), 0);
	n->pid = fork();
	assert_true(n->pid >= 0);
	if (n->pid == 0) {
		close(to[1]);
		close(from[0]);
		be_neighbour(path, to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	n->tell = to[1];
	n->told = from[0];
}

static void let_neighbour_add(const struct neighbour *n)
{
	char word = '+';

	assert_int_equal(write(n->tell, &word, 1), 1);
	assert_int_equal(read(n->told, &word, 1), 1);
}

static void end_neighbour(struct neighbour *n)
{
	int status;

	close(n->tell);
	assert_int_equal(waitpid(n->pid, &status, 0), n->pid);
	assert_int_equal(status, 0);
	close(n->told);
}

/* Commits while FN reads, as the store's thread does at any moment. */
static enum kh_err look_and_commit(struct kh_txn *txn, void *arg)
{
	struct looking *l = arg;
	struct adding a = {.arena = l->arena};
	enum kh_err e = look(txn, l);

	if (e == KH_OK)
		e = kh_store_run(l->store, add_one, &a, NULL);
	return e;
}

/* Who reads only what is in memory gets all of it as of one moment, or nothing; and never what another has changed. */
static void test_kept_is_of_one_moment(struct kh_test *t)
{
	struct adding a = {.arena = &t->arena};
	struct neighbour n;
	struct opened o;

	opened_new(&o);
	must_store(&o, kh_store_run(o.store, opened_first_rows, &t->arena, &o.err));
	kh_store_close(o.store);
	o.store = NULL;
	start_neighbour(&n, o.path);
	opened_open(&o, KH_STORE_EXISTING);
	struct looking l = {.store = o.store, .arena = &t->arena};
	assert_int_equal(kh_store_read_kept(o.store, look, &l), KH_ESTORE); /* nothing is in memory yet */
	must_store(&o, kh_store_run(o.store, add_one, &a, &o.err));
	must_store(&o, kh_store_run(o.store, look, &l, &o.err)); /* what was found is kept too */
	assert_int_equal(kh_store_read_kept(o.store, look, &l), KH_OK);
	assert_int_equal(l.seen, 1);
	assert_int_equal(kh_store_read_kept(o.store, look_and_commit, &l), KH_ESTORE);
	assert_int_equal(kh_store_read_kept(o.store, look, &l), KH_OK);
	assert_int_equal(l.seen, 2);
	let_neighbour_add(&n);
	assert_int_equal(kh_store_read_kept(o.store, look, &l), KH_ESTORE);
	end_neighbour(&n);
	opened_remove(&o);
}

/*
 * I-45: what another process has committed is seen at once by those who read what is likely, though this process has
 * the row in its memory and makes no transaction of its own meanwhile.
 */
static void test_others_see_what_another_process_committed(struct kh_test *t)
{
	struct adding a = {.arena = &t->arena};
	struct neighbour n;
	struct opened o;
	uint64_t total = 0;

	opened_new(&o);
	must_store(&o, kh_store_run(o.store, opened_first_rows, &t->arena, &o.err));
	kh_store_close(o.store);
	o.store = NULL;
	start_neighbour(&n, o.path);
	opened_open(&o, KH_STORE_EXISTING);
	struct looking l = {.store = o.store, .arena = &t->arena};
	for (uint64_t i = 0; i < 20; i++) {
		must_store(&o, kh_store_run(o.store, add_one, &a, &o.err)); /* the row is in memory */
		assert_int_equal(a.seen, ++total);
		assert_int_equal(kh_store_read_soon(o.store, look, &l), KH_OK);
		assert_int_equal(l.seen, total);
		for (uint64_t k = 0; k < i % 3; k++) {
			let_neighbour_add(&n);
			total++;
			assert_int_equal(kh_store_read_soon(o.store, look, &l), KH_OK);
			assert_int_equal(l.seen, total);
		}
	}
	end_neighbour(&n);
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
		kh_cache_put(cache, KH_TABLE_NEEDS, &wrote, false);
		assert_true(cache->bytes <= KH_CACHE_BYTES);
	}
	assert_true(kh_cache_get(cache, KH_CACHE_STORE, KH_TABLE_NEEDS, wrote.id, false, &t->arena, &read));
	assert_true(kh_view_eq(read.need.name, wrote.need.name));
	kh_cache_clear(cache);
	assert_int_equal(cache->bytes, 0);
	free_cache(cache);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_put_and_get),
	KH_TEST_ONCE(test_peek_has_nothing_sealed),
	KH_TEST_ONCE(test_update_some_columns),
	KH_TEST_ONCE(test_large_is_peeked_at),
	KH_TEST_ONCE(test_peeked_is_not_whole),
	KH_TEST_ONCE(test_used_rows_stay),
	KH_TEST_ONCE(test_bytes_are_bounded),
	KH_TEST_ONCE(test_version),
	KH_TEST_ONCE(test_others_see_what_is_committed),
	KH_TEST_ONCE(test_current),
	KH_TEST_ONCE(test_found),
	KH_TEST_ONCE(test_store_sees_what_is),
	KH_TEST_ONCE(test_store_tells_others_what_is_committed),
	KH_TEST_ONCE(test_commits_are_counted),
	KH_TEST_ONCE(test_others_see_what_another_process_committed),
	KH_TEST_ONCE(test_kept_is_of_one_moment),
};
KH_TEST_MAIN(cases)
