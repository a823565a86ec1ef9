/* The messages of the protocol.  Reads a Reader's message only far enough to know which query it belongs to. */
#include "core/bcp/message.h"

#include "base/member.h"

yyjson_mut_val *kh_message_query(yyjson_mut_doc *doc, const struct kh_query *query, struct kh_view query_id,
				 struct kh_view from)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc), *body = kh_query_write(query, doc), *key;
	yyjson_mut_obj_iter iter = yyjson_mut_obj_iter_with(body);

	yyjson_mut_obj_add_str(doc, obj, "type", "bcp_query");
	kh_json_add(doc, obj, "query_id", query_id);
	kh_json_add(doc, obj, "from_agent", from);
	while ((key = yyjson_mut_obj_iter_next(&iter)) != NULL) {
		yyjson_mut_val *val = yyjson_mut_obj_iter_get_val(key);
		/* The Reader has no part in approvals, and redundancy only works if the Reader does not know of it. */
		if (!yyjson_mut_equals_str(key, "requires_approval"))
			yyjson_mut_obj_add(obj, yyjson_mut_val_mut_copy(doc, key), yyjson_mut_val_mut_copy(doc, val));
	}
	yyjson_mut_val *items = yyjson_mut_obj_get(obj, query->category == 1 ? "fields" : "questions"), *item;
	yyjson_mut_arr_iter each = yyjson_mut_arr_iter_with(items);
	while ((item = yyjson_mut_arr_iter_next(&each)) != NULL) {
		yyjson_mut_obj_remove_key(item, "repeat");
		yyjson_mut_obj_remove_key(item, "rephrasings");
	}
	return obj;
}

yyjson_mut_val *kh_message_delivered(yyjson_mut_doc *doc, unsigned category, yyjson_mut_val *response,
				     struct kh_view query_id, struct kh_view from, enum kh_taint taint)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_str(doc, obj, "type", "bcp_response_delivery");
	kh_json_add(doc, obj, "query_id", query_id);
	yyjson_mut_obj_add_uint(doc, obj, "category", category);
	kh_json_add(doc, obj, "from_agent", from);
	yyjson_mut_obj_add_val(doc, obj, "response", response);
	yyjson_mut_obj_add_str(doc, obj, "trust", kh_words_name(&kh_label_trust_words, KH_UNTRUSTED));
	yyjson_mut_obj_add_str(doc, obj, "taint", kh_words_name(&kh_label_taint_words, taint));
	return obj;
}

static enum kh_err read_response(yyjson_val *root, struct kh_view *ret_query_id, yyjson_val **ret_response,
				 struct kh_error *err)
{
	struct kh_view type = kh_json_str(kh_json_get(root, "type")), id = kh_json_str(kh_json_get(root, "query_id"));
	yyjson_val *response = kh_json_get(root, "response");
	if (!yyjson_is_obj(root) || (type.p != NULL && !kh_view_eq(type, KH_LIT("bcp_response"))))
		return kh_error_set(err, KH_EINPUT, "bad_message", "a Reader sends bcp_response and nothing else");
	if (id.n == 0)
		return kh_error_set(err, KH_EINPUT, "bad_message", "a response names its query by query_id");
	/* {"response": "..."} is also a summary in the running system's form, so a string is part of the body. */
	bool wrapped = type.p != NULL && response != NULL && !yyjson_is_str(response);
	/* If the whole message is the body, the code that judges it reports extra members. */
	if (wrapped && yyjson_obj_size(root) != 3)
		return kh_error_set(err, KH_EINPUT, "bad_message",
				    "a bcp_response has type, query_id and response and nothing else");
	*ret_query_id = id;
	*ret_response = wrapped ? response : root;
	return KH_OK;
}

enum kh_err kh_message_read_response(struct kh_arena *arena, struct kh_tainted message, struct kh_view *ret_query_id,
				     yyjson_val **ret_response, struct kh_error *err)
{
	yyjson_val *root = NULL;
	enum kh_err e = kh_json_read(arena, kh_tainted_open(message), &root, err);

	return e == KH_OK ? read_response(root, ret_query_id, ret_response, err) : e;
}

enum kh_err kh_message_judge(struct kh_screen *screen, struct kh_arena *arena, const struct kh_query *query,
			     struct kh_view query_id, struct kh_tainted response, struct kh_recent recent,
			     struct kh_answer *ret_answer)
{
	yyjson_val *root = NULL, *body = NULL;
	struct kh_view id;

	if (kh_tainted_size(response) > kh_answer_most(query) ||
	    kh_json_read(arena, kh_tainted_open(response), &root, NULL) != KH_OK) /* judging it says why */
		return kh_answer_judge(screen, arena, query, response, recent, ret_answer);
	if (read_response(root, &id, &body, NULL) != KH_OK)
		return kh_answer_judge_value(screen, arena, query, root, recent, ret_answer);
	if (!kh_view_eq(id, query_id))
		return kh_answer_judge(screen, arena, query, kh_tainted_wrap(KH_LIT("")), recent, ret_answer);
	return kh_answer_judge_value(screen, arena, query, body, recent, ret_answer);
}
