/* tools/list and tools/call. */
#include "mcp/call.h"

#include "core/comm/operations.h"
#include "mcp/elicit.h"
#include "mcp/tool_upstream.h"
#include "mcp/upstreams.h"
#include "rpc/schema.h"

#define PAGE_TOOLS 100        /* on one page of the list */
#define PAGE_BYTES (1U << 20) /* of the texts of upstream tools on one page; a page has one tool at least */

/* --- the list ----------------------------------------------------------------------------------------------------- */

/*
 * Of an upstream's tool there may be many, so the list has only what clients go by (G6): they are as the policy's rule
 * says, and never better than that because of what a server says (engine/upstream/tools.h).
 */
static yyjson_mut_val *annotations(yyjson_mut_doc *doc, const struct kh_mcp_tool *tool)
{
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	if (!tool->is_upstream)
		yyjson_mut_obj_add_str(doc, obj, "title", tool->title);
	yyjson_mut_obj_add_bool(doc, obj, "readOnlyHint", tool->read_only);
	yyjson_mut_obj_add_bool(doc, obj, "destructiveHint", tool->destructive);
	if (tool->is_upstream)
		return obj;
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
	if (tool->title != NULL || tool->is_upstream)
		yyjson_mut_obj_add_val(doc, obj, "annotations", annotations(doc, tool));
}

/* Adds the tools of upstream servers that come after the name AFTER.  *RET_LAST: of the last one, if there are more. */
static void add_upstreams(struct kh_mcp_call *call, yyjson_mut_val *list, const struct kh_mcp_upstreams *from,
			  const char *after, const char **ret_last)
{
	size_t room = PAGE_BYTES;
	const struct kh_mcp_tool *last = NULL;

	for (size_t i = 0; i < from->count; i++) {
		const struct kh_mcp_tool *tool = &from->tools[i];
		size_t size = strlen(tool->input) + strlen(tool->description);
		if (strcmp(tool->name, after) <= 0)
			continue;
		if (last != NULL && (yyjson_mut_arr_size(list) >= PAGE_TOOLS || size > room)) {
			*ret_last = last->name;
			return;
		}
		add_tool(call->doc, list, tool, call->version);
		room -= size < room ? size : room;
		last = tool;
	}
}

/* Looks up the tools of upstream servers for a Controller.  That checks the caller's token; for others it is checked
 * here, because no operation follows. */
static enum kh_err look_up(struct kh_mcp_call *call, bool is_controller)
{
	struct kh_mcp_exchange *x = call->exchange;

	return is_controller ? kh_mcp_upstreams_now(call, &x->upstreams)
			     : kh_gateway_who(call->gateway, call->token, true, &x->who, call->err);
}

/* Adds a page of these tools.  A cursor is the last tool of the page before. */
static void list_upstreams(struct kh_mcp_call *call, const char *after, yyjson_mut_val *result, yyjson_mut_val *list)
{
	const char *last = NULL;

	add_upstreams(call, list, call->exchange->upstreams, after, &last);
	if (last != NULL)
		yyjson_mut_obj_add_str(call->doc, result, "nextCursor", last);
}

/* Whether a client may have been given CURSOR.  An empty one is the beginning. */
static bool is_cursor(yyjson_val *cursor, bool is_controller)
{
	struct kh_view name = kh_json_str(cursor);

	if (!yyjson_is_str(cursor) || name.n == 0)
		return yyjson_is_str(cursor);
	return is_controller && strlen(name.p) == name.n && kh_view_find(name, KH_LIT("__"), 0) != SIZE_MAX;
}

/* Whether TOOL is in the list: one that asks an upstream server only if there is one that can be asked. */
static bool is_listed(const struct kh_mcp_call *call, const struct kh_mcp_tool *tool)
{
	const struct kh_mcp_upstreams *upstreams = call->exchange->upstreams;
	const struct kh_operation *row = NULL;

	if (!(tool->roles & KH_ROLE_BIT(call->who->role)))
		return false;
	if (tool->operation != NULL)
		row = kh_operation_named(&kh_operations_own, kh_view_str(tool->operation));
	return row == NULL || kh_operation_of_kind(row, KH_PARAMETER_SERVER) == NULL ||
	       (upstreams != NULL && upstreams->has_servers);
}

enum kh_err kh_mcp_call_list(struct kh_mcp_call *call, yyjson_mut_val **ret_result)
{
	const struct kh_mcp_offer *offer = &call->exchange->peer->mcp->offer;
	yyjson_mut_val *result = yyjson_mut_obj(call->doc), *list = yyjson_mut_obj_add_arr(call->doc, result, "tools");
	yyjson_val *cursor = kh_json_get(call->arguments, "cursor");
	struct kh_view after = kh_json_str(cursor);
	bool is_controller = call->who->role == KH_ROLE_CONTROLLER;
	enum kh_err e = look_up(call, is_controller);

	if (e != KH_OK)
		return e;
	if (cursor != NULL && !is_cursor(cursor, is_controller))
		return kh_error_set(call->err, KH_EINPUT, "bad_cursor", "the cursor is not one of this list");
	for (size_t i = 0; i < offer->tool_count && after.n == 0; i++) {
		if (is_listed(call, offer->tools[i].tool))
			add_tool(call->doc, list, offer->tools[i].tool, call->version);
	}
	if (is_controller)
		list_upstreams(call, after.n > 0 ? after.p : "", result, list);
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

/* Finds the tool that is called, in a table or of an upstream server.  *RET_OFFERED is NULL if it is in none. */
static enum kh_err find_tool(struct kh_mcp_call *call, struct kh_view name, const struct kh_mcp_offered **ret_offered)
{
	struct kh_mcp_exchange *x = call->exchange;
	enum kh_err e = KH_OK;

	*ret_offered = kh_mcp_offer_tool(&x->peer->mcp->offer, name, call->who->role);
	if (*ret_offered != NULL)
		x->tool = (*ret_offered)->tool;
	else
		e = kh_mcp_upstreams_find(call, name, &x->tool);
	if (e == KH_OK && x->tool == NULL)
		return kh_error_set(call->err, KH_EUNKNOWN, "unknown_tool", "there is no tool %.*s: see tools/list",
				    KH_FMT(kh_arena_quote(call->arena, name)));
	return e;
}

/* Checks the arguments; those that an upstream's tool takes are checked by the engine, against what was pinned. */
static enum kh_err check_arguments(struct kh_mcp_call *call, const struct kh_mcp_offered *offered,
				   yyjson_val *arguments)
{
	if (offered != NULL)
		return kh_rpc_schema_check(call->arena, offered->input, arguments, call->err);
	return kh_mcp_tool_upstream_check(call, call->exchange->peer->mcp->offer.keyhole, arguments);
}

/* Runs in the first step: reads the tool and its arguments.  Returns KH_OK and sets *RET_DONE if they are not valid
 * and that was answered. */
static enum kh_err begin(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer, bool *ret_done)
{
	struct kh_mcp_exchange *x = call->exchange;
	yyjson_val *params = call->arguments, *name = kh_json_get(params, "name");
	yyjson_val *arguments = kh_json_get(params, "arguments");
	const struct kh_mcp_offered *offered;

	if (!yyjson_is_str(name) || (arguments != NULL && !yyjson_is_obj(arguments)))
		return kh_error_set(call->err, KH_EINPUT, "bad_params",
				    "params.name is a string, params.arguments an object");
	enum kh_err e = find_tool(call, kh_json_str(name), &offered);
	if (e == KH_OK && arguments == NULL)
		e = kh_json_read(call->arena, KH_LIT("{}"), &arguments, call->err);
	x->bound = arguments;
	if (e == KH_OK && kh_rpc_version_is_stateless(call->version) && is_resumed(params))
		e = kh_mcp_elicit_resume(x, params);
	if (e != KH_OK)
		return e;
	e = check_arguments(call, offered, arguments);
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
