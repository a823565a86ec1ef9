/*
 * Reads JSON from an agent or from outside strictly: a member that is unknown, missing or of the wrong type is reported
 * as a reason with its own path, whatever its name is. (base/member.h reads objects with a fixed table of members.)
 */
#ifndef KH_CORE_COMM_STRICT_H
#define KH_CORE_COMM_STRICT_H

#include "base/json.h"

/* "parameters.url": KEY below PATH (empty for the whole).  A key that is not a plain word is quoted. */
struct kh_view kh_strict_path(struct kh_arena *arena, struct kh_view path, struct kh_view key);

/* "declarations[2]". */
struct kh_view kh_strict_index(struct kh_arena *arena, struct kh_view path, size_t index);

/* Returns whether VAL is an object; reports (`wrong_type`) if it is not. */
bool kh_strict_object(struct kh_reasons *errors, struct kh_view path, yyjson_val *val);

/* Reports (`unknown_member`) every member of OBJ that is not one of the COUNT names. */
void kh_strict_known(struct kh_reasons *errors, struct kh_view path, yyjson_val *obj, const char *const *names,
		     size_t count);

/* Member KEY of OBJ; reports (`missing`) if there is none. */
yyjson_val *kh_strict_need(struct kh_reasons *errors, struct kh_view path, yyjson_val *obj, const char *key);

/* VAL as text.  If it is something else, reports (`wrong_type`) and returns {NULL, 0}. NULL is not reported. */
struct kh_view kh_strict_text(struct kh_reasons *errors, struct kh_view path, yyjson_val *val);

#endif
