/* UTF-16.  Trusts no byte. */
#include "worker/text/utf16.h"

#define LOOKED_AT   4096 /* bytes that the guess uses */
#define LEAST       8    /* bytes: fewer are no reason to guess */
#define REPLACEMENT 0xfffd

static uint32_t unit(enum kh_utf16 order, struct kh_view bytes, size_t at)
{
	uint32_t a = (unsigned char)bytes.p[at], b = (unsigned char)bytes.p[at + 1];

	return order == KH_UTF16_LITTLE ? a | b << 8 : a << 8 | b;
}

/* Letters, digits, punctuation, blanks and line ends of ASCII. */
static bool is_plain(uint32_t c)
{
	return (c >= ' ' && c < 0x7f) || (c >= '\t' && c <= '\r');
}

/* True if at least three of four units are plain, and none is NUL. */
static bool looks_like(enum kh_utf16 order, struct kh_view head)
{
	size_t plain = 0, count = head.n / 2;

	for (size_t i = 0; i < count; i++) {
		uint32_t c = unit(order, head, 2 * i);
		if (c == 0)
			return false;
		plain += is_plain(c);
	}
	return 4 * plain >= 3 * count;
}

enum kh_utf16 kh_utf16_find(struct kh_view bytes, size_t *ret_mark)
{
	struct kh_view head = kh_view_sub(bytes, 0, LOOKED_AT);

	*ret_mark = 2;
	if (kh_view_starts(bytes, kh_view_of("\xff\xfe\0", 4)) || kh_view_starts(bytes, kh_view_of("\0\0\xfe\xff", 4)))
		return KH_UTF16_NOT;
	if (kh_view_starts(bytes, KH_LIT("\xff\xfe")))
		return KH_UTF16_LITTLE;
	if (kh_view_starts(bytes, KH_LIT("\xfe\xff")))
		return KH_UTF16_BIG;
	*ret_mark = 0;
	if (bytes.n < LEAST || bytes.n % 2 != 0)
		return KH_UTF16_NOT;
	if (looks_like(KH_UTF16_LITTLE, head))
		return KH_UTF16_LITTLE;
	return looks_like(KH_UTF16_BIG, head) ? KH_UTF16_BIG : KH_UTF16_NOT;
}

void kh_utf16_add(enum kh_utf16 order, struct kh_view bytes, struct kh_buf *out)
{
	size_t at = 0;

	for (; at + 1 < bytes.n; at += 2) {
		uint32_t c = unit(order, bytes, at);
		uint32_t next = at + 3 < bytes.n ? unit(order, bytes, at + 2) : 0;
		bool is_first = c >= 0xd800 && c < 0xdc00, is_half = c >= 0xd800 && c < 0xe000;

		if (is_first && next >= 0xdc00 && next < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (next - 0xdc00);
			at += 2;
		} else if (is_half) {
			c = REPLACEMENT;
		}
		kh_buf_char(out, c);
	}
	if (at < bytes.n)
		kh_buf_char(out, REPLACEMENT);
}
