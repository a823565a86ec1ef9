/* The stateless generation of MCP (2026-07-28). */
#include "mcp/modern.h"

#include "mcp/session.h"
#include "rpc/level.h"

#define PREFIX KH_RPC_META

static yyjson_val *meta_of(const struct kh_rpc *rpc)
{
	return kh_json_get(rpc->params, "_meta");
}

bool kh_mcp_modern_is(const struct kh_mcp_method *method, const struct kh_rpc *rpc,
		      const struct kh_mcp_headers *headers)
{
	if (kh_json_get(meta_of(rpc), PREFIX "protocolVersion") != NULL)
		return true;
	if (headers != NULL && headers->version.p != NULL) {
		enum kh_rpc_version version = kh_rpc_version_find(kh_view_trim(headers->version));
		return version == KH_MCP_NONE || kh_rpc_version_is_stateless(version);
	}
	return method != NULL && method->generations == KH_MCP_MODERN;
}

static bool fail(struct kh_rpc_fault *fault, int number, unsigned status, const char *message)
{
	*fault = (struct kh_rpc_fault){.number = number, .status = status, .message = message};
	return false;
}

static bool fail_version(struct kh_mcp_exchange *x, struct kh_view asked, struct kh_rpc_fault *fault)
{
	yyjson_mut_doc *doc = kh_json_new(&x->arena);
	yyjson_mut_val *data = yyjson_mut_obj(doc), *supported = yyjson_mut_obj_add_arr(doc, data, "supported");

	yyjson_mut_arr_add_str(doc, supported, kh_rpc_version_name(KH_MCP_2026_07_28));
	kh_json_add(doc, data, "requested", asked);
	fail(fault, KH_RPC_UNSUPPORTED_VERSION, 400, "this version of MCP is not spoken here without `initialize`");
	fault->data = data;
	return false;
}

static bool check_headers(struct kh_mcp_exchange *x, const struct kh_rpc *rpc, const struct kh_mcp_headers *headers,
			  struct kh_rpc_fault *fault)
{
	const char *differs = kh_mcp_headers_check(&x->arena, &x->peer->mcp->offer, headers, rpc, x->method);

	return differs == NULL || fail(fault, KH_RPC_HEADER_MISMATCH, 400, differs);
}

bool kh_mcp_modern_check(struct kh_mcp_exchange *x, const struct kh_rpc *rpc, const struct kh_mcp_headers *headers,
			 struct kh_rpc_fault *ret_fault)
{
	yyjson_val *meta = meta_of(rpc), *can = kh_json_get(meta, PREFIX "clientCapabilities");
	yyjson_val *version = kh_json_get(meta, PREFIX "protocolVersion"),
		   *level = kh_json_get(meta, PREFIX "logLevel");

	/* Set first, so that an error answer is of this generation too. */
	x->call.version = KH_MCP_2026_07_28;
	if (!yyjson_is_str(version) || !yyjson_is_obj(can))
		return fail(ret_fault, KH_RPC_BAD_PARAMS, 400,
			    "params._meta has " PREFIX "protocolVersion, a string, and " PREFIX
			    "clientCapabilities, an object");
	struct kh_view name = kh_json_str(version);
	if (headers != NULL && (headers->version.p == NULL || !kh_view_eq(kh_view_trim(headers->version), name)))
		return fail(ret_fault, KH_RPC_HEADER_MISMATCH, 400,
			    "the header MCP-Protocol-Version is the version in params._meta");
	if (!kh_rpc_version_is_stateless(kh_rpc_version_find(name)))
		return fail_version(x, name, ret_fault);
	x->call.can = kh_mcp_session_can(can, x->call.version);
	if (level != NULL)
		x->log_level = kh_rpc_level_find(kh_json_str(level));
	return headers == NULL || check_headers(x, rpc, headers, ret_fault);
}

void kh_mcp_modern_dress(struct kh_mcp_exchange *x, yyjson_mut_val *result)
{
	yyjson_mut_doc *doc = x->call.doc;
	yyjson_mut_val *meta = yyjson_mut_obj_get(result, "_meta");
	bool complete = yyjson_mut_obj_get(result, "resultType") == NULL;

	if (meta == NULL)
		meta = yyjson_mut_obj_add_obj(doc, result, "_meta");
	yyjson_mut_obj_add_val(doc, meta, PREFIX "serverInfo", kh_mcp_session_server(doc, x->call.version));
	if (!complete)
		return;
	yyjson_mut_obj_add_str(doc, result, "resultType", "complete");
	if (x->method->ttl >= 0 && yyjson_mut_obj_get(result, "ttlMs") == NULL) {
		yyjson_mut_obj_add_int(doc, result, "ttlMs", x->method->ttl);
		/* Private, because every list depends on the role and every read on the caller. */
		yyjson_mut_obj_add_str(doc, result, "cacheScope", "private");
	}
}

enum kh_err kh_mcp_modern_discover(struct kh_mcp_call *call, yyjson_mut_val **ret_result)
{
	yyjson_mut_doc *doc = call->doc;
	yyjson_mut_val *result = yyjson_mut_obj(doc),
		       *versions = yyjson_mut_obj_add_arr(doc, result, "supportedVersions");

	yyjson_mut_arr_add_str(doc, versions, kh_rpc_version_name(KH_MCP_2026_07_28));
	yyjson_mut_obj_add_val(doc, result, "capabilities",
			       kh_mcp_session_capabilities(call->exchange->peer->mcp, doc));
	kh_json_add(doc, result, "instructions", kh_mcp_session_instructions(call->who->role));
	*ret_result = result;
	return KH_OK;
}
