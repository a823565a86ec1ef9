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
	bool xml;                               /* otherwise JSON, {"blocks":[...]} */
	struct kh_view text;                    /* out */
	struct kh_context_assemble_part *parts; /* from the transaction to what follows it */
	size_t count;
};
enum kh_err kh_context_assemble_run(struct kh_op *op, void *call);

/* Hashes the content and writes it, in the caller's thread (D1): KH_ECHANGED if a block is not what was put in. */
enum kh_err kh_context_assemble_finish(struct kh_engine *engine, struct kh_arena *arena, void *call,
				       struct kh_error *err);

/* Not an operation: the block of a row that was read without its content, rebuilt by its constructor. */
enum kh_err kh_context_assemble_outline(struct kh_op *op, const struct kh_block_row *row,
					const struct kh_block **ret_block) KH_CHECKED;

#endif
