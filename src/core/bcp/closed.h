/*
 * Closed lists: tables of names, each with its codes and other names; an answer is looked up in them (SPEC B11).  The
 * result is always the table's own spelling, so an answer from a closed list says which row it is, and nothing else.
 */
#ifndef KH_CORE_BCP_CLOSED_H
#define KH_CORE_BCP_CLOSED_H

#include "base/view.h"

/* The longest key; longer text is not in any list. */
#define KH_CLOSED_KEY_MAX 96

struct kh_closed_row {
	struct kh_view name;  /* as it is delivered */
	struct kh_view codes; /* separated by '|' */
	struct kh_view also;  /* keys, separated by '|'; "x of y" also means "y x of" */
};

#define KH_CLOSED_ROW(name, codes, also) {KH_LIT_INIT(name), KH_LIT_INIT(codes), KH_LIT_INIT(also)},

/* The same row as a part of a list's `keys`. */
#define KH_CLOSED_KEYS(name, codes, also) "|" codes "|" also "|\n"

struct kh_closed_list {
	const struct kh_closed_row *rows;
	size_t count;
	struct kh_view words; /* codes that are not accepted because they are words, separated by '|' */
	struct kh_view keys;  /* codes and other names of all rows, so that most texts need one search */
};

/*
 * Reduces TEXT, a skeleton (kh_normalise_skeleton), to a key in OUT: ASCII in lower case; full stops and apostrophes
 * dropped; commas, brackets, hyphens and slashes become blanks; "&" becomes the word "and"; the word "the" dropped;
 * single blanks between words and none at the ends.  Returns the key's length; 0 if nothing is left or there is no
 * room.
 */
size_t kh_closed_reduce(struct kh_view text, char out[static KH_CLOSED_KEY_MAX]);

/* True if KEY is one of KEYS, or the inverted form of one ("iran islamic republic of"). */
bool kh_closed_claims(struct kh_view keys, struct kh_view key);

/* Looks TEXT, a skeleton, up in LIST by name, code or other name. */
bool kh_closed_find(const struct kh_closed_list *list, struct kh_view text, struct kh_view *ret_name);

#endif
