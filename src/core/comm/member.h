/*
 * Members of a JSON object that somebody else wrote, read strictly: paths for messages, and what is unknown, missing or
 * of the wrong type reported as reasons.  Nothing is skipped silently.
 */
#ifndef KH_CORE_COMM_MEMBER_H
#define KH_CORE_COMM_MEMBER_H

#include "base/json.h"

/* "parameters.url": KEY below PATH (empty for the whole).  A key that is no plain word comes out quoted. */
struct kh_view kh_member_path(struct kh_arena *arena, struct kh_view path, struct kh_view key);

/* "declarations[2]". */
struct kh_view kh_member_index(struct kh_arena *arena, struct kh_view path, size_t index);

/* Reports (`wrong_type`) where VAL is not an object; whether it is one. */
bool kh_member_object(struct kh_reasons *errors, struct kh_view path, yyjson_val *val);

/* Reports (`unknown_member`) every member of OBJ that is none of the COUNT names. */
void kh_member_known(struct kh_reasons *errors, struct kh_view path, yyjson_val *obj, const char *const *names,
		     size_t count);

/* Member KEY of OBJ; reports (`missing`) where it is not there. */
yyjson_val *kh_member_need(struct kh_reasons *errors, struct kh_view path, yyjson_val *obj, const char *key);

/* VAL as text; reports (`wrong_type`) where it is something else, and is {NULL, 0} then.  NULL is not reported. */
struct kh_view kh_member_text(struct kh_reasons *errors, struct kh_view path, yyjson_val *val);

#endif
