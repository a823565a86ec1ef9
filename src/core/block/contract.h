/*
 * The block commands of the offline contract (C3).  A refusal is the output {"error":{"code","detail"}}, with "member"
 * or "offset" if there is one; these functions fail only for lack of memory.
 */
#ifndef KH_CORE_BLOCK_CONTRACT_H
#define KH_CORE_BLOCK_CONTRACT_H

#include "base/call.h"

/* In: {"blocks":[...]}. Out: {"xml":"..."}. */
kh_call_fn kh_block_contract_render;

/* In: {"xml":"..."}. Out: {"blocks":[...]}, in the form of blockjson.h. */
kh_call_fn kh_block_contract_parse;

/* In: {"blocks":[...],"of":"b004"}. Out: {"closure":[ids],"untrusted":[ids],"flagged":bool}, in the blocks' order. */
kh_call_fn kh_block_contract_taint;

#endif
