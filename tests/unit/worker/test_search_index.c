/* E9, E7: folders are indexed and kept current, in bounded runs, whatever happens to them meanwhile. */
#include "searching.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/file.h>

/* --- what has changed --------------------------------------------------------------------------------------------- */

static void test_index(struct kh_test *t)
{
	struct kh_search_index_report report;

	searching_new();
	searching_folder("mail");
	searching_put("plan.md", "# The plan\nWe meet in Lisbon in May.\n");
	searching_put("mail/one.txt", "The invoice of the harbour office is attached.\n");
	searching_write("picture.png", kh_view_of("\x89PNG\0\0", 6));
	report = searching_run(t);
	assert_int_equal(report.indexed, 2);
	assert_int_equal(report.skipped, 1);
	assert_true(report.current_ms > 0);
	assert_finds(t, "lisbon", "plan.md");
	assert_finds(t, "invoice harbour", "mail/one.txt");
	assert_finds(t, "PNG", "");
}

/* Only what changed is opened again; what is gone is not found any more. */
static void test_changes(struct kh_test *t)
{
	struct kh_search_index_report report;

	searching_new();
	searching_put("a", "apple");
	searching_put("b", "banana");
	searching_put("c", "cherry");
	searching_rest();
	searching_run(t);
	report = searching_run(t);
	assert_int_equal(report.unchanged, 3);
	assert_int_equal(report.indexed, 0);

	searching_put("a", "apricot");
	assert_int_equal(unlink(searching_path("b")), 0);
	assert_int_equal(rename(searching_path("c"), searching_path("d")), 0);
	report = searching_run(t);
	assert_int_equal(report.indexed, 2); /* a, and d under its new name */
	assert_int_equal(report.removed, 2); /* b, and c */
	assert_finds(t, "apple", "");
	assert_finds(t, "apricot", "a");
	assert_finds(t, "banana", "");
	assert_finds(t, "cherry", "d");
}

/* A change that leaves size and time as they were is seen by the inode's own time. */
static void test_quiet_change(struct kh_test *t)
{
	struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};

	searching_new();
	searching_put("a", "apple");
	assert_int_equal(utimensat(AT_FDCWD, searching_path("a"), times, 0), 0);
	searching_run(t);
	searching_put("a", "grape");
	assert_int_equal(utimensat(AT_FDCWD, searching_path("a"), times, 0), 0);
	searching_run(t);
	assert_finds(t, "grape", "a");
	assert_finds(t, "apple", "");
}

/* A file that becomes a folder, and the other way round. */
static void test_kinds_change(struct kh_test *t)
{
	searching_new();
	searching_folder("x");
	searching_put("x/y", "apple");
	searching_put("z", "banana");
	searching_run(t);
	assert_int_equal(unlink(searching_path("x/y")), 0);
	assert_int_equal(rmdir(searching_path("x")), 0);
	searching_put("x", "cherry");
	assert_int_equal(unlink(searching_path("z")), 0);
	searching_folder("z");
	searching_put("z/y", "date");
	searching_run(t);
	assert_finds(t, "apple", "");
	assert_finds(t, "banana", "");
	assert_finds(t, "cherry", "x");
	assert_finds(t, "date", "z/y");
}

/* --- bounds ------------------------------------------------------------------------------------------------------- */

static void test_large_files(struct kh_test *t)
{
	char *text = kh_alloc_zero(&kh_alloc_system, KH_SEARCH_INDEX_FILE + 1);

	assert_non_null(text);
	memset(text, 'a', KH_SEARCH_INDEX_FILE + 1);
	for (size_t i = 0; i < KH_SEARCH_INDEX_FILE; i += 8)
		text[i] = ' ';
	memcpy(text + KH_SEARCH_INDEX_FILE - 16, " needle ", 8);
	searching_new();
	searching_write("fits", kh_view_of(text, KH_SEARCH_INDEX_FILE));
	searching_write("not", kh_view_of(text, KH_SEARCH_INDEX_FILE + 1));
	kh_alloc_free(&kh_alloc_system, text, KH_SEARCH_INDEX_FILE + 1);
	searching_run(t);
	assert_finds(t, "needle", "fits");
}

/* Runs that are too short for everything go on where the last one stopped, and come to an end. */
static void test_continues(struct kh_test *t)
{
	struct kh_search_index_report report = {.finished = false};
	uint64_t runs = 0, indexed = 0;
	char name[32];

	searching_new();
	searching_folder("f");
	for (unsigned i = 0; i < 60; i++) {
		snprintf(name, sizeof(name), i % 2 == 0 ? "f/%u" : "%u", i);
		searching_put(name, i == 42 ? "needle" : "hay");
	}
	searching_rest();
	for (; !report.finished; runs++) {
		must(t, searching_run_ms(t, 0, &report));
		assert_true(runs < 100);
		assert_int_equal(report.current_ms != 0, report.finished);
		indexed += report.indexed;
	}
	assert_true(runs > 10);
	assert_int_equal(indexed, 60);
	assert_finds(t, "needle", "f/42");
	report = searching_run(t);
	assert_int_equal(report.unchanged, 60);
}

/* A pass that another run has just finished need not be made again. */
static void test_fresh(struct kh_test *t)
{
	struct kh_view folder = kh_view_str(searching_docs);
	struct kh_search_index_report report;

	searching_new();
	folder = kh_view_str(searching_docs);
	struct kh_search_index_job job = {.index = searching_index,
					  .folder = searching_docs,
					  .folders = &folder,
					  .count = 1,
					  .ms = 60000,
					  .fresh_ms = 3600000};
	must(t, kh_search_index_run(&t->alloc, &job, &report, &t->err));
	assert_false(report.fresh);
	searching_put("a", "apple");
	must(t, kh_search_index_run(&t->alloc, &job, &report, &t->err));
	assert_true(report.fresh);
	assert_true(report.current_ms > 0);
	assert_finds(t, "apple", "");
	job.fresh_ms = 0;
	nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	must(t, kh_search_index_run(&t->alloc, &job, &report, &t->err));
	assert_false(report.fresh);
	assert_finds(t, "apple", "a");
}

/* One at a time. */
static void test_busy(struct kh_test *t)
{
	struct kh_search_index_report report = {.busy = false};
	char path[128];

	searching_new();
	snprintf(path, sizeof(path), "%s/" KH_SEARCH_STORE_LOCK, searching_index);
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	must(t, searching_run_ms(t, 1000, &report));
	assert_true(report.busy);
	close(fd);
	searching_run(t);
}

/* --- several folders, and none ------------------------------------------------------------------------------------ */

static void test_folders(struct kh_test *t)
{
	char other[64];
	struct kh_search_index_report report;
	struct kh_view folders[2];

	searching_new();
	snprintf(other, sizeof(other), "%s/other", searching_root);
	assert_int_equal(mkdir(other, 0755), 0);
	searching_put("a", "apple");
	folders[0] = kh_view_str(searching_docs);
	folders[1] = kh_view_str(other);
	struct kh_search_index_job job = {
		.index = searching_index, .folder = searching_docs, .folders = folders, .count = 2, .ms = 60000};
	must(t, kh_search_index_run(&t->alloc, &job, &report, &t->err));
	assert_int_equal(report.current_ms, 0); /* nobody has looked at the other one */
	job.folder = other;
	must(t, kh_search_index_run(&t->alloc, &job, &report, &t->err));
	assert_true(report.current_ms > 0);
	assert_finds(t, "apple", "a");
	/* One that is taken out of the configuration goes from the index with all that it has. */
	job.folders = folders + 1;
	job.count = 1;
	must(t, kh_search_index_run(&t->alloc, &job, &report, &t->err));
	assert_int_equal(report.removed, 1);
	assert_finds(t, "apple", "");
}

/* A folder that is gone has no documents any more, and that is said. */
static void test_missing_folder(struct kh_test *t)
{
	struct kh_search_index_report report;

	searching_new();
	searching_put("a", "apple");
	searching_run(t);
	assert_int_equal(unlink(searching_path("a")), 0);
	assert_int_equal(rmdir(searching_docs), 0);
	report = searching_run(t);
	assert_true(report.missing);
	assert_int_equal(report.removed, 1);
	assert_finds(t, "apple", "");
}

static void test_unreadable_folder(struct kh_test *t)
{
	struct kh_search_index_report report;

	searching_new();
	assert_int_equal(rmdir(searching_docs), 0);
	assert_int_equal(symlink(searching_root, searching_docs), 0);
	must_fail(t, KH_EREFUSED, searching_run_ms(t, 1000, &report));
	assert_string_equal(t->err.code, "folder_unread");
}

static void test_no_place_for_it(struct kh_test *t)
{
	struct kh_search_index_report report;

	searching_new();
	assert_int_equal(rmdir(searching_index), 0);
	must_fail(t, KH_EREFUSED, searching_run_ms(t, 1000, &report));
	assert_string_equal(t->err.code, "index_failed");
}

/* --- damage ------------------------------------------------------------------------------------------------------- */

/* An index that is damaged, in any of its pages, is good again after one run. */
static void test_damaged(struct kh_test *t)
{
	char path[128], noise[512], name[16];
	struct stat st;

	memset(noise, 0xa5, sizeof(noise));
	searching_new();
	for (unsigned i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "%u", i);
		searching_put(name, i == 7 ? "needle in the hay" : "hay");
	}
	searching_run(t);
	snprintf(path, sizeof(path), "%s/" KH_SEARCH_STORE_FILE, searching_index);
	assert_int_equal(stat(path, &st), 0);
	for (off_t at = 0; at < st.st_size; at += 4096) {
		int fd = open(path, O_WRONLY);
		assert_true(pwrite(fd, noise, sizeof(noise), at) > 0);
		close(fd);
		searching_put("7", "needle in the hay, again");
		searching_run(t);
		struct kh_view json;
		struct kh_search_find_report found;
		/* Either all is well, or whoever looks is told that it is damaged, and has it made anew. */
		enum kh_err e = searching_look(t, KH_LIT("needle"), 5, &json, &found);
		if (e == KH_EREFUSED) {
			struct kh_view folder = kh_view_str(searching_docs);
			struct kh_search_index_report report;
			struct kh_search_index_job job = {.index = searching_index,
							  .folder = searching_docs,
							  .folders = &folder,
							  .count = 1,
							  .ms = 60000,
							  .rebuild = true};
			assert_string_equal(t->err.code, "index_corrupt");
			must(t, kh_search_index_run(&t->alloc, &job, &report, &t->err));
		}
		assert_finds(t, "needle", "7");
	}
}

/* --- a folder that changes meanwhile ------------------------------------------------------------------------------ */

#define NAMES 24

static atomic_bool stop;

static unsigned next_random(unsigned *state)
{
	*state = *state * 1103515245 + 12345;
	return *state >> 16;
}

/* Never through a link: between a look at the name and the write, the other thread may have put one there. */
static void shorten(const char *path, off_t size)
{
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);

	if (fd < 0)
		return;
	(void)!ftruncate(fd, size);
	close(fd);
}

static void change_one(unsigned *state)
{
	char name[32], other[32], path[512];
	unsigned which = next_random(state) % NAMES;

	snprintf(name, sizeof(name), which % 3 == 0 ? "d/%u" : "%u", which);
	snprintf(other, sizeof(other), "%u", next_random(state) % NAMES);
	snprintf(path, sizeof(path), "%s/%s", searching_docs, name);
	switch (next_random(state) % 8) {
	case 0:
		remove(path);
		break;
	case 1:
		remove(path);
		(void)!mkfifo(path, 0644);
		break;
	case 2:
		remove(path);
		(void)!symlink(searching_outside, path);
		break;
	case 3:
		shorten(path, next_random(state) % 100);
		break;
	case 4: {
		char to[512];
		snprintf(to, sizeof(to), "%s/%s", searching_docs, other);
		(void)!rename(path, to);
		break;
	}
	case 5: {
		char to[512];
		snprintf(path, sizeof(path), "%s/d", searching_docs);
		snprintf(to, sizeof(to), "%s/e", searching_docs);
		(void)!rename(path, to);
		(void)!rename(to, path);
		break;
	}
	default: {
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_NOFOLLOW, 0644);
		if (fd >= 0) {
			(void)!write(fd, "apple banana cherry\n", 20);
			close(fd);
		}
	}
	}
}

static void *change(void *arg)
{
	unsigned state = *(unsigned *)arg;

	while (!atomic_load(&stop))
		change_one(&state);
	return NULL;
}

static void assert_sound(struct kh_test *t)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *stmt = NULL;

	must(t, kh_search_store_write(searching_index, false, &db, &t->err));
	must(t, kh_search_store_exec(db, "INSERT INTO docs(docs) VALUES('integrity-check')", &t->err));
	must(t, kh_search_store_prepare(db, "PRAGMA integrity_check", &stmt, &t->err));
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(stmt, 0), "ok");
	sqlite3_finalize(stmt);
	sqlite3_close(db);
}

static void test_changing_folder(struct kh_test *t)
{
	pthread_t threads[2];
	unsigned seeds[2] = {7, 99};
	char name[32];

	searching_new();
	searching_write_at(searching_outside, KH_LIT("secret"));
	searching_folder("d");
	atomic_store(&stop, false);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, change, &seeds[i]), 0);
	for (unsigned i = 0; i < 150; i++) {
		struct kh_search_index_report report;
		must(t, searching_run_ms(t, i % 3 == 0 ? 0 : 1000, &report));
		assert_true(searching_find(t, "apple") != NULL);
		assert_finds(t, "secret", ""); /* no link was followed */
	}
	atomic_store(&stop, true);
	for (size_t i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert_sound(t);
	struct stat st;
	assert_int_equal(stat(searching_outside, &st), 0);
	assert_int_equal(st.st_size, strlen("secret")); /* nor by this test */
	/* Once it is quiet, the index is what the folder is. */
	for (unsigned i = 0; i < NAMES; i++) {
		snprintf(name, sizeof(name), "%u", i);
		remove(searching_path(name));
		snprintf(name, sizeof(name), "d/%u", i);
		remove(searching_path(name));
	}
	searching_put("d/1", "apple at the end");
	struct kh_search_index_report report = {.finished = false};
	while (!report.finished)
		must(t, searching_run_ms(t, 60000, &report));
	searching_run(t);
	assert_finds(t, "apple", "d/1");
	assert_sound(t);
}

/* Those who search see each batch as a whole, and are not kept waiting. */
static void test_searched_meanwhile(struct kh_test *t)
{
	sqlite3 *db = NULL;
	struct kh_view json;
	struct kh_search_find_report found;

	searching_new();
	searching_put("a", "apple");
	searching_run(t);
	must(t, kh_search_store_write(searching_index, false, &db, &t->err));
	must(t, kh_search_store_exec(db, "BEGIN IMMEDIATE; DELETE FROM docs; DELETE FROM files", &t->err));
	assert_finds(t, "apple", "a");
	must(t, kh_search_store_exec(db, "COMMIT", &t->err));
	assert_finds(t, "apple", "");
	must(t, searching_look(t, KH_LIT("apple"), 5, &json, &found));
	assert_true(found.current_ms > 0);
	sqlite3_close(db);
}

static void test_out_of_memory(struct kh_test *t)
{
	struct kh_search_index_report report;

	searching_new();
	searching_folder("d");
	searching_put("d/a", "apple \xff pear");
	searching_put("b", "banana");
	must(t, searching_run_ms(t, 60000, &report));
	assert_int_equal(report.indexed, 2);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_index),
	KH_TEST_ONCE(test_changes),
	KH_TEST_ONCE(test_quiet_change),
	KH_TEST_ONCE(test_kinds_change),
	KH_TEST_ONCE(test_large_files),
	KH_TEST_ONCE(test_continues),
	KH_TEST_ONCE(test_fresh),
	KH_TEST_ONCE(test_busy),
	KH_TEST_ONCE(test_folders),
	KH_TEST_ONCE(test_missing_folder),
	KH_TEST_ONCE(test_unreadable_folder),
	KH_TEST_ONCE(test_no_place_for_it),
	KH_TEST_ONCE(test_damaged),
	KH_TEST_ONCE(test_changing_folder),
	KH_TEST_ONCE(test_searched_meanwhile),
	KH_TEST(test_out_of_memory),
};

KH_TEST_MAIN(cases)
