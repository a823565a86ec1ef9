/* Upstream servers over HTTP.  What a server says is sent as JSON strings; whoever displays it has to escape it. */
#include "http/rest/upstreams.h"

#include "engine/upstream/approve.h"
#include "engine/upstream/review.h"
#include "engine/upstream/tools.h"

enum kh_err kh_rest_upstreams_review(struct kh_rest_call *call)
{
	struct kh_upstream_review review = {.name = kh_http_request_segment(call->r, "upstream")};

	return kh_rest_call_show(call, kh_upstream_review_run, &review, &review.json);
}

/* --- approving ---------------------------------------------------------------------------------------------------- */

static const struct kh_words members = KH_WORDS("digest", "tools", "words");

static enum kh_err fault(struct kh_rest_call *call, const char *member, const char *code, const char *detail)
{
	return kh_error_input(&call->err, kh_view_str(member), code, detail);
}

static enum kh_err check_body(struct kh_rest_call *call)
{
	yyjson_val *digest = kh_json_get(call->whole, "digest"), *tools = kh_json_get(call->whole, "tools");
	yyjson_val *words = kh_json_get(call->whole, "words"), *stranger = kh_json_stranger(call->whole, &members);

	if (stranger != NULL)
		return kh_error_input(&call->err, kh_arena_quote(call->arena, kh_json_str(stranger)), "unknown_member",
				      "there are digest, tools and words");
	if (digest == NULL)
		return fault(call, "digest", "missing", "the `digest` of the review that is approved");
	if (!yyjson_is_str(digest))
		return fault(call, "digest", "wrong_type", "expected a string");
	if (tools != NULL && !yyjson_is_arr(tools))
		return fault(call, "tools", "wrong_type", "expected a list of names");
	if (words != NULL && !yyjson_is_obj(words))
		return fault(call, "words", "wrong_type", "expected an object of names and texts");
	return KH_OK;
}

enum kh_err kh_rest_upstreams_approve(struct kh_rest_call *call)
{
	struct kh_upstream_approve approve = {
		.name = kh_http_request_segment(call->r, "upstream"),
		.digest = kh_json_str(kh_json_get(call->whole, "digest")),
		.tools = kh_json_get(call->whole, "tools"),
		.words = kh_json_get(call->whole, "words"),
	};
	yyjson_mut_val *obj = yyjson_mut_obj(call->doc);
	enum kh_err e = check_body(call);

	if (e == KH_OK)
		e = kh_rest_call_run(call, kh_upstream_approve_run, &approve);
	if (e != KH_OK)
		return e;
	kh_gateway_look(call->gateway); /* calls that waited for a tool go on */
	kh_json_add(call->doc, obj, "upstream", approve.name);
	yyjson_mut_obj_add_uint(call->doc, obj, "approved", approve.approved);
	yyjson_mut_obj_add_uint(call->doc, obj, "unfit", approve.unfit);
	return kh_rest_call_reply_object(call, obj);
}

/* --- tools -------------------------------------------------------------------------------------------------------- */

static void add_tool(struct kh_rest_call *call, yyjson_mut_val *list, const struct kh_upstream_tool *tool)
{
	struct kh_arena *arena = call->arena;
	yyjson_mut_doc *doc = call->doc;
	yyjson_mut_val *obj = yyjson_mut_arr_add_obj(doc, list);

	kh_json_add(doc, obj, "name", kh_arena_printf(arena, "%.*s__%.*s", KH_FMT(tool->server), KH_FMT(tool->alias)));
	kh_json_add(doc, obj, "operation",
		    kh_arena_printf(arena, "comm.mcp.%.*s.%.*s", KH_FMT(tool->server), KH_FMT(tool->alias)));
	kh_json_add(doc, obj, "upstream", tool->server);
	if (tool->title.n > 0)
		kh_json_add(doc, obj, "title", tool->title);
	kh_json_add(doc, obj, "description", tool->description.n > 0 ? tool->description : KH_LIT(""));
	yyjson_mut_obj_add_val(doc, obj, "input", yyjson_val_mut_copy(doc, tool->input));
	yyjson_mut_obj_add_bool(doc, obj, "read_only", tool->reads_only);
	yyjson_mut_obj_add_bool(doc, obj, "destructive", tool->destroys);
}

enum kh_err kh_rest_upstreams_tools(struct kh_rest_call *call)
{
	struct kh_upstream_tools tools = {0};
	yyjson_mut_val *list = yyjson_mut_arr(call->doc);
	struct kh_view json = {NULL, 0};
	enum kh_err e = kh_rest_call_run(call, kh_upstream_tools_run, &tools);

	for (size_t i = 0; e == KH_OK && i < tools.count; i++)
		add_tool(call, list, &tools.tools[i]);
	if (e == KH_OK)
		e = kh_json_write(call->arena, list, &json);
	return e == KH_OK ? kh_rest_call_reply_list(call, json, (struct kh_view){NULL, 0}) : e;
}
