/*
 * Labels that travel (K10): in MCP's `_meta`, under keys that begin with `keyhole/`.
 *
 *     {"keyhole/trust":"untrusted","keyhole/taint":"medium","keyhole/provenance":["b003","b004"]}
 */
#ifndef KH_CORE_BLOCK_META_H
#define KH_CORE_BLOCK_META_H

#include "core/block/block.h"

#define KH_META_TRUST      "keyhole/trust"
#define KH_META_TAINT      "keyhole/taint"
#define KH_META_PROVENANCE "keyhole/provenance"

/* Adds BLOCK's labels to META; provenance is the block's own id, then what it is tainted by. */
void kh_meta_write(yyjson_mut_doc *doc, yyjson_mut_val *meta, const struct kh_block *block);

/*
 * Takes the labels that an upstream sent in META (NULL or no object: none) into account: *TRUST can only get worse and
 * *TAINT only higher.  A label that is there but is none of the words counts as the worst.  The upstream's provenance
 * is not read: its ids are not ours.
 */
void kh_meta_lower(yyjson_val *meta, enum kh_trust *trust, enum kh_taint *taint);

#endif
