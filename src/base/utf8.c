/* UTF-8 decoding and the few character classes that all other files use.  All input is hostile. */
#include "base/utf8.h"

#include <utf8proc.h>

size_t kh_utf8_decode(struct kh_view v, size_t at, uint32_t *ret_c)
{
	if (at >= v.n)
		return 0;
	const unsigned char *p = (const unsigned char *)v.p + at;
	size_t left = v.n - at;

	if (p[0] < 0x80) {
		*ret_c = p[0];
		return 1;
	}
	size_t len = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || len > left)
		return 0;
	uint32_t c = p[0] & (0x7fU >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3fU);
	}
	if ((len == 3 && c < 0x800) || (len == 4 && (c < 0x10000 || c > 0x10ffff)) || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*ret_c = c;
	return len;
}

size_t kh_utf8_encode(uint32_t c, char *p)
{
	unsigned char *u = (unsigned char *)p;

	if (c < 0x80) {
		u[0] = (unsigned char)c;
		return 1;
	}
	size_t len = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
	for (size_t i = len - 1; i > 0; i--) {
		u[i] = (unsigned char)(0x80 | (c & 0x3f));
		c >>= 6;
	}
	u[0] = (unsigned char)(lead[len] | c);
	return len;
}

struct kh_view kh_utf8_cut(struct kh_view v, size_t most)
{
	while (v.n > most && most > 0 && ((unsigned char)v.p[most] & 0xc0) == 0x80)
		most--;
	return kh_view_sub(v, 0, most);
}

bool kh_utf8_is_ascii(struct kh_view v)
{
	uint64_t any = 0;
	size_t i = 0;

	for (; i + 8 <= v.n; i += 8) {
		uint64_t word;
		memcpy(&word, v.p + i, 8);
		any |= word;
	}
	for (; i < v.n; i++)
		any |= (unsigned char)v.p[i];
	return (any & 0x8080808080808080U) == 0;
}

size_t kh_utf8_invalid(struct kh_view v)
{
	if (kh_utf8_is_ascii(v))
		return SIZE_MAX;
	for (size_t at = 0; at < v.n;) {
		uint32_t c;
		size_t len = kh_utf8_decode(v, at, &c);
		if (len == 0)
			return at;
		at += len;
	}
	return SIZE_MAX;
}

size_t kh_utf8_length(struct kh_view v)
{
	size_t count = 0;

	for (size_t i = 0; i < v.n; i++)
		count += ((unsigned char)v.p[i] & 0xc0) != 0x80;
	return count;
}

#define BIT(category) (1U << UTF8PROC_CATEGORY_##category)
#define INVISIBLE     (BIT(CC) | BIT(CF) | BIT(CO) | BIT(CS) | BIT(CN))
#define SEPARATORS    (BIT(ZS) | BIT(ZL) | BIT(ZP))
#define MARKS         (BIT(MN) | BIT(MC) | BIT(ME))

static bool in_categories(uint32_t c, unsigned set)
{
	return (set >> utf8proc_category((utf8proc_int32_t)c) & 1) != 0;
}

bool kh_utf8_is_invisible(uint32_t c)
{
	if (c < 0x7f)
		return c < 0x20;
	/* Fillers and selectors that Unicode calls letters, marks or symbols. */
	if (c == 0x115f || c == 0x1160 || c == 0x3164 || c == 0xffa0 || c == 0x034f || c == 0x17b4 || c == 0x17b5 ||
	    c == 0x2800 || (c >= 0x180b && c <= 0x180f) || (c >= 0xfe00 && c <= 0xfe0f) ||
	    (c >= 0xe0000 && c <= 0xe0fff))
		return true;
	return in_categories(c, INVISIBLE);
}

bool kh_utf8_is_plain(uint32_t c)
{
	if (c < 0x7f)
		return c >= 0x20;
	if (kh_utf8_is_invisible(c))
		return false;
	return !in_categories(c, SEPARATORS | MARKS);
}

bool kh_utf8_is_space(uint32_t c)
{
	return (c >= 0x09 && c <= 0x0d) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
	       (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

bool kh_utf8_is_visible(struct kh_view v)
{
	uint32_t c;
	size_t len;

	for (size_t at = 0; at < v.n; at += len) {
		len = kh_utf8_decode(v, at, &c);
		if (len == 0 || kh_utf8_is_invisible(c) || (kh_utf8_is_space(c) && c != ' '))
			return false;
	}
	return true;
}
