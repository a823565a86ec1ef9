/*
 * A place in the values that fit a schema: what the schema says of it for certain.  A value that fits a schema fits what
 * the schema refers to and each of allOf as well, so what any of these says counts; alternatives say nothing for certain,
 * and neither do `additionalProperties` and `patternProperties`.
 */
#ifndef KH_CORE_SCHEMA_PLACE_H
#define KH_CORE_SCHEMA_PLACE_H

#include "core/schema/node.h"
#include "core/schema/schema.h"

#define KH_PLACE_SCHEMAS 64 /* that hold for one place; what more of them would say is not certain then */

struct kh_place {
	const struct kh_node *at[KH_PLACE_SCHEMAS];
	size_t n;
};

/* The place of the whole value, whose schema is ROOT. */
void kh_place_start(const struct kh_node *root, struct kh_place *ret_place);

/* The types that a value there can have, as bits. */
unsigned kh_place_types(const struct kh_place *place);

/* The member NAME of the object at PLACE; false: `properties` does not have it. */
bool kh_place_member(const struct kh_place *place, struct kh_view name, struct kh_place *ret_member);

/* The item INDEX of the array at PLACE; false: nothing is said of it. */
bool kh_place_item(const struct kh_place *place, size_t index, struct kh_place *ret_item);

/* Whether all items of the array at PLACE have one schema: it is no tuple. */
bool kh_place_is_even(const struct kh_place *place);

/* The type of what is at PLACE, VALUES in ARENA; false: it has none.  Out of memory marks the arena. */
bool kh_place_type(const struct kh_place *place, struct kh_arena *arena, struct kh_schema_member *ret_member);

#endif
