/*
 * comm.read (E9): a file at or below one of the rule's paths.
 *
 * Which of the rule's paths it is below is decided by text, as the policy did.  The worker and the kernel ensure that
 * the file is really there, in a root that has only that path.
 */
#include "errand/errand.h"

#include "base/clock.h"
#include "core/policy/allot.h"
#include "core/policy/match.h"
#include "errand/details.h"
#include "errand/job.h"
#include "errand/totext.h"

#define MOST (16U << 20) /* bytes of a file, if the policy does not say less */

/* The innermost of the rule's paths that PATH is at or below; empty if there is none. */
static struct kh_view find_folder(const struct kh_policy_rule *rule, struct kh_view path)
{
	struct kh_view best = {NULL, 0};

	for (size_t i = 0; rule != NULL && i < rule->paths.n; i++) {
		struct kh_view folder = rule->paths.at[i];
		if (kh_match_path(folder, path) && folder.n > best.n)
			best = folder;
	}
	return best;
}

static enum kh_err write_job(struct kh_arena *arena, struct kh_view folder, struct kh_view path, size_t most,
			     struct kh_view *ret_job)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);

	kh_json_add(doc, root, "folder", folder);
	/* The part after the folder and its slash; empty for the folder itself. */
	kh_json_add(doc, root, "path", kh_view_from(path, path.n > folder.n ? folder.n + 1 : folder.n));
	yyjson_mut_obj_add_uint(doc, root, "most", most);
	return kh_json_write(arena, root, ret_job);
}

/* Our own sentences for a worker's codes; its own text goes into the details. */
static struct kh_view explain(struct kh_arena *arena, const struct kh_errand_job_result *done, size_t most)
{
	static const struct {
		const char *word, *why;
	} words[] = {
		{"not_found", "there is no such file"},
		{"outside_folder", "the path leads out of the folder that the policy names"},
		{"not_a_file", "it is not a regular file"},
		{"not_readable", "the file cannot be read by Keyhole's user"},
		{"file_changed", "the file changed while it was read"},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (kh_errand_job_said(done, words[i].word))
			return kh_view_str(words[i].why);
	if (kh_errand_job_said(done, "too_large"))
		return kh_arena_printf(arena, "the file is larger than %zu bytes", most);
	return kh_arena_printf(arena, "the file could not be read: %.*s", KH_FMT(done->why));
}

/* The last component of PATH: a hint at what the file is. */
static struct kh_view name_of(struct kh_view path)
{
	size_t at = path.n;

	while (at > 0 && path.p[at - 1] != '/')
		at--;
	return kh_view_from(path, at);
}

static enum kh_err describe(struct kh_arena *arena, struct kh_tainted bytes, struct kh_errand_result *result)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_uint(doc, root, "size", kh_tainted_size(bytes));
	return kh_details_end(arena, root, result);
}

enum kh_err kh_read_run(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_arena *arena,
			struct kh_errand_result *result)
{
	struct kh_view path = kh_json_str(kh_json_get(errand->parameters, "path"));
	struct kh_view folder = find_folder(errand->rule, path);
	size_t most = kh_allot_output(&errand->limits, MOST);
	struct kh_errand_job job = {
		.run = {.profile = KH_PROFILE_READ, .read = {folder}, .reads = 1, .limits.wall_ms = errand->wall_ms},
		.most = most};
	int64_t deadline = kh_clock_ms() + (int64_t)errand->wall_ms;
	struct kh_errand_job_result done;

	result->source = path;
	if (folder.n == 0) {
		result->why = KH_LIT("the path is not below any that the policy names");
		return KH_OK;
	}
	enum kh_err e = write_job(arena, folder, path, most, &job.job);
	if (e == KH_OK)
		e = kh_errand_job_run(tools->client, &job, arena, &done);
	if (e != KH_OK)
		return e;
	if (done.end != KH_ERRAND_JOB_DONE) {
		result->why = explain(arena, &done, most);
		return KH_OK;
	}
	struct kh_totext totext = {.limits = errand->limits,
				   .bytes = done.output,
				   .type = kh_tainted_wrap(name_of(path)),
				   .deadline = deadline};
	e = kh_totext_run(tools, &totext, arena, result);
	return e == KH_OK ? describe(arena, done.output, result) : e;
}
