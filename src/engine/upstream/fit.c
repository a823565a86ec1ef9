/* Whether the tools of upstream servers can be offered. */
#include "engine/upstream/fit.h"

#include "core/schema/schema.h"
#include "engine/state/beforehand.h"

static bool is_listed(yyjson_val *names, struct kh_view name)
{
	yyjson_arr_iter all;
	yyjson_val *at;

	if (!yyjson_is_arr(names))
		return false;
	yyjson_arr_iter_init(names, &all);
	while ((at = yyjson_arr_iter_next(&all)) != NULL) {
		if (kh_view_eq(kh_json_str(at), name))
			return true;
	}
	return false;
}

/* Whether SCHEMA can be compiled; *RET_WHY says what follows if not, and has the first thing that is not known of it. */
static enum kh_err compile(const struct kh_alloc *alloc, struct kh_arena *arena, struct kh_view schema,
			   const char *follows, struct kh_view *ret_why)
{
	struct kh_schema *compiled = NULL;
	struct kh_reasons reasons;

	kh_reasons_init(&reasons, arena);
	enum kh_err e = kh_schema_new(alloc, schema, &compiled, &reasons);
	kh_schema_free(compiled);
	if (e == KH_OK || e == KH_ENOMEM)
		return e;
	if (reasons.n == 0)
		return kh_arena_check(arena) == KH_OK ? e : KH_ENOMEM;
	*ret_why = kh_arena_printf(arena, "%s: %.*s%s%.*s", follows, KH_FMT(reasons.at[0].member),
				   reasons.at[0].member.n > 0 ? ": " : "", KH_FMT(reasons.at[0].detail));
	return kh_arena_check(arena);
}

enum kh_err kh_fit_tool(const struct kh_alloc *alloc, struct kh_arena *arena, struct kh_view text,
			struct kh_view *ret_why)
{
	struct kh_view schema = {NULL, 0};
	yyjson_val *tool = NULL;
	struct kh_error err;

	*ret_why = (struct kh_view){"", 0};
	enum kh_err e = kh_json_read(arena, text, &tool, &err);
	if (e != KH_OK)
		return e;
	yyjson_val *input = kh_json_get(tool, "inputSchema");
	if (!kh_view_eq(kh_json_str(kh_json_get(input, "type")), KH_LIT("object"))) {
		*ret_why = KH_LIT("its input schema is not one of an object (`type` is not `object`)");
		return KH_OK;
	}
	if (kh_json_get(kh_json_get(input, "properties"), KH_FIT_MEMBER) != NULL ||
	    is_listed(kh_json_get(input, "required"), KH_LIT(KH_FIT_MEMBER))) {
		*ret_why = KH_LIT("it has a parameter `" KH_FIT_MEMBER "`, which is the name of Keyhole's own");
		return KH_OK;
	}
	e = kh_canonical_json(arena, input, &schema, &err);
	if (e != KH_OK)
		return e;
	return compile(alloc, arena, schema, "calls could not be checked against its input schema", ret_why);
}

enum kh_err kh_fit_results(const struct kh_alloc *alloc, struct kh_arena *arena, yyjson_val *tool,
			   struct kh_view *ret_why)
{
	yyjson_val *output = kh_json_get(tool, "outputSchema");
	struct kh_view schema = {NULL, 0};
	struct kh_error err;

	*ret_why = (struct kh_view){"", 0};
	enum kh_err e = output != NULL ? kh_canonical_json(arena, output, &schema, &err) : KH_OK;
	if (e != KH_OK || output == NULL)
		return e;
	return compile(alloc, arena, schema, "it is not understood", ret_why);
}

/* --- in an operation ---------------------------------------------------------------------------------------------- */

struct fitting {
	const struct kh_view *texts; /* an empty one: the tool is no longer offered */
	struct kh_view *whys;
	size_t count;
};

static enum kh_err work(struct kh_prepare *at, void *arg)
{
	const struct fitting *fitting = arg;
	enum kh_err e = KH_OK;

	for (size_t i = 0; i < fitting->count && e == KH_OK; i++) {
		fitting->whys[i] = (struct kh_view){"", 0};
		if (fitting->texts[i].n > 0)
			e = kh_fit_tool(kh_engine_alloc(at->engine), at->arena, fitting->texts[i], &fitting->whys[i]);
	}
	return e;
}

enum kh_err kh_fit_find(struct kh_op *op, const struct kh_digest *digest, struct kh_tool_row *const *tools,
			size_t count, const struct kh_view **ret_whys)
{
	struct kh_view key = kh_view_of((const char *)digest->bytes, sizeof(digest->bytes));
	const struct fitting *found = kh_beforehand_find(op, work, key);

	if (found != NULL) {
		*ret_whys = found->whys;
		return KH_OK;
	}
	struct fitting *fitting = KH_NEW(op->arena, struct fitting);
	struct kh_view *texts = KH_NEW_N(op->arena, struct kh_view, count + 1);
	struct kh_view *whys = KH_NEW_N(op->arena, struct kh_view, count + 1);
	key = kh_arena_dup(op->arena, key);
	if (fitting == NULL || texts == NULL || whys == NULL || key.p == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < count; i++)
		texts[i] = tools[i]->seen;
	*fitting = (struct fitting){.texts = texts, .whys = whys, .count = count};
	return kh_beforehand_want(op, work, key, fitting);
}
