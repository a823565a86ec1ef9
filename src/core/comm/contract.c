/* C5 and C6: JSON in, JSON out.  The input is hostile; the answer always has the contract's form. */
#include "core/comm/contract.h"

#include "core/comm/declaration.h"
#include "core/comm/fence.h"
#include "core/comm/strict.h"

/* Answers {"error":{...}} with WHY. If E is lack of memory, there is no answer. */
static enum kh_err refuse(struct kh_call *call, enum kh_err e, const struct kh_error *why, yyjson_mut_val **ret_out,
			  struct kh_error *err)
{
	if (e == KH_ENOMEM || call->arena->failed)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for the answer");
	yyjson_mut_val *out = yyjson_mut_obj(call->doc);
	yyjson_mut_obj_add_val(call->doc, out, "error", kh_json_error(call->doc, why));
	if (call->arena->failed)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for the answer");
	*ret_out = out;
	return KH_OK;
}

static enum kh_err done(struct kh_call *call, yyjson_mut_val *out, yyjson_mut_val **ret_out, struct kh_error *err)
{
	if (call->arena->failed)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for the answer");
	*ret_out = out;
	return KH_OK;
}

/* Reads the members of a wrap call into an attribution and its content; *WHY gets the first problem. */
static enum kh_err read_wrap(struct kh_call *call, yyjson_val *in, struct kh_attribution *attribution,
			     struct kh_view *ret_content, struct kh_error *why)
{
	static const char *const known[] = {"content", "source", "operation", "session_id", "audit_id"};
	struct kh_view texts[5] = {{NULL, 0}};
	struct kh_reasons errors;

	kh_reasons_init(&errors, call->arena);
	if (kh_strict_object(&errors, KH_LIT(""), in)) {
		for (size_t i = 0; i < 5; i++) {
			yyjson_val *val = i < 4 ? kh_strict_need(&errors, KH_LIT(""), in, known[i])
						: kh_json_get(in, known[i]);
			texts[i] = kh_strict_text(&errors, kh_view_str(known[i]), val);
		}
		kh_strict_known(&errors, KH_LIT(""), in, known, 5);
	}
	if (call->arena->failed)
		return KH_ENOMEM;
	if (errors.n > 0)
		return kh_error_reason(why, KH_EINPUT, &errors);
	*ret_content = texts[0];
	*attribution = (struct kh_attribution){
		.source = texts[1], .session_id = texts[3], .audit_id = texts[4], .timestamp = call->now};
	attribution->operation = kh_view_starts(texts[2], KH_LIT("comm."))
					 ? texts[2]
					 : kh_arena_printf(call->arena, "comm.%.*s", KH_FMT(texts[2]));
	return kh_arena_check(call->arena);
}

enum kh_err kh_comm_contract_wrap(struct kh_call *call, yyjson_val *in, yyjson_mut_val **ret_out, struct kh_error *err)
{
	struct kh_error why = {.offset = SIZE_MAX};
	struct kh_attribution attribution;
	struct kh_view content;
	struct kh_fence fence;
	enum kh_err e = read_wrap(call, in, &attribution, &content, &why);

	if (e == KH_OK)
		e = kh_attribution_make(call->arena, &attribution, content, &why);
	if (e == KH_OK)
		e = kh_fence_wrap(call->arena, call->nonce, &attribution, content, &fence, &why);
	if (e != KH_OK)
		return refuse(call, e, &why, ret_out, err);
	return done(call, kh_fence_json(call->arena, call->doc, &fence), ret_out, err);
}

enum kh_err kh_comm_contract_unwrap(struct kh_call *call, yyjson_val *in, yyjson_mut_val **ret_out,
				    struct kh_error *err)
{
	struct kh_error why = {.offset = SIZE_MAX};
	struct kh_fence fence;
	enum kh_err e = kh_fence_unwrap(call->arena, in, &fence, &why);

	if (e != KH_OK)
		return refuse(call, e, &why, ret_out, err);
	yyjson_mut_val *out = yyjson_mut_obj(call->doc);
	kh_json_add(call->doc, out, "content", fence.content);
	yyjson_mut_obj_add_val(call->doc, out, "metadata",
			       kh_attribution_json(call->arena, call->doc, &fence.attribution));
	return done(call, out, ret_out, err);
}

enum kh_err kh_comm_contract_check(struct kh_call *call, yyjson_val *in, yyjson_mut_val **ret_out, struct kh_error *err)
{
	struct kh_declarations list = {.at = NULL};
	struct kh_reasons errors, review;

	kh_reasons_init(&errors, call->arena);
	kh_reasons_init(&review, call->arena);
	enum kh_err e = kh_declaration_check(call->arena, call->screen, in, (struct kh_view){NULL, 0}, &list, &errors,
					     &review);
	if (e != KH_OK)
		return kh_error_set(err, e, "out_of_memory", "no memory to check the declaration");
	yyjson_mut_val *out = yyjson_mut_obj(call->doc);
	yyjson_mut_obj_add_bool(call->doc, out, "ok", errors.n == 0);
	if (errors.n > 0) {
		yyjson_mut_obj_add_val(call->doc, out, "errors", kh_json_reasons(call->doc, &errors));
		return done(call, out, ret_out, err);
	}
	kh_json_add(call->doc, out, "operation", list.at[0].operation.full);
	if (list.n > 1) {
		yyjson_mut_val *all = yyjson_mut_obj_add_arr(call->doc, out, "operations");
		for (size_t i = 0; i < list.n; i++)
			yyjson_mut_arr_add_strn(call->doc, all, list.at[i].operation.full.p,
						list.at[i].operation.full.n);
	}
	if (review.n > 0)
		yyjson_mut_obj_add_val(call->doc, out, "review", kh_json_reasons(call->doc, &review));
	return done(call, out, ret_out, err);
}
