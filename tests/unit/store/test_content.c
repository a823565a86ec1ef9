/* D1, D4, L5: large content is staged in parts, named by one row, read as one, and leaves nothing behind. */
#include "opened.h"

#include "store/content.h"

#include "../../crash/disk.h"

#define SIZE (5 * (size_t)KH_CONTENT_PART + 1)

static struct disk disk;

struct work {
	struct kh_arena *arena;
	struct kh_content *contents;
	struct kh_view content;
	int64_t id;
	uint64_t changed;
	struct kh_block_row read, peeked;
	size_t n; /* bytes of what `each` saw last */
	struct kh_view why;
};

static void open_new(struct opened *o, struct kh_arena *arena)
{
	disk = (struct disk){.harm = DISK_NONE};
	opened_new(o);
	must_store(o, kh_store_run(o->store, opened_first_rows, arena, &o->err));
}

static struct kh_view large(struct kh_test *t)
{
	char *bytes = kh_arena_alloc(&t->arena, SIZE);

	must(t, kh_arena_check(&t->arena));
	for (size_t i = 0; i < SIZE; i++)
		bytes[i] = (char)(i % 251);
	return kh_view_of(bytes, SIZE);
}

static enum kh_err insert_block(struct kh_txn *txn, void *arg)
{
	struct work *w = arg;
	union opened_row row;

	kh_txn_use_arena(txn, w->arena);
	kh_txn_use_contents(txn, w->contents);
	opened_fill(KH_TABLE_BLOCKS, w->arena, w->id, &row);
	row.block.content = w->content;
	return txn->backend->insert(txn, KH_TABLE_BLOCKS, &row);
}

/* Inserts it, and fails. */
static enum kh_err insert_and_fail(struct kh_txn *txn, void *arg)
{
	enum kh_err e = insert_block(txn, arg);

	return e == KH_OK ? KH_EREFUSED : e;
}

static enum kh_err get_block(struct kh_txn *txn, void *arg)
{
	struct work *w = arg;

	kh_txn_use_arena(txn, w->arena);
	enum kh_err e = txn->backend->peek(txn, KH_TABLE_BLOCKS, w->id, &w->peeked);
	return e == KH_OK ? txn->backend->get(txn, KH_TABLE_BLOCKS, w->id, &w->read) : e;
}

static bool see(const void *row, void *arg)
{
	struct work *w = arg;

	w->n = ((const struct kh_block_row *)row)->content.n;
	return true;
}

static enum kh_err see_each(struct kh_txn *txn, void *arg)
{
	struct work *w = arg;

	kh_txn_use_arena(txn, w->arena);
	enum kh_err e = txn->backend->each(txn, KH_TABLE_BLOCKS, see, w);
	return e == KH_OK ? txn->backend->agrees(txn, &w->why) : e;
}

static uint64_t bit_of(const char *name)
{
	const struct kh_record *record = kh_record_of(KH_TABLE_BLOCKS);

	for (size_t i = 0; i < record->count; i++) {
		if (strcmp(record->columns[i].name, name) == 0)
			return UINT64_C(1) << i;
	}
	fail_msg("blocks have no %s", name);
	return 0;
}

static enum kh_err update_block(struct kh_txn *txn, void *arg)
{
	struct work *w = arg;
	struct kh_block_row row;

	kh_txn_use_arena(txn, w->arena);
	kh_txn_use_contents(txn, w->contents);
	enum kh_err e = txn->backend->peek(txn, KH_TABLE_BLOCKS, w->id, &row);
	row.told = 7;
	row.content = w->content;
	return e == KH_OK ? txn->backend->update(txn, KH_TABLE_BLOCKS, &row, w->changed) : e;
}

static int64_t number(struct opened *o, const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *stmt;

	assert_int_equal(sqlite3_open_v2(o->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	int64_t n = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return n;
}

#define STAGED "SELECT count(*) FROM contents WHERE holder > 0"
#define ALL    "SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM parts)"

/* Stages CONTENT, and seals it as block 2. */
static struct work seal(struct opened *o, struct kh_test *t, struct kh_content *content)
{
	struct work w = {.arena = &t->arena, .id = 2, .content = large(t), .contents = content};

	must_store(o, kh_content_stage(o->store, w.content, content, &o->err));
	must_store(o, kh_store_run(o->store, insert_block, &w, &o->err));
	assert_true(content->named);
	kh_content_end(o->store, content, true);
	w.contents = NULL;
	return w;
}

/* What is sealed comes back, on the store's thread, on a reader and in verification; peeking reads none of it. */
static void test_content_round_trip(struct kh_test *t)
{
	struct kh_content content;
	struct opened o;

	open_new(&o, &t->arena);
	struct work w = seal(&o, t, &content);
	assert_int_equal(number(&o, STAGED), 0);
	assert_int_equal(number(&o, "SELECT count(*) FROM parts"), 6);
	assert_int_equal(number(&o, "SELECT length(content) FROM blocks WHERE id = 2"), 0);
	for (int i = 0; i < 2; i++) {
		must_store(&o, (i == 0 ? kh_store_run : kh_store_read)(o.store, get_block, &w, &o.err));
		assert_true(kh_view_eq(w.read.content, w.content));
		assert_int_equal(w.peeked.content.n, 0);
	}
	must_store(&o, kh_store_read(o.store, see_each, &w, &o.err));
	assert_int_equal(w.n, SIZE);
	assert_int_equal(w.why.n, 0);
	must_store(&o, kh_content_sweep(o.store, &o.err));
	assert_int_equal(number(&o, ALL), 7);
	opened_remove(&o);
}

/* No commit has more than the parts that may be submitted; changing the row writes none of them again. */
static void test_content_commits(struct kh_test *t)
{
	static const uint64_t part = KH_CONTENT_PART / 4096;
	struct kh_content content;
	struct opened o;
	struct stat before, after;
	char wal[128];

	open_new(&o, &t->arena);
	struct work w = seal(&o, t, &content);
	uint64_t largest = kh_store_figures(o.store).largest;
	assert_true(largest >= part && largest <= KH_CONTENT_AHEAD * (part + 8));
	snprintf(wal, sizeof(wal), "%s-wal", o.path);
	assert_int_equal(stat(wal, &before), 0);
	w.changed = bit_of("told");
	must_store(&o, kh_store_run(o.store, update_block, &w, &o.err));
	assert_int_equal(stat(wal, &after), 0);
	assert_true(after.st_size - before.st_size < 8 * 4096);
	must_store(&o, kh_store_read(o.store, get_block, &w, &o.err));
	assert_int_equal(w.read.told, 7);
	assert_true(kh_view_eq(w.read.content, w.content));
	opened_remove(&o);
}

/* A row that lets its content go: it is gone for readers at once, and from the store with the next sweep. */
static void test_content_replaced(struct kh_test *t)
{
	struct kh_content content;
	struct opened o;

	open_new(&o, &t->arena);
	struct work w = seal(&o, t, &content);
	w.changed = bit_of("content");
	w.content = KH_LIT("few words");
	must_store(&o, kh_store_run(o.store, update_block, &w, &o.err));
	must_store(&o, kh_store_read(o.store, get_block, &w, &o.err));
	assert_true(kh_view_eq(w.read.content, w.content));
	assert_int_equal(number(&o, "SELECT holder FROM contents"), KH_BACKEND_DROPPED);
	must_store(&o, kh_content_sweep(o.store, &o.err));
	assert_int_equal(number(&o, ALL), 0);
	opened_remove(&o);
}

/* An operation that failed, or never ran: nothing of the content stays. */
static void test_content_unused(struct kh_test *t)
{
	struct kh_content content;
	struct opened o;

	open_new(&o, &t->arena);
	struct work w = {.arena = &t->arena, .id = 2, .content = large(t), .contents = &content};
	for (int i = 0; i < 2; i++) {
		must_store(&o, kh_content_stage(o.store, w.content, &content, &o.err));
		if (i == 1)
			assert_int_equal(kh_store_run(o.store, insert_and_fail, &w, &o.err), KH_EREFUSED);
		must_store(&o, kh_content_sweep(o.store, &o.err)); /* it is still held */
		assert_int_equal(number(&o, ALL), 7);
		kh_content_end(o.store, &content, false);
		assert_int_equal(number(&o, ALL), 0);
	}
	opened_remove(&o);
}

/* Content is named once, and only as long as it is there. */
static void test_content_named_once(struct kh_test *t)
{
	struct kh_content content;
	struct opened o;

	open_new(&o, &t->arena);
	struct work w = seal(&o, t, &content);
	w.contents = &content;
	w.id = 3;
	must_store_fail(&o, KH_ESTORE, "store_refused", kh_store_run(o.store, insert_block, &w, &o.err));
	kh_content_end(o.store, &content, false); /* does not take it from the row */
	w.id = 2;
	must_store(&o, kh_store_read(o.store, get_block, &w, &o.err));
	assert_true(kh_view_eq(w.read.content, w.content));
	opened_remove(&o);
}

/* What another process stages is its own as long as it lives.  If it died, the next sweep removes it. */
static void test_content_of_others(struct kh_test *t)
{
	struct kh_content content;
	struct opened o, other;

	open_new(&o, &t->arena);
	other = o;
	opened_open(&other, KH_STORE_EXISTING);
	must_store(&other, kh_content_stage(other.store, large(t), &content, &other.err));
	must_store(&o, kh_content_sweep(o.store, &o.err));
	assert_int_equal(number(&o, ALL), 7);
	kh_store_close(other.store); /* without its end, as if it had died */
	must_store(&o, kh_content_sweep(o.store, &o.err));
	assert_int_equal(number(&o, ALL), 0);
	opened_remove(&o);
}

/* A full disk, at each write in turn: either nothing of it is there, or it is removed as soon as there is room. */
static void test_content_full_disk(struct kh_test *t)
{
	struct kh_content content;
	struct opened o;
	unsigned failed = 0;

	open_new(&o, &t->arena);
	for (unsigned at = 1; at < 400; at += 5) {
		disk = (struct disk){.harm = DISK_FULL, .at = at};
		enum kh_err e = kh_content_stage(o.store, large(t), &content, &o.err);
		disk = (struct disk){.harm = DISK_NONE};
		if (e == KH_OK) {
			kh_content_end(o.store, &content, false);
		} else {
			must_store_fail(&o, KH_ESTORE, "store_full", e);
			failed++;
		}
		must_store(&o, kh_content_sweep(o.store, &o.err));
		assert_int_equal(number(&o, ALL), 0);
	}
	assert_true(failed > 0);
	opened_remove(&o);
}

/* A part that is missing is found: reading fails, and so does verification, which still runs. */
static void test_content_damaged(struct kh_test *t)
{
	static const struct {
		const char *sql, *why;
		enum kh_err e;
	} harms[] = {
		{"DELETE FROM parts WHERE id = 65536 + 3", "", KH_ESTORE},
		{"UPDATE parts SET bytes = x'00' WHERE id = 65536", "", KH_ESTORE},
		{"UPDATE contents SET holder = -1", "a row names content that is not there", KH_ESTORE},
		{"UPDATE blocks SET content_at = 0", "there is content that no row names", KH_OK},
		{"UPDATE blocks SET content_at = 1", "two rows name the same content", KH_OK},
		{"INSERT INTO parts VALUES (65536 * 9, x'00')", "there is a part of content that is not there", KH_OK},
	};
	struct kh_content content;
	struct opened o;

	for (size_t i = 0; i < sizeof(harms) / sizeof(harms[0]); i++) {
		open_new(&o, &t->arena);
		struct work w = seal(&o, t, &content);
		assert_int_equal(opened_sql(&o, harms[i].sql), SQLITE_OK);
		must_store(&o, kh_store_read(o.store, see_each, &w, &o.err));
		assert_view(w.why, harms[i].why);
		assert_int_equal(kh_store_read(o.store, get_block, &w, &o.err), harms[i].e);
		if (harms[i].e != KH_OK)
			assert_string_equal(o.err.code, "store_corrupt");
		opened_remove(&o);
		kh_arena_clear(&t->arena);
	}
}

/* A row that was loaded closed: its content is read when it is needed, and is not in the event unless it changed. */
static enum kh_err change_closed(struct kh_txn *txn, void *arg)
{
	const struct work *w = arg;
	struct kh_block_row *closed = NULL, *open = NULL;

	kh_txn_use_arena(txn, w->arena);
	enum kh_err e = kh_txn_load_closed(txn, KH_TABLE_BLOCKS, w->id, &closed);
	if (e != KH_OK)
		return e;
	assert_int_equal(closed->content.n, 0);
	closed->told = 9;
	closed->prints = KH_LIT("others");
	e = kh_txn_event(txn, &(struct kh_audit){.kind = KH_AUDIT_ALERT, .at = 8});
	if (e == KH_OK)
		e = kh_txn_load(txn, KH_TABLE_BLOCKS, w->id, &open);
	if (e != KH_OK)
		return e;
	assert_ptr_equal(open, closed);
	assert_true(kh_view_eq(open->content, w->content));
	assert_view(open->prints, "others"); /* which is not written yet */
	return KH_OK;
}

static void test_content_closed(struct kh_test *t)
{
	struct kh_content content;
	struct opened o;

	open_new(&o, &t->arena);
	struct work w = seal(&o, t, &content);
	must_store(&o, kh_store_run(o.store, change_closed, &w, &o.err));
	assert_int_equal(number(&o, "SELECT count(*) FROM system_logs WHERE body LIKE '%\"told\":9%' AND "
				    "body LIKE '%\"prints\":%' AND body NOT LIKE '%\"content\":%'"),
			 1);
	must_store(&o, kh_store_read(o.store, get_block, &w, &o.err));
	assert_int_equal(w.read.told, 9);
	assert_view(w.read.prints, "others");
	assert_true(kh_view_eq(w.read.content, w.content));
	opened_remove(&o);
}

/* The log is copied into the database beside the store's thread, and begins anew. */
static void test_content_log(struct kh_test *t)
{
	struct kh_content content;
	struct stat st;
	struct opened o;
	char wal[128];

	open_new(&o, &t->arena);
	for (unsigned i = 0; i < 60; i++) { /* 40 MB in all */
		must_store(&o, kh_content_stage(o.store, large(t), &content, &o.err));
		kh_content_end(o.store, &content, false);
		kh_arena_clear(&t->arena);
	}
	snprintf(wal, sizeof(wal), "%s-wal", o.path);
	assert_int_equal(stat(wal, &st), 0);
	assert_true(st.st_size < 36 << 20);
	opened_remove(&o);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_content_round_trip), KH_TEST_ONCE(test_content_commits),
	KH_TEST_ONCE(test_content_replaced),   KH_TEST_ONCE(test_content_unused),
	KH_TEST_ONCE(test_content_named_once), KH_TEST_ONCE(test_content_of_others),
	KH_TEST_ONCE(test_content_full_disk),  KH_TEST_ONCE(test_content_damaged),
	KH_TEST_ONCE(test_content_log),        KH_TEST_ONCE(test_content_closed),
};

int main(void)
{
	if (!disk_install(&disk))
		return 1;
	return kh_test_main(__FILE__, cases, sizeof(cases) / sizeof(cases[0]));
}
