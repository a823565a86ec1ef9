/*
 * Screens what an agent declares (E3).  Nothing is refused because of its wording; but if the screen finds something of
 * severity medium or higher, a human verifies the declaration before anything runs.
 */
#ifndef KH_CORE_COMM_SUSPECT_H
#define KH_CORE_COMM_SUSPECT_H

#include "base/json.h"

struct kh_screen;

/*
 * Screens every string in VAL (whose path is PATH), including the names of members, and adds a reason `screened` to
 * REVIEW for each finding.  URI: a string that is one by its grammar, so that it may begin with `file:`; or empty.  Fails
 * only for lack of memory.
 */
enum kh_err kh_suspect_value(struct kh_screen *screen, struct kh_view path, yyjson_val *val, struct kh_view uri,
			     struct kh_reasons *review) KH_CHECKED;

#endif
