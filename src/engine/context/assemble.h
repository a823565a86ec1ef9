/*
 * context.assemble: host.  The blocks of a context as an agent gets them, the security policy first (K4): what the host
 * put in, outputs, and deliveries, since the last reset; sealed blocks are not among them, nor what was purged.
 */
#ifndef KH_ENGINE_CONTEXT_ASSEMBLE_H
#define KH_ENGINE_CONTEXT_ASSEMBLE_H

#include "engine/state/op.h"

struct kh_context_assemble {
	struct kh_view context;
	bool xml;            /* else JSON, {"blocks":[...]} */
	struct kh_view text; /* out */
};
enum kh_err kh_context_assemble_run(struct kh_op *op, void *call);

#endif
