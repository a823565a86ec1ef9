/*
 * Values held against a JSON schema of ours: what a client sends against a tool's input, and in the tests what a tool
 * says against its output.
 *
 * Of JSON Schema these words are known: type (one name), properties, required, enum (of strings and integers), minimum,
 * maximum, minLength, maxLength, items, minItems, maxItems, additionalProperties (true or false; true if it is not
 * there).  Every other word is passed over; a test holds the tools' schemas to the known ones.
 */
#ifndef KH_RPC_SCHEMA_H
#define KH_RPC_SCHEMA_H

#include "base/json.h"

/* KH_EINPUT with the member's path, a code of docs/reference/CODES.md and what was expected.  The first fault counts. */
enum kh_err kh_rpc_schema_check(struct kh_arena *arena, yyjson_val *schema, yyjson_val *value,
				struct kh_error *err) KH_CHECKED;

#endif
