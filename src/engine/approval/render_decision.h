/* What is told of a decision, as JSON: the same in every interface. */
#ifndef KH_ENGINE_APPROVAL_RENDER_DECISION_H
#define KH_ENGINE_APPROVAL_RENDER_DECISION_H

#include "base/json.h"
#include "engine/approval/decide.h"

/* approved, rejected, edited. */
const char *kh_render_decision_word(const struct kh_approval_decide *decided);

/* {"approval", "state"}; the caller may add more members.  Texts are borrowed. */
yyjson_mut_val *kh_render_decision_new(yyjson_mut_doc *doc, const struct kh_approval_decide *decided);

#endif
