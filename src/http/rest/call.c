/* What the functions of the routes share: parameters, the operation, the answer. */
#include "http/rest/call.h"

#include "base/emit.h"

#define AROUND 96 /* bytes around a list, with the cursor of the next page */
#define SECOND INT64_C(1000000)

unsigned kh_rest_call_roles(const struct kh_rest_route *route)
{
	return route->roles == 0 && route->operation != NULL ? kh_operations_find(route->operation)->roles
							     : route->roles;
}

unsigned kh_rest_call_status(const struct kh_rest_route *route)
{
	return route->status != 0 ? route->status : 200;
}

size_t kh_rest_call_limit(const struct kh_rest_route *route)
{
	bool has_body = route->body[0].name != NULL || route->body_schema != NULL;

	return has_body && route->limit == 0 ? KH_REST_SMALL : route->limit;
}

/* --- parameters --------------------------------------------------------------------------------------------------- */

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

int64_t kh_rest_call_until(const struct kh_rest_call *call, bool by_default)
{
	const struct kh_rest_value *wait = kh_rest_call_query(call, "wait");
	int64_t most = kh_gateway_wait(call->gateway);
	int64_t wanted = wait->there ? wait->number * SECOND : by_default ? most : 0;

	return kh_works_now() + (wanted < most ? wanted : most);
}

/* --- the operation ------------------------------------------------------------------------------------------------ */

enum kh_err kh_rest_call_run(struct kh_rest_call *call, kh_engine_fn *fn, void *of)
{
	return kh_gateway_call(call->gateway, call->token, fn, of, call->arena, &call->err);
}

enum kh_err kh_rest_call_show(struct kh_rest_call *call, kh_engine_fn *fn, void *of, const struct kh_view *json)
{
	enum kh_err e = kh_rest_call_run(call, fn, of);

	return e == KH_OK ? kh_rest_call_reply(call, *json) : e;
}

enum kh_err kh_rest_call_page(struct kh_rest_call *call)
{
	struct kh_page page = {
		.all = kh_rest_call_query(call, "all")->number != 0,
		.task = kh_http_request_segment(call->r, "task"),
		.after = kh_rest_call_query(call, "after")->text,
		.limit = (size_t)kh_rest_call_query(call, "limit")->number,
	};
	enum kh_err e = kh_rest_call_run(call, call->route->operation, &page);

	return e == KH_OK ? kh_rest_call_reply_list(call, page.json, page.next) : e;
}

/* --- the answer --------------------------------------------------------------------------------------------------- */

enum kh_err kh_rest_call_reply(struct kh_rest_call *call, struct kh_view json)
{
	kh_http_reply(call->r, kh_rest_call_status(call->route), "application/json", json, NULL, 0);
	return KH_OK;
}

enum kh_err kh_rest_call_reply_list(struct kh_rest_call *call, struct kh_view items, struct kh_view next)
{
	struct kh_view json;
	struct kh_buf buf;

	kh_buf_init(&buf, call->arena, items.n + AROUND);
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

enum kh_err kh_rest_call_tell(struct kh_rest_call *call, bool ended, yyjson_mut_val *object)
{
	unsigned status = ended ? kh_rest_call_status(call->route) : call->route->later;
	struct kh_view json;
	enum kh_err e = kh_json_write(call->arena, object, &json);

	if (e == KH_OK)
		kh_http_reply(call->r, status, "application/json", json, NULL, 0);
	return e;
}

enum kh_err kh_rest_call_reply_object(struct kh_rest_call *call, yyjson_mut_val *object)
{
	return kh_rest_call_tell(call, true, object);
}

enum kh_err kh_rest_call_reply_of(struct kh_rest_call *call, bool ended, yyjson_mut_val *object, struct kh_view id)
{
	kh_json_add(call->doc, object, "id", id);
	return kh_rest_call_tell(call, ended, object);
}

enum kh_err kh_rest_call_reply_id(struct kh_rest_call *call, const char *key, struct kh_view id)
{
	yyjson_mut_val *obj = yyjson_mut_obj(call->doc);

	kh_json_add(call->doc, obj, key, id);
	return kh_rest_call_reply_of(call, true, obj, id);
}

enum kh_err kh_rest_call_reply_nothing(struct kh_rest_call *call)
{
	kh_http_reply(call->r, 204, NULL, KH_LIT(""), NULL, 0);
	return KH_OK;
}
