/* What happens to an ask that was begun for a Reader that is an agent, if it cannot be handed out. */
#ifndef KH_GATEWAY_HANDOUT_H
#define KH_GATEWAY_HANDOUT_H

#include "engine/query/ask.h"
#include "gateway/gateway.h"

/*
 * ASK cannot be handed out, because of WHY: sealed content is not what was sealed (KH_ECHANGED, E10), or there is no
 * memory for it.  Ends it as failed; otherwise it would wait for an answer that cannot come.
 */
enum kh_err kh_handout_fail(struct kh_gateway *gateway, const struct kh_ask *ask, enum kh_err why,
			    struct kh_error *err) KH_CHECKED;

#endif
