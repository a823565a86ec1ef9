/*
 * Encodings of whole texts.  Input is hostile.  A candidate is any run of the alphabet's characters that is long
 * enough; only the decoded bytes show whether it was encoded text.  Account numbers, hashes and identifiers decode to
 * bytes that are not text: the chance that twelve random bytes are all printable is one in a hundred thousand.
 */
#include "core/screen/decode.h"

#include "base/buf.h"
#include "base/utf8.h"

#include <utf8proc.h>

#define RUN_MIN     16 /* characters of base64, base32 or hexadecimal */
#define PAIRS_MIN   8  /* hexadecimal bytes with separators */
#define NUMBERS_MIN 8  /* decimal or binary character codes */
#define NUMBER_MAX  32 /* digits that order numbers and the like do not have */
#define LINE_MIN    60 /* a line of base64 this long continues on the next one */
#define FIRST       64 /* characters of a run that are decoded first, to see whether to decode the rest */
#define SLASHES_MAX 4  /* of a run after which encoded text may begin */
#define SEGMENT_MAX 16 /* characters of a segment of encoded text */
#define SEGMENTS    4  /* fewest of them */
#define SHIFTED_MIN 24 /* a run this long is also tried without its first characters */

/*
 * The value of each character in the alphabets, plus 1; 0: it is not in the alphabet.  Q has the digits, S base64's own
 * signs.
 */
#define ROW26(first, base)                                                                                        \
	[first] = (base) + 1, [(first) + 1] = (base) + 2, [(first) + 2] = (base) + 3, [(first) + 3] = (base) + 4, \
	[(first) + 4] = (base) + 5, [(first) + 5] = (base) + 6, [(first) + 6] = (base) + 7,                       \
	[(first) + 7] = (base) + 8, [(first) + 8] = (base) + 9, [(first) + 9] = (base) + 10,                      \
	[(first) + 10] = (base) + 11, [(first) + 11] = (base) + 12, [(first) + 12] = (base) + 13,                 \
	[(first) + 13] = (base) + 14, [(first) + 14] = (base) + 15, [(first) + 15] = (base) + 16,                 \
	[(first) + 16] = (base) + 17, [(first) + 17] = (base) + 18, [(first) + 18] = (base) + 19,                 \
	[(first) + 19] = (base) + 20, [(first) + 20] = (base) + 21, [(first) + 21] = (base) + 22,                 \
	[(first) + 22] = (base) + 23, [(first) + 23] = (base) + 24, [(first) + 24] = (base) + 25,                 \
	[(first) + 25] = (base) + 26
#define ROW6(first, base)                                                                                         \
	[first] = (base) + 1, [(first) + 1] = (base) + 2, [(first) + 2] = (base) + 3, [(first) + 3] = (base) + 4, \
	[(first) + 4] = (base) + 5, [(first) + 5] = (base) + 6
#define DIGITS(base) ROW6('0', base), ['6'] = (base) + 7, ['7'] = (base) + 8, ['8'] = (base) + 9, ['9'] = (base) + 10

static const unsigned char base64_values[256] = {
	ROW26('A', 0), ROW26('a', 26), DIGITS(52), ['+'] = 63, ['-'] = 63, ['/'] = 64, ['_'] = 64};
static const unsigned char base32_values[256] = {ROW26('A', 0), ROW26('a', 0), ROW6('2', 26)};
static const unsigned char hex_values[256] = {DIGITS(0), ROW6('a', 10), ROW6('A', 10)};

static const unsigned char binary_values[256] = {['0'] = 1, ['1'] = 2};

/* ASCII that is mostly what a text has, and the signs of escapes, because decoded text may be encoded in turn. */
static const unsigned char text_values[128] = {
	ROW26('A', 0), ROW26('a', 0), DIGITS(0), [' '] = 1, ['\t'] = 1, ['\n'] = 1, ['\r'] = 1,
	['&'] = 1,     ['#'] = 1,     [';'] = 1, ['%'] = 1, ['='] = 1,  ['\\'] = 1};

static int hex_value(char c)
{
	return hex_values[(unsigned char)c] - 1;
}

static bool is_letter(uint32_t c)
{
	utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);

	return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_ME;
}

/* Passes over ASCII at the beginning of V, eight bytes at a time; returns how many bytes, and how many are plain. */
static size_t skip_ascii(struct kh_view v, size_t *ret_plain)
{
	size_t at = 0, plain = 0;

	for (; v.n - at >= 8; at += 8) {
		unsigned seen = 0, here = 0;
		for (size_t i = 0; i < 8; i++) {
			unsigned char c = (unsigned char)v.p[at + i], value = text_values[c & 0x7f];
			seen |= (c & 0x80U) | (unsigned)((c < ' ') & (value == 0)) | (unsigned)(c == 0x7f);
			here += value != 0;
		}
		if (seen != 0)
			break;
		plain += here;
	}
	*ret_plain = plain;
	return at;
}

bool kh_decode_is_text(struct kh_view v)
{
	size_t plain, at = skip_ascii(v, &plain), all = at;

	for (; at < v.n; all++) {
		uint32_t c = (unsigned char)v.p[at];
		if (c < 0x80) {
			if ((c < ' ' && text_values[c] == 0) || c == 0x7f)
				return false;
			plain += text_values[c] != 0;
			at++;
			continue;
		}
		size_t len = kh_utf8_decode(v, at, &c);
		if (len == 0)
			return false;
		/*
		 * Encoded text may contain hidden characters in turn; any other unassigned one shows that this is not
		 * text.
		 */
		if (c < 0xe0000 && utf8proc_category((utf8proc_int32_t)c) == UTF8PROC_CATEGORY_CN)
			return false;
		plain += is_letter(c) || (c >= 0x200b && c <= 0x206f) || c >= 0xe0000;
		at += len;
	}
	return all > 0 && plain * 10 >= all * 6;
}

/*
 * Converts N characters at P, which all have a value of BITS bits, to bytes; returns the number of bytes.  OUT has room
 * for N.
 */
static size_t unpack(const char *p, size_t n, const unsigned char values[256], unsigned bits, char *out)
{
	uint32_t have = 0, acc = 0;
	size_t k = 0, i = 0;

	/* Eight characters are so many bytes as each has bits.  There is room for all eight that are written. */
	for (; n - i >= 8; i += 8, k += bits) {
		uint64_t all = 0;
		for (size_t j = 0; j < 8; j++)
			all = all << bits | (uint64_t)(values[(unsigned char)p[i + j]] - 1);
		all <<= 64 - 8 * bits;
		all = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(all) : all;
		memcpy(out + k, &all, sizeof(all));
	}
	for (; i < n; i++) {
		acc = acc << bits | (uint32_t)(values[(unsigned char)p[i]] - 1);
		have += bits;
		if (have >= 8) {
			have -= 8;
			out[k++] = (char)(acc >> have & 0xff);
		}
	}
	return k;
}

/* Text in UTF-16 has a NUL beside every ASCII character.  If every other byte is NUL, removes them. */
static size_t drop_nuls(char *p, size_t n)
{
	for (size_t parity = 0; parity < 2 && n >= 4; parity++) {
		size_t i = parity;
		while (i < n && p[i] == 0)
			i += 2;
		if (i < n)
			continue;
		size_t k = 0;
		for (i = 1 - parity; i < n; i += 2)
			p[k++] = p[i];
		return k;
	}
	return n;
}

struct decoder {
	struct kh_arena *arena;
	kh_decode_found *found;
	void *ctx;
	char *out; /* buffer for decoded bytes */
	size_t cap;
};

/* Makes room for N decoded bytes; false if there is no memory. */
static bool room(struct decoder *d, size_t n)
{
	if (d->out != NULL && n <= d->cap)
		return true;
	size_t cap = n > 2 * d->cap ? n : 2 * d->cap;
	d->out = kh_arena_alloc(d->arena, cap);
	d->cap = d->out ? cap : 0;
	return d->out != NULL;
}

/* False if a text cannot begin like the N bytes at P, which is the case for most bytes that are not text. */
static bool may_begin_text(const char *p, size_t n)
{
	for (size_t at = 0; at + 4 <= n;) {
		unsigned char c = (unsigned char)p[at];
		uint32_t ignored;
		size_t len = c < 0x80 ? 1 : kh_utf8_decode(kh_view_of(p, n), at, &ignored);
		/* A NUL may be the second byte of a UTF-16 character. */
		if (len == 0 || (c > 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
			return false;
		at += len;
	}
	return true;
}

/* Tries one alphabet on the N characters at P, which are all in it; true if they decode to text. */
static bool try_alphabet(struct decoder *d, const char *p, size_t n, const unsigned char values[256], unsigned bits,
			 struct kh_view *ret)
{
	char first[FIRST];
	size_t look = n < FIRST ? n : FIRST;

	size_t begun = unpack(p, look, values, bits, first);
	if (!may_begin_text(first, begun) || !room(d, n))
		return false;
	if (look == n) /* all of it */
		memcpy(d->out, first, begun);
	size_t k = drop_nuls(d->out, look == n ? begun : unpack(p, n, values, bits, d->out));
	if (k == 0 || !kh_decode_is_text(kh_view_of(d->out, k)))
		return false;
	*ret = kh_arena_dup(d->arena, kh_view_of(d->out, k));
	return ret->p != NULL;
}

/* True if all N characters at P are in the alphabet. */
static bool is_of(const unsigned char values[256], const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && values[(unsigned char)p[i]] != 0)
		i++;
	return i == n;
}

static bool is_mixed(const char *p, size_t n)
{
	bool upper = false, lower = false;

	for (size_t i = 0; i < n; i++) {
		upper = upper || (p[i] >= 'A' && p[i] <= 'Z');
		lower = lower || (p[i] >= 'a' && p[i] <= 'z');
	}
	return upper && lower;
}

/* Tries the run of N base64 characters at P, which is at [start, end) of the text; true if it decodes to text. */
static bool try_run(struct decoder *d, const char *p, size_t n, size_t start, size_t end)
{
	struct kh_view decoded;

	if (n >= 8 * NUMBERS_MIN && is_of(binary_values, p, n) &&
	    try_alphabet(d, p, n - n % 8, binary_values, 1, &decoded)) {
		d->found(d->ctx, KH_LAYER_BINARY, decoded, start, end);
		return true;
	}
	if (is_of(hex_values, p, n - n % 2) && try_alphabet(d, p, n - n % 2, hex_values, 4, &decoded)) {
		d->found(d->ctx, KH_LAYER_HEX, decoded, start, end);
		return true;
	}
	if (is_of(base32_values, p, n) && try_alphabet(d, p, n, base32_values, 5, &decoded)) {
		d->found(d->ctx, KH_LAYER_BASE32, decoded, start, end);
		/* With letters of both cases it may still be base64. */
		if (!is_mixed(p, n))
			return true;
	}
	for (size_t shift = 0; shift < (n >= SHIFTED_MIN ? 4 : 1); shift++) {
		/* A last single character does not make a byte; drop it, as lenient decoders do. */
		size_t m = n - shift - ((n - shift) % 4 == 1);
		if (try_alphabet(d, p + shift, m, base64_values, 6, &decoded)) {
			bool url = memchr(p, '-', n) != NULL || memchr(p, '_', n) != NULL;
			d->found(d->ctx, url ? KH_LAYER_BASE64URL : KH_LAYER_BASE64, decoded, start, end);
			return true;
		}
	}
	return false;
}

/* Whether C separates segments: in a path or a name, and it is a sign of base64 itself. */
static bool is_joint(char c)
{
	return c == '/' || c == '-' || c == '_';
}

/*
 * Tries a run of segments that are equally long, "/c2Vu/ZCBl/dmVy/eXRo", without the signs between them.  What stands
 * before the first sign may be something else.
 */
static bool try_segments(struct decoder *d, const char *p, size_t n, size_t start)
{
	size_t from = 0, size = 0, count = 0, k = 0;

	while (from < n && !is_joint(p[from]))
		from++;
	while (from + size + 1 < n && !is_joint(p[from + size + 1]))
		size++;
	if (size < 2 || size > SEGMENT_MAX || n - from < RUN_MIN || !room(d, n))
		return false;
	char *joined = kh_arena_alloc(d->arena, n);
	if (joined == NULL)
		return false;
	for (size_t i = from == size ? 0 : from; i < n; i++) {
		size_t place = (i - from + size + 1) % (size + 1);
		if ((place == 0) != (p[i] == p[from]))
			return false;
		if (place != 0)
			joined[k++] = p[i];
		count += place == 1;
	}
	return count >= SEGMENTS && k >= RUN_MIN && try_run(d, joined, k, start, start + n);
}

/*
 * Tries the pieces of such a run between its signs, if it does not decode as a whole: encoded text at the end of a
 * path.
 */
static void try_pieces(struct decoder *d, const char *p, size_t n, size_t start)
{
	unsigned tries = 0;

	if (try_segments(d, p, n, start))
		return;
	/* Tries everything after each of the first slashes, because encoded text may have slashes itself. */
	for (size_t at = 0; at + RUN_MIN < n && tries < SLASHES_MAX; at++) {
		if (p[at] != '/')
			continue;
		tries++;
		if (try_run(d, p + at + 1, n - at - 1, start + at + 1, start + n))
			return;
	}
	for (size_t at = 0; at < n; at++) {
		size_t from = at;
		while (at < n && (kh_ascii_is_alpha(p[at]) || kh_ascii_is_digit(p[at])))
			at++;
		if (at - from >= RUN_MIN && at - from < n)
			(void)try_run(d, p + from, at - from, start + from, start + at);
	}
}

/* Skips a line break at AT and the blanks after it: the offset at which the next line begins, or 0. */
static size_t next_line(struct kh_view text, size_t at)
{
	size_t i = at;

	while (i < text.n && (text.p[i] == '\r' || text.p[i] == ' ' || text.p[i] == '\t'))
		i++;
	if (i >= text.n || text.p[i] != '\n')
		return 0;
	for (i++; i < text.n && (text.p[i] == ' ' || text.p[i] == '\t' || text.p[i] == '>'); i++)
		;
	return i;
}

static bool is_separator(char c)
{
	static const bool has[256] = {
		[' '] = true,  [':'] = true,  [','] = true, ['-'] = true, [';'] = true, ['\t'] = true,
		['\n'] = true, ['\r'] = true, ['.'] = true, ['/'] = true, ['|'] = true, ['_'] = true};

	return has[(unsigned char)c];
}

static bool is_packed(char c)
{
	return base64_values[(unsigned char)c] != 0;
}

static bool is_spread(char c)
{
	return hex_value(c) >= 0 || c == 'x' || c == 'X' || is_separator(c);
}

typedef bool class_fn(char c);

/* The members of a class of characters, as a table, because it is read at least once for each word. */
struct class
{
	bool has[256];
};

static void fill(struct class *set, class_fn *is)
{
	for (int c = 0; c < 256; c++)
		set->has[c] = is((char)c);
}

/*
 * The next run of RUN_MIN or more members, from AT on; or the end.  No run may cross AT. A run has no gap, so checking
 * a window from its end shows how far it can be skipped; in prose, most characters are never read.
 */
static size_t find_run(struct kh_view text, size_t at, const struct class *set)
{
	while (text.n - at >= RUN_MIN) {
		size_t i = at + RUN_MIN;
		while (i > at && set->has[(unsigned char)text.p[i - 1]])
			i--;
		if (i == at)
			return at;
		at = i;
	}
	return text.n;
}

/* Finds runs of base64's characters, which include those of hexadecimal and base32. */
static void alphabet_runs(struct decoder *d, struct kh_view text)
{
	struct class set;

	fill(&set, is_packed);
	for (size_t at = 0; (at = find_run(text, at, &set)) < text.n;) {
		size_t start = at, line = at;
		struct kh_buf joined;
		struct kh_view run = {NULL, 0};
		kh_buf_init(&joined, d->arena, text.n);
		for (;;) {
			size_t from = at;
			while (at < text.n && set.has[(unsigned char)text.p[at]])
				at++;
			size_t next = at - line >= LINE_MIN ? next_line(text, at) : 0;
			bool more = next > 0 && next < text.n && set.has[(unsigned char)text.p[next]];
			/* A single line is read in place. */
			if (!more && joined.n == 0) {
				run = kh_view_sub(text, from, at);
				break;
			}
			kh_buf_add(&joined, kh_view_sub(text, from, at));
			if (!more && kh_buf_end(&joined, &run) != KH_OK)
				return; /* the arena is marked */
			if (!more)
				break;
			line = at = next;
		}
		size_t end = at;
		while (end < text.n && text.p[end] == '=' && end < at + 6)
			end++;
		if (!try_run(d, run.p, run.n, start, end) && joined.n == 0)
			try_pieces(d, run.p, run.n, start);
	}
}

static bool is_word(char c)
{
	return kh_ascii_is_alpha(c) || kh_ascii_is_digit(c);
}

/* Finds hexadecimal pairs with something between them: "69 67", "69:67", "0x69, 0x67". */
static void hex_pairs(struct decoder *d, struct kh_view text, size_t offset)
{
	if (!room(d, text.n))
		return;
	for (size_t at = 0; at < text.n;) {
		size_t start = at, end = at, n = 0, i = at;
		while (i + 1 < text.n) {
			size_t p = i;
			if (text.p[p] == '0' && (text.p[p + 1] == 'x' || text.p[p + 1] == 'X') && p + 3 < text.n)
				p += 2;
			if (hex_value(text.p[p]) < 0 || hex_value(text.p[p + 1]) < 0 ||
			    (p + 2 < text.n && is_word(text.p[p + 2])))
				break;
			d->out[n++] = (char)(hex_value(text.p[p]) << 4 | hex_value(text.p[p + 1]));
			end = i = p + 2;
			while (i < text.n && is_separator(text.p[i]) && i < end + 3)
				i++;
		}
		if (n >= PAIRS_MIN && kh_decode_is_text(kh_view_of(d->out, n))) {
			struct kh_view decoded = kh_arena_dup(d->arena, kh_view_of(d->out, n));
			if (decoded.p != NULL)
				d->found(d->ctx, KH_LAYER_HEX, decoded, offset + start, offset + end);
		}
		/* Go to the next word, because a pair begins at the beginning of a word. */
		at = end > at ? end : at + 1;
		while (at < text.n && is_word(text.p[at]) && is_word(text.p[at - 1]))
			at++;
	}
}

/*
 * Reads the number at AT as a character code: eight binary digits, or two or three decimal ones.  Returns its length,
 * or 0.
 */
static size_t character_code(struct kh_view text, size_t at, bool binary, char *ret)
{
	unsigned value = 0;
	size_t n = 0;

	for (; at + n < text.n && kh_ascii_is_digit(text.p[at + n]) && n < 9; n++)
		value = value * (binary ? 2U : 10U) + (unsigned)(text.p[at + n] - '0');
	if (at + n < text.n && kh_ascii_is_alpha(text.p[at + n]))
		return 0;
	bool fits = binary ? n == 8 || n == 7 : n == 2 || n == 3;
	for (size_t i = 0; i < n && binary; i++)
		fits = fits && text.p[at + i] <= '1';
	*ret = (char)value;
	return fits && value < 127 && (value >= ' ' || value == 9 || value == 10 || value == 13) ? n : 0;
}

/* Finds character codes with separators.  Numbers are common, so the decoded text has to be words. */
static void numbers(struct decoder *d, struct kh_view text, size_t offset, bool binary, bool any)
{
	if (!room(d, text.n))
		return;
	for (size_t at = 0; at < text.n;) {
		size_t start = at, end = at, n = 0, letters = 0, i = at;
		char c;
		for (size_t len; i < text.n && (len = character_code(text, i, binary, &c)) > 0;) {
			d->out[n++] = c;
			letters += kh_ascii_is_alpha(c) || c == ' ';
			end = i += len;
			while (i < text.n && is_separator(text.p[i]) && i < end + 3)
				i++;
		}
		if (n >= NUMBERS_MIN && (any || letters * 10 >= n * 8)) {
			struct kh_view decoded = kh_arena_dup(d->arena, kh_view_of(d->out, n));
			if (decoded.p != NULL)
				d->found(d->ctx, binary ? KH_LAYER_BINARY : KH_LAYER_DECIMAL, decoded, offset + start,
					 offset + end);
		}
		at = end > at ? end : at + 1;
		while (at < text.n && is_word(text.p[at]) && is_word(text.p[at - 1]))
			at++;
	}
}

/* Finds runs of the characters that hexadecimal pairs and character codes are written with. */
static void spread_runs(struct decoder *d, struct kh_view text, bool any)
{
	struct class set;

	fill(&set, is_spread);
	for (size_t at = 0; (at = find_run(text, at, &set)) < text.n;) {
		size_t start = at;
		while (at < text.n && set.has[(unsigned char)text.p[at]])
			at++;
		struct kh_view run = kh_view_sub(text, start, at);
		hex_pairs(d, run, start);
		numbers(d, run, start, false, any);
		numbers(d, run, start, true, any);
	}
}

void kh_decode_packed(struct kh_arena *arena, struct kh_view text, kh_decode_found *found, void *ctx)
{
	struct decoder d = {.arena = arena, .found = found, .ctx = ctx};

	alphabet_runs(&d, text);
}

void kh_decode_spread(struct kh_arena *arena, struct kh_view text, bool any, kh_decode_found *found, void *ctx)
{
	struct decoder d = {.arena = arena, .found = found, .ctx = ctx};

	spread_runs(&d, text, any);
}

void kh_decode_word(struct kh_buf *out, struct kh_view word)
{
	char bytes[FIRST];

	while (word.n > 0 && word.p[word.n - 1] == '=')
		word.n--;
	if (word.n < 2 || word.n > FIRST || !is_of(base64_values, word.p, word.n))
		return;
	struct kh_view decoded = kh_view_of(bytes, unpack(word.p, word.n, base64_values, 6, bytes));
	for (size_t i = 0; i < decoded.n; i++) {
		if ((unsigned char)decoded.p[i] < ' ' || decoded.p[i] == 0x7f)
			return;
	}
	for (size_t i = 0; i < decoded.n; i++) {
		if ((unsigned char)decoded.p[i] < 0x80)
			kh_buf_byte(out, decoded.p[i]);
	}
}

bool kh_decode_is_number(struct kh_view run, struct kh_view decoded)
{
	if (run.n >= NUMBER_MAX)
		return false;
	for (size_t i = 0; i < run.n; i++) {
		if (!kh_ascii_is_digit(run.p[i]))
			return false;
	}
	for (size_t i = 0; i < decoded.n; i++) {
		if (!kh_ascii_is_alpha(decoded.p[i]) && decoded.p[i] != ' ')
			return true;
	}
	return false;
}
