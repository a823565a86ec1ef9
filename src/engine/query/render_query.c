/* How a query has ended, or that it has not. */
#include "engine/query/render_query.h"

static void add(yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, struct kh_view text)
{
	if (text.n > 0)
		kh_json_add(doc, obj, key, text);
}

const char *kh_render_query_word(enum kh_outcome outcome)
{
	return outcome == KH_OUTCOME_NONE ? "waiting" : kh_words_name(&kh_rows_outcome_words, outcome);
}

yyjson_mut_val *kh_render_query_new(yyjson_mut_doc *doc, const struct kh_render_query *told)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_str(doc, obj, "outcome", kh_render_query_word(told->outcome));
	add(doc, obj, "query", told->query);
	add(doc, obj, "approval", told->approval);
	add(doc, obj, "block", told->block);
	kh_json_add_raw(doc, obj, "delivery", told->delivery);
	kh_json_add_raw(doc, obj, "sources", told->sources);
	kh_json_add_raw(doc, obj, "advice", told->advice);
	add(doc, obj, "why", told->why);
	return obj;
}
