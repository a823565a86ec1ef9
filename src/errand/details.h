/*
 * The details of an errand: a JSON object, for humans, with what came from outside besides the content.  Text is made
 * fit for JSON here: cut, and with U+FFFD for what is not UTF-8.
 */
#ifndef KH_ERRAND_DETAILS_H
#define KH_ERRAND_DETAILS_H

#include "errand/errand.h"

/* At most MOST bytes of VALUE as a member of OBJ, in ARENA; an empty one adds nothing. */
void kh_details_text(struct kh_arena *arena, yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key,
		     struct kh_tainted value, size_t most);

/* Writes ROOT as the details of RESULT. */
enum kh_err kh_details_end(struct kh_arena *arena, yyjson_mut_val *root, struct kh_errand_result *result) KH_CHECKED;

#endif
