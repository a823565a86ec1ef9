/*
 * JSON that an agent or the world wrote, read strictly: what is unknown, missing or of the wrong type is reported as a
 * reason at the member's own path, whatever its name is.  (Objects with a fixed table of members are base/member.h's.)
 */
#ifndef KH_CORE_COMM_STRICT_H
#define KH_CORE_COMM_STRICT_H

#include "base/json.h"

/* "parameters.url": KEY below PATH (empty for the whole).  A key that is no plain word comes out quoted. */
struct kh_view kh_strict_path(struct kh_arena *arena, struct kh_view path, struct kh_view key);

/* "declarations[2]". */
struct kh_view kh_strict_index(struct kh_arena *arena, struct kh_view path, size_t index);

/* Reports (`wrong_type`) where VAL is not an object; whether it is one. */
bool kh_strict_object(struct kh_reasons *errors, struct kh_view path, yyjson_val *val);

/* Reports (`unknown_member`) every member of OBJ that is none of the COUNT names. */
void kh_strict_known(struct kh_reasons *errors, struct kh_view path, yyjson_val *obj, const char *const *names,
		     size_t count);

/* Member KEY of OBJ; reports (`missing`) where it is not there. */
yyjson_val *kh_strict_need(struct kh_reasons *errors, struct kh_view path, yyjson_val *obj, const char *key);

/* VAL as text; reports (`wrong_type`) where it is something else, and is {NULL, 0} then.  NULL is not reported. */
struct kh_view kh_strict_text(struct kh_reasons *errors, struct kh_view path, yyjson_val *val);

#endif
