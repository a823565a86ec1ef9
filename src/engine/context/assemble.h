/*
 * context.assemble: host.  The blocks of a context in the form that an agent gets, the security policy first (K4): what
 * the host put in, outputs, and deliveries, since the last reset.  Sealed and purged blocks are not among them.
 */
#ifndef KH_ENGINE_CONTEXT_ASSEMBLE_H
#define KH_ENGINE_CONTEXT_ASSEMBLE_H

#include "core/block/block.h"
#include "engine/state/op.h"

struct kh_context_assemble {
	struct kh_view context;
	bool xml;            /* otherwise JSON, {"blocks":[...]} */
	struct kh_view text; /* out */
};
enum kh_err kh_context_assemble_run(struct kh_op *op, void *call);

/* Not an operation: the block of a row, rebuilt by its constructor.  ROW may have been read without its content. */
enum kh_err kh_context_assemble_block(struct kh_op *op, const struct kh_block_row *row,
				      const struct kh_block **ret_block) KH_CHECKED;

#endif
