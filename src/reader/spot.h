/*
 * Where a question looks: the words that it goes by, found in the text, and how near a candidate stands to them.
 *
 * A question's words count less the more often the text has them; a word before the candidate counts more than one
 * behind it, one in the same sentence more than one outside, and a label ("Due:") most of all.
 */
#ifndef KH_READER_SPOT_H
#define KH_READER_SPOT_H

#include "reader/cue.h"
#include "reader/mail.h"

#define KH_SPOT_CUES 24

struct kh_spot_hit {
	uint32_t token;
	uint16_t cue;
	uint8_t weight;
	bool label; /* a colon follows */
};

struct kh_spot {
	struct kh_arena *arena;
	const struct kh_tokens *tokens;
	const struct kh_mail *mail;
	struct kh_tokens question;
	struct kh_cue_set set;
	size_t cues, specific;         /* the question's words; those of them that are not general */
	uint32_t counts[KH_SPOT_CUES]; /* how often the text has each */
	struct kh_spot_hit *hits;
	size_t hit_count;
	size_t low;       /* hits before this one are too far back */
	bool begin, last; /* it asks for a beginning: "start", "open"; for an end: "until", "close" */
	unsigned budget;  /* candidates that may still be looked at closely: no honest text has more */
};

/* Finds QUESTION's words.  Out of memory marks the arena. */
void kh_spot_init(struct kh_spot *spot, struct kh_arena *arena, const struct kh_tokens *tokens,
		  const struct kh_mail *mail, struct kh_view question);

/* True where the question has one of WORDS, lower case, separated by '|'; "sender's" is "sender". */
bool kh_spot_asks(const struct kh_spot *spot, struct kh_view words);

/* Whether it asks for who sent the text, or for whom it was sent to. */
bool kh_spot_asks_sender(const struct kh_spot *spot);
bool kh_spot_asks_recipient(const struct kh_spot *spot);

/* How well tokens FIRST to LAST fit; 0 where no word of the question is near.  Calls come in the order of FIRST. */
int kh_spot_score(struct kh_spot *spot, size_t first, size_t last);

/* A candidate: begins at token I or around it.  *RET_BONUS is what speaks for it besides its place. */
typedef bool kh_spot_candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus);

/*
 * The best candidate of all, the first where several are.  False where there is none, and where there are several and
 * nothing says which: no word of the question is near to any, though it has some.
 */
bool kh_spot_best(struct kh_spot *spot, kh_spot_candidate *candidate, struct kh_range *ret_range);

#endif
