/*
 * Converts values of an enum to words and back.  Each enum has one table, indexed by its values; NULL for a value
 * without a word.
 */
#ifndef KH_CORE_POLICY_WORDS_H
#define KH_CORE_POLICY_WORDS_H

#include "base/arena.h"

struct kh_words {
	const char *const *at;
	size_t n;
};

#define KH_WORDS(names)                                     \
	{                                                   \
		(names), sizeof(names) / sizeof((names)[0]) \
	}

/* The word for VALUE, which must be in the table. */
const char *kh_words_name(const struct kh_words *words, unsigned value);

/* Exact words only; false for anything else. */
bool kh_words_parse(const struct kh_words *words, struct kh_view word, unsigned *ret_value);

/* "allow, verify or deny": for messages.  {NULL, 0} on failure. */
struct kh_view kh_words_list(struct kh_arena *arena, const struct kh_words *words);

#endif
