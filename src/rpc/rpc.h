/*
 * JSON-RPC 2.0 as MCP uses it: reads messages strictly, writes answers and errors.
 *
 * It trusts nobody: a message is what kh_json_read() made of a peer's bytes.  This is the only file that turns a struct
 * kh_error into a JSON-RPC error.
 */
#ifndef KH_RPC_RPC_H
#define KH_RPC_RPC_H

#include "base/json.h"
#include "rpc/version.h"

#define KH_RPC_ID 256 /* bytes of an id or a progress token, as JSON */

/* Codes of errors. */
#define KH_RPC_PARSE               (-32700)
#define KH_RPC_INVALID             (-32600)
#define KH_RPC_NO_METHOD           (-32601)
#define KH_RPC_BAD_PARAMS          (-32602)
#define KH_RPC_INTERNAL            (-32603)
#define KH_RPC_HEADER_MISMATCH     (-32020) /* from 2026-07-28 on, like the two below */
#define KH_RPC_MISSING_CAPABILITY  (-32021)
#define KH_RPC_UNSUPPORTED_VERSION (-32022)

enum kh_rpc_kind { KH_RPC_REQUEST, KH_RPC_NOTIFICATION, KH_RPC_RESPONSE };

struct kh_rpc {
	enum kh_rpc_kind kind;
	yyjson_val *id;             /* string or integer; NULL: a notification, or an error response without an id */
	struct kh_view method;      /* of a request or notification */
	yyjson_val *params;         /* an object, or NULL */
	yyjson_val *result, *error; /* of a response; exactly one of them */
};

/* The error that is sent instead of a result. */
struct kh_rpc_fault {
	int number;          /* of JSON-RPC; 0: none */
	unsigned status;     /* the HTTP status with it; 0: 200 */
	const char *message; /* a sentence; must live until the answer is written */
	yyjson_mut_val *data;
};

/*
 * Reads a message.  KH_EINPUT `bad_message`: *ERR says what is wrong, and *RET_RPC has the id if one could be read,
 * else NULL.  `bad_params` if only the params are wrong.
 */
enum kh_err kh_rpc_read(yyjson_val *root, struct kh_rpc *ret_rpc, struct kh_error *err) KH_CHECKED;

/*
 * An id or progress token as JSON text, in the arena.  {NULL, 0} if it is neither string nor integer, is too long, or
 * memory has run out.
 */
struct kh_view kh_rpc_token(struct kh_arena *arena, yyjson_val *val);

/* The fault for an operation that failed.  *ERR may be changed afterwards. */
struct kh_rpc_fault kh_rpc_failed(yyjson_mut_doc *doc, struct kh_arena *arena, enum kh_err e,
				  const struct kh_error *err);

/* Messages on one line, in the arena.  ID is JSON; if it is empty, null is written. */
enum kh_err kh_rpc_result(struct kh_arena *arena, yyjson_mut_doc *doc, struct kh_view id, yyjson_mut_val *result,
			  struct kh_view *ret_text) KH_CHECKED;
enum kh_err kh_rpc_error(struct kh_arena *arena, yyjson_mut_doc *doc, struct kh_view id,
			 const struct kh_rpc_fault *fault, struct kh_view *ret_text) KH_CHECKED;

/* A request of ours (ID not empty) or a notification. */
enum kh_err kh_rpc_call(struct kh_arena *arena, yyjson_mut_doc *doc, struct kh_view id, const char *method,
			yyjson_mut_val *params, struct kh_view *ret_text) KH_CHECKED;

/* The answer if there is no memory for another one: written into BYTES, which holds at least 512. */
struct kh_view kh_rpc_last_resort(char *bytes, size_t size, struct kh_view id);

#endif
