/*
 * The parts of a text that mean the same wherever they stand: URLs, hosts, e-mail addresses and numbers of six digits
 * or more (K7).  Works on folded text (fold.h) of any case; finds generously, since an anchor counts only when two texts
 * share it.
 */
#ifndef KH_CORE_BLOCK_ANCHOR_H
#define KH_CORE_BLOCK_ANCHOR_H

#include "base/view.h"

enum kh_anchor_kind { KH_ANCHOR_URL, KH_ANCHOR_HOST, KH_ANCHOR_ADDRESS, KH_ANCHOR_NUMBER, KH_ANCHOR_COUNT };

#define KH_ANCHOR_DIGITS 64   /* of a number that are compared */
#define KH_ANCHOR_KEY    2304 /* bytes of a key */

struct kh_anchor {
	enum kh_anchor_kind kind;
	size_t start, end;  /* bytes of the text */
	struct kh_view key; /* as it stands there, but a number's digits alone.  Valid until the next call */
};

struct kh_anchor_scan {
	struct kh_view text;
	bool wanted[KH_ANCHOR_COUNT];
	size_t at[KH_ANCHOR_COUNT]; /* where each kind goes on */
	size_t host_from;           /* hosts begin here or later */
	struct kh_anchor pending;   /* the host of the URL that was given last */
	bool has_pending;
	size_t number_start, number_end, groups; /* the number that is being put together */
	size_t digit_count;
	char digits[KH_ANCHOR_DIGITS];
};

/* WANTED: which kinds to look for. */
void kh_anchor_begin(struct kh_anchor_scan *scan, struct kh_view text, const bool wanted[KH_ANCHOR_COUNT]);

/* The next anchor, in no order; false when there are no more.  Linear in the text over all calls. */
bool kh_anchor_next(struct kh_anchor_scan *scan, struct kh_anchor *ret_anchor);

/*
 * What TOKEN is compared by: lower case, without a URL's last slash, a host's "www.", its port and its last dot, and
 * with Punycode undone and folded.  Its length, at most KH_ANCHOR_KEY.
 */
size_t kh_anchor_key(const struct kh_anchor *anchor, char ret_key[KH_ANCHOR_KEY]);

#endif
