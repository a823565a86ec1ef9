/* Functions for the entries: parameters, the operation, the answer. */
#include "http/rest/call.h"

#include "base/emit.h"

#define PATH 96 /* bytes around a list, with the cursor of the next page */

static const struct kh_rest_value *find(const struct kh_rest_member *members, const struct kh_rest_value *values,
					const char *name)
{
	static const struct kh_rest_value none;
	size_t i = kh_rest_read_find(members, kh_view_str(name));

	return i < KH_REST_MEMBERS ? &values[i] : &none;
}

const struct kh_rest_value *kh_rest_call_query(const struct kh_rest_call *call, const char *name)
{
	return find(call->route->query, call->query, name);
}

const struct kh_rest_value *kh_rest_call_body(const struct kh_rest_call *call, const char *name)
{
	return find(call->route->body, call->body, name);
}

enum kh_err kh_rest_call_run(struct kh_rest_call *call, kh_engine_fn *fn, void *of)
{
	return kh_gateway_call(call->gateway, call->token, fn, of, call->arena, &call->err);
}

enum kh_err kh_rest_call_reply(struct kh_rest_call *call, struct kh_view json)
{
	kh_http_reply(call->r, call->route->status, "application/json", json, NULL, 0);
	return KH_OK;
}

enum kh_err kh_rest_call_reply_object(struct kh_rest_call *call, unsigned status, yyjson_mut_val *object)
{
	struct kh_view json;
	enum kh_err e = kh_arena_check(call->arena);

	if (e == KH_OK)
		e = kh_json_write(call->arena, object, &json);
	if (e == KH_OK)
		kh_http_reply(call->r, status, "application/json", json, NULL, 0);
	return e;
}

enum kh_err kh_rest_call_last(struct kh_rest_call *call, struct kh_view items, bool more, struct kh_view *ret_next)
{
	yyjson_val *list = NULL;
	enum kh_err e = more ? kh_json_read(call->arena, items, &list, &call->err) : KH_OK;

	if (e == KH_OK)
		*ret_next = kh_json_str(kh_json_get(yyjson_arr_get_last(list), "id"));
	return e;
}

enum kh_err kh_rest_call_reply_list(struct kh_rest_call *call, struct kh_view items, struct kh_view next)
{
	struct kh_view json;
	struct kh_buf buf;

	kh_buf_init(&buf, call->arena, items.n + PATH);
	kh_buf_lit(&buf, "{\"items\":");
	kh_buf_add(&buf, items);
	kh_buf_lit(&buf, ",\"next\":");
	if (next.n > 0)
		kh_emit_string(&buf, next);
	else
		kh_buf_lit(&buf, "null");
	kh_buf_byte(&buf, '}');
	enum kh_err e = kh_buf_end(&buf, &json);
	return e == KH_OK ? kh_rest_call_reply(call, json) : e;
}
