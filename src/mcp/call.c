/* tools/list and tools/call. */
#include "mcp/call.h"

#include "mcp/elicit.h"
#include "rpc/schema.h"

/* --- the list ----------------------------------------------------------------------------------------------------- */

static yyjson_mut_val *annotations(yyjson_mut_doc *doc, const struct kh_mcp_tool *tool)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_str(doc, obj, "title", tool->title);
	yyjson_mut_obj_add_bool(doc, obj, "readOnlyHint", tool->read_only);
	yyjson_mut_obj_add_bool(doc, obj, "destructiveHint", tool->destructive);
	yyjson_mut_obj_add_bool(doc, obj, "idempotentHint", tool->idempotent);
	yyjson_mut_obj_add_bool(doc, obj, "openWorldHint", tool->open_world);
	return obj;
}

static void add_tool(yyjson_mut_doc *doc, yyjson_mut_val *list, const struct kh_mcp_tool *tool,
		     enum kh_rpc_version version)
{
	yyjson_mut_val *obj = yyjson_mut_arr_add_obj(doc, list);

	yyjson_mut_obj_add_str(doc, obj, "name", tool->name);
	if (version >= KH_MCP_2025_06_18 && tool->title != NULL)
		yyjson_mut_obj_add_str(doc, obj, "title", tool->title);
	yyjson_mut_obj_add_str(doc, obj, "description", tool->description);
	yyjson_mut_obj_add_val(doc, obj, "inputSchema", yyjson_mut_raw(doc, tool->input));
	if (version >= KH_MCP_2025_06_18 && tool->output != NULL)
		yyjson_mut_obj_add_val(doc, obj, "outputSchema", yyjson_mut_raw(doc, tool->output));
	if (tool->title != NULL)
		yyjson_mut_obj_add_val(doc, obj, "annotations", annotations(doc, tool));
}

enum kh_err kh_mcp_call_list(struct kh_mcp_call *call, yyjson_mut_val **ret_result)
{
	const struct kh_mcp_offer *offer = &call->exchange->peer->mcp->offer;
	yyjson_mut_val *result = yyjson_mut_obj(call->doc), *list;

	if (kh_json_get(call->arguments, "cursor") != NULL)
		return kh_error_set(call->err, KH_EINPUT, "bad_cursor", "there is one page of tools");
	list = yyjson_mut_obj_add_arr(call->doc, result, "tools");
	for (size_t i = 0; i < offer->tool_count; i++) {
		if (offer->tools[i].tool->roles & KH_ROLE_BIT(call->who->role))
			add_tool(call->doc, list, offer->tools[i].tool, call->version);
	}
	*ret_result = result;
	return KH_OK;
}

/* --- results ------------------------------------------------------------------------------------------------------ */

static yyjson_mut_val *content_of(yyjson_mut_doc *doc, struct kh_view text)
{
	yyjson_mut_val *content = yyjson_mut_arr(doc), *block = yyjson_mut_arr_add_obj(doc, content);

	yyjson_mut_obj_add_str(doc, block, "type", "text");
	kh_json_add(doc, block, "text", text);
	return content;
}

/* Labels a result that contains untrusted content (K10). */
static void add_labels(yyjson_mut_doc *doc, yyjson_mut_val *meta, const struct kh_mcp_result *result)
{
	yyjson_mut_val *labels;

	if (result->trust == NULL)
		return;
	labels = yyjson_mut_obj_add_obj(doc, meta, "keyhole/labels");
	yyjson_mut_obj_add_str(doc, labels, "trust", result->trust);
	if (result->taint != NULL)
		yyjson_mut_obj_add_str(doc, labels, "taint", result->taint);
	if (result->block.n > 0)
		kh_json_add(doc, labels, "block", result->block);
	if (result->sources.n > 0)
		yyjson_mut_obj_add_val(doc, labels, "sources",
				       yyjson_mut_rawn(doc, result->sources.p, result->sources.n));
}

static enum kh_err good(struct kh_mcp_call *call, const struct kh_mcp_result *result, yyjson_mut_val *out)
{
	yyjson_mut_doc *doc = call->doc;
	struct kh_view text = result->text;
	yyjson_mut_val *content = result->content, *structured = result->structured;

	if (content == NULL && text.n == 0) { /* the JSON is written once and used twice */
		enum kh_err e = kh_json_write(call->arena, structured, &text);
		if (e != KH_OK)
			return e;
		structured = yyjson_mut_rawn(doc, text.p, text.n);
	}
	yyjson_mut_obj_add_val(doc, out, "content", content != NULL ? content : content_of(doc, text));
	if (structured != NULL && call->version >= KH_MCP_2025_06_18)
		yyjson_mut_obj_add_val(doc, out, "structuredContent", structured);
	if (result->is_error)
		yyjson_mut_obj_add_true(doc, out, "isError");
	if (result->trust != NULL)
		add_labels(doc, yyjson_mut_obj_add_obj(doc, out, "_meta"), result);
	return KH_OK;
}

/* Writes "detail (member). What to do next." for the model; the code goes into `_meta` for a program. */
static void bad(struct kh_mcp_call *call, const struct kh_mcp_result *result, yyjson_mut_val *out)
{
	yyjson_mut_doc *doc = call->doc;
	const struct kh_error *err = call->err;
	const char *code = err->code != NULL ? err->code : kh_err_name(result->e);
	struct kh_view text = kh_arena_printf(call->arena, "%s: %s%s%s%s.%s%s", code, err->detail,
					      err->member[0] != '\0' ? " (" : "", err->member,
					      err->member[0] != '\0' ? ")" : "", result->next != NULL ? " " : "",
					      result->next != NULL ? result->next : "");

	yyjson_mut_obj_add_val(doc, out, "content", content_of(doc, text));
	yyjson_mut_obj_add_true(doc, out, "isError");
	yyjson_mut_val *error = yyjson_mut_obj_add_obj(doc, yyjson_mut_obj_add_obj(doc, out, "_meta"), "keyhole/error");
	yyjson_mut_obj_add_str(doc, error, "code", code);
	if (err->member[0] != '\0')
		yyjson_mut_obj_add_strcpy(doc, error, "member", err->member);
}

/* True for failures that the model cannot correct. */
static bool is_ours(enum kh_err e, const struct kh_error *err)
{
	return e == KH_ENOMEM || e == KH_ESTORE || (err->code != NULL && strcmp(err->code, "unauthorised") == 0);
}

static void answer(struct kh_mcp_call *call, const struct kh_mcp_result *result, struct kh_mcp_answer *ret_answer)
{
	if (result->rpc_code != 0) {
		ret_answer->fault = (struct kh_rpc_fault){
			.number = result->rpc_code,
			.status = result->rpc_code == KH_RPC_MISSING_CAPABILITY ? 400 : 200,
			.message = result->rpc_message != NULL ? result->rpc_message : "it could not be done",
			.data = result->rpc_data,
		};
		return;
	}
	if (result->inputs != NULL) {
		ret_answer->e = kh_mcp_elicit_required(call->exchange, result->inputs, KH_MCP_ELICIT_TOOL,
						       result->state, &ret_answer->result);
		return;
	}
	ret_answer->result = yyjson_mut_obj(call->doc);
	if (result->e == KH_OK)
		ret_answer->e = good(call, result, ret_answer->result);
	else if (is_ours(result->e, call->err))
		ret_answer->e = result->e;
	else
		bad(call, result, ret_answer->result);
}

/* --- a call ------------------------------------------------------------------------------------------------------- */

static bool is_resumed(yyjson_val *params)
{
	return kh_json_get(params, "requestState") != NULL || kh_json_get(params, "inputResponses") != NULL;
}

/* Runs in the first step: reads the tool and its arguments.  Returns KH_OK and sets *RET_DONE if they are not valid
 * and that was answered. */
static enum kh_err begin(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer, bool *ret_done)
{
	struct kh_mcp_exchange *x = call->exchange;
	yyjson_val *params = call->arguments, *name = kh_json_get(params, "name");
	yyjson_val *arguments = kh_json_get(params, "arguments");
	enum kh_err e = KH_OK;

	if (!yyjson_is_str(name) || (arguments != NULL && !yyjson_is_obj(arguments)))
		return kh_error_set(call->err, KH_EINPUT, "bad_params",
				    "params.name is a string, params.arguments an object");
	const struct kh_mcp_offered *offered = kh_mcp_offer_tool(&x->peer->mcp->offer, kh_json_str(name),
								 call->who->role);
	if (offered == NULL)
		return kh_error_set(call->err, KH_EUNKNOWN, "unknown_tool", "there is no tool %.*s: see tools/list",
				    KH_FMT(kh_arena_quote(call->arena, kh_json_str(name))));
	x->tool = offered->tool;
	if (arguments == NULL)
		e = kh_json_read(call->arena, KH_LIT("{}"), &arguments, call->err);
	x->bound = arguments;
	if (e == KH_OK && kh_rpc_version_is_stateless(call->version) && is_resumed(params))
		e = kh_mcp_elicit_resume(x, params);
	if (e != KH_OK)
		return e;
	e = kh_rpc_schema_check(call->arena, offered->input, arguments, call->err);
	call->arguments = arguments;
	if (e == KH_OK || e == KH_ENOMEM)
		return e;
	struct kh_mcp_result result = {.e = e, .next = "Give the arguments that the tool's input schema asks for."};
	answer(call, &result, ret_answer);
	*ret_done = true;
	return KH_OK;
}

enum kh_work_next kh_mcp_call_run(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	struct kh_mcp_exchange *x = call->exchange;
	struct kh_mcp_result result = {.e = KH_OK};
	bool done = false;

	if (x->tool == NULL) {
		ret_answer->e = begin(call, ret_answer, &done);
		/* Check the token here, because no operation follows that would check it. */
		if (ret_answer->e != KH_OK || done) {
			struct kh_error err = {.offset = SIZE_MAX};
			enum kh_err e = kh_gateway_who(call->gateway, call->token, true, &x->who, &err);
			if (e != KH_OK) {
				*call->err = err;
				ret_answer->e = e;
			}
			return KH_WORK_DONE;
		}
	}
	call->tool = x->tool;
	if (x->tool->run(call, &result) == KH_WORK_WAIT)
		return KH_WORK_WAIT;
	answer(call, &result, ret_answer);
	return KH_WORK_DONE;
}
