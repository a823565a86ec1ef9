/* Calls of the tools of upstream servers. */
#include "mcp/tool_upstream.h"

#include "mcp/tool_comm.h"
#include "rpc/rpc.h"
#include "rpc/schema.h"

const char kh_mcp_tool_upstream_schema[] =
	"{\"type\":\"object\",\"properties\":{"
	"\"reason\":{\"type\":\"string\",\"description\":\"Why you call it: 10 characters or more\"},"
	"\"task\":{\"type\":\"string\"},\"declaration\":{\"type\":\"string\"}},"
	"\"required\":[\"reason\"],\"additionalProperties\":false}";

/* What every outcome has; the comm tools' schema says the rest, and would stand here once for each tool. */
const char kh_mcp_tool_upstream_output[] =
	"{\"type\":\"object\",\"properties\":{\"outcome\":{\"type\":\"string\"}},\"required\":[\"outcome\"]}";

static yyjson_val *keyhole_of(yyjson_val *arguments)
{
	return kh_json_get(arguments, KH_MCP_TOOL_UPSTREAM_MEMBER);
}

enum kh_err kh_mcp_tool_upstream_check(struct kh_mcp_call *call, yyjson_val *schema, yyjson_val *arguments)
{
	yyjson_val *keyhole = keyhole_of(arguments);
	char member[sizeof(call->err->member)];

	if (keyhole == NULL || (yyjson_is_obj(keyhole) && kh_json_get(keyhole, "reason") == NULL))
		return kh_error_input(call->err, KH_LIT(KH_MCP_TOOL_UPSTREAM_MEMBER ".reason"), "missing",
				      "say why you call it: add \"" KH_MCP_TOOL_UPSTREAM_MEMBER
				      "\": {\"reason\": \"...\"} beside the tool's own arguments");
	if (kh_json_get(keyhole, "ask") != NULL)
		return kh_error_input(call->err, KH_LIT(KH_MCP_TOOL_UPSTREAM_MEMBER ".ask"), "unknown_member",
				      "`ask` is not there yet: ask about the block afterwards, with BCPQuery");
	enum kh_err e = kh_rpc_schema_check(call->arena, schema, keyhole, call->err);
	if (e != KH_EINPUT)
		return e;
	memcpy(member, call->err->member, sizeof(member));
	struct kh_view path = kh_arena_printf(call->arena, KH_MCP_TOOL_UPSTREAM_MEMBER "%s%s",
					      member[0] != '\0' ? "." : "", member);
	return kh_error_member(call->err, path, e);
}

/* The tool's own arguments. */
static enum kh_err own_arguments(struct kh_mcp_call *call, yyjson_val **ret_own)
{
	yyjson_mut_val *own = yyjson_val_mut_copy(call->doc, call->arguments);

	if (own == NULL)
		return KH_ENOMEM;
	(void)yyjson_mut_obj_remove_key(own, KH_MCP_TOOL_UPSTREAM_MEMBER);
	return kh_json_freeze(call->arena, own, ret_own, call->err);
}

static enum kh_err declare(struct kh_mcp_call *call, yyjson_val *own, yyjson_val **ret_declaration)
{
	yyjson_mut_val *obj = yyjson_mut_obj(call->doc);
	struct kh_view reason = kh_json_str(kh_json_get(keyhole_of(call->arguments), "reason"));

	yyjson_mut_obj_add_str(call->doc, obj, "operation", call->tool->operation);
	yyjson_mut_obj_add_str(call->doc, obj, "phase", "execution");
	yyjson_mut_obj_add_val(call->doc, obj, "parameters", yyjson_val_mut_copy(call->doc, own));
	kh_json_add(call->doc, obj, "reason", reason);
	return kh_json_freeze(call->arena, obj, ret_declaration, call->err);
}

static enum kh_err begin(struct kh_mcp_call *call)
{
	struct kh_operating *operating = &call->kept.operating;
	yyjson_val *keyhole = keyhole_of(call->arguments), *own = NULL;
	struct kh_view declaration = kh_json_str(kh_json_get(keyhole, "declaration"));

	operating->token = call->token;
	operating->task = kh_json_str(kh_json_get(keyhole, "task"));
	if (call->resume[0] != '\0')
		return kh_mcp_tool_comm_take_up(call, kh_view_str(call->resume));
	enum kh_err e = own_arguments(call, &own);
	if (e != KH_OK)
		return e;
	return declaration.p != NULL ? kh_mcp_tool_comm_take_up_declared(call, own, declaration)
				     : declare(call, own, &operating->declare);
}

/* A tool that is no longer approved is answered like one that never was. */
static enum kh_work_next answer(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	if (result->e == KH_OK || call->err->code == NULL || strcmp(call->err->code, "operation_unknown") != 0)
		return KH_WORK_DONE;
	result->rpc_code = KH_RPC_BAD_PARAMS;
	result->rpc_message = "there is no such tool: see tools/list";
	result->rpc_data = yyjson_mut_obj(call->doc);
	yyjson_mut_obj_add_str(call->doc, result->rpc_data, "code", "unknown_tool");
	return KH_WORK_DONE;
}

enum kh_work_next kh_mcp_tool_upstream_run(struct kh_mcp_call *call, struct kh_mcp_result *ret_result)
{
	enum kh_err e = call->kept.operating.begun ? KH_OK : begin(call);

	if (e != KH_OK)
		return kh_mcp_tool_fail(call, ret_result, e);
	if (kh_mcp_tool_comm_step(call, true, ret_result) == KH_WORK_WAIT)
		return KH_WORK_WAIT;
	return answer(call, ret_result);
}
