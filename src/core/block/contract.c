/* The block commands of the offline contract.  The input is hostile; the strict readers of this folder parse it. */
#include "core/block/contract.h"

#include "core/block/blockjson.h"
#include "core/block/taint.h"
#include "core/block/xml.h"

/* The result of a command: its output, or {"error":{...}}. Only lack of memory stays a failure. */
static enum kh_err answer(struct kh_call *call, enum kh_err e, struct kh_error *problem, yyjson_mut_val *out,
			  yyjson_mut_val **ret_out, struct kh_error *err)
{
	if (e == KH_ENOMEM || kh_arena_check(call->arena) != KH_OK)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for these blocks");
	if (e != KH_OK) {
		problem->err = e; /* sets the code if there is no better one */
		out = yyjson_mut_obj(call->doc);
		yyjson_mut_obj_add_val(call->doc, out, "error", kh_json_error(call->doc, problem));
	}
	if (kh_arena_check(call->arena) != KH_OK)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for the answer");
	*ret_out = out;
	return KH_OK;
}

/* IN is an object with the member A and, unless it is NULL, B, and no other. */
static enum kh_err check_input(struct kh_arena *arena, yyjson_val *in, const char *a, const char *b,
			       struct kh_error *err)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(in);
	yyjson_val *key;

	if (!yyjson_is_obj(in))
		return kh_error_set(err, KH_EINPUT, "wrong_type", "an object was expected, not %s", kh_json_type(in));
	while ((key = yyjson_obj_iter_next(&iter)) != NULL) {
		struct kh_view name = kh_json_str(key);
		if (kh_view_eq(name, kh_view_str(a)) || (b != NULL && kh_view_eq(name, kh_view_str(b))))
			continue;
		struct kh_view quoted = kh_arena_quote(arena, name);
		return kh_error_set(err, KH_EINPUT, "unknown_member", "there is no member %.*s here", KH_FMT(quoted));
	}
	return KH_OK;
}

/* Member KEY of IN, which must be a string. */
static enum kh_err get_string(yyjson_val *in, const char *key, struct kh_view *ret_v, struct kh_error *err)
{
	yyjson_val *val = kh_json_get(in, key);
	enum kh_err e = KH_OK;

	if (val == NULL)
		e = kh_error_set(err, KH_EINPUT, "missing", "there is no %s", key);
	else if (!yyjson_is_str(val))
		e = kh_error_set(err, KH_EINPUT, "wrong_type", "%s is %s, expected a string", key, kh_json_type(val));
	else
		*ret_v = kh_json_str(val);
	return kh_error_member(err, kh_view_str(key), e);
}

enum kh_err kh_block_contract_render(struct kh_call *call, yyjson_val *in, yyjson_mut_val **ret_out,
				     struct kh_error *err)
{
	struct kh_error problem = {.offset = SIZE_MAX};
	yyjson_mut_val *out = yyjson_mut_obj(call->doc);
	struct kh_blocks set;
	struct kh_view xml;

	kh_blocks_init(&set, call->arena, call->nonce);
	enum kh_err e = check_input(call->arena, in, "blocks", NULL, &problem);
	if (e == KH_OK)
		e = kh_blockjson_read_all(&set, kh_json_get(in, "blocks"), "blocks", &problem);
	if (e == KH_OK)
		e = kh_xml_write(call->arena, &set, &xml);
	if (e == KH_OK)
		kh_json_add(call->doc, out, "xml", xml);
	return answer(call, e, &problem, out, ret_out, err);
}

enum kh_err kh_block_contract_parse(struct kh_call *call, yyjson_val *in, yyjson_mut_val **ret_out,
				    struct kh_error *err)
{
	struct kh_error problem = {.offset = SIZE_MAX};
	yyjson_mut_val *out = yyjson_mut_obj(call->doc);
	struct kh_blocks set;
	struct kh_view xml;

	kh_blocks_init(&set, call->arena, call->nonce);
	enum kh_err e = check_input(call->arena, in, "xml", NULL, &problem);
	if (e == KH_OK)
		e = get_string(in, "xml", &xml, &problem);
	if (e == KH_OK)
		e = kh_xml_read(&set, xml, &problem);
	if (e == KH_OK)
		yyjson_mut_obj_add_val(call->doc, out, "blocks", kh_blockjson_write_all(call->doc, call->arena, &set));
	return answer(call, e, &problem, out, ret_out, err);
}

/* The ids of the blocks of CLOSURE, or of the untrusted ones of them. */
static yyjson_mut_val *write_ids(yyjson_mut_doc *doc, const struct kh_blocks *set, const struct kh_closure *closure,
				 bool untrusted)
{
	yyjson_mut_val *arr = yyjson_mut_arr(doc);

	for (size_t i = 0; i < closure->n; i++) {
		struct kh_view id = set->at[closure->at[i].id]->id;
		if (!untrusted || closure->at[i].trust == KH_UNTRUSTED)
			yyjson_mut_arr_add_strn(doc, arr, id.p, id.n);
	}
	return arr;
}

enum kh_err kh_block_contract_taint(struct kh_call *call, yyjson_val *in, yyjson_mut_val **ret_out,
				    struct kh_error *err)
{
	struct kh_error problem = {.offset = SIZE_MAX};
	yyjson_mut_doc *doc = call->doc;
	yyjson_mut_val *out = yyjson_mut_obj(doc);
	struct kh_closure closure;
	struct kh_blocks set;
	struct kh_view of;

	kh_blocks_init(&set, call->arena, call->nonce);
	enum kh_err e = check_input(call->arena, in, "blocks", "of", &problem);
	if (e == KH_OK)
		e = kh_blockjson_read_all(&set, kh_json_get(in, "blocks"), "blocks", &problem);
	if (e == KH_OK)
		e = get_string(in, "of", &of, &problem);
	if (e == KH_OK)
		e = kh_taint_closure(&set, call->arena, of, &closure, &problem);
	if (e == KH_OK) {
		yyjson_mut_obj_add_val(doc, out, "closure", write_ids(doc, &set, &closure, false));
		yyjson_mut_obj_add_val(doc, out, "untrusted", write_ids(doc, &set, &closure, true));
		yyjson_mut_obj_add_bool(doc, out, "flagged", closure.flagged);
	}
	return answer(call, e, &problem, out, ret_out, err);
}
