/* The table of methods. */
#include "mcp/methods.h"

#include "mcp/call.h"
#include "mcp/completion.h"
#include "mcp/listen.h"
#include "mcp/modern.h"
#include "mcp/prompts.h"
#include "mcp/resources.h"
#include "mcp/session.h"
#include "mcp/tools.h"

#define LONG  INT64_C(300000) /* milliseconds, for what changes only with Keyhole's version or the role */
#define SOME  INT64_C(15000)  /* for what changes when a human approves something */
#define SHORT INT64_C(0)      /* for what changes with every call */

static enum kh_work_next read_resource(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	struct kh_view uri = kh_json_str(kh_json_get(call->arguments, "uri"));

	if (uri.p == NULL) {
		ret_answer->e = kh_error_set(call->err, KH_EINPUT, "bad_params", "params.uri is a string");
		return KH_WORK_DONE;
	}
	ret_answer->e = kh_mcp_resources_read(call, uri, &ret_answer->result);
	if (ret_answer->e == KH_EUNKNOWN) {
		ret_answer->fault = (struct kh_rpc_fault){
			.number = kh_mcp_resources_missing(call->version),
			.message = "there is no such resource",
			.data = yyjson_mut_obj(call->doc),
		};
		kh_json_add(call->doc, ret_answer->fault.data, "uri", uri);
	}
	return KH_WORK_DONE;
}

#define BOTH (KH_MCP_LEGACY | KH_MCP_MODERN)

static const struct kh_mcp_method methods[] = {
	{"initialize", KH_MCP_LEGACY, .early = true, .begins = true, .ttl = -1, .answer = kh_mcp_session_initialize},
	{"ping", KH_MCP_LEGACY, .early = true, .ttl = -1, .answer = kh_mcp_session_ping},
	{"logging/setLevel", KH_MCP_LEGACY, .ttl = -1, .answer = kh_mcp_session_set_level},
	{"server/discover", KH_MCP_MODERN, .ttl = LONG, .answer = kh_mcp_modern_discover},
	{"subscriptions/listen", KH_MCP_MODERN, .ttl = -1, .run = kh_mcp_listen_run},
	{"tools/list", BOTH, .operates = true, .ttl = SOME, .answer = kh_mcp_call_list},
	{"tools/call", BOTH, .operates = true, .ttl = -1, .named = "name", .run = kh_mcp_call_run},
	{"prompts/list", BOTH, .ttl = LONG, .answer = kh_mcp_prompts_list},
	{"prompts/get", BOTH, .ttl = -1, .named = "name", .answer = kh_mcp_prompts_get},
	{"resources/list", BOTH, .ttl = SHORT, .answer = kh_mcp_resources_list},
	{"resources/templates/list", BOTH, .ttl = LONG, .answer = kh_mcp_resources_templates},
	{"resources/read", BOTH, .ttl = SHORT, .named = "uri", .run = read_resource},
	{"completion/complete", BOTH, .ttl = -1, .answer = kh_mcp_completion_run},
};

struct kh_mcp_part kh_mcp_methods_part(void)
{
	struct kh_mcp_part part = {
		.methods = methods,
		.method_count = sizeof(methods) / sizeof(methods[0]),
		.changes = KH_MCP_CHANGED_TOOLS, /* of upstream servers (upstreams.h) */
	};

	part.tools = kh_mcp_tools_all(&part.tool_count);
	return part;
}
