/* The offline contract of this folder (SPEC section 11): `keyhole policy explain` (C7). */
#ifndef KH_CORE_POLICY_CONTRACT_H
#define KH_CORE_POLICY_CONTRACT_H

#include "base/call.h"

/*
 * Explains what a policy says about a request.  The core opens no files: the caller reads the file and passes its text
 * as POLICY and its name, for messages, as FILE.  docs/use/POLICY.md describes the request and the answer.
 *
 *     {"decision":"ask","gate":"approval","rule":"policy.operations[0]","line":14,"code":"APPROVAL_REQUIRED",
 *      "why":"...","gates":[{"gate":"declaration","result":"pass","rule":"built in","why":"..."},...]}
 *
 * A policy that does not load is an answer too: {"error":{"code":"policy_invalid","detail":"keyhole.yaml:12: ..."}}.
 * A request that is not usable is KH_EINPUT (exit status 2).
 */
enum kh_err kh_policy_contract_explain(struct kh_call *call, struct kh_view policy, struct kh_view file,
				       yyjson_val *request, yyjson_mut_val **ret_out, struct kh_error *err) KH_CHECKED;

#endif
