/*
 * Members of a JSON object, read by a table: a member that is not in the table is an error, and so is a member that is
 * given under both of its names.  Every object that comes from outside is read this way.
 */
#ifndef KH_BASE_MEMBER_H
#define KH_BASE_MEMBER_H

#include "base/json.h"

struct kh_member {
	const char *name;
	const char *also; /* a second spelling that means the same, or NULL */
	yyjson_val *val;  /* filled in; NULL if the object has none */
};

/*
 * Fills MEMBERS from OBJ, an object at PATH ("" for the whole).  Unknown members go to ERRORS as `unknown_member`,
 * those given twice as `duplicate_member`.
 */
void kh_member_take(yyjson_val *obj, struct kh_member *members, size_t count, struct kh_view path,
		    struct kh_reasons *errors);

/* PATH.NAME, or NAME if PATH is empty. */
struct kh_view kh_member_below(struct kh_arena *arena, struct kh_view path, const char *name);

/* NAME[INDEX] */
struct kh_view kh_member_item(struct kh_arena *arena, const char *name, size_t index);

/* A string member; an error and {NULL, 0} if it is not a string, or is missing and REQUIRED. */
struct kh_view kh_member_string(const struct kh_member *member, bool required, struct kh_view path,
				struct kh_reasons *errors);

/* An integer member in MIN..MAX; FALLBACK if it is missing (an error if REQUIRED) or is anything else (an error). */
int64_t kh_member_int(const struct kh_member *member, bool required, int64_t min, int64_t max, int64_t fallback,
		      struct kh_view path, struct kh_reasons *errors);

#endif
