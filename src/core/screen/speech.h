/*
 * Whether a short text can be an answer or a name (B13).
 *
 * The Reader that answers may be the attacker, so the form of the text is judged, not its meaning: an answer is a
 * phrase or a plain statement; an injection asks for something.  Evidence is structural, and each piece has points: a
 * clause that begins with a verb in the form of an order, a request ("can you"), a question, the second person, words
 * for things that one tells a model or wants from it, length.  Enough points make a finding.  Text that cannot be read
 * (a long text in a script or language that the lexicon does not cover) does not pass either.  Case never counts,
 * because the attacker can choose it.
 */
#ifndef KH_CORE_SCREEN_SPEECH_H
#define KH_CORE_SCREEN_SPEECH_H

#include "core/screen/severity.h"

struct kh_speech {
	const char *code; /* NULL: no finding */
	const char *rule;
	enum kh_severity severity;
};

/* SKELETON is the skeleton of the text.  Linear; a text that is far too long for an answer is not read to its end. */
struct kh_speech kh_speech_judge(struct kh_view skeleton);

/* Judges by scripts.  FOLDED is the text in lower case without accents, with look-alikes as they are. */
struct kh_speech kh_speech_script(struct kh_view folded);

/* The same two for a text that claims to be a name: it must not have words that do not occur in names. */
struct kh_speech kh_speech_name(struct kh_view skeleton);
struct kh_speech kh_speech_name_script(struct kh_view folded);

#endif
