/* Makes a copy in which what is spelled is itself, lets the copy be overwritten, and overwrites the same in the text. */
#include "base/spelled.h"

#include "base/utf8.h"

/* Reads COUNT hexadecimal digits at AT; -1 if there are not so many. */
static int32_t hex(struct kh_view text, size_t at, size_t count)
{
	int32_t value = 0;

	if (at + count > text.n)
		return -1;
	for (size_t i = 0; i < count; i++) {
		int digit = kh_ascii_hex(text.p[at + i]);
		if (digit < 0)
			return -1;
		value = value * 16 + digit;
	}
	return value;
}

/* "\uXXXX", or two of them that are one character together; returns how many bytes of TEXT, 0 if there is none at AT. */
static size_t read_unicode(struct kh_view text, size_t at, char out[4], size_t *ret_n)
{
	int32_t c = at + 1 < text.n && text.p[at + 1] == 'u' ? hex(text, at + 2, 4) : -1;
	bool pair = c >= 0xd800 && c < 0xdc00 && at + 7 < text.n && text.p[at + 6] == '\\' && text.p[at + 7] == 'u';
	int32_t low = pair ? hex(text, at + 8, 4) : -1;

	if (c < 0)
		return 0;
	if (low >= 0xdc00 && low < 0xe000) {
		*ret_n = kh_utf8_encode(0x10000 + ((uint32_t)(c - 0xd800) << 10) + (uint32_t)(low - 0xdc00), out);
		return 12;
	}
	if (c >= 0xd800 && c < 0xe000)
		return 0;
	*ret_n = kh_utf8_encode((uint32_t)c, out);
	return 6;
}

/* One byte of TEXT, or one character that is spelled as JSON spells it; returns how many bytes of TEXT. */
static size_t read_json(struct kh_view text, size_t at, char out[4], size_t *ret_n)
{
	static const char names[] = "\"\\/bfnrt", plain[] = "\"\\/\b\f\n\r\t";
	const char *name = NULL;
	size_t n = text.p[at] == '\\' ? read_unicode(text, at, out, ret_n) : 0;

	if (n > 0)
		return n;
	if (text.p[at] == '\\' && at + 1 < text.n)
		name = memchr(names, text.p[at + 1], sizeof(names) - 1);
	*ret_n = 1;
	out[0] = name != NULL ? plain[name - names] : text.p[at];
	return name != NULL ? 2 : 1;
}

/* The same, as a URL spells it. */
static size_t read_url(struct kh_view text, size_t at, char out[4], size_t *ret_n)
{
	int32_t c = text.p[at] == '%' ? hex(text, at + 1, 2) : -1;

	*ret_n = 1;
	out[0] = c >= 0 ? (char)(unsigned char)c : text.p[at];
	return c >= 0 ? 3 : 1;
}

typedef size_t read_fn(struct kh_view text, size_t at, char out[4], size_t *ret_n);

static void apply(kh_spelled_fn *fn, const void *context, read_fn *next, char *bytes, size_t n, char *room)
{
	struct kh_view text = kh_view_of(bytes, n);
	size_t copied = 0, k = 0;
	char one[4];

	for (size_t at = 0; at < n; copied += k) {
		at += next(text, at, one, &k);
		memcpy(room + copied, one, k); /* no spelling is shorter than what it spells */
	}
	fn(context, room, copied);
	for (size_t at = 0, i = 0; at < n; i += k) {
		size_t taken = next(text, at, one, &k);
		if (memcmp(room + i, one, k) != 0)
			memset(bytes + at, '*', taken);
		at += taken;
	}
	explicit_bzero(room, copied);
}

void kh_spelled_apply(kh_spelled_fn *fn, const void *context, char *bytes, size_t n, char *room)
{
	fn(context, bytes, n);
	if (memchr(bytes, '\\', n) != NULL)
		apply(fn, context, read_json, bytes, n, room);
	if (memchr(bytes, '%', n) != NULL)
		apply(fn, context, read_url, bytes, n, room);
}
