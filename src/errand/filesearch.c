/*
 * A search in the index, in a sandbox that sees nothing else.  If the index is too old, missing or damaged, the indexer
 * runs first, for a bounded time; then the index is searched as far as it got.
 */
#include "errand/filesearch.h"

#include "base/clock.h"
#include "base/timestamp.h"
#include "base/utf8.h"
#include "core/policy/allot.h"
#include "errand/details.h"
#include "errand/index.h"
#include "errand/job.h"

#include <time.h>

#define FIND_MS    8000U  /* of one search; far more than it takes */
#define REFRESH_MS 10000U /* how long a search waits for the indexer */
#define TURN_MS    25     /* between two checks whether another process has finished */
#define REPORT     4096   /* bytes of the worker's report */

struct finding {
	const struct kh_errand_tools *tools;
	const struct kh_errand *errand;
	struct kh_arena *arena;
	struct kh_view query;
	uint64_t limit;
	int64_t deadline;
	struct kh_view index, job;
	struct kh_errand_job_result result;
	/* the result of a search that was done */
	struct kh_view content;
	yyjson_val *report;
	int64_t age_ms;              /* INT64_MAX: no complete pass yet */
	struct kh_view indexing_why; /* if the indexer failed */
};

static uint64_t left_ms(const struct finding *f, uint64_t most)
{
	int64_t left = f->deadline - kh_clock_ms();

	return left <= 0 ? 1 : (uint64_t)left < most ? (uint64_t)left : most;
}

static enum kh_err write_job(struct finding *f)
{
	const struct kh_texts *within = &f->errand->rule->paths;
	yyjson_mut_doc *doc = kh_json_new(f->arena);
	yyjson_mut_val *job = yyjson_mut_obj(doc), *list = yyjson_mut_arr(doc);

	for (size_t i = 0; i < within->n; i++)
		yyjson_mut_arr_add_strn(doc, list, within->at[i].p, within->at[i].n);
	kh_json_add(doc, job, "job", KH_LIT("find"));
	kh_json_add(doc, job, "index", f->index);
	yyjson_mut_obj_add_val(doc, job, "folders", kh_index_folders(f->tools, doc));
	yyjson_mut_obj_add_val(doc, job, "within", list);
	kh_json_add(doc, job, "query", f->query);
	kh_json_add(doc, job, "time", kh_timestamp_text(f->arena, kh_clock_wall_us()));
	yyjson_mut_obj_add_uint(doc, job, "limit", f->limit);
	yyjson_mut_obj_add_uint(doc, job, "ms", FIND_MS / 2);
	return kh_json_write(f->arena, job, &f->job);
}

/* Splits the two lines of a search: its report, and the results.  False if they are not that. */
static bool take_output(struct finding *f)
{
	struct kh_view all = kh_tainted_open(f->result.output), report;
	int64_t current = 0;

	if (!kh_view_split(&all, '\n', &report) || report.n > REPORT || all.p == NULL ||
	    kh_json_read(f->arena, report, &f->report, NULL) != KH_OK || kh_utf8_invalid(all) != SIZE_MAX ||
	    !kh_json_int(kh_json_get(f->report, "current_ms"), &current))
		return false;
	f->content = kh_view_trim(all);
	f->age_ms = current > 0 ? kh_clock_wall_us() / 1000 - current : INT64_MAX;
	return true;
}

static enum kh_err look(struct finding *f)
{
	struct kh_errand_job job = {.run = {.profile = KH_PROFILE_SEARCH,
					    .read = {f->index},
					    .reads = 1,
					    .limits.wall_ms = left_ms(f, FIND_MS)},
				    .job = f->job,
				    .most = kh_allot_output(&f->errand->limits, KH_ERRAND_CONTENT)};
	enum kh_err e = kh_errand_job_run(f->tools->client, &job, f->arena, &f->result);

	f->age_ms = INT64_MAX;
	if (e == KH_OK && f->result.end == KH_ERRAND_JOB_DONE && !take_output(f))
		f->result = (struct kh_errand_job_result){.end = KH_ERRAND_JOB_BROKEN,
							  .why = KH_LIT("the worker's results are not understood")};
	return kh_arena_check(f->arena) == KH_OK ? e : KH_ENOMEM;
}

/* Runs the indexer, or waits while another process runs it. */
static enum kh_err refresh(struct finding *f, bool rebuild)
{
	int64_t until = kh_clock_ms() + (int64_t)left_ms(f, REFRESH_MS);
	struct kh_index_refresh call;
	enum kh_err e = KH_OK;

	do {
		int64_t left = until - kh_clock_ms();
		call = (struct kh_index_refresh){.fresh_ms = f->tools->config->search.refresh_seconds * 1000,
						 .wall_ms = left > 0 ? (uint64_t)left : 1,
						 .rebuild = rebuild};
		e = kh_index_refresh(f->tools, f->arena, &call);
		if (e == KH_OK && call.busy)
			nanosleep(&(struct timespec){.tv_nsec = TURN_MS * 1000000L}, NULL);
	} while (e == KH_OK && call.busy && kh_clock_ms() < until);
	f->indexing_why = call.why;
	return e;
}

/* True if the result is too old, or if there was no usable index. */
static bool is_due(const struct finding *f, bool *ret_rebuild)
{
	*ret_rebuild = kh_errand_job_said(&f->result, "index_corrupt");
	if (f->result.end == KH_ERRAND_JOB_DONE)
		return f->age_ms > (int64_t)f->tools->config->search.refresh_seconds * 1000;
	return *ret_rebuild || kh_errand_job_said(&f->result, "index_missing");
}

static enum kh_err write_details(struct finding *f, struct kh_errand_result *result)
{
	yyjson_mut_doc *doc = kh_json_new(f->arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);

	kh_json_add(doc, root, "scope", KH_LIT("internal"));
	if (f->report != NULL)
		yyjson_mut_obj_add_val(doc, root, "look", yyjson_val_mut_copy(doc, f->report));
	if (f->age_ms != INT64_MAX)
		yyjson_mut_obj_add_sint(doc, root, "index_age_ms", f->age_ms);
	else
		kh_json_add(doc, root, "index", KH_LIT("not all of the folders have been looked through yet"));
	if (f->indexing_why.n > 0)
		kh_json_add(doc, root, "indexing", f->indexing_why);
	return kh_details_end(f->arena, root, result);
}

enum kh_err kh_filesearch_run(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_view query,
			      uint64_t limit, struct kh_arena *arena, struct kh_errand_result *result)
{
	struct finding f = {.tools = tools,
			    .errand = errand,
			    .arena = arena,
			    .query = query,
			    .limit = limit,
			    .deadline = kh_clock_ms() + (int64_t)errand->wall_ms,
			    .index = kh_index_folder(tools, arena)};
	bool rebuild;
	enum kh_err e = write_job(&f);

	if (e == KH_OK)
		e = look(&f);
	if (e == KH_OK && is_due(&f, &rebuild)) {
		e = refresh(&f, rebuild);
		if (e == KH_OK)
			e = look(&f);
	}
	if (e == KH_OK)
		e = write_details(&f, result);
	if (e != KH_OK)
		return e;
	if (f.result.end == KH_ERRAND_JOB_DONE) {
		result->end = KH_ERRAND_OK;
		result->content = kh_tainted_wrap(f.content);
		return KH_OK;
	}
	/* What an earlier look found is not the result, because it was too old. */
	result->end = KH_ERRAND_FAILED;
	result->why = f.indexing_why.n > 0 ? f.indexing_why : f.result.why;
	return KH_OK;
}
