/* Splits what a worker wrote about a search.  The texts in it are the world's: they are compared, and never followed. */
#include "core/comm/results.h"

#include "base/json.h"
#include "base/utf8.h"

/* Where a result stands; empty if it does not say so in visible characters. */
static struct kh_view source_of(struct kh_arena *arena, yyjson_val *result)
{
	struct kh_view url = kh_json_str(kh_json_get(result, "url")), path = kh_json_str(kh_json_get(result, "path"));
	struct kh_view database = kh_json_str(kh_json_get(result, "database"));
	struct kh_view table = kh_json_str(kh_json_get(result, "table")), source = url.n > 0 ? url : path;

	if (source.n == 0 && database.n > 0 && table.n > 0)
		source = kh_arena_printf(arena, "%.*s.%.*s", KH_FMT(database), KH_FMT(table));
	return source.n <= KH_ATTRIBUTION_SOURCE_MAX && kh_utf8_is_visible(source) ? source : (struct kh_view){NULL, 0};
}

static enum kh_err add(struct kh_arena *arena, const struct kh_attribution *attribution, yyjson_val *result,
		       struct kh_results_part *ret_part)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	struct kh_view source = source_of(arena, result);

	ret_part->attribution = *attribution;
	if (source.n > 0)
		ret_part->attribution.source = source;
	return kh_json_write(arena, yyjson_val_mut_copy(doc, result), &ret_part->content);
}

enum kh_err kh_results_split(struct kh_arena *arena, const struct kh_attribution *attribution, struct kh_view content,
			     struct kh_results *ret_results)
{
	struct kh_results results = {.at = NULL};
	yyjson_val *root = NULL, *list, *item;
	enum kh_err e = KH_OK;
	size_t i, max;

	*ret_results = results;
	if (!kh_view_eq(attribution->operation, KH_LIT("comm.search")))
		return KH_OK;
	e = kh_json_read(arena, content, &root, NULL);
	list = kh_json_get(root, "results");
	if (e != KH_OK || yyjson_obj_size(root) != 1 || yyjson_arr_size(list) == 0)
		return e == KH_ENOMEM ? e : KH_OK;
	results.at = KH_NEW_N(arena, struct kh_results_part, yyjson_arr_size(list));
	if (results.at == NULL)
		return KH_ENOMEM;
	yyjson_arr_foreach (list, i, max, item) {
		if (e == KH_OK)
			e = add(arena, attribution, item, &results.at[results.n++]);
	}
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e == KH_OK)
		*ret_results = results;
	return e;
}
