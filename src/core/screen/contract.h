/* C4 of the offline contract: `keyhole screen` and `keyhole screen --rules`. */
#ifndef KH_CORE_SCREEN_CONTRACT_H
#define KH_CORE_SCREEN_CONTRACT_H

#include "base/call.h"

/* In: {"text":"..."}. Out: {"severity":...,"findings":[...]}; offsets are bytes of the text. */
kh_call_fn kh_screen_contract_screen;

/* In: {}. Out: {"rules":[{"name","code","severity","pattern","positive","negative"}, ...]}. */
kh_call_fn kh_screen_contract_rules;

#endif
