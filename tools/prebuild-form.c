/*
 * Writes what a store's database consists of while Keyhole is built, for src/store/sqlite/migration.c: the tables and
 * indexes that the SQL texts make, which take ten milliseconds to run.
 *
 *     prebuild-form OUTPUT schema_1.sql schema_2.sql ...
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT_MOST (1U << 20)
#define COLUMNS   4
#define SIZES     4096

static const char form[] = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name";

static void fail(const char *what, const char *why)
{
	fprintf(stderr, "prebuild-form: %s: %s\n", what, why);
	exit(1);
}

static void run_file(sqlite3 *db, const char *path)
{
	static char text[TEXT_MOST];
	FILE *in = fopen(path, "rb");
	size_t n = in != NULL ? fread(text, 1, sizeof(text) - 1, in) : 0;

	if (n == 0 || n == sizeof(text) - 1)
		fail(path, "empty, too long or missing");
	text[n] = '\0';
	fclose(in);
	if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
		fail(path, sqlite3_errmsg(db));
}

/* The bytes of all columns, one after another, and then their sizes. */
static void write_form(sqlite3 *db, FILE *out)
{
	static int sizes[SIZES];
	size_t n = 0;
	sqlite3_stmt *rows = NULL;

	if (sqlite3_prepare_v2(db, form, -1, &rows, NULL) != SQLITE_OK)
		fail("the form", sqlite3_errmsg(db));
	fprintf(out, "static const char made_bytes[] = {\n");
	while (sqlite3_step(rows) == SQLITE_ROW) {
		for (int i = 0; i < COLUMNS && n < SIZES; i++) {
			const unsigned char *p = sqlite3_column_blob(rows, i);
			sizes[n] = sqlite3_column_bytes(rows, i);
			for (int k = 0; k < sizes[n]; k++)
				fprintf(out, "%d,%s", p[k], k % 20 == 19 ? "\n" : "");
			n++;
		}
	}
	if (sqlite3_finalize(rows) != SQLITE_OK || n == SIZES)
		fail("the form", "cannot be read, or is too long");
	fprintf(out, "\n};\nstatic const int made_sizes[] = {\n");
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%d,%s", sizes[i], i % 20 == 19 ? "\n" : "");
	fprintf(out, "\n};\n");
}

int main(int argc, char **argv)
{
	sqlite3 *db = NULL;
	FILE *out = argc > 2 ? fopen(argv[1], "w") : NULL;

	if (out == NULL || sqlite3_open(":memory:", &db) != SQLITE_OK)
		fail(argc > 1 ? argv[1] : "output", "cannot be written");
	for (int i = 2; i < argc; i++)
		run_file(db, argv[i]);
	write_form(db, out);
	sqlite3_close(db);
	return fclose(out) == 0 ? 0 : 1;
}
