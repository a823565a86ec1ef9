/*
 * Searches the index.  The query is the Controller's and the texts come from outside: both go to SQLite as bound
 * values, and the output is put into JSON as text.  However many files match, the time is bounded, because SQLite
 * regularly asks whether to continue.
 */
#include "worker/search/find.h"

#include "base/clock.h"
#include "wire/search_match.h"
#include "worker/search/rank.h"
#include "worker/search/store.h"
#include "worker/search/text.h"

#include <limits.h>

#define OFTEN     2000                              /* steps of SQLite between two checks of the clock */
#define SNIPPET   "32"                              /* words */
#define LOOKED_AT (10 * KH_SEARCH_FIND_NOT_INDEXED) /* of the files that have no text in the index */

/* One of the best results so far. */
struct best {
	int64_t id;
	double score;
};

struct finding {
	const struct kh_search_find *find;
	struct kh_arena *arena;
	struct kh_error *err;
	sqlite3 *db;
	sqlite3_stmt *key;
	int64_t deadline;
	char path[PATH_MAX];
	struct best *best; /* sorted; room for one more than LIMIT */
	size_t count;
};

static int is_late(void *arg)
{
	const struct finding *f = arg;

	return kh_clock_ms() >= f->deadline;
}

/* The path that stands as a key in STMT's first column, valid until the next call; empty if it is too long. */
static struct kh_view path_at(struct finding *f, sqlite3_stmt *stmt)
{
	const char *key = sqlite3_column_blob(stmt, 0);
	size_t n = (size_t)sqlite3_column_bytes(stmt, 0);

	for (size_t i = 0; i < n && n < sizeof(f->path); i++)
		f->path[i] = key[i] == '\0' ? '/' : key[i];
	return kh_view_of(f->path, n < sizeof(f->path) ? n : 0);
}

/* The path of the file ID, valid until the next call; empty if there is none. */
static struct kh_view path_of(struct finding *f, int64_t id)
{
	struct kh_view path = {f->path, 0};

	sqlite3_bind_int64(f->key, 1, id);
	if (sqlite3_step(f->key) == SQLITE_ROW)
		path = path_at(f, f->key);
	sqlite3_reset(f->key);
	return path;
}

static bool is_below_one(const struct kh_view *folders, size_t count, struct kh_view path)
{
	for (size_t i = 0; i < count; i++) {
		struct kh_view folder = folders[i];
		while (folder.n > 0 && folder.p[folder.n - 1] == '/')
			folder.n--;
		/* A folder itself matches too, because the policy may name a file. */
		if (kh_view_starts(path, folder) && (path.n == folder.n || path.p[folder.n] == '/'))
			return true;
	}
	return false;
}

/* True if the file at PATH may be shown. */
static bool is_shown(const struct finding *f, struct kh_view path)
{
	return path.n > 0 && is_below_one(f->find->folders, f->find->folder_count, path) &&
	       (f->find->within_count == 0 || is_below_one(f->find->within, f->find->within_count, path));
}

/* Keeps the file ID if it is among the best; among equals the first wins. */
static void keep(struct finding *f, int64_t id, double score)
{
	size_t room = f->find->limit + 1, at = f->count;

	if ((f->count == room && score <= f->best[room - 1].score) || !is_shown(f, path_of(f, id)))
		return;
	if (f->count < room)
		f->count++;
	else
		at--;
	for (; at > 0 && f->best[at - 1].score < score; at--)
		f->best[at] = f->best[at - 1];
	f->best[at] = (struct best){id, score};
}

static struct kh_view text_at(struct finding *f, sqlite3_stmt *stmt, int column)
{
	const unsigned char *text = sqlite3_column_text(stmt, column);
	size_t n = (size_t)sqlite3_column_bytes(stmt, column);
	struct kh_view copy = kh_arena_dup(f->arena, kh_view_of((const char *)text, text != NULL ? n : 0));

	return kh_search_text_valid(f->arena, copy); /* if the file is damaged, it may be any bytes */
}

/* Goes through all matches and keeps the best; *RET_CUT is true if the time was over before all were seen. */
static enum kh_err look_at_all(struct finding *f, struct kh_view match, bool *ret_cut)
{
	sqlite3_stmt *stmt = NULL;
	enum kh_err e = kh_search_store_prepare(f->db, "SELECT rowid, score(docs) FROM docs WHERE docs MATCH ?1", &stmt,
						f->err);
	int rc = SQLITE_DONE;

	if (e != KH_OK)
		return e;
	f->count = 0;
	sqlite3_bind_text64(stmt, 1, match.p, match.n, SQLITE_STATIC, SQLITE_UTF8);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
		keep(f, sqlite3_column_int64(stmt, 0), sqlite3_column_double(stmt, 1));
	*ret_cut = (rc & 0xff) == SQLITE_INTERRUPT;
	if (rc != SQLITE_DONE && !*ret_cut)
		e = kh_search_store_fail(f->db, rc, f->err);
	sqlite3_finalize(stmt);
	return e;
}

static void add_result(struct finding *f, int64_t id, sqlite3_stmt *stmt, yyjson_mut_doc *doc, yyjson_mut_val *results)
{
	yyjson_mut_val *result = yyjson_mut_arr_add_obj(doc, results);
	struct kh_view path = kh_arena_dup(f->arena, path_of(f, id));

	kh_json_add(doc, result, "path", kh_search_text_valid(f->arena, path));
	kh_json_add(doc, result, "title", text_at(f, stmt, 0));
	kh_json_add(doc, result, "snippet", text_at(f, stmt, 1));
	yyjson_mut_obj_add_uint(doc, result, "rank", yyjson_mut_arr_size(results));
}

/* Adds title and snippet of each of the best. */
static enum kh_err show_best(struct finding *f, struct kh_view match, yyjson_mut_doc *doc, yyjson_mut_val *results)
{
	static const char sql[] = "SELECT title, snippet(docs, 2, '', '', '...', " SNIPPET ") FROM docs "
				  "WHERE docs MATCH ?1 AND rowid = ?2";
	sqlite3_stmt *stmt = NULL;
	enum kh_err e = kh_search_store_prepare(f->db, sql, &stmt, f->err);

	if (e != KH_OK)
		return e;
	sqlite3_bind_text64(stmt, 1, match.p, match.n, SQLITE_STATIC, SQLITE_UTF8);
	for (size_t i = 0; i < f->count && i < f->find->limit && e == KH_OK; i++) {
		sqlite3_bind_int64(stmt, 2, f->best[i].id);
		int rc = sqlite3_step(stmt);
		if (rc == SQLITE_ROW)
			add_result(f, f->best[i].id, stmt, doc, results);
		else if (rc != SQLITE_DONE)
			e = kh_search_store_fail(f->db, rc, f->err);
		sqlite3_reset(stmt);
	}
	sqlite3_finalize(stmt);
	return e;
}

/* Half of the remaining time is for matching, the other half for title and snippet. */
static enum kh_err look_up(struct finding *f, struct kh_view match, yyjson_mut_doc *doc, yyjson_mut_val *results,
			   struct kh_search_find_report *report)
{
	int64_t end = f->deadline;

	f->deadline = kh_clock_ms() + (end - kh_clock_ms()) / 2;
	enum kh_err e = look_at_all(f, match, &report->cut);
	f->deadline = end;
	if (e == KH_OK && report->cut && f->count == 0)
		e = kh_search_store_fail(f->db, SQLITE_INTERRUPT, f->err);
	if (e == KH_OK)
		e = show_best(f, match, doc, results);
	report->more = f->count > f->find->limit;
	return e;
}

/* Searches for all of the words; if no file has them all, for any of them. */
static enum kh_err look_up_words(struct finding *f, const struct kh_search_match *match, yyjson_mut_doc *doc,
				 yyjson_mut_val *results, struct kh_search_find_report *report)
{
	struct kh_view text;
	enum kh_err e = KH_OK;

	for (int any = 0; any < 2 && e == KH_OK && match->count > (size_t)any && yyjson_mut_arr_size(results) == 0;
	     any++) {
		report->any = any == 1;
		e = kh_search_match_write(f->arena, match, any == 1, &text);
		if (e == KH_OK)
			e = look_up(f, text, doc, results, report);
	}
	return e;
}

/* The time up to which the index is current, for the folders of this search. */
static enum kh_err read_current(struct finding *f, int64_t *ret_current)
{
	sqlite3_stmt *stmt = NULL;
	enum kh_err e = kh_search_store_prepare(f->db, "SELECT finished FROM folders WHERE path = ?", &stmt, f->err);
	int64_t current = INT64_MAX;

	for (size_t i = 0; i < f->find->folder_count && e == KH_OK; i++) {
		struct kh_view folder = f->find->folders[i];
		sqlite3_bind_text64(stmt, 1, folder.p, folder.n, SQLITE_STATIC, SQLITE_UTF8);
		int64_t finished = sqlite3_step(stmt) == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : 0;
		current = finished < current ? finished : current;
		sqlite3_reset(stmt);
	}
	sqlite3_finalize(stmt);
	*ret_current = current == INT64_MAX ? 0 : current;
	return e;
}

/* How many files may be shown and have no text in the index; no more than a bound are counted. */
static enum kh_err count_not_indexed(struct finding *f, uint64_t *ret_count)
{
	sqlite3_stmt *stmt = NULL;
	enum kh_err e = kh_search_store_prepare(f->db, "SELECT key FROM files WHERE indexed = 0", &stmt, f->err);
	uint64_t count = 0;
	int rc = SQLITE_ROW;

	if (e != KH_OK)
		return e;
	for (int i = 0; i < LOOKED_AT && count < KH_SEARCH_FIND_NOT_INDEXED && rc == SQLITE_ROW; i++) {
		rc = sqlite3_step(stmt);
		count += rc == SQLITE_ROW && is_shown(f, path_at(f, stmt));
	}
	if (rc != SQLITE_ROW && rc != SQLITE_DONE && (rc & 0xff) != SQLITE_INTERRUPT)
		e = kh_search_store_fail(f->db, rc, f->err);
	sqlite3_finalize(stmt);
	*ret_count = count;
	return e;
}

static enum kh_err find_in(struct finding *f, yyjson_mut_doc *doc, yyjson_mut_val *results,
			   struct kh_search_find_report *report)
{
	struct kh_search_match match;
	enum kh_err e = kh_search_match_read(f->arena, f->find->query, &match);

	if (e == KH_OK)
		e = kh_search_store_prepare(f->db, "SELECT key FROM files WHERE id = ?", &f->key, f->err);
	if (e == KH_OK)
		e = kh_search_rank_add(f->db, f->err);
	sqlite3_progress_handler(f->db, OFTEN, is_late, f);
	if (e == KH_OK)
		e = read_current(f, &report->current_ms);
	if (e == KH_OK)
		e = look_up_words(f, &match, doc, results, report);
	if (e == KH_OK)
		e = count_not_indexed(f, &report->not_indexed);
	report->left_out = e == KH_OK ? match.left_out : 0;
	sqlite3_finalize(f->key);
	return e;
}

enum kh_err kh_search_find_run(struct kh_arena *arena, const struct kh_search_find *find, yyjson_mut_doc *doc,
			       yyjson_mut_val **ret_results, struct kh_search_find_report *ret_report,
			       struct kh_error *err)
{
	struct finding f = {.find = find, .arena = arena, .err = err, .deadline = kh_clock_ms() + (int64_t)find->ms};
	struct kh_search_find_report report = {.any = false};
	yyjson_mut_val *results = yyjson_mut_arr(doc);
	enum kh_err e = kh_search_store_read(find->index, &f.db, err);

	if (e != KH_OK)
		return e;
	f.best = KH_NEW_N(arena, struct best, find->limit + 1);
	e = f.best != NULL ? find_in(&f, doc, results, &report) : KH_ENOMEM;
	sqlite3_close(f.db);
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e != KH_OK)
		return e;
	*ret_results = results;
	*ret_report = report;
	return KH_OK;
}
