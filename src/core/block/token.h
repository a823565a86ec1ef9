/*
 * The parts of a text that mean the same wherever they stand: URLs, hosts, e-mail addresses and numbers of six digits
 * or more (K7).  Works on normalised text (lower case); finds generously, since a token counts only when two texts
 * share it.
 */
#ifndef KH_CORE_BLOCK_TOKEN_H
#define KH_CORE_BLOCK_TOKEN_H

#include "base/view.h"

enum kh_token_kind { KH_TOKEN_URL, KH_TOKEN_HOST, KH_TOKEN_ADDRESS, KH_TOKEN_NUMBER };

#define KH_TOKEN_DIGITS 64 /* of a number that are compared */

struct kh_token {
	enum kh_token_kind kind;
	size_t start, end;  /* bytes of the text */
	struct kh_view key; /* what is compared: without a URL's last slash, a number's separators.  Borrowed from the
			     * text or from the scan; valid until the next call */
};

struct kh_token_scan {
	struct kh_view text;
	size_t at[KH_TOKEN_NUMBER + 1]; /* where each kind goes on */
	struct kh_token pending;        /* the host of the URL that was given last */
	bool has_pending;
	size_t number_start, number_end, groups; /* the number that is being put together */
	size_t digit_count;
	char digits[KH_TOKEN_DIGITS];
};

void kh_token_begin(struct kh_token_scan *scan, struct kh_view text);

/* The next token, in no order; false when there are no more.  Linear in the text over all calls. */
bool kh_token_next(struct kh_token_scan *scan, struct kh_token *ret_token);

#endif
