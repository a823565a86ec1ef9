/*
 * A search of the web.  The endpoint's operator is trusted with the query and the key.  Its answer is untrusted: it is
 * passed to a worker without being parsed, and the worker's output is split at its first line.
 */
#include "errand/websearch.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/timestamp.h"
#include "base/utf8.h"
#include "core/comm/url.h"
#include "core/policy/allot.h"
#include "errand/details.h"
#include "errand/get.h"
#include "errand/job.h"

#define ANSWER   (4U << 20) /* bytes of an answer, if the policy does not say less */
#define PARSE_MS 5000U

struct asking {
	const struct kh_errand_tools *tools;
	struct kh_arena *arena;
	struct kh_errand_limits limits;
	struct kh_fetch fetch;
	struct kh_view key; /* the header with the key, to be wiped */
	struct kh_get_result got;
};

/* The endpoint's URL with the query in it. */
static struct kh_view write_url(struct kh_arena *arena, struct kh_view endpoint, struct kh_view query)
{
	struct kh_view url = {NULL, 0};
	struct kh_buf buf;

	kh_buf_init(&buf, arena, SIZE_MAX);
	kh_buf_add(&buf, endpoint);
	kh_buf_byte(&buf, memchr(endpoint.p, '?', endpoint.n) != NULL ? '&' : '?');
	kh_buf_lit(&buf, "format=json&q=");
	kh_buf_percent(&buf, query, "-._~");
	return kh_buf_end(&buf, &url) == KH_OK ? url : (struct kh_view){NULL, 0};
}

/* The request; false if the URL is not valid. */
static bool describe(struct asking *a, struct kh_view query)
{
	const struct kh_config_search *search = &a->tools->config->search;
	bool local = search->local == KH_CONFIG_TRUE;
	struct kh_fetch *fetch = &a->fetch;
	struct kh_url url;

	*fetch = (struct kh_fetch){.url = write_url(a->arena, search->url, query),
				   .authority = search->authority,
				   .header = {KH_LIT("Accept: application/json")},
				   .headers = 1,
				   .plain = local,
				   .limits.output = kh_allot_output(&a->limits, ANSWER)};
	if (fetch->url.p == NULL || kh_url_read_web(fetch->url, local, &url, NULL) != KH_OK)
		return false;
	if (local)
		fetch->host[fetch->hosts++] = kh_request_host(a->arena, url.host, url.port);
	if (a->tools->search_key.n > 0) {
		a->key = kh_arena_printf(a->arena, "Authorization: Bearer %.*s", KH_FMT(a->tools->search_key));
		fetch->header[fetch->headers++] = a->key;
	}
	return true;
}

/* Why there is no answer to parse; empty if there is one. */
static struct kh_view lacks(struct asking *a)
{
	const struct kh_get_result *got = &a->got;

	if (got->status != 0 && got->status != 200)
		return kh_arena_printf(a->arena, "the search engine answered with status %u%s", got->status,
				       got->status == 403 ? " (does its settings' search.formats have json?)" : "");
	if (got->fault == KH_FAULT_TIME)
		return KH_LIT("the search engine did not answer in its time");
	if (!got->done)
		return kh_arena_printf(a->arena, "the search engine cannot be asked: %.*s", KH_FMT(got->why));
	return KH_LIT("");
}

/* Lets a worker parse the answer. */
static enum kh_err parse(struct asking *a, uint64_t limit, struct kh_errand_result *result)
{
	struct kh_view report, content,
		time = kh_timestamp_text(a->arena, kh_clock_wall_us()),
		text = kh_arena_printf(a->arena, "{\"job\":\"web\",\"limit\":%llu,\"time\":\"%.*s\"}",
				       (unsigned long long)limit, KH_FMT(time));
	struct kh_errand_job job = {.run = {.profile = KH_PROFILE_SEARCH, .limits.wall_ms = PARSE_MS},
				    .job = text,
				    .bytes = a->got.body,
				    .most = kh_allot_output(&a->limits, KH_ERRAND_CONTENT)};
	struct kh_errand_job_result done = {.end = KH_ERRAND_JOB_BROKEN};

	if (text.p == NULL)
		return KH_ENOMEM;
	result->original = a->got.body;
	enum kh_err e = kh_errand_job_run(a->tools->client, &job, a->arena, &done);
	if (e != KH_OK)
		return e;
	if (done.end != KH_ERRAND_JOB_DONE) {
		result->why = kh_arena_printf(a->arena, "the search engine's answer cannot be read: %.*s",
					      KH_FMT(done.why));
		return KH_OK;
	}
	content = kh_tainted_open(done.output);
	if (!kh_view_split(&content, '\n', &report) || content.p == NULL || kh_utf8_invalid(content) != SIZE_MAX) {
		result->why = KH_LIT("the worker's results are not understood");
		return KH_OK;
	}
	result->end = KH_ERRAND_OK;
	result->content = kh_tainted_wrap(kh_view_trim(content));
	return KH_OK;
}

static enum kh_err write_details(const struct asking *a, struct kh_errand_result *result)
{
	yyjson_mut_doc *doc = kh_json_new(a->arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);

	kh_json_add(doc, root, "scope", KH_LIT("web"));
	if (a->got.status != 0)
		yyjson_mut_obj_add_uint(doc, root, "status", a->got.status);
	yyjson_mut_obj_add_uint(doc, root, "bytes", kh_tainted_size(result->original));
	return kh_details_end(a->arena, root, result);
}

enum kh_err kh_websearch_run(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_view query,
			     uint64_t limit, struct kh_arena *arena, struct kh_errand_result *result)
{
	struct asking a = {.tools = tools, .arena = arena, .limits = errand->limits};
	struct kh_view why = KH_LIT("the query is too long for a URL, or search.url is none");
	enum kh_err e = KH_OK;

	if (describe(&a, query)) {
		e = kh_arena_check(arena);
		if (e == KH_OK)
			e = kh_get_run(tools->client, &a.fetch, errand->wall_ms, arena, &a.got);
		why = lacks(&a);
	}
	if (a.key.p != NULL)
		explicit_bzero((void *)(uintptr_t)a.key.p, a.key.n);
	if (e == KH_OK && why.n == 0)
		e = parse(&a, limit, result);
	else
		result->why = why;
	if (e == KH_OK)
		e = write_details(&a, result);
	return e;
}
