/*
 * Expected decisions, which `keyhole policy test` reads (SPEC C7, E4).  A file holds requests as for `policy explain`,
 * each with the decision that a policy must make, as YAML or as JSON Lines:
 *
 *     policy: policy.yaml                       {"policy":"policy.yaml"}
 *     tests:                                    {"name":"...","request":{...},"expect":{"decision":"deny"}}
 *       - name: nothing is deleted              ...
 *         request: {operation: files__delete}
 *         expect: {decision: deny, gate: permission, code: OPERATION_NOT_ALLOWED}
 *
 * A file whose first character is { is JSON Lines.  Pure: the files are read by the caller.
 */
#ifndef KH_CORE_POLICY_EXPECTATION_H
#define KH_CORE_POLICY_EXPECTATION_H

#include "base/json.h"

struct kh_expectation {
	struct kh_view name;                 /* may be empty */
	unsigned line;                       /* of the file */
	yyjson_val *request;                 /* an object; `policy explain` checks its members */
	struct kh_view decision, gate, code; /* known words; gate and code may be empty: any */
};

struct kh_expectations {
	struct kh_view policy; /* a path, absolute, or relative to the file's own folder; may be empty */
	struct kh_expectation *at;
	size_t n;
};

/*
 * Reads all of TEXT; FILE names it in messages.  KH_EINPUT with code `tests_invalid`: what is wrong, where, and what
 * was expected.  The result lives in the arena.
 */
enum kh_err kh_expectation_read(struct kh_arena *arena, struct kh_view text, struct kh_view file,
				struct kh_expectations *ret_expectations, struct kh_error *err) KH_CHECKED;

#endif
