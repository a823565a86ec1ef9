/* What a Controller may know about an external operation (comm.look, E12), as JSON: the same in every interface. */
#ifndef KH_ENGINE_COMM_RENDER_OUTCOME_H
#define KH_ENGINE_COMM_RENDER_OUTCOME_H

#include "base/json.h"
#include "engine/comm/look.h"

/* ok, failed, ...; until it has ended: pending, declared, running. */
const char *kh_render_outcome_word(const struct kh_comm_look *look);

/*
 * {"outcome", "declaration", "operation", "parameters", "modified"?, "approval"?, "block"?, "content"?}; the caller may add more
 * members.  Texts are borrowed.
 */
yyjson_mut_val *kh_render_outcome_new(yyjson_mut_doc *doc, const struct kh_comm_look *look);

#endif
