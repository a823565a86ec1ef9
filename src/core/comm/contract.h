/* The offline contract of this folder (SPEC section 11): `keyhole fence wrap|unwrap` (C5), `keyhole comm check` (C6).
 */
#ifndef KH_CORE_COMM_CONTRACT_H
#define KH_CORE_COMM_CONTRACT_H

#include "base/call.h"

/*
 * In: {"content","source","operation","session_id"}, and optionally "audit_id".  Out: a fenced object (fence.h) or
 * {"error":{...}}.  `operation` is "fetch" or "comm.fetch".
 */
kh_call_fn kh_comm_contract_wrap;

/* In: a fenced object.  Out: {"content":"...","metadata":{...}} or {"error":{...}}. */
kh_call_fn kh_comm_contract_unwrap;

/*
 * In: a declaration in any form.  Out: {"ok":true,"operation":"comm.fetch"} or {"ok":false,"errors":[...]}. If several
 * were declared, "operations" lists them all; if a human must verify, "review" says why.
 */
kh_call_fn kh_comm_contract_check;

#endif
