/*
 * Category 1 by keyword: booleans, choices and small numbers, from the words of a field's name and of its values (I3).
 *
 * The answer is always in form.  If nothing matches, a boolean is false; a choice is the most neutral listed value
 * ("other", "unknown", "neutral", ...), else the first; a number is 0, or the nearest value in its range, for a count,
 * and the middle for a scale.
 */
#ifndef KH_READER_CHOOSE_H
#define KH_READER_CHOOSE_H

#include "core/bcp/field.h"
#include "reader/spot.h"

/*
 * The value of each field: 0 or 1, the place in its list, or the number.  One pass over the tokens for all of them.
 * NULL if memory ran out (the arena is marked).
 */
int64_t *kh_choose_fields(struct kh_arena *arena, const struct kh_tokens *tokens, const struct kh_field *fields,
			  size_t count);

/* "yes" if the text has what the question asks about, and does not negate it; else "no". */
kh_spot_finder kh_choose_yes;

#endif
