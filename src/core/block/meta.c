/* Labels in `_meta`.  What an upstream sends is hostile: it can only make things worse for itself. */
#include "core/block/meta.h"

void kh_meta_write(yyjson_mut_doc *doc, yyjson_mut_val *meta, const struct kh_block *block)
{
	yyjson_mut_obj_add_str(doc, meta, KH_META_TRUST, kh_label_trust(block->trust));
	yyjson_mut_obj_add_str(doc, meta, KH_META_TAINT, kh_label_taint(block->taint));
	yyjson_mut_val *ids = yyjson_mut_obj_add_arr(doc, meta, KH_META_PROVENANCE);
	yyjson_mut_arr_add_strn(doc, ids, block->id.p, block->id.n);
	for (size_t i = 0; i < block->tainted_by_count; i++)
		yyjson_mut_arr_add_strn(doc, ids, block->tainted_by[i].p, block->tainted_by[i].n);
}

void kh_meta_lower(yyjson_val *meta, enum kh_trust *trust, enum kh_taint *taint)
{
	yyjson_val *sent_trust = kh_json_get(meta, KH_META_TRUST), *sent_taint = kh_json_get(meta, KH_META_TAINT);
	enum kh_trust theirs = KH_UNTRUSTED;
	enum kh_taint level = KH_TAINT_HIGH;

	if (sent_trust != NULL) {
		kh_label_parse_trust(kh_json_str(sent_trust), &theirs);
		*trust = *trust > theirs ? *trust : theirs;
	}
	if (sent_taint != NULL) {
		kh_label_parse_taint(kh_json_str(sent_taint), &level);
		*taint = kh_label_max_taint(*taint, level);
	}
	*taint = kh_label_max_taint(*taint, kh_label_initial_taint(*trust));
}
