/*
 * The fifteen formats of category-2 answers (B11).  Each has a grammar, a canonical form and a word limit of its own.
 *
 * Guarantee: the result of a format depends on the answer's meaning, not on how it was written; a canonical form read
 * again gives itself.  Formats decide what is well-formed; the screen finds well-formed text that reads like an
 * instruction (answer.c).
 */
#ifndef KH_CORE_BCP_FORMAT_H
#define KH_CORE_BCP_FORMAT_H

#include "base/arena.h"

enum kh_format {
	KH_FORMAT_PERSON_NAME,
	KH_FORMAT_DATE,
	KH_FORMAT_TIME,
	KH_FORMAT_DATETIME,
	KH_FORMAT_EMAIL,
	KH_FORMAT_PHONE,
	KH_FORMAT_INTEGER,
	KH_FORMAT_NUMBER,
	KH_FORMAT_AMOUNT,
	KH_FORMAT_YES_NO,
	KH_FORMAT_COUNTRY,
	KH_FORMAT_LANGUAGE,
	KH_FORMAT_IDENTIFIER,
	KH_FORMAT_SHORT_LIST,
	KH_FORMAT_SHORT_TEXT,
	KH_FORMAT_COUNT
};

/* How the screen treats an answer of a format. */
enum kh_format_screen {
	KH_FORMAT_SCREEN_CLOSED, /* the grammar leaves no room for a sentence: hidden characters only */
	KH_FORMAT_SCREEN_TOKEN,  /* one token: its parts are read as words */
	KH_FORMAT_SCREEN_NAME,
	KH_FORMAT_SCREEN_TEXT,
};

const char *kh_format_name(enum kh_format format);
bool kh_format_parse(struct kh_view word, enum kh_format *ret_format);

/* The most words that an answer of this format can sensibly have. */
unsigned kh_format_words(enum kh_format format);

enum kh_format_screen kh_format_screen(enum kh_format format);

/*
 * True if an answer of this format is a value and no text.  Digits that only normalising put into its line change the
 * value, so its text must have had none (kh_normalised.raised): 10^6, written with a small six, is not 106.
 */
bool kh_format_is_exact(enum kh_format format);
#define KH_FORMAT_RAISED "a digit is raised, lowered, circled or a fraction, so that the value is not certain"

/*
 * What a time of day says beyond hour and minute (B7).  It comes out only if the question asks for it, because it
 * carries bits.
 */
struct kh_format_detail {
	bool seconds, zone;
};

/*
 * Reads TEXT, which has gone through kh_normalise_text() and is not empty.  True and the canonical form, in the arena;
 * or false and a description of the problem (a static text, so it is safe to show).  Out of memory marks the arena.
 */
bool kh_format_read(enum kh_format format, struct kh_format_detail detail, struct kh_arena *arena, struct kh_view text,
		    struct kh_view *ret_canonical, const char **ret_problem);

#endif
