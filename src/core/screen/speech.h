/*
 * Whether a short text can be an answer or a name (B13).
 *
 * The Reader that answers may be the attacker, so the question is not what the text means but what it is: an answer is
 * a phrase or a plain statement; an injection asks for something.  Evidence is structural, and each piece has points:
 * a clause that begins with a verb in the form of an order, a request ("can you"), a question, the second person, words
 * for what one talks to a model about or wants from it, length.  Enough points make a finding.  What cannot be read (a
 * long text in a script or language that the lexicon does not cover) is not waved through either.  Case is the
 * attacker's to choose and never counts.
 */
#ifndef KH_CORE_SCREEN_SPEECH_H
#define KH_CORE_SCREEN_SPEECH_H

#include "core/screen/severity.h"

struct kh_speech {
	const char *code; /* NULL: nothing against it */
	const char *rule;
	enum kh_severity severity;
};

/* SKELETON is the text's.  Linear; what is far too long for an answer is not read to its end. */
struct kh_speech kh_speech_judge(struct kh_view skeleton);

/* FOLDED is the text in lower case without accents, look-alikes as they are: judges by scripts. */
struct kh_speech kh_speech_script(struct kh_view folded);

/* The same two for a text that claims to be a name: no word in it may be one that names do not have. */
struct kh_speech kh_speech_name(struct kh_view skeleton);
struct kh_speech kh_speech_name_script(struct kh_view folded);

#endif
