/*
 * JSON-RPC 2.0 as MCP has it: messages read strictly, answers and errors written.
 *
 * Whom it trusts: nobody; a message is what kh_json_read() made of a peer's bytes.  This is the one file in which a
 * struct kh_error becomes a JSON-RPC error.
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
#define KH_RPC_HEADER_MISMATCH     (-32020) /* from 2026-07-28 on, as the two below */
#define KH_RPC_MISSING_CAPABILITY  (-32021)
#define KH_RPC_UNSUPPORTED_VERSION (-32022)

enum kh_rpc_kind { KH_RPC_REQUEST, KH_RPC_NOTIFICATION, KH_RPC_RESPONSE };

struct kh_rpc {
	enum kh_rpc_kind kind;
	yyjson_val *id; /* string or integer; NULL: a notification, or an error response to nothing in particular */
	struct kh_view method;      /* of a request or notification */
	yyjson_val *params;         /* an object, or NULL */
	yyjson_val *result, *error; /* of a response; one of them */
};

/* What is answered in place of a result. */
struct kh_rpc_fault {
	int number;          /* of JSON-RPC; 0: none */
	unsigned status;     /* what HTTP says beside it; 0: 200 */
	const char *message; /* a sentence; lives as long as the answer is being made */
	yyjson_mut_val *data;
};

/*
 * Reads a message.  KH_EINPUT `bad_message`: *ERR says what is wrong; where an id could be read all the same it is in
 * *RET_RPC, else NULL.  `bad_params` where everything is fine but the params.
 */
enum kh_err kh_rpc_read(yyjson_val *root, struct kh_rpc *ret_rpc, struct kh_error *err) KH_CHECKED;

/* An id or progress token as it stands in JSON, in the arena.  {NULL, 0}: neither string nor integer, too long, or out
 * of memory. */
struct kh_view kh_rpc_token(struct kh_arena *arena, yyjson_val *val);

/* The fault that an operation's failure is.  *ERR may be changed afterwards. */
struct kh_rpc_fault kh_rpc_failed(yyjson_mut_doc *doc, struct kh_arena *arena, enum kh_err e,
				  const struct kh_error *err);

/* Messages on one line, in the arena.  ID is JSON, empty for null. */
enum kh_err kh_rpc_result(struct kh_arena *arena, yyjson_mut_doc *doc, struct kh_view id, yyjson_mut_val *result,
			  struct kh_view *ret_text) KH_CHECKED;
enum kh_err kh_rpc_error(struct kh_arena *arena, yyjson_mut_doc *doc, struct kh_view id,
			 const struct kh_rpc_fault *fault, struct kh_view *ret_text) KH_CHECKED;

/* A request of ours (ID not empty) or a notification. */
enum kh_err kh_rpc_call(struct kh_arena *arena, yyjson_mut_doc *doc, struct kh_view id, const char *method,
			yyjson_mut_val *params, struct kh_view *ret_text) KH_CHECKED;

/* The answer where there is no memory for any: written into BYTES, which holds 512 at least. */
struct kh_view kh_rpc_last_resort(char *bytes, size_t size, struct kh_view id);

#endif
