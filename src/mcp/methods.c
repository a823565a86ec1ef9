/* The table of methods, and the few words between it and those who answer. */
#include "mcp/methods.h"

#include "mcp/call.h"
#include "mcp/completion.h"
#include "mcp/elicit.h"
#include "mcp/listen.h"
#include "mcp/modern.h"
#include "mcp/prompts.h"
#include "mcp/resources.h"
#include "mcp/session.h"

#ifdef KH_CONFORMANCE
#include "mcp/conform.h"
#endif

#define LONG  INT64_C(300000) /* milliseconds: what changes with a new version of Keyhole or another role */
#define SHORT INT64_C(0)      /* what changes with every call */

static enum kh_work_next list_prompts(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	ret_answer->result = kh_mcp_prompts_list(call->doc, call->who->role);
	return KH_WORK_DONE;
}

#ifdef KH_CONFORMANCE
/* A prompt of the conformance tests', which may ask for input; false: it is none of theirs. */
static bool get_further(struct kh_mcp_call *call, struct kh_view name, struct kh_mcp_answer *ret_answer)
{
	struct kh_mcp_exchange *x = call->exchange;
	struct kh_mcp_result result = {.e = KH_OK};

	ret_answer->e = kh_mcp_elicit_resume(x, call->arguments, kh_json_get(call->arguments, "name"));
	if (ret_answer->e != KH_OK)
		return true;
	if (!kh_mcp_conform_prompt(call, name, kh_json_get(call->arguments, "arguments"), &result, &ret_answer->result))
		return false;
	if (result.inputs != NULL)
		ret_answer->e = kh_mcp_elicit_required(x, result.inputs, KH_MCP_ELICIT_TOOL, result.state,
						       &ret_answer->result);
	else if (result.rpc_code != 0)
		ret_answer->fault = (struct kh_rpc_fault){
			.number = result.rpc_code, .message = result.rpc_message, .data = result.rpc_data};
	return true;
}

static enum kh_work_next subscribe(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	ret_answer->result = yyjson_mut_obj(call->doc);
	return KH_WORK_DONE;
}
#endif

static enum kh_work_next get_prompt(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	struct kh_view name = kh_json_str(kh_json_get(call->arguments, "name"));

	if (name.p == NULL) {
		ret_answer->e = kh_error_set(call->err, KH_EINPUT, "bad_params", "params.name is a string");
		return KH_WORK_DONE;
	}
#ifdef KH_CONFORMANCE
	if (get_further(call, name, ret_answer))
		return KH_WORK_DONE;
#endif
	ret_answer->e = kh_mcp_prompts_get(call->doc, call->who->role, name, &ret_answer->result, call->err);
	return KH_WORK_DONE;
}

static enum kh_work_next list_resources(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	yyjson_val *cursor = kh_json_get(call->arguments, "cursor");

	if (cursor != NULL && !yyjson_is_str(cursor))
		ret_answer->e = kh_error_set(call->err, KH_EINPUT, "bad_cursor", "params.cursor is a string");
	else
		ret_answer->e = kh_mcp_resources_list(call, kh_json_str(cursor), &ret_answer->result);
	return KH_WORK_DONE;
}

static enum kh_work_next list_templates(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	ret_answer->result = kh_mcp_resources_templates(call->doc, call->who->role);
	return KH_WORK_DONE;
}

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

static enum kh_work_next complete(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer)
{
	ret_answer->e = kh_mcp_completion_run(call, call->arguments, &ret_answer->result);
	return KH_WORK_DONE;
}

#define BOTH (KH_MCP_LEGACY | KH_MCP_MODERN)

static const struct kh_mcp_method methods[] = {
	{"initialize", KH_MCP_LEGACY, true, false, -1, NULL, kh_mcp_session_initialize},
	{"ping", KH_MCP_LEGACY, true, false, -1, NULL, kh_mcp_session_ping},
	{"logging/setLevel", KH_MCP_LEGACY, false, false, -1, NULL, kh_mcp_session_set_level},
	{"server/discover", KH_MCP_MODERN, false, false, LONG, NULL, kh_mcp_modern_discover},
	{"subscriptions/listen", KH_MCP_MODERN, false, false, -1, NULL, kh_mcp_listen_run},
	{"tools/list", BOTH, false, false, LONG, NULL, kh_mcp_call_list},
	{"tools/call", BOTH, false, true, -1, "name", kh_mcp_call_run},
	{"prompts/list", BOTH, false, false, LONG, NULL, list_prompts},
	{"prompts/get", BOTH, false, false, -1, "name", get_prompt},
	{"resources/list", BOTH, false, false, SHORT, NULL, list_resources},
	{"resources/templates/list", BOTH, false, false, LONG, NULL, list_templates},
	{"resources/read", BOTH, false, false, SHORT, "uri", read_resource},
	{"completion/complete", BOTH, false, false, -1, NULL, complete},
#ifdef KH_CONFORMANCE
	{"resources/subscribe", KH_MCP_LEGACY, false, false, -1, NULL, subscribe},
	{"resources/unsubscribe", KH_MCP_LEGACY, false, false, -1, NULL, subscribe},
#endif
};

const struct kh_mcp_method *kh_mcp_methods_find(struct kh_view name)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (kh_view_eq(name, kh_view_str(methods[i].name)))
			return &methods[i];
	}
	return NULL;
}
