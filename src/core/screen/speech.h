/*
 * Whether a short text can be an answer or a name (B13).
 *
 * The Reader that answers may be the attacker, so the form of the text is judged, not its meaning: an answer is a
 * phrase or a plain statement; an injection asks for something.  Evidence is structural, and each piece has points: a
 * clause that begins with a verb in the form of an order, a request ("can you"), a question, the second person, words
 * for things that one tells a model or wants from it, words of acting (acting.h), length.  Enough points make a finding.  Text that cannot be read
 * (a long text in a script or language that the lexicon does not cover) does not pass either.  Case never counts,
 * because the attacker can choose it.
 */
#ifndef KH_CORE_SCREEN_SPEECH_H
#define KH_CORE_SCREEN_SPEECH_H

#include "core/screen/mend.h"
#include "core/screen/severity.h"

struct kh_speech {
	const char *code; /* NULL: no finding */
	const char *rule;
	enum kh_severity severity;
};

/* SKELETON is the skeleton of the text.  Linear; a text that is far too long for an answer is not read to its end. */
struct kh_speech kh_speech_judge(struct kh_view skeleton);

/* The same for a text that claims to be a name: it must not have words that do not occur in names. */
struct kh_speech kh_speech_name(struct kh_view skeleton);

/*
 * True if bytes [start, end) of NAME are a surname that is also a word of the rules: "Please" after a given name, and
 * nothing else.
 */
bool kh_speech_is_surname(struct kh_view name, size_t start, size_t end);

/* Judges a text whose spelling was mended: as an answer, and a text that is misspelled throughout is a disguise. */
struct kh_speech kh_speech_mended(const struct kh_mended *mended);

/* The same for a name: two words that matter in orders are enough. */
struct kh_speech kh_speech_mended_name(const struct kh_mended *mended);

#endif
