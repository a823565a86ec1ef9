/*
 * A store that somebody had in his hands (D3, L3): the one of version 2 that tests/migration has, changed in its rows or in
 * its bytes, is migrated, opened and verified.  Whatever was changed, it is refused with a code of the store's, or opens.
 * What opens once opens again and says the same, which one input in four tries.  Verification ends with a verdict, which
 * is good for the unchanged store, and never for one with an event whose body was changed.
 *
 * The first byte says what is changed, and when.  r, v: rows, as "table|column|id|value" in lines, before the migration or
 * after it; a value that begins with # is a number, with x a blob of the characters behind it.  b, f: bytes of the file,
 * likewise; two bytes of place, one of length, then the bytes.
 */
#include "fuzz.h"

#include "store/sqlite/sqlite.h"
#include "store/store.h"
#include "store/verify.h"

#include <ctype.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BYTES  (2U << 20) /* of a store, at most */
#define PLACES 16         /* a patch begins at a multiple of it, so that two bytes reach a MiB */

struct image {
	char bytes[BYTES];
	size_t n;
};

static struct image before, after, patched; /* the migration; the input's own */
static char path[128];

/* --- files -------------------------------------------------------------------------------------------------------- */

static void read_image(const char *from, struct image *ret_image)
{
	int fd = open(from, O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, ret_image->bytes, sizeof(ret_image->bytes));

	HOLDS(n > 0 && (size_t)n < sizeof(ret_image->bytes));
	ret_image->n = (size_t)n;
	close(fd);
}

/* The store is IMAGE, and nothing else is there. */
static void put_image(const struct image *image)
{
	kh_fuzz_empty();
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	HOLDS(fd >= 0 && write(fd, image->bytes, image->n) == (ssize_t)image->n);
	close(fd);
}

/* Everything that the log has is in the file then. */
static void run_sql(const char *sql)
{
	sqlite3 *db = NULL;

	HOLDS(sqlite3_open(path, &db) == SQLITE_OK);
	HOLDS(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
	HOLDS(sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL) == SQLITE_OK);
	sqlite3_close(db);
}

static void make_images(void)
{
	struct image *text = &patched;
	struct kh_store *store = NULL;

	snprintf(path, sizeof(path), "%s/keyhole.db", kh_fuzz_folder());
	read_image(VERSION_2, text);
	text->bytes[text->n] = '\0';
	run_sql(text->bytes);
	read_image(path, &before);
	HOLDS(kh_store_open(&kh_sqlite_backend, path, KH_STORE_EXISTING, &store, NULL) == KH_OK);
	kh_store_close(store);
	run_sql("");
	read_image(path, &after);
}

/* --- what is changed ---------------------------------------------------------------------------------------------- */

static void change_bytes(struct image *image, struct kh_view patches)
{
	while (patches.n > 3) {
		size_t at = ((size_t)(unsigned char)patches.p[0] << 8 | (unsigned char)patches.p[1]) * PLACES %
			    image->n;
		size_t n = (unsigned char)patches.p[2] % 64 + 1U;
		n = n < patches.n - 3 ? n : patches.n - 3;
		n = n < image->n - at ? n : image->n - at;
		memcpy(image->bytes + at, patches.p + 3, n);
		patches = kh_view_from(patches, 3 + n);
	}
}

static bool is_name(struct kh_view name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!islower((unsigned char)name.p[i]) && name.p[i] != '_')
			return false;
	return name.n > 0 && name.n < 32;
}

static int bind_value(sqlite3_stmt *stmt, struct kh_view value)
{
	int64_t number;

	if (value.n > 0 && value.p[0] == '#' && kh_view_int(kh_view_from(value, 1), &number))
		return sqlite3_bind_int64(stmt, 1, number);
	if (value.n > 0 && value.p[0] == 'x')
		return sqlite3_bind_blob(stmt, 1, value.p + 1, (int)value.n - 1, SQLITE_STATIC);
	return sqlite3_bind_text(stmt, 1, value.n > 0 ? value.p : "", (int)value.n, SQLITE_STATIC);
}

/* Sets one column of one row, past all constraints and triggers; true if that changed an event's body. */
static bool change_row(sqlite3 *db, struct kh_view line)
{
	struct kh_view table = {NULL, 0}, column = {NULL, 0}, id = {NULL, 0};
	sqlite3_stmt *stmt = NULL;
	char sql[160];
	int64_t number;

	if (!kh_view_split(&line, '|', &table) || !kh_view_split(&line, '|', &column) ||
	    !kh_view_split(&line, '|', &id) || !is_name(table) || !is_name(column) || !kh_view_int(id, &number) ||
	    line.p == NULL)
		return false;
	snprintf(sql, sizeof(sql), "UPDATE %.*s SET %.*s = ?1 WHERE id = ?2 AND %.*s IS NOT ?1", KH_FMT(table),
		 KH_FMT(column), KH_FMT(column));
	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		return false;
	HOLDS(bind_value(stmt, line) == SQLITE_OK && sqlite3_bind_int64(stmt, 2, number) == SQLITE_OK);
	bool changed = sqlite3_step(stmt) == SQLITE_DONE && sqlite3_changes(db) > 0;
	sqlite3_finalize(stmt);
	return changed && kh_view_eq(table, KH_LIT("audit")) && kh_view_eq(column, KH_LIT("body"));
}

static bool change_rows(struct kh_view lines)
{
	sqlite3 *db = NULL;
	struct kh_view line;
	bool event = false;

	HOLDS(sqlite3_open(path, &db) == SQLITE_OK);
	HOLDS(sqlite3_exec(db, "PRAGMA ignore_check_constraints = ON; PRAGMA recursive_triggers = OFF", NULL, NULL,
			   NULL) == SQLITE_OK);
	while (kh_view_split(&lines, '\n', &line))
		event = change_row(db, line) || event;
	sqlite3_close(db);
	return event;
}

/* --- what comes of it --------------------------------------------------------------------------------------------- */

/* NULL if it was refused. */
static struct kh_store *open_store(enum kh_store_mode mode)
{
	struct kh_store *store = NULL;
	struct kh_error err = {0};
	enum kh_err e = kh_store_open(&kh_sqlite_backend, path, mode, &store, &err);

	if (e == KH_OK)
		return store;
	HOLDS(e == KH_ESTORE && strncmp(err.code, "store_", 6) == 0);
	kh_fuzz_error(&err);
	return NULL;
}

static struct kh_verify verify(struct kh_arena *arena, struct kh_store *store)
{
	struct kh_verify verify = {.state = true, .arena = arena};
	struct kh_error err = {0};

	if (kh_verify_store(store, &verify, &err) != KH_OK) {
		kh_fuzz_error(&err);
		verify.good = false;
		verify.code = "failed";
		return verify;
	}
	HOLDS(verify.good == (verify.code == NULL));
	kh_fuzz_showable(verify.detail);
	return verify;
}

static void check_store(struct kh_arena *arena, bool untouched, bool event, bool again)
{
	struct kh_store *store = open_store(KH_STORE_EXISTING);

	HOLDS(store != NULL || !untouched);
	if (store == NULL)
		return;
	struct kh_verify first = verify(arena, store);
	kh_store_close(store);
	HOLDS(first.good || !untouched);
	HOLDS(!first.good || !event);
	store = again ? open_store(KH_STORE_READ) : NULL;
	if (store == NULL)
		return;
	struct kh_verify second = verify(arena, store);
	kh_store_close(store);
	HOLDS(first.good == second.good && first.event == second.event && first.events == second.events);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	make_images();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char how = size > 0 ? (char)data[0] : 'r';
	struct kh_view changes = kh_fuzz_view(data + (size > 0), size - (size > 0));
	struct kh_arena arena;
	bool event = false;

	if (before.n == 0)
		make_images();
	const struct image *sound = how == 'r' || how == 'b' ? &before : &after;
	patched.n = sound->n;
	memcpy(patched.bytes, sound->bytes, sound->n);
	if (how == 'b' || how == 'f')
		change_bytes(&patched, changes);
	put_image(&patched);
	if (how != 'b' && how != 'f')
		event = change_rows(changes);
	kh_fuzz_begin(&arena);
	check_store(&arena, changes.n == 0, event, size % 4 == 1);
	kh_arena_done(&arena);
	return 0;
}
