/*
 * Folding.  Input is hostile bytes.  Each character costs one table look-up, and the table (made by
 * tools/prebuild-fold.c from Unicode's data) bounds the output.
 */
#include "core/screen/fold.h"

#include "base/utf8.h"

struct expansion {
	unsigned char n, bytes[4];
};

#include "fold.inc"

#define GROWTH 2 /* bytes out for a byte in: two bytes become four at most */

/* Conjoining Hangul: a leading consonant, a vowel, and optionally a final consonant make one syllable. */
#define LEAD       0x1100U
#define LEADS      19U
#define VOWEL      0x1161U
#define VOWELS     21U
#define FINAL      0x11a7U
#define FINALS     28U
#define SYLLABLE   0xac00U
#define FOLDED_END (sizeof(page_of) * 256)

#define FEW 32 /* bytes, after which there may be plain ASCII again */

struct folder {
	struct kh_view text;
	unsigned char *out;
	uint32_t *origin;
	size_t n, hidden;
	char *unseen;
	size_t unseen_n;
};

static inline void put(struct folder *f, unsigned char byte, size_t from)
{
	if (f->origin != NULL)
		f->origin[f->n] = (uint32_t)from;
	f->out[f->n++] = byte;
}

/* The syllable that begins with the lead C; *AT is after C, and is moved past the characters used. */
static uint32_t compose(struct kh_view text, uint32_t c, size_t *at)
{
	uint32_t vowel, final;
	size_t len = kh_utf8_decode(text, *at, &vowel);

	if (len == 0 || vowel - VOWEL >= VOWELS)
		return c;
	*at += len;
	c = SYLLABLE + ((c - LEAD) * VOWELS + (vowel - VOWEL)) * FINALS;
	len = kh_utf8_decode(text, *at, &final);
	if (len > 0 && final > FINAL && final - FINAL < FINALS) {
		*at += len;
		c += final - FINAL;
	}
	return c;
}

static inline void put_char(struct folder *f, uint32_t c, size_t from)
{
	uint16_t value = c < FOLDED_END ? pages[page_of[c >> 8]][c & 0xff]
			 : c >= 0xe0000 ? KH_FOLD_HIDDEN
					: KH_FOLD_ITSELF;
	if (value >= KH_FOLD_EXPANDED) {
		const struct expansion *e = &expansions[value - KH_FOLD_EXPANDED];
		for (unsigned i = 0; i < e->n; i++)
			put(f, e->bytes[i], from);
	} else if (value == KH_FOLD_ITSELF || (value == KH_FOLD_MARK && f->n > 0 && f->out[f->n - 1] >= 0x80)) {
		put(f, kh_fold_letter(c), from);
	} else if (value > KH_FOLD_HIDDEN) {
		put(f, (unsigned char)value, from);
	} else {
		f->hidden += value == KH_FOLD_HIDDEN;
	}
	if (value == KH_FOLD_HIDDEN || (c >= FOLDED_END && kh_utf8_is_invisible(c)))
		f->unseen_n += kh_utf8_encode(c, f->unseen + f->unseen_n);
}

/* Copies ASCII from AT on, eight bytes at a time; returns where it ends. */
static size_t put_ascii(struct folder *f, size_t at)
{
	const uint64_t high = UINT64_C(0x8080808080808080);
	uint64_t word;

	while (at + 8 <= f->text.n) {
		memcpy(&word, f->text.p + at, 8);
		/* Stop at bytes from 127 on and below a blank, because they are handled one by one. */
		if ((word & high) != 0 || ((word - UINT64_C(0x2020202020202020)) & ~word & high) != 0 ||
		    ((word + UINT64_C(0x0101010101010101)) & high) != 0)
			break;
		memcpy(f->out + f->n, &word, 8);
		for (unsigned i = 0; f->origin != NULL && i < 8; i++)
			f->origin[f->n + i] = (uint32_t)(at + i);
		f->n += 8;
		at += 8;
	}
	return at;
}

/*
 * Folds up to FEW bytes from AT on that are one character each, or none, without a branch for each: ASCII, and what no
 * character begins with.  Returns where they end.
 */
static size_t put_bytes(struct folder *f, size_t at)
{
	const uint16_t *ascii = pages[page_of[0]];
	const unsigned char *in = (const unsigned char *)f->text.p;
	size_t end = f->text.n - at > FEW ? at + FEW : f->text.n, n = f->n, unseen = f->unseen_n;

	for (; at < end && !kh_utf8_leads((char)in[at]); at++) {
		uint16_t value = (uint16_t)(ascii[in[at] & 0x7f] & (0U - (in[at] < 0x80))); /* KH_FOLD_NOTHING is 0 */
		f->out[n] = (unsigned char)value;
		if (f->origin != NULL)
			f->origin[n] = (uint32_t)at;
		f->unseen[unseen] = (char)in[at];
		n += value > KH_FOLD_HIDDEN;
		unseen += value == KH_FOLD_HIDDEN;
	}
	f->n = n;
	f->hidden += unseen - f->unseen_n;
	f->unseen_n = unseen;
	return at;
}

enum kh_err kh_fold_text(struct kh_arena *arena, struct kh_view text, bool origin, struct kh_folded *ret)
{
	struct folder f = {.text = text};

	if (text.n >= UINT32_MAX / GROWTH - 16)
		return KH_ELIMIT;
	f.out = kh_arena_alloc(arena, text.n * GROWTH + 16);
	if (origin)
		f.origin = KH_NEW_N(arena, uint32_t, text.n * GROWTH + 16);
	f.unseen = kh_arena_alloc(arena, text.n + 1);
	if (f.out == NULL || f.unseen == NULL || (origin && f.origin == NULL))
		return KH_ENOMEM;
	for (size_t at = 0; at < text.n;) {
		uint32_t c;
		if (!kh_utf8_leads(text.p[at])) {
			at = put_bytes(&f, put_ascii(&f, at));
			continue;
		}
		size_t from = at,
		       len = text.n - at >= 4 ? kh_utf8_decode_wide(text.p + at, &c) : kh_utf8_decode(text, at, &c);
		at += len > 0 ? len : 1;
		if (len == 0)
			continue;
		if (c - LEAD < LEADS)
			c = compose(text, c, &at);
		put_char(&f, c, from);
	}
	if (origin)
		f.origin[f.n] = (uint32_t)text.n;
	*ret = (struct kh_folded){kh_view_of((const char *)f.out, f.n), f.origin, f.hidden,
				  kh_view_of(f.unseen, f.unseen_n)};
	return KH_OK;
}

size_t kh_fold_char(uint32_t c, char *out, size_t room)
{
	unsigned char bytes[4];
	char unseen[4];
	struct folder f = {.out = bytes, .unseen = unseen};
	size_t n = 0;

	put_char(&f, c, 0);
	for (; n < f.n && n < room; n++)
		out[n] = kh_ascii_lower((char)bytes[n]);
	return n;
}

/* ---- squeezing ---- */

#define LETTERS(c) [c] = (c), [(c)-32] = (c)
/* The digits stay distinct; i, l and 1 become the same. */
#define LETTERS_AND_DIGITS                                                                                        \
	LETTERS('a'), LETTERS('b'), LETTERS('c'), LETTERS('d'), LETTERS('e'), LETTERS('f'), LETTERS('g'),         \
		LETTERS('h'), LETTERS('j'), LETTERS('k'), LETTERS('l'), LETTERS('m'), LETTERS('n'), LETTERS('o'), \
		LETTERS('p'), LETTERS('q'), LETTERS('r'), LETTERS('s'), LETTERS('t'), LETTERS('u'), LETTERS('v'), \
		LETTERS('w'), LETTERS('x'), LETTERS('y'),                                                         \
		LETTERS('z'), ['i'] = 'l', ['I'] = 'l', ['0'] = 'o', ['1'] = 'l', ['2'] = 'z', ['3'] = 'e',       \
			      ['4'] = 'a', ['5'] = 's', ['6'] = '6', ['7'] = 't', ['8'] = 'b', ['9'] = 'g',       \
			      HIGH16(0x80), HIGH16(0x90), HIGH16(0xa0), HIGH16(0xb0), HIGH16(0xc0), HIGH16(0xd0), \
			      HIGH16(0xe0), HIGH16(0xf0)
#define HIGH4(c)  [c] = (c), [(c) + 1] = (c) + 1, [(c) + 2] = (c) + 2, [(c) + 3] = (c) + 3
#define HIGH16(c) HIGH4(c), HIGH4((c) + 4), HIGH4((c) + 8), HIGH4((c) + 12)

const unsigned char kh_fold_plain[256] = {LETTERS_AND_DIGITS};
const unsigned char kh_fold_signs[256] = {
	LETTERS_AND_DIGITS, ['@'] = 'a', ['$'] = 's', ['!'] = 'l', ['|'] = 'l', ['+'] = 't'};

bool kh_fold_is_sign(struct kh_view folded, size_t at)
{
	char c = folded.p[at];
	bool begins = at == 0 || folded.p[at - 1] == ' ';
	bool ends = at + 1 == folded.n || folded.p[at + 1] == ' ';

	if (kh_fold_plain[(unsigned char)c] != 0 || kh_fold_signs[(unsigned char)c] == 0)
		return kh_fold_plain[(unsigned char)c] == 0;
	if (c == '!')
		return !begins && (ends || folded.p[at + 1] == '!');
	return begins && ends && c != '@';
}

size_t kh_fold_squeeze(const unsigned char map[256], const char *p, size_t n, char *out)
{
	const unsigned char *in = (const unsigned char *)p;
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = map[in[i]];
		out[k] = (char)c;
		k += c != 0;
	}
	return k;
}
