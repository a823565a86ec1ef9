/* How an external operation has ended, or that it has not. */
#include "engine/comm/render_outcome.h"

const char *kh_render_outcome_word(const struct kh_comm_look *look)
{
	if (look->ended != KH_ENDED_NOT)
		return kh_words_name(&kh_rows_ended_words, look->ended);
	if (look->approval.n > 0 || look->held)
		return "pending";
	return look->row != NULL && look->row->state == KH_DECLARATION_DECLARED ? "declared" : "running";
}

yyjson_mut_val *kh_render_outcome_new(yyjson_mut_doc *doc, const struct kh_comm_look *look)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_str(doc, obj, "outcome", kh_render_outcome_word(look));
	kh_json_add(doc, obj, "declaration", look->id);
	kh_json_add(doc, obj, "operation", look->operation);
	kh_json_add_raw(doc, obj, "parameters", look->parameters);
	if (look->modified)
		yyjson_mut_obj_add_bool(doc, obj, "modified", true);
	if (look->ended == KH_ENDED_NOT && look->approval.n > 0)
		kh_json_add(doc, obj, "approval", look->approval);
	if (look->block.n > 0)
		kh_json_add(doc, obj, "block", look->block);
	if (look->content.p != NULL)
		kh_json_add(doc, obj, "content", look->content);
	return obj;
}
