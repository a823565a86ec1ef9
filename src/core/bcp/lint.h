/*
 * Lint (B22): finds queries that a lower category could serve.  The advice is the better query, ready to be sent.  The
 * policy decides whether the advice is only given or the query is refused.
 */
#ifndef KH_CORE_BCP_LINT_H
#define KH_CORE_BCP_LINT_H

#include "core/bcp/query.h"

/* [{"code":...,"member":...,"query":{...}}, ...]; an empty array if there is no advice. */
yyjson_mut_val *kh_lint_query(const struct kh_query *query, struct kh_arena *arena, yyjson_mut_doc *doc);

#endif
