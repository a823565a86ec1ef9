/*
 * The block commands of the offline contract (C3).  What is refused comes back as {"error":{"code","detail"}}, with
 * "member" or "offset" where there is one; no input makes these functions fail but for want of memory.
 */
#ifndef KH_CORE_BLOCK_CONTRACT_H
#define KH_CORE_BLOCK_CONTRACT_H

#include "base/call.h"

/* {"blocks":[...]} to {"xml":"..."}. */
kh_call_fn kh_block_contract_render;

/* {"xml":"..."} to {"blocks":[...]}, in the form of blockjson.h. */
kh_call_fn kh_block_contract_parse;

/* {"blocks":[...],"of":"b004"} to {"closure":[ids],"untrusted":[ids],"flagged":bool}, in the blocks' order. */
kh_call_fn kh_block_contract_taint;

#endif
