/* How an approval was decided. */
#include "engine/approval/render_decision.h"

const char *kh_render_decision_word(const struct kh_approval_decide *decided)
{
	return kh_words_name(&kh_grant_approval_words, decided->row->state);
}

yyjson_mut_val *kh_render_decision_new(yyjson_mut_doc *doc, const struct kh_approval_decide *decided)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	kh_json_add(doc, obj, "approval", decided->approval);
	yyjson_mut_obj_add_str(doc, obj, "state", kh_render_decision_word(decided));
	return obj;
}
