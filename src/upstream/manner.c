/* Both generations of MCP, from the client's side.  What is read here came through a worker, and is hostile. */
#include "upstream/manner.h"

#include <stdio.h>

#define META       KH_RPC_META
#define OLD_OFFER  KH_MCP_2025_11_25 /* the newest with `initialize` */
#define OLDER_NAME "2024-11-05"      /* over stdio it differs in nothing that we use from 2025-03-26 */

/* --- what we say -------------------------------------------------------------------------------------------------- */

static yyjson_mut_val *client_info(yyjson_mut_doc *doc)
{
	yyjson_mut_val *info = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_str(doc, info, "name", "keyhole");
	yyjson_mut_obj_add_str(doc, info, "version", KH_VERSION);
	return info;
}

/* What we can do for a server: a form for a human, never a URL. */
static void add_capabilities(yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, bool elicits)
{
	yyjson_mut_val *capabilities = yyjson_mut_obj_add_obj(doc, obj, key);

	if (elicits)
		yyjson_mut_obj_add_obj(doc, yyjson_mut_obj_add_obj(doc, capabilities, "elicitation"), "form");
}

/* The message that kh_rpc_call() writes, as a line. */
static enum kh_err write_line(struct kh_arena *arena, yyjson_mut_doc *doc, struct kh_view id, const char *method,
			      yyjson_mut_val *params, struct kh_view *ret_message)
{
	struct kh_view text;

	enum kh_err e = kh_rpc_call(arena, doc, id, method, params, &text);
	if (e == KH_OK)
		*ret_message = kh_arena_printf(arena, "%.*s\n", KH_FMT(text));
	return e == KH_OK ? kh_arena_check(arena) : e;
}

enum kh_err kh_manner_request(struct kh_arena *arena, yyjson_mut_doc *doc, enum kh_rpc_version version, bool elicits,
			      struct kh_view id, const char *method, yyjson_mut_val *params,
			      struct kh_view *ret_message)
{
	if (kh_rpc_version_is_stateless(version)) {
		yyjson_mut_val *meta = yyjson_mut_obj_get(params, "_meta");
		if (meta == NULL)
			meta = yyjson_mut_obj_add_obj(doc, params, "_meta");
		yyjson_mut_obj_add_str(doc, meta, META "protocolVersion", kh_rpc_version_name(version));
		add_capabilities(doc, meta, META "clientCapabilities", elicits);
		yyjson_mut_obj_add_val(doc, meta, META "clientInfo", client_info(doc));
	}
	return write_line(arena, doc, id, method, params, ret_message);
}

enum kh_err kh_manner_discover(struct kh_arena *arena, struct kh_view id, struct kh_view *ret_message)
{
	yyjson_mut_doc *doc = kh_json_new(arena);

	return kh_manner_request(arena, doc, KH_MCP_2026_07_28, false, id, "server/discover", yyjson_mut_obj(doc),
				 ret_message);
}

enum kh_err kh_manner_initialize(struct kh_arena *arena, struct kh_view id, bool elicits, struct kh_view *ret_message)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *params = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_str(doc, params, "protocolVersion", kh_rpc_version_name(OLD_OFFER));
	add_capabilities(doc, params, "capabilities", elicits);
	yyjson_mut_obj_add_val(doc, params, "clientInfo", client_info(doc));
	return write_line(arena, doc, id, "initialize", params, ret_message);
}

enum kh_err kh_manner_initialized(struct kh_arena *arena, struct kh_view *ret_message)
{
	return write_line(arena, kh_json_new(arena), (struct kh_view){NULL, 0}, "notifications/initialized", NULL,
			  ret_message);
}

enum kh_err kh_manner_cancelled(struct kh_arena *arena, struct kh_view id, struct kh_view *ret_message)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *params = yyjson_mut_obj(doc);

	kh_json_add_raw(doc, params, "requestId", id);
	yyjson_mut_obj_add_str(doc, params, "reason", "its time is over");
	return write_line(arena, doc, (struct kh_view){NULL, 0}, "notifications/cancelled", params, ret_message);
}

bool kh_manner_is_elicitation(struct kh_view method)
{
	return kh_view_eq(method, KH_LIT("elicitation/create"));
}

struct kh_view kh_manner_answer(struct kh_arena *arena, struct kh_view id, struct kh_view result)
{
	return kh_arena_printf(arena, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":%.*s}\n", KH_FMT(id),
			       KH_FMT(result));
}

struct kh_view kh_manner_reply(struct kh_view id, struct kh_view method, char *buffer, size_t size)
{
	const char *body = "\"error\":{\"code\":-32601,\"message\":\"this client does not offer that\"}";

	if (kh_view_eq(method, KH_LIT("ping")))
		body = "\"result\":{}";
	else if (kh_view_eq(method, KH_LIT("roots/list")))
		body = "\"result\":{\"roots\":[]}";
	else if (kh_manner_is_elicitation(method))
		body = "\"result\":{\"action\":\"decline\"}";
	int n = snprintf(buffer, size, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,%s}\n", KH_FMT(id), body);
	return kh_view_of(buffer, n > 0 && (size_t)n < size ? (size_t)n : 0);
}

/* --- what it says first ------------------------------------------------------------------------------------------- */

static enum kh_rpc_version version_of(struct kh_view name)
{
	return kh_view_eq(name, KH_LIT(OLDER_NAME)) ? KH_MCP_2025_03_26 : kh_rpc_version_find(name);
}

/* True if LIST has a version of the generation that is wanted. */
static bool has_version(yyjson_val *list, bool is_new)
{
	yyjson_arr_iter all;
	yyjson_val *name;

	if (!yyjson_is_arr(list))
		return false;
	yyjson_arr_iter_init(list, &all);
	while ((name = yyjson_arr_iter_next(&all)) != NULL) {
		enum kh_rpc_version version = version_of(kh_json_str(name));
		if (version != KH_MCP_NONE && kh_rpc_version_is_stateless(version) == is_new)
			return true;
	}
	return false;
}

static struct kh_tainted text_of(yyjson_val *object, const char *key)
{
	return kh_tainted_wrap(kh_json_str(kh_json_get(object, key)));
}

static struct kh_manner manner_of(yyjson_val *result, yyjson_val *info, enum kh_rpc_version version)
{
	yyjson_val *can = kh_json_get(result, "capabilities");

	return (struct kh_manner){
		.version = version,
		.spoken = kh_rpc_version_name(version),
		.name = text_of(info, "name"),
		.title = text_of(info, "title"),
		.said_version = text_of(info, "version"),
		.instructions = text_of(result, "instructions"),
		.has_tools = yyjson_is_obj(kh_json_get(can, "tools")),
		.has_resources = yyjson_is_obj(kh_json_get(can, "resources")),
	};
}

static enum kh_manner_next unknown(struct kh_view *why, const char *sentence)
{
	*why = kh_view_str(sentence);
	return KH_MANNER_UNKNOWN;
}

/* An error answers a discover: a server of the new generation that does not speak our version lists those that it does.
 * Any other error may come from a server that does not know the method. */
static enum kh_manner_next read_refused(yyjson_val *error, struct kh_view *why)
{
	yyjson_val *supported = kh_json_get(kh_json_get(error, "data"), "supported");
	int64_t code;

	if (!kh_json_int(kh_json_get(error, "code"), &code) || code != KH_RPC_UNSUPPORTED_VERSION ||
	    has_version(supported, false))
		return KH_MANNER_INITIALIZE;
	return unknown(why, "it speaks no version of MCP that Keyhole does (2024-11-05 to 2026-07-28)");
}

static enum kh_manner_next read_discovered(yyjson_val *result, struct kh_manner *manner, struct kh_view *why)
{
	yyjson_val *supported = kh_json_get(result, "supportedVersions");
	yyjson_val *info = kh_json_get(kh_json_get(result, "_meta"), META "serverInfo");

	if (has_version(supported, true)) {
		*manner = manner_of(result, info, KH_MCP_2026_07_28);
		return KH_MANNER_READY;
	}
	if (!yyjson_is_arr(supported) || has_version(supported, false))
		return KH_MANNER_INITIALIZE;
	return unknown(why, "it speaks no version of MCP that Keyhole does (2024-11-05 to 2026-07-28)");
}

static enum kh_manner_next read_initialized(yyjson_val *result, struct kh_manner *manner, struct kh_view *why)
{
	struct kh_view name = kh_json_str(kh_json_get(result, "protocolVersion"));
	enum kh_rpc_version version = version_of(name);

	if (result == NULL)
		return unknown(why, "it answered `initialize` with an error");
	if (version == KH_MCP_NONE || kh_rpc_version_is_stateless(version))
		return unknown(why, "it answered `initialize` with a version of MCP that Keyhole does not speak");
	*manner = manner_of(result, kh_json_get(result, "serverInfo"), version);
	if (kh_view_eq(name, KH_LIT(OLDER_NAME)))
		manner->spoken = OLDER_NAME;
	return KH_MANNER_READY;
}

enum kh_err kh_manner_read(struct kh_arena *arena, struct kh_tainted response, bool is_discover,
			   enum kh_manner_next *ret_next, struct kh_manner *ret_manner, struct kh_view *ret_why)
{
	struct kh_error err;
	struct kh_rpc rpc;
	yyjson_val *root;

	enum kh_err e = kh_json_read(arena, kh_tainted_open(response), &root, &err);
	if (e == KH_OK)
		e = kh_rpc_read(root, &rpc, &err);
	if (e == KH_ENOMEM)
		return e;
	if (e != KH_OK || rpc.kind != KH_RPC_RESPONSE)
		*ret_next = unknown(ret_why, "its first answer is no message of MCP");
	else if (!is_discover)
		*ret_next = read_initialized(rpc.result, ret_manner, ret_why);
	else if (rpc.error != NULL)
		*ret_next = read_refused(rpc.error, ret_why);
	else
		*ret_next = read_discovered(rpc.result, ret_manner, ret_why);
	return kh_arena_check(arena);
}

static void add_text(yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, struct kh_tainted text)
{
	if (kh_tainted_size(text) > 0)
		kh_json_add(doc, obj, key, kh_tainted_open(text));
}

enum kh_err kh_manner_about(struct kh_arena *arena, const struct kh_manner *manner, struct kh_view *ret_json,
			    struct kh_error *err)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);

	add_text(doc, obj, "name", manner->name);
	add_text(doc, obj, "title", manner->title);
	add_text(doc, obj, "version", manner->said_version);
	add_text(doc, obj, "instructions", manner->instructions);
	yyjson_mut_obj_add_str(doc, obj, "protocol", manner->spoken);
	return kh_canonical_mut(arena, obj, ret_json, err);
}
