/* Reads the jobs of the search worker and writes their results. */
#include "worker/search/search.h"

#include "base/buf.h"
#include "worker/search/find.h"
#include "worker/search/index.h"
#include "worker/search/web.h"

#include <sqlite3.h>

#define LIMIT  100
#define MOST   (16U << 20) /* bytes of output */
#define MOMENT 100         /* milliseconds: less is not worth a start */

struct loaded {
	struct kh_parser gumbo;
	bool has_gumbo;
};

/* What this process, which does one job, has loaded before it is confined. */
static struct loaded *loaded(void)
{
	static struct loaded here;

	return &here;
}

/* Without the library, HTML pages are indexed as they are; nothing else changes. */
enum kh_err kh_worker_search_load(bool connected, struct kh_error *err)
{
	(void)connected;
	loaded()->has_gumbo = kh_parser_load(&loaded()->gumbo, err) == KH_OK;
	return KH_OK;
}

static enum kh_err refuse(struct kh_error *err, const char *member)
{
	return kh_error_set(err, KH_EINPUT, "job_refused", "a job of the search worker without a good `%s`", member);
}

/* A text member that has no NUL, with a NUL appended. */
static const char *text_of(yyjson_val *job, const char *member)
{
	yyjson_val *val = kh_json_get(job, member);
	struct kh_view text = kh_json_str(val);

	return text.n > 0 && memchr(text.p, '\0', text.n) == NULL ? yyjson_get_str(val) : NULL;
}

static uint64_t number_of(yyjson_val *job, const char *member)
{
	int64_t value = 0;

	return kh_json_int(kh_json_get(job, member), &value) && value > 0 ? (uint64_t)value : 0;
}

static enum kh_err list_of(struct kh_arena *arena, yyjson_val *job, const char *member, const struct kh_view **ret_list,
			   size_t *ret_count, struct kh_error *err)
{
	yyjson_val *array = kh_json_get(job, member), *item;
	size_t n = yyjson_arr_size(array), i = 0;
	struct kh_view *list = KH_NEW_N(arena, struct kh_view, n);

	if (list == NULL)
		return KH_ENOMEM;
	yyjson_arr_iter iter = yyjson_arr_iter_with(array);
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		list[i] = kh_json_str(item);
		if (list[i].n == 0 || list[i].p[0] != '/')
			return refuse(err, member);
		i++;
	}
	*ret_list = list;
	*ret_count = n;
	return KH_OK;
}

/* Writes VAL as a line. */
static enum kh_err put_line(struct kh_arena *arena, yyjson_mut_val *val, struct kh_buf *out)
{
	struct kh_view text;
	enum kh_err e = kh_json_write(arena, val, &text);

	if (e == KH_OK) {
		kh_buf_add(out, text);
		kh_buf_byte(out, '\n');
	}
	return e;
}

/* Each result has the time of the search too, so that it says by itself where and when it was found (E10). */
static yyjson_mut_val *wrap_results(yyjson_mut_doc *doc, yyjson_mut_val *results, yyjson_val *job)
{
	yyjson_mut_val *content = yyjson_mut_obj(doc), *result;
	struct kh_view time = kh_json_str(kh_json_get(job, "time"));
	yyjson_mut_arr_iter iter = yyjson_mut_arr_iter_with(results);

	while (time.n > 0 && (result = yyjson_mut_arr_iter_next(&iter)) != NULL)
		kh_json_add(doc, result, "time", time);
	yyjson_mut_obj_add_val(doc, content, "results", results);
	return content;
}

static enum kh_err do_index(const struct kh_alloc *alloc, struct kh_arena *arena, yyjson_val *val, struct kh_buf *out,
			    struct kh_error *err)
{
	struct kh_search_index_job job = {
		.index = text_of(val, "index"),
		.folder = text_of(val, "folder"),
		.ms = number_of(val, "ms"),
		.fresh_ms = number_of(val, "fresh_ms"),
		.rebuild = yyjson_is_true(kh_json_get(val, "rebuild")),
		.gumbo = loaded()->has_gumbo ? &loaded()->gumbo : NULL,
	};
	struct kh_search_index_report report = {.busy = false};
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *said = yyjson_mut_obj(doc);
	enum kh_err e = list_of(arena, val, "folders", &job.folders, &job.count, err);

	if (e == KH_OK && (job.index == NULL || job.folder == NULL || job.count == 0))
		e = refuse(err, job.index == NULL ? "index" : job.folder == NULL ? "folder" : "folders");
	if (e == KH_OK)
		e = kh_search_index_run(alloc, &job, &report, err);
	if (e != KH_OK)
		return e;
	yyjson_mut_obj_add_bool(doc, said, "busy", report.busy);
	yyjson_mut_obj_add_bool(doc, said, "fresh", report.fresh);
	yyjson_mut_obj_add_bool(doc, said, "finished", report.finished);
	yyjson_mut_obj_add_bool(doc, said, "missing", report.missing);
	yyjson_mut_obj_add_uint(doc, said, "indexed", report.indexed);
	yyjson_mut_obj_add_uint(doc, said, "removed", report.removed);
	yyjson_mut_obj_add_uint(doc, said, "skipped", report.skipped);
	yyjson_mut_obj_add_uint(doc, said, "unchanged", report.unchanged);
	yyjson_mut_obj_add_uint(doc, said, "unread", report.unread);
	yyjson_mut_obj_add_sint(doc, said, "current_ms", report.current_ms);
	return put_line(arena, said, out);
}

static enum kh_err do_find(struct kh_arena *arena, yyjson_val *val, struct kh_buf *out, struct kh_error *err)
{
	struct kh_search_find find = {
		.index = text_of(val, "index"),
		.query = kh_json_str(kh_json_get(val, "query")),
		.limit = number_of(val, "limit"),
		.ms = number_of(val, "ms"),
	};
	struct kh_search_find_report report;
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *results, *said = yyjson_mut_obj(doc);
	enum kh_err e = list_of(arena, val, "folders", &find.folders, &find.folder_count, err);

	if (e == KH_OK)
		e = list_of(arena, val, "within", &find.within, &find.within_count, err);
	if (e == KH_OK && (find.index == NULL || find.query.p == NULL || find.limit == 0 || find.limit > LIMIT))
		e = refuse(err, find.index == NULL ? "index" : find.query.p == NULL ? "query" : "limit");
	if (find.ms < MOMENT)
		find.ms = MOMENT;
	if (e == KH_OK)
		e = kh_search_find_run(arena, &find, doc, &results, &report, err);
	if (e != KH_OK)
		return e;
	yyjson_mut_obj_add_str(doc, said, "matched", report.any ? "any" : "all");
	yyjson_mut_obj_add_bool(doc, said, "cut", report.cut);
	yyjson_mut_obj_add_bool(doc, said, "more", report.more);
	yyjson_mut_obj_add_uint(doc, said, "left_out", report.left_out);
	yyjson_mut_obj_add_sint(doc, said, "current_ms", report.current_ms);
	yyjson_mut_obj_add_uint(doc, said, "not_indexed", report.not_indexed);
	yyjson_mut_val *content = wrap_results(doc, results, val);
	if (report.not_indexed > 0)
		yyjson_mut_obj_add_uint(doc, content, "not_indexed", report.not_indexed);
	e = put_line(arena, said, out);
	return e == KH_OK ? put_line(arena, content, out) : e;
}

static enum kh_err do_web(struct kh_arena *arena, yyjson_val *val, struct kh_view body, struct kh_buf *out,
			  struct kh_error *err)
{
	uint64_t limit = number_of(val, "limit");
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *results, *said = yyjson_mut_obj(doc);

	if (limit == 0 || limit > LIMIT)
		return refuse(err, "limit");
	enum kh_err e = kh_search_web_read(arena, body, limit, doc, &results, err);
	if (e != KH_OK)
		return e;
	yyjson_mut_obj_add_uint(doc, said, "count", yyjson_mut_arr_size(results));
	e = put_line(arena, said, out);
	return e == KH_OK ? put_line(arena, wrap_results(doc, results, val), out) : e;
}

enum kh_err kh_worker_search_do(const struct kh_worker_job *job, const struct kh_alloc *alloc,
				struct kh_view *ret_output, struct kh_error *err)
{
	struct kh_view what = kh_json_str(kh_json_get(job->root, "job"));
	struct kh_buf out;
	enum kh_err e;

	kh_buf_init(&out, job->arena, MOST);
	if (kh_view_eq(what, KH_LIT("index")))
		e = do_index(alloc, job->arena, job->root, &out, err);
	else if (kh_view_eq(what, KH_LIT("find")))
		e = do_find(job->arena, job->root, &out, err);
	else if (kh_view_eq(what, KH_LIT("web")))
		e = do_web(job->arena, job->root, job->bytes, &out, err);
	else
		e = refuse(err, "job");
	return e == KH_OK ? kh_buf_end(&out, ret_output) : e;
}

enum kh_err kh_worker_search_run(const struct kh_worker_job *job, struct kh_error *err)
{
	struct kh_view output;

	/* This process has one thread.  If SQLite is initialized already, the call has no effect. */
	(void)sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	(void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	enum kh_err e = kh_worker_search_do(job, &kh_alloc_system, &output, err);
	return e == KH_OK ? kh_worker_job_write(job, output, err) : e;
}
