/* Ends of calls.  What a server says goes into the result as it is, tainted. */
#include "upstream/conclude.h"

#include "core/schema/schema.h"
#include "errand/details.h"
#include "upstream/answer.h"

#define SAID 4096 /* bytes of a server's own words in the details */

enum kh_err kh_conclude_early(const struct kh_errand *errand, struct kh_arena *arena, struct kh_errand_result *result,
			      bool *ret_good)
{
	struct kh_reasons errors;

	*ret_good = true;
	if (errand->tool->input == NULL)
		return KH_OK;
	kh_reasons_init(&errors, arena);
	enum kh_err e = kh_schema_check(errand->tool->input, arena, errand->parameters, &errors);
	if (e == KH_OK || e == KH_ENOMEM)
		return e;
	*ret_good = false;
	result->why = errors.n > 0 ? kh_arena_printf(arena, "the arguments do not fit the tool's schema at %.*s: %.*s",
						     KH_FMT(kh_arena_quote(arena, errors.at[0].member)),
						     KH_FMT(errors.at[0].detail))
				   : KH_LIT("the arguments do not fit the tool's schema");
	return KH_OK;
}

/* For humans: what went wrong, and what the server said last. */
static enum kh_err describe(const struct kh_upstream_response *response, struct kh_arena *arena,
			    struct kh_errand_result *result)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_str(doc, root, "code", response->code != NULL ? response->code : "");
	kh_details_text(arena, doc, root, "said", response->said, SAID);
	return kh_details_end(arena, root, result);
}

/* Whether nothing was sent because of a difference from what was approved (U4). */
static bool is_held(const struct kh_upstream_response *response)
{
	static const char *const codes[] = {"program_changed", "tool_changed", "tool_gone"};

	for (size_t i = 0; response->code != NULL && i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (strcmp(response->code, codes[i]) == 0)
			return response->end == KH_RESPONSE_REFUSED;
	}
	return false;
}

enum kh_err kh_conclude(const struct kh_errand_tool *tool, const struct kh_upstream_response *response,
			struct kh_arena *arena, struct kh_errand_result *result)
{
	if (response->end == KH_RESPONSE_CAME)
		return kh_answer_read(arena, response->message, tool->is_resource, result);
	result->end = response->end == KH_RESPONSE_LOST ? KH_ERRAND_UNKNOWN
		      : is_held(response)               ? KH_ERRAND_HELD
							: KH_ERRAND_FAILED;
	result->why = kh_arena_printf(arena, "upstream %.*s: %.*s", KH_FMT(tool->server), KH_FMT(response->why));
	return describe(response, arena, result);
}
