/*
 * Category 1 by keyword: booleans, choices and small numbers, from the words of a field's name and of its values (I3).
 *
 * Always in form: a boolean without a sign of it is false; a choice without one is the listed value that says least
 * ("other", "unknown", "neutral", ...), else the first; a number without one is 0 or what is nearest to it in the range
 * for a count, the middle for a scale.
 */
#ifndef KH_READER_CHOOSE_H
#define KH_READER_CHOOSE_H

#include "core/bcp/field.h"
#include "reader/tokens.h"

/*
 * The value of each field: 0 or 1, the place in its list, or the number.  One pass over the tokens for all of them.
 * NULL where memory ran out (the arena is marked).
 */
int64_t *kh_choose_fields(struct kh_arena *arena, const struct kh_tokens *tokens, const struct kh_field *fields,
			  size_t count);

/* Whether what QUESTION asks stands in the text, and is not denied there. */
bool kh_choose_yes(struct kh_arena *arena, const struct kh_tokens *tokens, struct kh_view question);

#endif
