/*
 * The indexer.  Trusts nothing in the folders.  It commits in small batches, so that searches see the changes soon and
 * a run that is killed loses little.
 *
 * The walk and the rows of `files` are in the same order, so they are read side by side.  If the walk has passed a row
 * without finding its file, that file is gone.  So nothing is written for files that did not change.
 */
#include "worker/search/index.h"

#include "base/clock.h"
#include "worker/search/rank.h"
#include "worker/search/store.h"
#include "worker/search/text.h"
#include "worker/search/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define BATCH_FILES 512
#define BATCH_BYTES (8U << 20)
#define BATCH_MS    250
#define ROWS        512                           /* rows of `files` that are read at once */
#define MEMORY      ((size_t)128 << 20)           /* for the content of one file, and its text */
#define FINE_NS     (INT64_C(50) * 1000000)       /* file clocks tick more often than this */
#define COARSE_NS   (INT64_C(2) * 1000 * 1000000) /* unless they count whole seconds, or two */

/* What tells one state of a file from another, in the order of the columns. */
enum { DEVICE, INODE, MODIFIED, SIZE, CHANGED, MARKS };

struct known {
	int64_t id, mark[MARKS], seen;
	struct kh_view key;
};

struct run {
	const struct kh_alloc *alloc;
	const struct kh_search_index_job *job;
	struct kh_search_index_report *report;
	struct kh_error *err;
	sqlite3 *db;
	sqlite3_stmt *rows, *put_file, *put_doc, *drop_file, *drop_doc;
	struct kh_search_walk walk;
	struct kh_view folder_key, cursor; /* in `kept` */
	struct kh_arena kept;              /* for the whole run */
	struct kh_arena page;              /* for the known rows */
	struct kh_arena file;              /* for one file */
	struct known known[ROWS];
	size_t known_count, known_next;
	bool known_all; /* the last row was read */
	char last[PATH_MAX];
	size_t last_n; /* length of the key that was processed last */
	int64_t started, deadline, batch_since;
	int64_t last_id; /* of `files`, without the bits for the length */
	uint64_t batch_files, batch_bytes;
};

static int64_t ns_of(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void take_marks(const struct stat *st, int64_t ret_mark[MARKS])
{
	const int64_t mark[MARKS] = {[DEVICE] = (int64_t)st->st_dev,
				     [INODE] = (int64_t)st->st_ino,
				     [MODIFIED] = ns_of(st->st_mtim),
				     [SIZE] = (int64_t)st->st_size,
				     [CHANGED] = ns_of(st->st_ctim)};

	memcpy(ret_mark, mark, sizeof(mark));
}

/* --- batches ------------------------------------------------------------------------------------------------------ */

static enum kh_err begin_batch(struct run *run)
{
	run->batch_files = run->batch_bytes = 0;
	run->batch_since = kh_clock_ms();
	return kh_search_store_exec(run->db, "BEGIN IMMEDIATE", run->err);
}

/* Commits, and writes the log back as far as no reader needs it. */
static enum kh_err end_batch(struct run *run)
{
	enum kh_err e = kh_search_store_exec(run->db, "COMMIT", run->err);

	if (e == KH_OK)
		(void)sqlite3_wal_checkpoint_v2(run->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	return e;
}

static bool is_batch_full(const struct run *run)
{
	return run->batch_files >= BATCH_FILES || run->batch_bytes >= BATCH_BYTES ||
	       (run->batch_files > 0 && kh_clock_ms() - run->batch_since >= BATCH_MS);
}

/* --- one file ----------------------------------------------------------------------------------------------------- */

static enum kh_err drop(struct run *run, int64_t id)
{
	sqlite3_bind_int64(run->drop_doc, 1, id);
	enum kh_err e = kh_search_store_run(run->db, run->drop_doc, run->err);

	sqlite3_bind_int64(run->drop_file, 1, id);
	if (e == KH_OK)
		e = kh_search_store_run(run->db, run->drop_file, run->err);
	run->batch_files++;
	return e;
}

static enum kh_err put_doc(struct run *run, int64_t id, const struct kh_search_text *text, struct kh_view name)
{
	sqlite3_bind_int64(run->put_doc, 1, id);
	sqlite3_bind_text64(run->put_doc, 2, text->title.p, text->title.n, SQLITE_STATIC, SQLITE_UTF8);
	sqlite3_bind_text64(run->put_doc, 3, name.p, name.n, SQLITE_STATIC, SQLITE_UTF8);
	sqlite3_bind_text64(run->put_doc, 4, text->body.p, text->body.n, SQLITE_STATIC, SQLITE_UTF8);
	enum kh_err e = kh_search_store_run(run->db, run->put_doc, run->err);
	sqlite3_clear_bindings(run->put_doc);
	return e;
}

/* LENGTH: bytes of its text. */
static enum kh_err put_file(struct run *run, struct kh_view key, const struct stat *st, int64_t seen, bool indexed,
			    size_t length, int64_t *ret_id)
{
	int64_t id = ++run->last_id << KH_SEARCH_RANK_BITS | kh_search_rank_length(length);
	int64_t values[MARKS + 2] = {[MARKS] = seen, [MARKS + 1] = indexed};

	take_marks(st, values);
	sqlite3_bind_blob64(run->put_file, 1, key.p, key.n, SQLITE_STATIC);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		sqlite3_bind_int64(run->put_file, (int)i + 2, values[i]);
	sqlite3_bind_int64(run->put_file, 9, id);
	enum kh_err e = kh_search_store_run(run->db, run->put_file, run->err);
	sqlite3_clear_bindings(run->put_file);
	*ret_id = id;
	return e;
}

/* All bytes of FD, unless they are too many; false if they are, or if they cannot be read. */
static bool read_all(struct run *run, int fd, off_t size, struct kh_view *ret_bytes)
{
	size_t cap = size > 0 && size < KH_SEARCH_INDEX_FILE ? (size_t)size + 1 : KH_SEARCH_INDEX_FILE + 1, n = 0;
	char *bytes = size <= KH_SEARCH_INDEX_FILE ? kh_arena_alloc(&run->file, cap) : NULL;

	while (bytes != NULL && n < cap) {
		ssize_t got = read(fd, bytes + n, cap - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return false;
		if (got == 0) {
			*ret_bytes = kh_view_of(bytes, n);
			return true;
		}
		n += (size_t)got;
		if (n == cap && cap <= KH_SEARCH_INDEX_FILE) { /* it has grown meanwhile */
			size_t want = KH_SEARCH_INDEX_FILE + 1;
			bytes = kh_arena_grow(&run->file, bytes, cap, want);
			cap = want;
		}
	}
	return false;
}

/* The words of the path below the folder, because a file's name says what it is about. */
static struct kh_view name_of(struct run *run)
{
	struct kh_view key = kh_view_from(kh_search_walk_key(&run->walk), run->folder_key.n + 1);

	return kh_search_text_valid(&run->file, kh_search_store_path(&run->file, key));
}

/* Indexes the current file of the walk, replacing OLD if that is not NULL. */
static enum kh_err take_file(struct run *run, const struct known *old)
{
	struct kh_view bytes = {NULL, 0};
	struct kh_search_text text;
	int64_t id, seen = kh_clock_wall_us() * 1000;
	int fd = kh_search_walk_open(&run->walk);
	struct stat st = run->walk.status;
	bool is_text = false;
	enum kh_err e = old != NULL ? drop(run, old->id) : KH_OK;

	kh_arena_clear(&run->file);
	if (fd >= 0) {
		if (fstat(fd, &st) == 0 && read_all(run, fd, st.st_size, &bytes) && e == KH_OK)
			e = kh_search_text_make(&run->file, run->job->gumbo, bytes, kh_view_str(run->walk.name), &text,
						&is_text);
		close(fd);
	} else if (errno == ENOENT) {
		return e; /* gone since its folder was read */
	}
	struct kh_view name = is_text ? name_of(run) : (struct kh_view){NULL, 0};
	if (e == KH_OK)
		e = kh_arena_check(&run->file);
	if (e == KH_OK)
		e = put_file(run, kh_search_walk_key(&run->walk), &st, seen, is_text, is_text ? text.body.n : 0, &id);
	if (e == KH_OK && is_text)
		e = put_doc(run, id, &text, name);
	run->batch_files++;
	run->batch_bytes += bytes.n;
	is_text ? run->report->indexed++ : run->report->skipped++;
	return e;
}

/* A file that was changed in the same clock tick in which it was read may have been changed again after that. */
static bool is_certain(const struct known *known)
{
	int64_t tick = known->mark[CHANGED] % 1000000000 == 0 ? COARSE_NS : FINE_NS;

	return known->mark[CHANGED] < known->seen - tick;
}

static bool is_unchanged(const struct known *known, const struct stat *st)
{
	int64_t now[MARKS];

	take_marks(st, now);
	return memcmp(known->mark, now, sizeof(now)) == 0 && is_certain(known);
}

/* --- what is known ------------------------------------------------------------------------------------------------ */

/* The next rows of this folder after AFTER. */
static enum kh_err read_rows(struct run *run, struct kh_view after)
{
	sqlite3_stmt *s = run->rows;
	int rc = SQLITE_DONE;

	sqlite3_bind_blob64(s, 1, after.p, after.n, SQLITE_TRANSIENT); /* it may point into rows that are freed now */
	kh_arena_clear(&run->page);
	run->known_count = run->known_next = 0;
	while (run->known_count < ROWS && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		struct kh_view key = kh_view_of(sqlite3_column_blob(s, 1), (size_t)sqlite3_column_bytes(s, 1));
		struct known *known = &run->known[run->known_count++];
		*known = (struct known){.id = sqlite3_column_int64(s, 0),
					.key = kh_arena_dup(&run->page, key),
					.seen = sqlite3_column_int64(s, 2 + MARKS)};
		for (int i = 0; i < MARKS; i++)
			known->mark[i] = sqlite3_column_int64(s, 2 + i);
	}
	sqlite3_reset(s);
	run->known_all = run->known_count < ROWS;
	if (rc != SQLITE_DONE && rc != SQLITE_ROW)
		return kh_search_store_fail(run->db, rc, run->err);
	return kh_arena_check(&run->page);
}

/* The first known row that was not processed yet; NULL: there is none. */
static enum kh_err next_known(struct run *run, const struct known **ret_known)
{
	enum kh_err e = KH_OK;

	if (run->known_next == run->known_count && !run->known_all)
		e = read_rows(run, run->known[run->known_count - 1].key);
	*ret_known = e == KH_OK && run->known_next < run->known_count ? &run->known[run->known_next] : NULL;
	return e;
}

/* Removes the known rows before KEY (empty: all that are left), because their files are gone.  Returns the row of KEY
 * itself, if there is one. */
static enum kh_err drop_before(struct run *run, struct kh_view key, const struct known **ret_same)
{
	const struct known *known = NULL;
	enum kh_err e = KH_OK;

	*ret_same = NULL;
	while (e == KH_OK && (e = next_known(run, &known)) == KH_OK && known != NULL) {
		int order = key.n == 0 ? -1 : kh_view_cmp(known->key, key);
		if (order > 0)
			break;
		run->known_next++;
		if (order == 0) {
			*ret_same = known;
			break;
		}
		run->report->removed++;
		e = drop(run, known->id);
	}
	return e;
}

/* --- the pass ----------------------------------------------------------------------------------------------------- */

static void keep_last(struct run *run)
{
	struct kh_view key = kh_search_walk_key(&run->walk);

	memcpy(run->last, key.p, key.n);
	run->last_n = key.n;
}

/* True if the time is over.  Every run processes at least one file, so that each file gets its turn. */
static bool is_over(const struct run *run)
{
	return run->last_n > 0 && kh_clock_ms() >= run->deadline;
}

static enum kh_err pass_over(struct run *run)
{
	const struct known *same;
	enum kh_err e = KH_OK;
	bool more = true;

	while (e == KH_OK && !is_over(run) && (more = kh_search_walk_next(&run->walk)) && !run->walk.no_memory) {
		e = drop_before(run, kh_search_walk_key(&run->walk), &same);
		if (e == KH_OK && same != NULL && is_unchanged(same, &run->walk.status))
			run->report->unchanged++;
		else if (e == KH_OK)
			e = take_file(run, same);
		keep_last(run);
		if (e == KH_OK && is_batch_full(run) && (e = end_batch(run)) == KH_OK)
			e = begin_batch(run);
	}
	if (e == KH_OK && run->walk.no_memory)
		e = KH_ENOMEM;
	if (e == KH_OK && !more)
		e = drop_before(run, (struct kh_view){NULL, 0}, &same);
	run->report->finished = e == KH_OK && !more;
	run->report->unread = run->walk.unread;
	return e;
}

/* Stores how far the pass over the folder has come. */
static enum kh_err keep_progress(struct run *run)
{
	static const char sql[] = "INSERT OR REPLACE INTO folders(path, started, finished, cursor) VALUES(?1, ?2, "
				  "CASE WHEN ?3 IS NULL THEN ?2 ELSE coalesce((SELECT finished FROM folders WHERE "
				  "path = ?1), 0) END, ?3)";
	sqlite3_stmt *stmt = NULL;
	enum kh_err e = kh_search_store_prepare(run->db, sql, &stmt, run->err);

	if (e == KH_OK) {
		sqlite3_bind_text(stmt, 1, run->job->folder, -1, SQLITE_STATIC);
		sqlite3_bind_int64(stmt, 2, run->started);
		if (!run->report->finished)
			sqlite3_bind_blob64(stmt, 3, run->last, run->last_n, SQLITE_STATIC);
		e = kh_search_store_run(run->db, stmt, run->err);
	}
	sqlite3_finalize(stmt);
	return e;
}

/* Reads the stored progress of the folder; *RET_FRESH is true if its last pass is recent enough. */
static enum kh_err read_progress(struct run *run, bool *ret_fresh)
{
	sqlite3_stmt *stmt = NULL;
	int64_t now = kh_clock_wall_us() / 1000, fresh = (int64_t)run->job->fresh_ms;
	enum kh_err e = kh_search_store_prepare(run->db, "SELECT started, finished, cursor FROM folders WHERE path = ?",
						&stmt, run->err);

	run->started = now;
	if (e == KH_OK) {
		sqlite3_bind_text(stmt, 1, run->job->folder, -1, SQLITE_STATIC);
		int rc = sqlite3_step(stmt);
		if (rc == SQLITE_ROW && sqlite3_column_type(stmt, 2) == SQLITE_BLOB &&
		    sqlite3_column_bytes(stmt, 2) < PATH_MAX) {
			run->started = sqlite3_column_int64(stmt, 0);
			run->cursor = kh_arena_dup(&run->kept, kh_view_of(sqlite3_column_blob(stmt, 2),
									  (size_t)sqlite3_column_bytes(stmt, 2)));
		} else if (rc == SQLITE_ROW) {
			int64_t age = now - sqlite3_column_int64(stmt, 1);
			*ret_fresh = age >= 0 && age < fresh; /* 0: never, not even in the same millisecond */
		} else if (rc != SQLITE_DONE) {
			e = kh_search_store_fail(run->db, rc, run->err);
		}
	}
	sqlite3_finalize(stmt);
	return e;
}

/* --- all folders -------------------------------------------------------------------------------------------------- */

static bool is_below(struct kh_view folder_key, struct kh_view key)
{
	return kh_view_starts(key, folder_key) && key.n > folder_key.n && key.p[folder_key.n] == '\0';
}

static void is_listed(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	const struct run *run = sqlite3_user_data(ctx);
	struct kh_view path = kh_view_of((const char *)sqlite3_value_text(argv[0]),
					 (size_t)sqlite3_value_bytes(argv[0]));
	bool found = false;

	(void)argc;
	for (size_t i = 0; i < run->job->count && !found; i++)
		found = kh_view_eq(run->job->folders[i], path);
	sqlite3_result_int(ctx, found);
}

static void is_of_folder(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	const struct kh_view *keys = sqlite3_user_data(ctx); /* ended by an empty one */
	struct kh_view key = kh_view_of(sqlite3_value_blob(argv[0]), (size_t)sqlite3_value_bytes(argv[0]));
	bool found = false;

	(void)argc;
	for (; keys->p != NULL && !found; keys++)
		found = is_below(*keys, key);
	sqlite3_result_int(ctx, found);
}

/* Adds the SQL functions that the statements below use. */
static enum kh_err add_functions(struct run *run)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
	struct kh_view *keys = KH_NEW_N(&run->kept, struct kh_view, run->job->count + 1);

	for (size_t i = 0; keys != NULL && i < run->job->count; i++)
		keys[i] = kh_search_store_key(&run->kept, run->job->folders[i]);
	if (kh_arena_check(&run->kept) != KH_OK ||
	    sqlite3_create_function(run->db, "is_listed", 1, flags, run, is_listed, NULL, NULL) != SQLITE_OK ||
	    sqlite3_create_function(run->db, "is_of_folder", 1, flags, keys, is_of_folder, NULL, NULL) != SQLITE_OK)
		return KH_ENOMEM;
	return KH_OK;
}

/*
 * Removes the files of folders that are not indexed any more, as far as the time allows.  That is rare, so if there is
 * such a folder, all files are scanned.
 */
static enum kh_err forget_others(struct run *run)
{
	int64_t other = 0, id = 1;
	enum kh_err e = add_functions(run);

	if (e == KH_OK)
		e = kh_search_store_number(run->db, "SELECT 1 FROM folders WHERE NOT is_listed(path) LIMIT 1", &other,
					   run->err);
	if (e != KH_OK || other == 0)
		return e;
	e = kh_search_store_exec(run->db,
				 "CREATE TEMP TABLE IF NOT EXISTS others(id INTEGER PRIMARY KEY);"
				 "INSERT OR IGNORE INTO others SELECT id FROM files WHERE NOT is_of_folder(key);",
				 run->err);
	while (e == KH_OK && kh_clock_ms() < run->deadline) {
		e = kh_search_store_number(run->db,
					   "DELETE FROM others WHERE id = (SELECT min(id) FROM others) RETURNING id",
					   &id, run->err);
		if (e != KH_OK || id == 0)
			break;
		run->report->removed++;
		e = drop(run, id);
		if (e == KH_OK && is_batch_full(run) && (e = end_batch(run)) == KH_OK)
			e = begin_batch(run);
	}
	if (e == KH_OK && id == 0)
		e = kh_search_store_exec(run->db, "DELETE FROM folders WHERE NOT is_listed(path)", run->err);
	return e;
}

/* The time up to which the index is current: that of the folder whose last pass is the oldest. */
static enum kh_err read_current(struct run *run)
{
	sqlite3_stmt *stmt = NULL;
	enum kh_err e = kh_search_store_prepare(run->db, "SELECT min(finished), count(*) FROM folders", &stmt,
						run->err);

	if (e == KH_OK && sqlite3_step(stmt) == SQLITE_ROW && (size_t)sqlite3_column_int64(stmt, 1) >= run->job->count)
		run->report->current_ms = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return e;
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

static enum kh_err prepare(struct run *run)
{
	const struct {
		const char *sql;
		sqlite3_stmt **stmt;
	} all[] = {
		{"SELECT id, key, device, inode, modified, size, changed, seen FROM files "
		 "WHERE key > ?1 AND key < ?2 ORDER BY key LIMIT 512",
		 &run->rows},
		{"INSERT INTO files(key, device, inode, modified, size, changed, seen, indexed, id) "
		 "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
		 &run->put_file},
		{"INSERT INTO docs(rowid, title, name, body) VALUES(?, ?, ?, ?)", &run->put_doc},
		{"DELETE FROM files WHERE id = ?", &run->drop_file},
		{"DELETE FROM docs WHERE rowid = ?", &run->drop_doc},
	};
	enum kh_err e = KH_OK;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && e == KH_OK; i++)
		e = kh_search_store_prepare(run->db, all[i].sql, all[i].stmt, run->err);
	return e;
}

/* Continues the pass over the folder from where it stopped. */
static enum kh_err go_on(struct run *run)
{
	struct kh_view first = run->cursor.n > 0 ? run->cursor : run->folder_key;
	char *end = kh_arena_alloc(&run->kept, run->folder_key.n + 1);

	if (end == NULL)
		return KH_ENOMEM;
	memcpy(end, run->folder_key.p, run->folder_key.n);
	end[run->folder_key.n] = '\1'; /* sorts after the NUL that all keys of its files have there */
	sqlite3_bind_blob64(run->rows, 2, end, run->folder_key.n + 1, SQLITE_STATIC);
	enum kh_err e = kh_search_walk_init(&run->walk, run->alloc, run->job->folder, run->cursor, run->err);
	run->report->missing = e == KH_EREFUSED && strcmp(run->err->code, "folder_missing") == 0;
	if (e != KH_OK && !run->report->missing)
		return e; /* a walk that did not begin has no files */
	e = begin_batch(run);
	if (e == KH_OK)
		e = forget_others(run);
	if (e == KH_OK)
		e = read_rows(run, first);
	if (e == KH_OK)
		e = pass_over(run);
	if (e == KH_OK)
		e = keep_progress(run);
	if (e == KH_OK)
		e = end_batch(run);
	kh_search_walk_done(&run->walk);
	return e;
}

static void close_index(struct run *run)
{
	sqlite3_stmt **all[] = {&run->rows, &run->put_file, &run->put_doc, &run->drop_file, &run->drop_doc};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		sqlite3_finalize(*all[i]);
		*all[i] = NULL;
	}
	if (run->db != NULL && sqlite3_get_autocommit(run->db) == 0)
		(void)sqlite3_exec(run->db, "ROLLBACK", NULL, NULL, NULL);
	sqlite3_close(run->db);
	run->db = NULL;
}

static enum kh_err run_once(struct run *run, bool rebuild)
{
	struct kh_view folder = kh_view_str(run->job->folder);

	*run->report = (struct kh_search_index_report){0};
	run->last_n = 0;
	run->cursor = (struct kh_view){NULL, 0};
	run->folder_key = kh_search_store_key(&run->kept, folder);
	enum kh_err e = kh_arena_check(&run->kept);
	if (e == KH_OK)
		e = kh_search_store_write(run->job->index, rebuild, &run->db, run->err);
	if (e == KH_OK)
		e = prepare(run);
	if (e == KH_OK)
		e = kh_search_store_number(run->db, "SELECT max(id) FROM files", &run->last_id, run->err);
	run->last_id >>= KH_SEARCH_RANK_BITS;
	if (e == KH_OK)
		e = read_progress(run, &run->report->fresh);
	if (e == KH_OK && !run->report->fresh)
		e = go_on(run);
	if (e == KH_OK)
		e = read_current(run);
	close_index(run);
	return e;
}

enum kh_err kh_search_index_run(const struct kh_alloc *alloc, const struct kh_search_index_job *job,
				struct kh_search_index_report *ret_report, struct kh_error *err)
{
	struct kh_search_index_report report = {0};
	struct kh_error local = {.offset = SIZE_MAX};
	int lock;
	enum kh_err e = kh_search_store_lock(job->index, &lock, err);

	if (e != KH_OK || lock < 0) {
		ret_report->busy = e == KH_OK;
		return e;
	}
	struct run *run = kh_alloc_zero(alloc, sizeof(*run));
	if (run == NULL) {
		close(lock);
		return KH_ENOMEM;
	}
	*run = (struct run){.alloc = alloc, .job = job, .report = &report, .err = &local};
	run->deadline = kh_clock_ms() + (int64_t)job->ms;
	kh_arena_init(&run->kept, alloc, MEMORY);
	kh_arena_init(&run->page, alloc, MEMORY);
	kh_arena_init(&run->file, alloc, MEMORY);
	e = run_once(run, job->rebuild);
	if (e == KH_EREFUSED && local.code != NULL && strcmp(local.code, "index_corrupt") == 0)
		e = run_once(run, true);
	if (err != NULL)
		*err = local;
	kh_arena_done(&run->kept);
	kh_arena_done(&run->page);
	kh_arena_done(&run->file);
	kh_alloc_free(alloc, run, sizeof(*run));
	close(lock);
	if (e == KH_OK)
		*ret_report = report;
	return e;
}
