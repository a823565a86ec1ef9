/*
 * The parts of a text that mean the same wherever they stand: URLs, hosts, e-mail addresses and numbers of six digits
 * or more (K7).  Works on folded text (fold.h) of any case; finds generously, since a token counts only when two texts
 * share it.
 */
#ifndef KH_CORE_BLOCK_TOKEN_H
#define KH_CORE_BLOCK_TOKEN_H

#include "base/view.h"

enum kh_token_kind { KH_TOKEN_URL, KH_TOKEN_HOST, KH_TOKEN_ADDRESS, KH_TOKEN_NUMBER, KH_TOKEN_COUNT };

#define KH_TOKEN_DIGITS 64   /* of a number that are compared */
#define KH_TOKEN_KEY    2304 /* bytes of a key */

struct kh_token {
	enum kh_token_kind kind;
	size_t start, end;  /* bytes of the text */
	struct kh_view key; /* as it stands there, but a number's digits alone.  Valid until the next call */
};

struct kh_token_scan {
	struct kh_view text;
	bool wanted[KH_TOKEN_COUNT];
	size_t at[KH_TOKEN_COUNT]; /* where each kind goes on */
	size_t host_from;          /* hosts begin here or later */
	struct kh_token pending;   /* the host of the URL that was given last */
	bool has_pending;
	size_t number_start, number_end, groups; /* the number that is being put together */
	size_t digit_count;
	char digits[KH_TOKEN_DIGITS];
};

/* WANTED: which kinds to look for. */
void kh_token_begin(struct kh_token_scan *scan, struct kh_view text, const bool wanted[KH_TOKEN_COUNT]);

/* The next token, in no order; false when there are no more.  Linear in the text over all calls. */
bool kh_token_next(struct kh_token_scan *scan, struct kh_token *ret_token);

/*
 * What TOKEN is compared by: lower case, without a URL's last slash, a host's "www.", its port and its last dot, and
 * with Punycode undone and folded.  Its length, at most KH_TOKEN_KEY.
 */
size_t kh_token_key(const struct kh_token *token, char ret_key[KH_TOKEN_KEY]);

#endif
