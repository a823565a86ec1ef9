/*
 * An upstream's elicitation (U3): a server asks a human for something in the middle of a call.  What it sends is hostile,
 * and what the human enters goes to it.  So only a flat form passes: at most KH_ELICITATION_FIELDS fields, each a boolean,
 * one of listed values, a number within bounds, or a text of bounded length.  A URL to open, a field that asks for a
 * secret, and every member that is not known here refuse all of it.
 */
#ifndef KH_CORE_COMM_ELICITATION_H
#define KH_CORE_COMM_ELICITATION_H

#include "base/canonical.h"
#include "base/tainted.h"
#include "base/words.h"

#define KH_ELICITATION_PARAMS  (64U << 10) /* bytes of a request; with more it is refused without being read */
#define KH_ELICITATION_FIELDS  16
#define KH_ELICITATION_MESSAGE 4096        /* bytes */
#define KH_ELICITATION_WORDS   1024        /* bytes of a title or a description */
#define KH_ELICITATION_CHOICES 64          /* values to choose from */
#define KH_ELICITATION_CHOICE  256         /* bytes of one */
#define KH_ELICITATION_LENGTH  1024        /* characters of a text that is entered */
#define KH_ELICITATION_VALUES  (32U << 10) /* bytes of all that is entered, as JSON */

/* What becomes of one; the words are those of the protocol. */
enum kh_elicited {
	KH_ELICITED_WAITS, /* "wait": a human has not decided */
	KH_ELICITED_ACCEPT,
	KH_ELICITED_DECLINE,
	KH_ELICITED_CANCEL,
};
extern const struct kh_words kh_elicitation_words;

struct kh_elicitation {
	struct kh_view text;   /* what the human reads: the server's words behind bars or quoted, and the fields */
	struct kh_view schema; /* canonical JSON Schema that all that is entered has to fit */
	size_t needed;         /* fields that have to be there */
};

/*
 * Reads PARAMS, of a request elicitation/create.  KH_EREFUSED `elicitation_url`, `elicitation_secret` or
 * `elicitation_unfit`, with a sentence: it is declined.
 */
enum kh_err kh_elicitation_read(struct kh_arena *arena, struct kh_tainted params,
				struct kh_elicitation *ret_elicitation, struct kh_error *err) KH_CHECKED;

/*
 * What a human entered, VALUES (a JSON object), in canonical form and with the types of SCHEMA: a number or boolean may
 * be given as a text, as a command line has it.  Whether it fits SCHEMA is the caller's to check.  KH_EINPUT if it is not
 * an object, KH_ELIMIT `too_long` if it has more than KH_ELICITATION_VALUES bytes.
 */
enum kh_err kh_elicitation_values(struct kh_arena *arena, struct kh_view schema, struct kh_tainted values,
				  struct kh_view *ret_values, struct kh_error *err) KH_CHECKED;

#endif
