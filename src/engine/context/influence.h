/*
 * What may have influenced a context's next action: the blocks that it was given since its last reset, and everything
 * that these are tainted by, transitively (K5).  The core has the walk (core/block/taint.h); here it runs over rows of
 * the store.  No content is read.
 */
#ifndef KH_ENGINE_CONTEXT_INFLUENCE_H
#define KH_ENGINE_CONTEXT_INFLUENCE_H

#include "core/block/taint.h"
#include "engine/state/op.h"

/*
 * The closure of what CONTEXT was given and of the MORE_COUNT blocks MORE.  The ids are row ids; `kind` is the row's
 * (enum kh_block_kind).  KH_ESTORE `store_corrupt` if a block names one that does not exist.
 */
enum kh_err kh_influence_find(struct kh_op *op, const struct kh_context_row *context, const int64_t *more,
			      size_t more_count, struct kh_closure *ret_closure) KH_CHECKED;

/*
 * The closure of only the COUNT blocks IDS of CONTEXT.  OUTPUT: the newest output among them since the context's last
 * reset; 0: none.
 */
enum kh_err kh_influence_of(struct kh_op *op, const struct kh_context_row *context, int64_t output, const int64_t *ids,
			    size_t count, struct kh_closure *ret_closure) KH_CHECKED;

#endif
