/* Whether two JSON values are the same: numbers by what they are, objects whatever the order of their members. */
#ifndef KH_CORE_SCHEMA_EQUAL_H
#define KH_CORE_SCHEMA_EQUAL_H

#include "base/json.h"

/*
 * *STEPS is what a comparison may cost, and becomes less; at 0 the result means nothing.  Values deeper than
 * KH_JSON_DEPTH take all of it.
 */
bool kh_equal_values(yyjson_val *a, yyjson_val *b, uint64_t *steps);

/* Memory that several searches share; {0} at first. */
struct kh_equal_room {
	void *p;
	size_t size;
};

/* The index of an item of ARR that is the same as an earlier one; SIZE_MAX if there is none. */
enum kh_err kh_equal_repeated(struct kh_arena *arena, struct kh_equal_room *room, yyjson_val *arr, uint64_t *steps,
			      size_t *ret_index) KH_CHECKED;

#endif
