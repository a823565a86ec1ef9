/*
 * A place in a JSON value, as a list of steps from the place to the root.  Steps live on the stack or in an arena; text
 * is made of them only if there is something to report.
 */
#ifndef KH_CORE_SCHEMA_POINTER_H
#define KH_CORE_SCHEMA_POINTER_H

#include "base/arena.h"

struct kh_pointer {
	const struct kh_pointer *up; /* NULL: this step starts at the root */
	struct kh_view name;         /* {NULL, 0}: an item */
	size_t index;
};

/*
 * The place as a JSON pointer (RFC 6901), safe to show: "" for the root (NULL).  A name that is long or has something
 * invisible stands there as kh_arena_quote() makes it.
 */
struct kh_view kh_pointer_text(struct kh_arena *arena, const struct kh_pointer *at);

/*
 * Takes the first token off REST, a pointer, with ~0 and ~1 replaced, in the arena.  False at its end; *RET_TOKEN has no
 * address if the pointer is not one or there is no memory.
 */
bool kh_pointer_next(struct kh_arena *arena, struct kh_view *rest, struct kh_view *ret_token);

/* Reads a token as the index of an item: digits without a zero before them. */
bool kh_pointer_index(struct kh_view token, size_t *ret_index);

#endif
