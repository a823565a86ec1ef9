/*
 * One spelling of what an operation was asked for (B19): its name, and a digest of its parameters in their canonical
 * form.  Two calls with the same text ask for the same thing, however the Controller spelled it.
 */
#ifndef KH_CORE_COMM_ORIGIN_H
#define KH_CORE_COMM_ORIGIN_H

#include "base/json.h"

/* "comm.fetch HEX".  PARAMETERS: an object, as declared.  An operation without a row has no spellings of its own. */
enum kh_err kh_origin_text(struct kh_arena *arena, struct kh_view operation, yyjson_val *parameters,
			   struct kh_view *ret_text, struct kh_error *err) KH_CHECKED;

#endif
