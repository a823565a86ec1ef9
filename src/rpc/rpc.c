/* JSON-RPC messages.  The input is hostile; an error quotes it only after kh_arena_quote(). */
#include "rpc/rpc.h"

#include <stdio.h>

/* --- reading ------------------------------------------------------------------------------------------------------ */

static bool is_id(yyjson_val *val)
{
	int64_t number;

	if (yyjson_is_str(val))
		return yyjson_get_len(val) <= KH_RPC_ID / 2;
	return kh_json_int(val, &number);
}

static enum kh_err bad(struct kh_error *err, const char *what)
{
	return kh_error_set(err, KH_EINPUT, "bad_message", "%s", what);
}

static enum kh_err read_response(yyjson_val *root, struct kh_rpc *rpc, struct kh_error *err)
{
	rpc->kind = KH_RPC_RESPONSE;
	rpc->result = kh_json_get(root, "result");
	rpc->error = kh_json_get(root, "error");
	if ((rpc->result == NULL) == (rpc->error == NULL))
		return bad(err, "a message has a method, or a result, or an error");
	if (rpc->result != NULL && rpc->id == NULL)
		return bad(err, "a response has the id of its request");
	if (rpc->error != NULL && !yyjson_is_obj(rpc->error))
		return bad(err, "an error is an object");
	return KH_OK;
}

enum kh_err kh_rpc_read(yyjson_val *root, struct kh_rpc *ret_rpc, struct kh_error *err)
{
	struct kh_rpc rpc = {0};
	yyjson_val *id = kh_json_get(root, "id"), *method = kh_json_get(root, "method");

	*ret_rpc = rpc;
	if (!yyjson_is_obj(root))
		return bad(err, "a message is a JSON object");
	if (is_id(id))
		ret_rpc->id = rpc.id = id;
	if (!kh_view_eq(kh_json_str(kh_json_get(root, "jsonrpc")), KH_LIT("2.0")))
		return bad(err, "a message has \"jsonrpc\":\"2.0\"");
	/* An error response to a message that could not be read has the id null. */
	if (id != NULL && rpc.id == NULL && (method != NULL || !yyjson_is_null(id)))
		return bad(err, "an id is a string of up to 128 bytes or an integer");
	if (method == NULL) {
		enum kh_err e = read_response(root, &rpc, err);
		if (e == KH_OK)
			*ret_rpc = rpc;
		return e;
	}
	if (!yyjson_is_str(method))
		return bad(err, "a method is a string");
	rpc.kind = rpc.id != NULL ? KH_RPC_REQUEST : KH_RPC_NOTIFICATION;
	rpc.method = kh_json_str(method);
	rpc.params = kh_json_get(root, "params");
	if (rpc.params != NULL && !yyjson_is_obj(rpc.params))
		return kh_error_set(err, KH_EINPUT, "bad_params", "params are an object");
	*ret_rpc = rpc;
	return KH_OK;
}

struct kh_view kh_rpc_token(struct kh_arena *arena, yyjson_val *val)
{
	yyjson_mut_doc *doc;
	struct kh_view text;

	if (!is_id(val) || (doc = kh_json_new(arena)) == NULL)
		return (struct kh_view){NULL, 0};
	yyjson_mut_val *copy = yyjson_val_mut_copy(doc, val);
	if (copy == NULL || kh_json_write(arena, copy, &text) != KH_OK || text.n > KH_RPC_ID)
		return (struct kh_view){NULL, 0};
	return text;
}

/* --- errors ------------------------------------------------------------------------------------------------------- */

/* The HTTP status; clients decide by the code in `data`. */
static unsigned status_of(enum kh_err e, const struct kh_error *err)
{
	if (err->code != NULL && strcmp(err->code, "unauthorised") == 0)
		return 401;
	if (err->code != NULL && strcmp(err->code, "forbidden") == 0)
		return 403;
	if (e == KH_ESTORE)
		return 503;
	return e == KH_ENOMEM ? 500 : 200;
}

static int number_of(enum kh_err e, const struct kh_error *err)
{
	switch (e) {
	case KH_EINPUT:
	case KH_ELIMIT:
	case KH_EUNKNOWN:
		return KH_RPC_BAD_PARAMS;
	case KH_EREFUSED:
		/* A caller that may not call at all made an invalid request; any other error is about the params. */
		return status_of(e, err) == 200 ? KH_RPC_BAD_PARAMS : KH_RPC_INVALID;
	case KH_OK:
	case KH_ENOMEM:
	case KH_ECHANGED:
	case KH_ESTORE:
		break;
	}
	return KH_RPC_INTERNAL;
}

struct kh_rpc_fault kh_rpc_failed(yyjson_mut_doc *doc, struct kh_arena *arena, enum kh_err e,
				  const struct kh_error *err)
{
	struct kh_rpc_fault fault = {
		.number = number_of(e, err),
		.status = status_of(e, err),
		.message = "it could not be done",
		.data = yyjson_mut_obj(doc),
	};
	const char *code = err->code != NULL ? err->code : kh_err_name(e);

	yyjson_mut_obj_add_str(doc, fault.data, "code", code);
	if (err->member[0] != '\0')
		kh_json_add(doc, fault.data, "member", kh_arena_dup(arena, kh_view_str(err->member)));
	if (err->detail[0] != '\0') {
		struct kh_view detail = kh_arena_printf(arena, "%s", err->detail);
		if (detail.p != NULL)
			fault.message = detail.p;
	}
	return fault;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static yyjson_mut_val *message(yyjson_mut_doc *doc)
{
	yyjson_mut_val *root = yyjson_mut_obj(doc);

	yyjson_mut_obj_add_str(doc, root, "jsonrpc", "2.0");
	return root;
}

static void add_id(yyjson_mut_doc *doc, yyjson_mut_val *root, struct kh_view id)
{
	if (id.n == 0)
		yyjson_mut_obj_add_null(doc, root, "id");
	else
		yyjson_mut_obj_add_val(doc, root, "id", yyjson_mut_rawn(doc, id.p, id.n));
}

enum kh_err kh_rpc_result(struct kh_arena *arena, yyjson_mut_doc *doc, struct kh_view id, yyjson_mut_val *result,
			  struct kh_view *ret_text)
{
	yyjson_mut_val *root = message(doc);

	add_id(doc, root, id);
	yyjson_mut_obj_add_val(doc, root, "result", result);
	return kh_json_write(arena, root, ret_text);
}

enum kh_err kh_rpc_error(struct kh_arena *arena, yyjson_mut_doc *doc, struct kh_view id,
			 const struct kh_rpc_fault *fault, struct kh_view *ret_text)
{
	yyjson_mut_val *root = message(doc);

	add_id(doc, root, id);
	yyjson_mut_val *error = yyjson_mut_obj_add_obj(doc, root, "error");
	yyjson_mut_obj_add_int(doc, error, "code", fault->number);
	kh_json_add(doc, error, "message", kh_view_str(fault->message));
	if (fault->data != NULL)
		yyjson_mut_obj_add_val(doc, error, "data", fault->data);
	return kh_json_write(arena, root, ret_text);
}

enum kh_err kh_rpc_call(struct kh_arena *arena, yyjson_mut_doc *doc, struct kh_view id, const char *method,
			yyjson_mut_val *params, struct kh_view *ret_text)
{
	yyjson_mut_val *root = message(doc);

	if (id.n > 0)
		add_id(doc, root, id);
	kh_json_add(doc, root, "method", kh_view_str(method));
	if (params != NULL)
		yyjson_mut_obj_add_val(doc, root, "params", params);
	return kh_json_write(arena, root, ret_text);
}

struct kh_view kh_rpc_last_resort(char *bytes, size_t size, struct kh_view id)
{
	int n = snprintf(bytes, size,
			 "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"error\":{\"code\":-32603,\"message\":\"out of memory\"}}",
			 id.n > 0 ? (int)id.n : 4, id.n > 0 ? id.p : "null");

	return kh_view_of(bytes, n > 0 && (size_t)n < size ? (size_t)n : 0);
}
