/*
 * Cues: the words to look for in a text to answer a question or a field.
 *
 * A word counts by its stem ("charged", "charges" and "charge" are one), and a stem also stands for its group of the
 * list (cues.txt): a question about what is urgent also looks for "asap".  A cue set is a small table from stems to
 * their cues, so that one pass over a text serves every field at once.
 */
#ifndef KH_READER_CUE_H
#define KH_READER_CUE_H

#include "base/arena.h"

/* A number for the stem of WORD, an English word in any case; never 0. */
uint32_t kh_cue_stem(struct kh_view word);

/* True for words that carry no meaning of their own: "the", "is", "does", "which". */
bool kh_cue_is_empty(uint32_t stem);

/* True for words that name the text itself or its parts: "mail", "message", "mentioned". */
bool kh_cue_is_general(uint32_t stem);

#define KH_CUE_OWN  4 /* weight of the word itself */
#define KH_CUE_NEAR 2 /* weight of another word of its group */

struct kh_cue {
	uint32_t stem;
	uint16_t owner, cue; /* their meaning is up to the caller */
	uint8_t weight;
	uint32_t next; /* the next one of the same stem, from 1; 0: none */
};

struct kh_cue_set {
	struct kh_arena *arena;
	struct kh_cue *cues;
	size_t n, cap;
	uint32_t *slots; /* index in cues from 1; 0: free */
	size_t mask;
};

/* An empty set with room for about ROOM words and their groups; it grows if that is not enough. */
void kh_cue_init(struct kh_cue_set *set, struct kh_arena *arena, size_t room);

/* Adds STEM alone, or with its groups.  Out of memory marks the arena. */
void kh_cue_add(struct kh_cue_set *set, uint32_t stem, size_t owner, size_t cue, unsigned weight);
void kh_cue_add_group(struct kh_cue_set *set, uint32_t stem, size_t owner, size_t cue);

/* The first cue of STEM, or NULL; and the next one of the same stem. */
const struct kh_cue *kh_cue_find(const struct kh_cue_set *set, uint32_t stem);
static inline const struct kh_cue *kh_cue_next(const struct kh_cue_set *set, const struct kh_cue *cue)
{
	return cue->next ? &set->cues[cue->next - 1] : NULL;
}

#endif
