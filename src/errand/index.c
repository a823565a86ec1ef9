/* Runs the indexer repeatedly.  Its reports are numbers that it chose itself; they only decide whether to continue, a
 * bounded number of times. */
#include "errand/index.h"

#include "base/clock.h"
#include "errand/job.h"

#include <errno.h>
#include <sys/stat.h>

#define RUN_MS   2000U         /* of one run, so that neither a stop nor a search has to wait longer */
#define GRACE_MS 20000U        /* for one more file and the last commit, on a slow disk */
#define REPORT   4096          /* bytes */
#define DISK     (64ULL << 30) /* bytes of the index */
#define MEMORY   ((size_t)4 << 20)

struct kh_view kh_index_folder(const struct kh_errand_tools *tools, struct kh_arena *arena)
{
	return kh_arena_printf(arena, "%.*s/index", KH_FMT(tools->home));
}

yyjson_mut_val *kh_index_folders(const struct kh_errand_tools *tools, yyjson_mut_doc *doc)
{
	const struct kh_texts *folders = &tools->config->search.folders;
	yyjson_mut_val *list = yyjson_mut_arr(doc);

	for (size_t i = 0; i < folders->n; i++)
		yyjson_mut_arr_add_strn(doc, list, folders->at[i].p, folders->at[i].n);
	return list;
}

static enum kh_err write_job(const struct kh_errand_tools *tools, struct kh_arena *arena, struct kh_view index,
			     struct kh_view folder, const struct kh_index_refresh *refresh, bool rebuild,
			     struct kh_view *ret_job)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *job = yyjson_mut_obj(doc);

	kh_json_add(doc, job, "job", KH_LIT("index"));
	kh_json_add(doc, job, "index", index);
	kh_json_add(doc, job, "folder", folder);
	yyjson_mut_obj_add_val(doc, job, "folders", kh_index_folders(tools, doc));
	yyjson_mut_obj_add_uint(doc, job, "ms", RUN_MS);
	yyjson_mut_obj_add_uint(doc, job, "fresh_ms", refresh->fresh_ms);
	yyjson_mut_obj_add_bool(doc, job, "rebuild", rebuild);
	return kh_json_write(arena, job, ret_job);
}

/* Parses the indexer's report; false if it is not valid. */
static bool take_report(struct kh_arena *arena, struct kh_tainted output, struct kh_index_refresh *refresh,
			bool *ret_finished)
{
	struct kh_view line = kh_view_trim(kh_tainted_open(output));
	int64_t indexed = 0, removed = 0, skipped = 0;
	yyjson_val *root = NULL;

	if (kh_json_read(arena, line, &root, NULL) != KH_OK || !kh_json_int(kh_json_get(root, "indexed"), &indexed) ||
	    !kh_json_int(kh_json_get(root, "removed"), &removed) ||
	    !kh_json_int(kh_json_get(root, "skipped"), &skipped))
		return false;
	refresh->indexed += (uint64_t)indexed;
	refresh->removed += (uint64_t)removed;
	refresh->skipped += (uint64_t)skipped;
	refresh->busy = yyjson_is_true(kh_json_get(root, "busy"));
	*ret_finished = yyjson_is_true(kh_json_get(root, "finished")) || yyjson_is_true(kh_json_get(root, "fresh"));
	return true;
}

/* One run over FOLDER.  Sets refresh->why if it failed. */
static enum kh_err run_once(const struct kh_errand_tools *tools, struct kh_arena *arena, struct kh_arena *local,
			    struct kh_view folder, struct kh_index_refresh *refresh, bool rebuild, bool *ret_finished)
{
	struct kh_view index = kh_index_folder(tools, local);
	struct kh_errand_job job = {.run = {.profile = KH_PROFILE_SEARCH,
					    .read = {folder},
					    .reads = 1,
					    .write = {index},
					    .writes = 1,
					    .limits = {.wall_ms = RUN_MS + GRACE_MS, .disk = DISK}},
				    .most = REPORT};
	struct kh_errand_job_result result;
	enum kh_err e = write_job(tools, local, index, folder, refresh, rebuild, &job.job);

	*ret_finished = false;
	if (e == KH_OK)
		e = kh_errand_job_run(tools->client, &job, local, &result);
	if (e != KH_OK)
		return e;
	if (result.end != KH_ERRAND_JOB_DONE)
		refresh->why = kh_arena_dup(arena, result.why);
	else if (!take_report(local, result.output, refresh, ret_finished))
		refresh->why = KH_LIT("the indexer's report is not understood");
	return kh_arena_check(arena) == KH_OK ? kh_arena_check(local) : KH_ENOMEM;
}

/* Indexes all of FOLDER, as far as the time allows; *RET_DONE is true if the pass over it is complete. */
static enum kh_err run_folder(const struct kh_errand_tools *tools, struct kh_arena *arena, struct kh_view folder,
			      struct kh_index_refresh *refresh, int64_t deadline, bool *ret_done)
{
	bool rebuild = refresh->rebuild, finished = false;
	struct kh_arena local;
	enum kh_err e = KH_OK;

	kh_arena_init(&local, arena->alloc, MEMORY);
	refresh->why = (struct kh_view){NULL, 0};
	while (e == KH_OK && !finished && refresh->why.p == NULL && !refresh->busy && kh_clock_ms() < deadline &&
	       (refresh->is_stopped == NULL || !refresh->is_stopped(refresh->ctx))) {
		e = run_once(tools, arena, &local, folder, refresh, rebuild, &finished);
		kh_arena_clear(&local);
		rebuild = refresh->rebuild = false;
	}
	kh_arena_done(&local);
	*ret_done = finished;
	return e;
}

enum kh_err kh_index_refresh(const struct kh_errand_tools *tools, struct kh_arena *arena,
			     struct kh_index_refresh *refresh)
{
	const struct kh_texts *folders = &tools->config->search.folders;
	struct kh_view index = kh_index_folder(tools, arena), why = {NULL, 0};
	int64_t deadline = kh_clock_ms() + (int64_t)refresh->wall_ms;
	enum kh_err e = kh_arena_check(arena);
	bool done = true, current = true;

	if (e != KH_OK)
		return e;
	if (mkdir(index.p, 0700) != 0 && errno != EEXIST) {
		refresh->why = kh_arena_printf(arena, "the folder of the index cannot be made: %s",
					       strerrordesc_np(errno));
		return kh_arena_check(arena);
	}
	for (size_t i = 0; i < folders->n && e == KH_OK && !refresh->busy; i++) {
		e = run_folder(tools, arena, folders->at[i], refresh, deadline, &done);
		current = current && done;
		if (refresh->why.p != NULL)
			why = refresh->why;
	}
	refresh->why = why;
	refresh->current = e == KH_OK && current && !refresh->busy;
	return e;
}
