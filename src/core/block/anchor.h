/*
 * Anchors: the parts of a text that mean the same in any context, which are URLs, hosts, e-mail addresses and numbers
 * of six digits or more (K7).  Works on folded text (fold.h) of any case.  It may find too many, because an anchor
 * counts only if two texts share it.
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
	struct kh_view key; /* as in the text, but only the digits of a number.  Valid until the next call */
};

struct kh_anchor_scan {
	struct kh_view text;
	bool wanted[KH_ANCHOR_COUNT];
	size_t at[KH_ANCHOR_COUNT]; /* where the scan for each kind continues */
	size_t host_from;           /* hosts begin here or later */
	struct kh_anchor pending;   /* the host of the last URL found */
	bool has_pending;
	size_t number_start, number_end, groups; /* the number that is being assembled */
	size_t digit_count;
	char digits[KH_ANCHOR_DIGITS];
};

/* WANTED: which kinds to look for. */
void kh_anchor_begin(struct kh_anchor_scan *scan, struct kh_view text, const bool wanted[KH_ANCHOR_COUNT]);

/* The next anchor, in no particular order; false if there are no more.  Linear in the text over all calls. */
bool kh_anchor_next(struct kh_anchor_scan *scan, struct kh_anchor *ret_anchor);

/*
 * The key by which ANCHOR is compared: lower case, without a URL's last slash, a host's "www.", its port and its last
 * dot, and with Punycode decoded and folded.  Returns its length, at most KH_ANCHOR_KEY.
 */
size_t kh_anchor_key(const struct kh_anchor *anchor, char ret_key[KH_ANCHOR_KEY]);

#endif
