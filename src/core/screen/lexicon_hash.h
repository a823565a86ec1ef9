/*
 * Hashes of a word and of what is left of it without one letter.  Two words that differ in one letter have one of these
 * in common, so a word that shares none with the lexicon need not be searched for.  The build sets the bits of the
 * lexicon's words; the program looks whether those of a word are set.
 */
#ifndef KH_CORE_SCREEN_LEXICON_HASH_H
#define KH_CORE_SCREEN_LEXICON_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KH_LEXICON_HASH_WORDS 8192 /* of 64 bits */
#define KH_LEXICON_HASH_MOST  48   /* letters of a word */
#define KH_LEXICON_HASH_PRIME 0x01000193U
#define KH_LEXICON_HASH_BACK  0x359c449bU /* undoes it */

struct kh_lexicon_hash {
	uint32_t at;   /* word of the table */
	uint64_t bits; /* in it */
};

static inline struct kh_lexicon_hash kh_lexicon_hash_of(uint32_t sum)
{
	uint64_t mixed = (sum + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);

	return (struct kh_lexicon_hash){(uint32_t)(mixed >> 51),
					UINT64_C(1) << (mixed >> 40 & 63) | UINT64_C(1) << (mixed >> 30 & 63)};
}

/* Writes the hashes of the N letters at P, at most KH_LEXICON_HASH_MOST, to RET: N and 1 of them. */
static inline void kh_lexicon_hash_all(const char *p, size_t n, struct kh_lexicon_hash *ret)
{
	uint32_t after[KH_LEXICON_HASH_MOST + 1], power = 1, before = 0;

	/* What is after each letter, as it counts in the whole. */
	after[n] = 0;
	for (size_t i = n; i-- > 0; power *= KH_LEXICON_HASH_PRIME)
		after[i] = after[i + 1] + (unsigned char)p[i] * power;
	ret[n] = kh_lexicon_hash_of(after[0]);
	power = 1;
	for (size_t i = 2; i < n; i++)
		power *= KH_LEXICON_HASH_PRIME;
	/* The letters before I move one place nearer to the end when it is left out. */
	for (size_t i = 0; i < n; i++) {
		ret[i] = kh_lexicon_hash_of(before + after[i + 1]);
		before += (unsigned char)p[i] * power;
		power *= KH_LEXICON_HASH_BACK;
	}
}

#endif
