/* UTF-8, strictly: no surrogates, no overlong forms, nothing past U+10FFFF. */
#ifndef KH_BASE_UTF8_H
#define KH_BASE_UTF8_H

#include "base/view.h"

/* The character at byte AT of V and its length in bytes; 0 if the bytes there are not valid UTF-8 (or AT >= n). */
size_t kh_utf8_decode(struct kh_view v, size_t at, uint32_t *ret_c);

/* Whether a character that is not ASCII can begin with byte C. */
static inline bool kh_utf8_leads(char c)
{
	return (unsigned char)((unsigned char)c - 0xc2) < 0x33;
}

/* Whether one can begin with the two bytes at AT.  Most bytes of a text that is none do not. */
static inline bool kh_utf8_begins(const char *at)
{
	return kh_utf8_leads(at[0]) & (((unsigned char)at[1] & 0xc0) == 0x80);
}

/* Like kh_utf8_decode() for a character at AT that is not ASCII, with four bytes there to be read. */
static inline size_t kh_utf8_decode_wide(const char *at, uint32_t *ret_c)
{
	const unsigned char *p = (const unsigned char *)at;
	uint32_t c;

	if (p[0] < 0xe0) {
		*ret_c = (p[0] & 0x1fU) << 6 | (p[1] & 0x3fU);
		return p[0] >= 0xc2 && (p[1] & 0xc0) == 0x80 ? 2 : 0;
	}
	if (p[0] < 0xf0) {
		c = (p[0] & 0xfU) << 12 | (p[1] & 0x3fU) << 6 | (p[2] & 0x3fU);
		*ret_c = c;
		return (p[1] & 0xc0) == 0x80 && (p[2] & 0xc0) == 0x80 && c >= 0x800 && (c < 0xd800 || c > 0xdfff) ? 3
														  : 0;
	}
	c = (p[0] & 7U) << 18 | (p[1] & 0x3fU) << 12 | (p[2] & 0x3fU) << 6 | (p[3] & 0x3fU);
	*ret_c = c;
	return p[0] < 0xf5 && (p[1] & 0xc0) == 0x80 && (p[2] & 0xc0) == 0x80 && (p[3] & 0xc0) == 0x80 && c >= 0x10000 &&
			       c <= 0x10ffff
		       ? 4
		       : 0;
}

/* Writes C (a valid scalar value) to P, which has room for 4 bytes; the length. */
size_t kh_utf8_encode(uint32_t c, char *p);

/* The offset of the first byte that is not valid, or SIZE_MAX if all of V is. */
size_t kh_utf8_invalid(struct kh_view v);

/* At most MOST bytes of V, which is valid, without cutting a character. */
struct kh_view kh_utf8_cut(struct kh_view v, size_t most);

/* True if all bytes of V are below 128. */
bool kh_utf8_is_ascii(struct kh_view v);

/* The number of characters in V, which is valid. */
size_t kh_utf8_length(struct kh_view v);

/*
 * True for a character that is shown as itself and has no other effect: false for control, format, private-use,
 * unassigned, separator (but the plain space), tag, variation-selector and combining characters.
 */
bool kh_utf8_is_plain(uint32_t c);

/* True for a character that is not shown: control, format, private use, surrogate, unassigned, fillers, selectors. */
bool kh_utf8_is_invisible(uint32_t c);

/* True if V is valid and everything in it can be seen: no invisible character, no white space but the plain space. */
bool kh_utf8_is_visible(struct kh_view v);

/* True for every character with Unicode's White_Space property. */
bool kh_utf8_is_space(uint32_t c);

#endif
