/* An ask that was begun for a Reader that is an agent, and what becomes of it if it cannot be handed out. */
#ifndef KH_GATEWAY_HANDOUT_H
#define KH_GATEWAY_HANDOUT_H

#include "engine/query/ask.h"
#include "gateway/gateway.h"

/*
 * ASK cannot be handed out, because of WHY: sealed content is not what was sealed (KH_ECHANGED, E10), or there is no
 * memory for it.  It has failed; left begun, it would wait for an answer that cannot come.
 */
enum kh_err kh_handout_fail(struct kh_gateway *gateway, const struct kh_ask *ask, enum kh_err why,
			    struct kh_error *err) KH_CHECKED;

#endif
