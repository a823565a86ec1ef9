/* The words that the screen knows, and what each can be.  The table is lexicon.def. */
#ifndef KH_CORE_SCREEN_LEXICON_H
#define KH_CORE_SCREEN_LEXICON_H

#include "base/view.h"

enum {
	KH_WORD_COMMAND = 1 << 0,
	KH_WORD_MAYBE = 1 << 1,
	KH_WORD_OBJECT = 1 << 2,
	KH_WORD_LINK = 1 << 3,
	KH_WORD_YOU = 1 << 4,
	KH_WORD_SELF = 1 << 5,
	KH_WORD_ASK = 1 << 6,
	KH_WORD_AUX = 1 << 7,
	KH_WORD_META = 1 << 8,
	KH_WORD_SECRET = 1 << 9,
	KH_WORD_PLEA = 1 << 10,
	KH_WORD_ENGLISH = 1 << 11,
	KH_WORD_NAME = 1 << 12,
	KH_WORD_FOREIGN = 1 << 13,
	KH_WORD_PARTICLE = 1 << 14,
	KH_WORD_MODEL = 1 << 15,
};

/*
 * What WORD can be, as a set of the above; 0 if it is not known.  WORD is in lower case, without accents and
 * apostrophes.
 */
unsigned kh_lexicon_find(struct kh_view word);

/*
 * The words in ASCII are a tree, so that words that are nearly the wanted one are found without comparing all.  A node
 * is what words begin with; node 0 is nothing yet.  Goes on from *NODE with letter C.  False if no word does.
 */
bool kh_lexicon_step(uint32_t *node, char c);

/* The letters with which words go on at NODE: bit 0 is 'a'. */
uint32_t kh_lexicon_letters(uint32_t node);

/* What the word that ends at NODE can be, and the word itself; 0 if none ends there. */
unsigned kh_lexicon_word(uint32_t node, struct kh_view *ret_word);

/* False if no word differs from WORD, which is in small ASCII letters, in one letter.  Much faster than to look. */
bool kh_lexicon_may_be_near(struct kh_view word);

/* True if WORD is spelled as it is meant: it is in the table, or a word of its own near one that is. */
bool kh_lexicon_is_spelled(struct kh_view word);

/* Takes the next word off *REST, which is a skeleton: letters and apostrophes.  False if there is none. */
bool kh_lexicon_next(struct kh_view *rest, struct kh_view *ret_word);

/*
 * How much TEXT, a skeleton, reads like language: the number of its words that are known, and of all its words.  Used
 * to tell in which direction a text is meant to be read; at most the first 256 words count.  Letters beside a digit are no
 * word, because order numbers and UUIDs have all kinds of them.
 */
size_t kh_lexicon_known(struct kh_view text, size_t *ret_words);

/* True if the table is sorted and the tree has all its words, as the look-up needs it.  For the tests. */
bool kh_lexicon_is_sorted(void);

#endif
