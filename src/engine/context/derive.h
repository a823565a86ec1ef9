/* Derived content keeps the attribution of its sources (B23, E10). */
#ifndef KH_ENGINE_CONTEXT_DERIVE_H
#define KH_ENGINE_CONTEXT_DERIVE_H

#include "engine/state/op.h"

/*
 * The lineage (core/comm/lineage.h) of CONTENT, which was made from the blocks SOURCES (ids, as a JSON array of
 * numbers), sealed ones or deliveries: canonical JSON.  What deliveries were derived from stands in it, not they.
 */
enum kh_err kh_derive_attribution(struct kh_op *op, struct kh_view sources, struct kh_view content,
				  struct kh_view *ret_json) KH_CHECKED;

#endif
