/* A folder of documents and an index of it, for the tests of searching; gone when the test program ends. */
#ifndef KH_TESTS_SEARCHING_H
#define KH_TESTS_SEARCHING_H

#include "harness.h"

#include "worker/search/find.h"
#include "worker/search/index.h"
#include "worker/search/store.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* searching_outside is a file beside the documents: what a link of a test leads to.  Nothing here leads out of
 * searching_root, and no write follows a link, so that a test can harm nobody, whoever runs it. */
static char searching_root[32], searching_docs[48], searching_index[48], searching_outside[48];

static inline int searching_remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static inline void searching_clear(void)
{
	if (searching_root[0] != '\0')
		nftw(searching_root, searching_remove_one, 16, FTW_DEPTH | FTW_PHYS);
	searching_root[0] = '\0';
}

/* An empty folder and no index. */
static inline void searching_new(void)
{
	static bool registered;

	searching_clear();
	snprintf(searching_root, sizeof(searching_root), "/tmp/kh-search-XXXXXX");
	assert_non_null(mkdtemp(searching_root));
	if (!registered)
		atexit(searching_clear);
	registered = true;
	snprintf(searching_docs, sizeof(searching_docs), "%s/docs", searching_root);
	snprintf(searching_index, sizeof(searching_index), "%s/index", searching_root);
	snprintf(searching_outside, sizeof(searching_outside), "%s/outside", searching_root);
	assert_int_equal(mkdir(searching_docs, 0755), 0);
	assert_int_equal(mkdir(searching_index, 0700), 0);
}

/* The path of NAME among the documents. */
static inline const char *searching_path(const char *name)
{
	static char path[4][512];
	static unsigned next;
	char *p = path[next++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", searching_docs, name);
	return p;
}

static inline void searching_folder(const char *name)
{
	assert_int_equal(mkdir(searching_path(name), 0755), 0);
}

static inline void searching_write_at(const char *path, struct kh_view text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text.p, text.n), text.n);
	close(fd);
}

static inline void searching_write(const char *name, struct kh_view text)
{
	searching_write_at(searching_path(name), text);
}

static inline void searching_put(const char *name, const char *text)
{
	searching_write(name, kh_view_str(text));
}

/* Lets the clock of files go on, so that what was written until now need not be read twice. */
static inline void searching_rest(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 80000000}, NULL);
}

static inline enum kh_err searching_run_ms(struct kh_test *t, uint64_t ms, struct kh_search_index_report *ret_report)
{
	struct kh_view folder = kh_view_str(searching_docs);
	struct kh_search_index_job job = {
		.index = searching_index, .folder = searching_docs, .folders = &folder, .count = 1, .ms = ms};

	return kh_search_index_run(&t->alloc, &job, ret_report, &t->err);
}

/* A whole pass. */
static inline struct kh_search_index_report searching_run(struct kh_test *t)
{
	struct kh_search_index_report report = {.busy = false};

	must(t, searching_run_ms(t, 60000, &report));
	assert_true(report.finished);
	return report;
}

static inline enum kh_err searching_look(struct kh_test *t, struct kh_view query, size_t limit,
					 struct kh_view *ret_json, struct kh_search_find_report *ret_report)
{
	struct kh_view folder = kh_view_str(searching_docs);
	struct kh_search_find find = {.index = searching_index,
				      .query = query,
				      .limit = limit,
				      .folders = &folder,
				      .folder_count = 1,
				      .ms = 60000};
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	yyjson_mut_val *results = NULL;
	enum kh_err e = kh_search_find_run(&t->arena, &find, doc, &results, ret_report, &t->err);

	return e == KH_OK ? kh_json_write(&t->arena, results, ret_json) : e;
}

/* The paths that QUERY finds, below the documents' folder, in order, with blanks between them. */
static inline const char *searching_find(struct kh_test *t, const char *query)
{
	static char text[4096];
	struct kh_search_find_report report;
	struct kh_view json;
	yyjson_val *root, *item;
	size_t n = 0;

	must(t, searching_look(t, kh_view_str(query), 100, &json, &report));
	must(t, kh_json_read(&t->arena, json, &root, &t->err));
	text[0] = '\0';
	yyjson_arr_iter iter = yyjson_arr_iter_with(root);
	while ((item = yyjson_arr_iter_next(&iter)) != NULL && n < sizeof(text)) {
		struct kh_view path = kh_json_str(kh_json_get(item, "path"));
		assert_true(kh_view_starts(path, kh_view_str(searching_docs)));
		path = kh_view_from(path, strlen(searching_docs) + 1);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.*s", n > 0 ? " " : "", KH_FMT(path));
	}
	return text;
}

#define assert_finds(t, query, paths) assert_string_equal(searching_find((t), (query)), (paths))

#endif
