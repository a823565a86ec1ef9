/* The offline contract of this folder (SPEC section 11): `keyhole fence wrap|unwrap` (C5), `keyhole comm check` (C6).
 */
#ifndef KH_CORE_COMM_CONTRACT_H
#define KH_CORE_COMM_CONTRACT_H

#include "base/call.h"

/*
 * {"content","source","operation","session_id"}, and "audit_id" where there is one, to a fenced object (fence.h) or
 * {"error":{...}}.  `operation` is "fetch" or "comm.fetch".
 */
kh_call_fn kh_comm_contract_wrap;

/* A fenced object to {"content":"...","metadata":{...}} or {"error":{...}}. */
kh_call_fn kh_comm_contract_unwrap;

/*
 * A declaration in any form to {"ok":true,"operation":"comm.fetch"} or {"ok":false,"errors":[...]}.  Where several were
 * declared "operations" lists them all; where a human must verify, "review" says why.
 */
kh_call_fn kh_comm_contract_check;

#endif
