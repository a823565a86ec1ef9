/* Conversion to UTF-8.  The bytes are hostile; the output is always valid. */
#include "worker/text/recode.h"

#include "base/utf8.h"
#include "worker/text/charset.h"

#include <errno.h>

#define NONE        ((iconv_t)-1)
#define REPLACEMENT 0xfffd

void kh_recode_init(struct kh_recode *recode)
{
	const char *name;

	recode->count = 0;
	while (recode->count < KH_RECODE_CHARSETS && (name = kh_charset_at(recode->count)) != NULL)
		recode->converter[recode->count++] = iconv_open("UTF-8", name);
}

static iconv_t find(const struct kh_recode *recode, const char *charset)
{
	const char *name;

	for (size_t i = 0; i < recode->count && (name = kh_charset_at(i)) != NULL; i++)
		if (strcmp(name, charset) == 0)
			return recode->converter[i];
	return NONE;
}

/* A run of invalid bytes counts as one character, as it is read. */
static void add_utf8(struct kh_view bytes, struct kh_buf *out)
{
	size_t at = 0;

	while (at < bytes.n) {
		struct kh_view rest = kh_view_from(bytes, at);
		size_t bad = kh_utf8_invalid(rest);
		if (bad == SIZE_MAX) {
			kh_buf_add(out, rest);
			return;
		}
		kh_buf_add(out, kh_view_sub(rest, 0, bad));
		kh_buf_char(out, REPLACEMENT);
		for (at += bad + 1; at < bytes.n && ((unsigned char)bytes.p[at] & 0xc0) == 0x80;)
			at++;
	}
}

void kh_recode_add(const struct kh_recode *recode, const char *charset, struct kh_view bytes, struct kh_buf *out)
{
	iconv_t converter = strcmp(charset, "UTF-8") != 0 ? find(recode, charset) : NONE;
	char piece[4096], *in = NULL;

	if (converter == NONE) {
		add_utf8(bytes, out);
		return;
	}
	(void)iconv(converter, NULL, NULL, NULL, NULL);
	memcpy(&in, &bytes.p, sizeof(in)); /* iconv does not write to it */
	for (size_t left = bytes.n; left > 0 && out->err == KH_OK;) {
		char *to = piece;
		size_t room = sizeof(piece), before = left;
		size_t done = iconv(converter, &in, &left, &to, &room);
		int error = errno;
		kh_buf_add(out, kh_view_of(piece, sizeof(piece) - room));
		if (done != (size_t)-1)
			continue;
		if (error == E2BIG && before != left)
			continue;
		/* EILSEQ: invalid in this charset; EINVAL: cut off at the end. */
		kh_buf_char(out, REPLACEMENT);
		in++;
		left--;
	}
}
