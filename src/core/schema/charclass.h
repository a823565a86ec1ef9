/* Classes of characters in a pattern: "[a-z]", "\d", "\p{L}", ".". */
#ifndef KH_CORE_SCHEMA_CHARCLASS_H
#define KH_CORE_SCHEMA_CHARCLASS_H

#include "base/arena.h"

/* Characters LOW to HIGH that are of one of the general categories. */
struct kh_charclass_range {
	uint32_t low, high;
	uint32_t categories; /* bits of utf8proc's categories */
};

struct kh_charclass {
	struct kh_arena *arena;
	struct kh_charclass_range *at;
	size_t n, cap;
	bool is_negated;
	uint64_t ascii[2]; /* filled in by kh_charclass_seal() */
};

void kh_charclass_init(struct kh_charclass *set, struct kh_arena *arena);

/* Running out of memory marks the arena. */
void kh_charclass_add(struct kh_charclass *set, uint32_t low, uint32_t high);

/* Adds what \d, \D, \w, \W, \s or \S stands for; false for another letter. */
bool kh_charclass_add_escape(struct kh_charclass *set, char letter);

/*
 * Adds the characters of a general category, "L" or "Lu" or "Letter", or those that are not in it.  False if NAME is
 * none: scripts and other properties are not known.
 */
bool kh_charclass_add_property(struct kh_charclass *set, struct kh_view name, bool is_negated);

/* Adds what "." stands for: all but the ends of lines. */
void kh_charclass_add_any(struct kh_charclass *set);

/* Ends the building of a set; from here on it does not change. */
void kh_charclass_seal(struct kh_charclass *set);

bool kh_charclass_wide(const struct kh_charclass *set, uint32_t c);
static inline bool kh_charclass_has(const struct kh_charclass *set, uint32_t c)
{
	return c < 128 ? (set->ascii[c / 64] >> c % 64 & 1) != 0 : kh_charclass_wide(set, c);
}

#endif
