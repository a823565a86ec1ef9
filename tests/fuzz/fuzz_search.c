/*
 * The search worker's three inputs (E9): the words of a query, the file of the index, which may be damaged or forged, and
 * what a search engine answered.  The first byte chooses which.
 *
 *     q   a query: for the full-text table itself it is one, and nothing in it is an operator
 *     i   patches of a sound index: two bytes of offset, one of length, then the bytes; then it is searched
 *     w   an answer
 *
 * Whatever they are, there are results of the promised form, within the limit, or one of the codes that callers know.
 */
#include "fuzz.h"

#include "base/utf8.h"
#include "wire/search_match.h"
#include "worker/search/find.h"
#include "worker/search/index.h"
#include "worker/search/store.h"
#include "worker/search/web.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIMIT  3
#define INDEX  (256U << 10) /* bytes of the sound one, at most */
#define PLACES 8            /* of a patch's offset: so many bytes apart, so that two bytes reach all of it */

static char index_folder[96], index_file[128];
static char sound[INDEX];
static size_t sound_n;

/* --- what comes out ----------------------------------------------------------------------------------------------- */

static void check_text(yyjson_mut_val *val)
{
	HOLDS(yyjson_mut_is_str(val));
	HOLDS(kh_utf8_invalid(kh_view_of(yyjson_mut_get_str(val), yyjson_mut_get_len(val))) == SIZE_MAX);
}

static void check_results(yyjson_mut_val *results, const char *where)
{
	yyjson_mut_val *item;
	size_t i, n;

	HOLDS(yyjson_mut_arr_size(results) <= LIMIT);
	yyjson_mut_arr_foreach(results, i, n, item)
	{
		check_text(yyjson_mut_obj_get(item, where));
		check_text(yyjson_mut_obj_get(item, "title"));
		check_text(yyjson_mut_obj_get(item, "snippet"));
		HOLDS(yyjson_mut_get_uint(yyjson_mut_obj_get(item, "rank")) == i + 1);
	}
}

static void check_code(enum kh_err e, const struct kh_error *err, const char *const *codes)
{
	HOLDS(e == KH_EREFUSED || e == KH_EINPUT || e == KH_ELIMIT);
	kh_fuzz_error(err);
	while (*codes != NULL && strcmp(*codes, err->code) != 0)
		codes++;
	HOLDS(*codes != NULL);
}

/* --- the words of a query ----------------------------------------------------------------------------------------- */

static void try_match(struct kh_view text)
{
	static sqlite3 *db;
	static sqlite3_stmt *stmt;

	if (db == NULL) {
		HOLDS(sqlite3_open(":memory:", &db) == SQLITE_OK);
		HOLDS(sqlite3_exec(db,
				   "CREATE VIRTUAL TABLE docs USING fts5(title, name, body);"
				   "INSERT INTO docs VALUES ('a', 'b', 'the budget meeting')",
				   NULL, NULL, NULL) == SQLITE_OK);
		HOLDS(sqlite3_prepare_v2(db, "SELECT rowid FROM docs WHERE docs MATCH ?", -1, &stmt, NULL) ==
		      SQLITE_OK);
	}
	HOLDS(sqlite3_bind_text(stmt, 1, text.p, (int)text.n, SQLITE_STATIC) == SQLITE_OK);
	int rc = sqlite3_step(stmt);
	HOLDS(rc == SQLITE_ROW || rc == SQLITE_DONE);
	sqlite3_reset(stmt);
}

static void check_query(struct kh_arena *arena, struct kh_view query)
{
	struct kh_search_match match;
	struct kh_view text;

	if (kh_utf8_invalid(query) != SIZE_MAX)
		return;
	HOLDS(kh_search_match_read(arena, query, &match) == KH_OK);
	HOLDS(match.count <= KH_SEARCH_MATCH_TERMS);
	for (size_t i = 0; i < match.count; i++)
		for (size_t k = 0; k < i; k++)
			HOLDS(!kh_view_eq(match.term[i], match.term[k]));
	for (int any = 0; any < 2 && match.count > 0; any++) {
		HOLDS(kh_search_match_write(arena, &match, any, &text) == KH_OK);
		try_match(text);
	}
}

/* --- the index ---------------------------------------------------------------------------------------------------- */

static void put_file(const char *path, const char *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	HOLDS(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	close(fd);
}

/* Indexes a few files, and keeps the bytes of what came of it. */
static void make_sound(void)
{
	static const char page[] = "The budget\nThe meeting about the budget is on Tuesday in Vienna.\n";
	char docs[96], path[128];
	struct kh_view folder;
	struct kh_search_index_report report;
	sqlite3 *db = NULL;

	snprintf(docs, sizeof(docs), "%s/docs", kh_fuzz_folder());
	snprintf(index_folder, sizeof(index_folder), "%s/index", kh_fuzz_folder());
	snprintf(index_file, sizeof(index_file), "%s/search.db", index_folder);
	HOLDS(mkdir(docs, 0700) == 0 && mkdir(index_folder, 0700) == 0);
	for (int i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/page%d.txt", docs, i);
		put_file(path, page, sizeof(page) - 1);
	}
	folder = kh_view_str(docs);
	struct kh_search_index_job job = {
		.index = index_folder, .folder = docs, .folders = &folder, .count = 1, .ms = 10000};
	HOLDS(kh_search_index_run(&kh_alloc_system, &job, &report, NULL) == KH_OK && report.finished);
	HOLDS(sqlite3_open(index_file, &db) == SQLITE_OK);
	HOLDS(sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL) == SQLITE_OK);
	sqlite3_close(db);
	int fd = open(index_file, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, sound, sizeof(sound));
	HOLDS(n > 0 && (size_t)n < sizeof(sound));
	sound_n = (size_t)n;
	close(fd);
}

static void check_index(struct kh_arena *arena, struct kh_view patches)
{
	static const char *const codes[] = {"index_missing", "index_corrupt", "index_failed", "too_long", NULL};
	static char file[INDEX];
	const struct kh_view everywhere = KH_LIT("/");
	struct kh_search_find find = {.index = index_folder,
				      .query = KH_LIT("budget meeting \"in vienna\""),
				      .limit = LIMIT,
				      .folders = &everywhere,
				      .folder_count = 1,
				      .ms = 1000};
	struct kh_search_find_report report;
	struct kh_error err = {0};
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *results = NULL;
	char path[160];

	if (sound_n == 0)
		make_sound();
	memcpy(file, sound, sound_n);
	while (patches.n > 3) {
		size_t at = ((size_t)(unsigned char)patches.p[0] << 8 | (unsigned char)patches.p[1]) * PLACES % sound_n;
		size_t n = (unsigned char)patches.p[2] % 32 + 1U;
		n = n < patches.n - 3 ? n : patches.n - 3;
		n = n < sound_n - at ? n : sound_n - at;
		memcpy(file + at, patches.p + 3, n);
		patches = kh_view_from(patches, 3 + n);
	}
	snprintf(path, sizeof(path), "%s-wal", index_file);
	unlink(path);
	snprintf(path, sizeof(path), "%s-shm", index_file);
	unlink(path);
	put_file(index_file, file, sound_n);
	enum kh_err e = kh_search_find_run(arena, &find, doc, &results, &report, &err);
	if (e == KH_OK)
		check_results(results, "path");
	else
		check_code(e, &err, codes);
}

static void check_web(struct kh_arena *arena, struct kh_view body)
{
	static const char *const codes[] = {"bad_answer", NULL};
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *results = NULL, *item;
	struct kh_error err = {0};
	size_t i, n;
	enum kh_err e = kh_search_web_read(arena, body, LIMIT, doc, &results, &err);

	if (e != KH_OK) {
		check_code(e, &err, codes);
		return;
	}
	check_results(results, "url");
	yyjson_mut_arr_foreach(results, i, n, item)
		HOLDS(strncmp(yyjson_mut_get_str(yyjson_mut_obj_get(item, "url")), "http", 4) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view rest = kh_fuzz_view(data + (size > 0), size - (size > 0));
	struct kh_arena arena;

	kh_fuzz_begin(&arena);
	if (size > 0 && data[0] == 'q')
		check_query(&arena, rest);
	else if (size > 0 && data[0] == 'i')
		check_index(&arena, rest);
	else
		check_web(&arena, rest);
	kh_arena_done(&arena);
	return 0;
}
