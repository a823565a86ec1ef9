/*
 * context.add: host (contexts of tokens that it made).  The kind of event decides trust and type (K3).  Only system
 * prompt, user message, goal, commitment and supervisor message can be added in this way; content from outside comes
 * through content.put.  An untrusted user message is given to the context, whose taint becomes high.
 */
#ifndef KH_ENGINE_CONTEXT_ADD_H
#define KH_ENGINE_CONTEXT_ADD_H

#include "core/block/event.h"
#include "engine/state/beforehand.h"

struct kh_context_add {
	struct kh_view context;
	enum kh_event_kind event;
	struct kh_view source; /* may be empty */
	struct kh_view content;
	struct kh_view id; /* out */
};
enum kh_err kh_context_add_run(struct kh_op *op, void *call);
enum kh_err kh_context_add_prepare(struct kh_prepare *at, void *call);

#endif
