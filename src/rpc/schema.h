/*
 * Checks values against a JSON schema of ours: what a client sends against a tool's input schema and, in the tests,
 * what a tool returns against its output schema.
 *
 * These words of JSON Schema are known: type (one name), properties, required, enum (of strings and integers), minimum,
 * maximum, minLength, maxLength, items, minItems, maxItems, additionalProperties (true or false; true if it is not
 * there).  Every other word is ignored; a test ensures that the tools' schemas use only the known ones.
 */
#ifndef KH_RPC_SCHEMA_H
#define KH_RPC_SCHEMA_H

#include "base/json.h"

/*
 * KH_EINPUT with the member's path, a code of docs/reference/CODES.md and what was expected.  Reports the first fault.
 */
enum kh_err kh_rpc_schema_check(struct kh_arena *arena, yyjson_val *schema, yyjson_val *value,
				struct kh_error *err) KH_CHECKED;

#endif
