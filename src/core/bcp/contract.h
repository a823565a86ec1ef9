/* C1 and C2 of the offline contract: `keyhole bcp check` and `keyhole bcp validate`. */
#ifndef KH_CORE_BCP_CONTRACT_H
#define KH_CORE_BCP_CONTRACT_H

#include "base/call.h"

kh_call_fn kh_bcp_contract_check;
kh_call_fn kh_bcp_contract_validate;

#endif
