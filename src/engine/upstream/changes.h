/* What differs between two JSON values: for a human, who is to see the difference and not to search for it (U4). */
#ifndef KH_ENGINE_UPSTREAM_CHANGES_H
#define KH_ENGINE_UPSTREAM_CHANGES_H

#include "base/json.h"

#define KH_CHANGES_MOST 100 /* that are listed one by one */

/*
 * [{"at": JSON pointer, "was"?, "is"?}, ...]: one for each value that differs, is new (no "was") or is gone (no "is").
 * Arrays of the same length are compared item by item, others as one value.  If there are more than KH_CHANGES_MOST,
 * the last one says so: {"at": "", "more": true}.
 */
yyjson_mut_val *kh_changes_list(yyjson_mut_doc *doc, struct kh_arena *arena, yyjson_val *was, yyjson_val *is);

#endif
