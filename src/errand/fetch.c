/*
 * comm.fetch (E8, E9): GET, https, one host.
 *
 * The executor has followed redirects within the host.  A redirect to another host needs a new decision, so it ends
 * this errand, with its target in the details.
 */
#include "errand/errand.h"

#include "base/clock.h"
#include "core/policy/allot.h"
#include "errand/details.h"
#include "errand/get.h"
#include "errand/totext.h"

#define MOST      (16U << 20) /* bytes of a response, decompressed, if the policy does not say less */
#define TEXT      4096        /* bytes of a URL or a type in the details */
#define REDIRECTS 5           /* followed within the host */

static enum kh_err describe(struct kh_arena *arena, const struct kh_get_result *got, struct kh_errand_result *result)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);

	if (got->status > 0)
		yyjson_mut_obj_add_uint(doc, root, "status", got->status);
	kh_details_text(arena, doc, root, "url", got->url, TEXT);
	kh_details_text(arena, doc, root, "content_type", got->type, TEXT);
	kh_details_text(arena, doc, root, "location", got->location, 2 * TEXT);
	yyjson_mut_obj_add_uint(doc, root, "length", kh_tainted_size(got->body));
	if (got->fault != KH_FAULT_NONE)
		yyjson_mut_obj_add_str(doc, root, "fault", kh_fault_name(got->fault));
	return kh_details_end(arena, root, result);
}

static bool is_redirect(unsigned status)
{
	return status >= 300 && status < 400 && status != 304;
}

/* Why this response is not acceptable, or empty. */
static struct kh_view refuse(struct kh_arena *arena, const struct kh_get_result *got)
{
	if (!got->done)
		return got->why;
	if (is_redirect(got->status) && kh_tainted_size(got->location) > 0)
		return KH_LIT("it redirects to where this declaration does not lead: the details have the location");
	if (got->status < 200 || got->status > 299)
		return kh_arena_printf(arena, "the server answered with status %u", got->status);
	return KH_LIT("");
}

enum kh_err kh_fetch_run(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_arena *arena,
			 struct kh_errand_result *result)
{
	const struct kh_config_network *network = &tools->config->network;
	struct kh_fetch fetch = {.url = kh_json_str(kh_json_get(errand->parameters, "url")),
				 .authority = network->authority,
				 .redirects = REDIRECTS,
				 .limits.output = kh_allot_output(&errand->limits, MOST)};
	int64_t deadline = kh_clock_ms() + (int64_t)errand->wall_ms;
	struct kh_get_result got;

	result->source = fetch.url;
	for (; fetch.hosts < network->private_hosts.n && fetch.hosts < KH_REQUEST_HOSTS; fetch.hosts++)
		fetch.host[fetch.hosts] = network->private_hosts.at[fetch.hosts];
	enum kh_err e = kh_get_run(tools->client, &fetch, errand->wall_ms, arena, &got);
	if (e == KH_OK)
		e = describe(arena, &got, result);
	if (e != KH_OK)
		return e;
	result->why = refuse(arena, &got);
	if (result->why.n > 0) {
		result->original = got.body;
		return KH_OK;
	}
	struct kh_totext totext = {.limits = errand->limits, .bytes = got.body, .type = got.type, .deadline = deadline};
	return kh_totext_run(tools, &totext, arena, result);
}
