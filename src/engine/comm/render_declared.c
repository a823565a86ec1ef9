/* One declaration that was decided. */
#include "engine/comm/render_declared.h"

#include "base/json.h"
#include "core/policy/risk.h"

yyjson_mut_val *kh_render_declared_add(yyjson_mut_doc *doc, yyjson_mut_val *list, const struct kh_declare_item *item)
{
	yyjson_mut_val *obj = yyjson_mut_arr_add_obj(doc, list);

	if (item->id.n > 0)
		kh_json_add(doc, obj, "declaration", item->id);
	kh_json_add(doc, obj, "operation", item->operation);
	yyjson_mut_obj_add_str(doc, obj, "ruling", kh_words_name(&kh_risk_ruling_words, item->ruling));
	if (item->gate != NULL)
		yyjson_mut_obj_add_str(doc, obj, "gate", item->gate);
	if (item->code != NULL)
		yyjson_mut_obj_add_str(doc, obj, "code", item->code);
	kh_json_add(doc, obj, "why", item->why);
	if (item->approval.n > 0)
		kh_json_add(doc, obj, "approval", item->approval);
	return obj;
}
