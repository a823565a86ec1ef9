/*
 * Typed results (U7): what a Reader that works by types is given of a block that an upstream's tool brought.
 */
#ifndef KH_ENGINE_QUERY_TYPED_H
#define KH_ENGINE_QUERY_TYPED_H

#include "core/bcp/reader.h"
#include "core/policy/policy.h"
#include "engine/state/op.h"

/*
 * Adds to *BLOCK the result that ROW was made from, proved by its hash, the rule in force for its tool, and the schema for
 * results that a human approved for it.  Both are those of now, whatever they were when the tool was called.  Adds nothing
 * if no tool brought it, the rule does not type it, or the result was purged or is not what was kept.  For snapshots: a
 * schema is compiled in it.
 */
enum kh_err kh_typed_open(struct kh_txn *txn, const struct kh_engine *engine, struct kh_arena *arena,
			  const struct kh_block_row *row, struct kh_reader_block *block) KH_CHECKED;

#endif
