/*
 * Scores candidates for a question: finds the question's words in the text, and measures how near a candidate is to
 * them.
 *
 * A question's words count less the more often the text has them.  A word before the candidate counts more than one
 * after it, one in the same sentence more than one outside, and a label ("Due:") most of all.
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
	struct kh_view asked; /* the question, and its tokens */
	struct kh_tokens question;
	struct kh_cue_set set;
	size_t cues, specific;         /* the question's words; those of them that are not general */
	uint32_t counts[KH_SPOT_CUES]; /* how often the text has each */
	struct kh_spot_hit *hits;
	size_t hit_count;
	size_t low;         /* hits before this one are too far back */
	unsigned max_words; /* of an answer; the caller sets it */
	bool begin, last;   /* it asks for a beginning: "start", "open"; for an end: "until", "close" */
	unsigned budget;    /* candidates that may still be examined closely: no honest text has more */
};

/* Finds QUESTION's words.  Out of memory marks the arena. */
void kh_spot_init(struct kh_spot *spot, struct kh_arena *arena, const struct kh_tokens *tokens,
		  const struct kh_mail *mail, struct kh_view question);

/* True if the question has one of WORDS, lower case, separated by '|'; "sender's" is "sender". */
bool kh_spot_asks(const struct kh_spot *spot, struct kh_view words);

/* True if it asks who sent the text, or whom it was sent to. */
bool kh_spot_asks_sender(const struct kh_spot *spot);
bool kh_spot_asks_recipient(const struct kh_spot *spot);

/* How well tokens FIRST to LAST fit; 0 if no word of the question is near.  Calls must be in the order of FIRST. */
int kh_spot_score(struct kh_spot *spot, size_t first, size_t last);

/* A candidate that begins at token I or around it.  *RET_BONUS is its score besides its position. */
typedef bool kh_spot_candidate(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus);

/*
 * The best candidate, the first if several are equal.  False if there is none, or if there are several and nothing says
 * which: no word of the question is near any of them, though the question has some.
 */
bool kh_spot_best(struct kh_spot *spot, kh_spot_candidate *candidate, struct kh_range *ret_range);

/* The answer to the question, in the form of one format; false if the text has none.  Out of memory marks the arena. */
typedef bool kh_spot_finder(struct kh_spot *spot, struct kh_view *ret_text);

/* A finder's work if the answer is the best candidate as the text writes it. */
bool kh_spot_take(struct kh_spot *spot, kh_spot_candidate *candidate, struct kh_view *ret_text);

#endif
