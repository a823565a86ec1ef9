/* How an approval was decided. */
#include "engine/approval/render_decision.h"

/* By the choice, not by the row: an approval that is used at once is `used` there. */
const char *kh_render_decision_word(const struct kh_approval_decide *decided)
{
	static const enum kh_approval states[] = {[KH_CHOICE_APPROVE] = KH_APPROVAL_APPROVED,
						  [KH_CHOICE_REJECT] = KH_APPROVAL_REJECTED,
						  [KH_CHOICE_EDIT] = KH_APPROVAL_EDITED};

	return kh_words_name(&kh_grant_approval_words, states[decided->choice]);
}

yyjson_mut_val *kh_render_decision_new(yyjson_mut_doc *doc, const struct kh_approval_decide *decided)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	kh_json_add(doc, obj, "approval", decided->approval);
	yyjson_mut_obj_add_str(doc, obj, "state", kh_render_decision_word(decided));
	return obj;
}
