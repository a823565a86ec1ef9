/*
 * Converts values of an enum to words and back.  Each enum has one table, indexed by its values; NULL for a value
 * without a word.
 */
#ifndef KH_BASE_WORDS_H
#define KH_BASE_WORDS_H

#include "base/arena.h"

struct kh_words {
	const char *const *at;
	size_t n;
};

/* The initialiser of a table outside of functions: KH_WORDS([KH_LOW] = "low", [KH_HIGH] = "high"). */
#define KH_WORDS(...)                                                                                           \
	{                                                                                                       \
		(const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *) \
	}

/* The word for VALUE, which must be in the table. */
const char *kh_words_name(const struct kh_words *words, unsigned value);

/* Exact words only; false for anything else.  *RET_VALUE may be an enum, which has the size of an unsigned. */
bool kh_words_parse(const struct kh_words *words, struct kh_view word, unsigned *ret_value);

/* Whether WORD is one of the table's. */
bool kh_words_have(const struct kh_words *words, struct kh_view word);

/* "allow, verify or deny": for messages.  {NULL, 0} on failure. */
struct kh_view kh_words_list(struct kh_arena *arena, const struct kh_words *words);

#endif
