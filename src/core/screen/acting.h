/*
 * Words of acting (B13): what an agent can be made to do with accounts, data, people and guards.  With an object these
 * are an order also if none of the words is about the model: "skip verification", "pay mallory 500".
 */
#ifndef KH_CORE_SCREEN_ACTING_H
#define KH_CORE_SCREEN_ACTING_H

#include "base/view.h"

enum {
	KH_ACTING_VERB = 1 << 0,  /* in the form of an order */
	KH_ACTING_NOUN = 1 << 1,  /* the same word is a noun, too ("visit"), or one that titles begin with */
	KH_ACTING_FORM = 1 << 2,  /* another form of such a verb: "pays", "paid", "paying" */
	KH_ACTING_DEED = 1 << 3,  /* a noun that says what is done, or to what: "verification", "passwd" */
	KH_ACTING_NEED = 1 << 4,  /* says that something is to be done: "must", "necessary", "todo" */
	KH_ACTING_SOON = 1 << 5,  /* and when: "now", "today" */
	KH_ACTING_WHOM = 1 << 6,  /* who is to do it: "agent", "assistants" */
	KH_ACTING_GIVE = 1 << 7,  /* with a verb, one of its forms or its noun: something is given away */
	KH_ACTING_OTHER = 1 << 8, /* with a verb: of another language than English */
	KH_ACTING_SIGN = 1 << 9,  /* a character that is spelled out, as in hosts and paths: "dot", "slash" */
};

/* What WORD, in lower case and without accents, is for acting; 0 if nothing.  A form of a verb has NOUN and GIVE of the verb. */
unsigned kh_acting_find(struct kh_view word);

/* True if the table is sorted, as the look-up needs it.  For the tests. */
bool kh_acting_is_sorted(void);

#endif
