/*
 * Typed results (U7): what a Reader that works by the policy's types is given of a block that an upstream's tool brought.
 */
#ifndef KH_ENGINE_QUERY_TYPED_H
#define KH_ENGINE_QUERY_TYPED_H

#include "core/bcp/reader.h"
#include "core/policy/policy.h"
#include "engine/state/op.h"

/*
 * Adds to *BLOCK the result that ROW was made from, proved by its hash, and the rule in force for its tool.  Adds nothing
 * if no tool brought it, the rule does not type it, or the result was purged or is not what was kept.
 */
enum kh_err kh_typed_open(struct kh_txn *txn, const struct kh_policy *policy, struct kh_arena *arena,
			  const struct kh_block_row *row, struct kh_reader_block *block) KH_CHECKED;

#endif
