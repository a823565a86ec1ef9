/*
 * Escapes.  Input is hostile; a sequence that is not exactly an escape stays as it is.  One pass: memchr finds the next
 * character that could begin one, so text without escapes costs almost nothing.
 */
#include "core/screen/unescape.h"

#include "base/utf8.h"

struct entity {
	const char *name;
	uint32_t c;
};

/* The named entities for ASCII characters and blanks, with the semicolon. */
static const struct entity entities[] = {
	{"amp;", '&'},    {"lt;", '<'},       {"gt;", '>'},
	{"quot;", '"'},   {"apos;", '\''},    {"nbsp;", ' '},
	{"colon;", ':'},  {"sol;", '/'},      {"lpar;", '('},
	{"rpar;", ')'},   {"lbrack;", '['},   {"rbrack;", ']'},
	{"lbrace;", '{'}, {"rbrace;", '}'},   {"num;", '#'},
	{"excl;", '!'},   {"quest;", '?'},    {"period;", '.'},
	{"comma;", ','},  {"semi;", ';'},     {"equals;", '='},
	{"lowbar;", '_'}, {"hyphen;", '-'},   {"dash;", '-'},
	{"ast;", '*'},    {"plus;", '+'},     {"percnt;", '%'},
	{"dollar;", '$'}, {"commat;", '@'},   {"bsol;", '\\'},
	{"verbar;", '|'}, {"vert;", '|'},     {"grave;", '`'},
	{"Tab;", '\t'},   {"NewLine;", '\n'}, {"ensp;", ' '},
	{"emsp;", ' '},   {"thinsp;", ' '},   {"shy;", 0xad},
	{"zwj;", 0x200d}, {"zwnj;", 0x200c},  {"ZeroWidthSpace;", 0x200b},
	{"ndash;", '-'},  {"mdash;", '-'},    {"lsquo;", '\''},
	{"rsquo;", '\''}, {"ldquo;", '"'},    {"rdquo;", '"'},
};

static int hex_value(char c)
{
	c = kh_ascii_lower(c);
	return kh_ascii_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Reads up to MAX digits of V at AT in BASE; gives how many, and their value. */
static size_t number(struct kh_view v, size_t at, unsigned base, size_t max, uint32_t *ret)
{
	uint32_t value = 0;
	size_t n = 0;

	for (; n < max && at + n < v.n; n++) {
		int digit = hex_value(v.p[at + n]);
		if (digit < 0 || (unsigned)digit >= base)
			break;
		value = value * base + (uint32_t)digit;
	}
	*ret = value;
	return n;
}

/*
 * Reads one escape at AT: gives what it stands for, and whether that is a byte and not a character; returns its length,
 * or 0 for none.
 */
typedef size_t escape_fn(struct kh_view v, size_t at, uint32_t *ret_c, bool *ret_byte);

static size_t url_escape(struct kh_view v, size_t at, uint32_t *ret_c, bool *ret_byte)
{
	*ret_byte = true;
	return number(v, at + 1, 16, 2, ret_c) == 2 ? 3 : 0;
}

static size_t quoted_escape(struct kh_view v, size_t at, uint32_t *ret_c, bool *ret_byte)
{
	*ret_byte = true;
	if (at + 1 < v.n && v.p[at + 1] == '\n') {
		*ret_c = UINT32_MAX; /* a soft line break stands for nothing */
		return 2;
	}
	if (at + 2 < v.n && v.p[at + 1] == '\r' && v.p[at + 2] == '\n') {
		*ret_c = UINT32_MAX;
		return 3;
	}
	return number(v, at + 1, 16, 2, ret_c) == 2 ? 3 : 0;
}

static size_t html_escape(struct kh_view v, size_t at, uint32_t *ret_c, bool *ret_byte)
{
	struct kh_view rest = kh_view_from(v, at + 1);

	*ret_byte = false;
	if (rest.n >= 2 && rest.p[0] == '#') {
		bool hex = rest.p[1] == 'x' || rest.p[1] == 'X';
		size_t n = number(v, at + 2 + hex, hex ? 16 : 10, 8, ret_c);
		size_t end = at + 2 + hex + n;
		return n == 0 ? 0 : end - at + (end < v.n && v.p[end] == ';');
	}
	if (rest.n == 0 || !kh_ascii_is_alpha(rest.p[0]))
		return 0;
	for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
		if (entities[i].name[0] != rest.p[0])
			continue;
		struct kh_view name = kh_view_str(entities[i].name);
		if (kh_view_starts(rest, name)) {
			*ret_c = entities[i].c;
			return name.n + 1;
		}
	}
	return 0;
}

static size_t backslash_escape(struct kh_view v, size_t at, uint32_t *ret_c, bool *ret_byte)
{
	char kind = at + 1 < v.n ? v.p[at + 1] : 0;
	bool braces = at + 2 < v.n && v.p[at + 2] == '{';
	size_t n;

	*ret_byte = kind == 'x' && !braces;
	switch (kind) {
	case 'n':
	case 'r':
	case 't':
		*ret_c = ' ';
		return 2;
	case 'x':
	case 'u':
	case 'U':
		if (braces) {
			n = number(v, at + 3, 16, 6, ret_c);
			return n > 0 && at + 3 + n < v.n && v.p[at + 3 + n] == '}' ? n + 4 : 0;
		}
		n = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
		return number(v, at + 2, 16, n, ret_c) == n ? n + 2 : 0;
	default:
		*ret_byte = true;
		n = number(v, at + 1, 8, 3, ret_c);
		return n == 3 && *ret_c < 256 ? 4 : 0;
	}
}

static bool is_alnum(uint32_t c)
{
	return c < 0x80 && (kh_ascii_is_alpha((char)c) || kh_ascii_is_digit((char)c));
}

/* Writes what an escape stands for; returns the number of bytes, at most 4 and no more than the escape has. */
static size_t put(char *p, uint32_t c, bool byte)
{
	if (c == UINT32_MAX || c == 0 || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	if (!byte)
		return kh_utf8_encode(c, p);
	*p = (char)c;
	return 1;
}

static void undo(struct kh_view text, char mark, escape_fn *escape, char *out, struct kh_unescaped *ret)
{
	size_t n = 0, at = 0;

	while (at < text.n) {
		const char *next = memchr(text.p + at, mark, text.n - at);
		size_t stop = next ? (size_t)(next - text.p) : text.n;
		uint32_t c = 0;
		bool byte = false;
		size_t len = next ? escape(text, stop, &c, &byte) : 0;
		size_t keep = len > 0 || next == NULL ? stop : stop + 1;
		for (; at < keep; at++) {
			ret->origin[n] = (uint32_t)at;
			out[n++] = text.p[at];
		}
		if (len == 0)
			continue;
		size_t wrote = put(out + n, c, byte);
		for (size_t i = 0; i < wrote; i++)
			ret->origin[n++] = (uint32_t)at;
		if (ret->count++ == 0)
			ret->first = at;
		ret->needless += is_alnum(c);
		at += len;
		ret->last = at;
	}
	ret->origin[n] = (uint32_t)text.n;
	ret->text = kh_view_of(out, n);
}

/* How a layer writes escapes. */
struct kind {
	char mark;
	escape_fn *escape;
};

static struct kind kind_of(enum kh_layer layer)
{
	if (layer == KH_LAYER_URL)
		return (struct kind){'%', url_escape};
	if (layer == KH_LAYER_HTML)
		return (struct kind){'&', html_escape};
	return layer == KH_LAYER_QUOTED_PRINTABLE ? (struct kind){'=', quoted_escape}
						  : (struct kind){'\\', backslash_escape};
}

size_t kh_unescape_find(struct kh_view text, enum kh_layer layer, size_t at)
{
	struct kind kind = kind_of(layer);
	uint32_t c;
	bool byte;

	for (; at < text.n; at++) {
		const char *next = memchr(text.p + at, kind.mark, text.n - at);
		if (next == NULL)
			break;
		at = (size_t)(next - text.p);
		if (kind.escape(text, at, &c, &byte) > 0)
			return at;
	}
	return SIZE_MAX;
}

enum kh_err kh_unescape(struct kh_arena *arena, struct kh_view text, enum kh_layer layer, struct kh_unescaped *ret)
{
	struct kind kind = kind_of(layer);

	if (text.n >= UINT32_MAX)
		return KH_ELIMIT;
	if (kh_unescape_find(text, layer, 0) == SIZE_MAX) {
		*ret = (struct kh_unescaped){.count = 0};
		return KH_OK;
	}
	struct kh_unescaped u = {.origin = KH_NEW_N(arena, uint32_t, text.n + 1)};
	char *out = kh_arena_alloc(arena, text.n + 4);
	if (u.origin == NULL || out == NULL)
		return KH_ENOMEM;
	undo(text, kind.mark, kind.escape, out, &u);
	*ret = u;
	return KH_OK;
}

/* ---- several layers at once ---- */

typedef unsigned char lanes __attribute__((vector_size(16)));

static escape_fn *const marks[256] = {['%'] = url_escape, ['&'] = html_escape, ['\\'] = backslash_escape};

/* The offset of the next character from AT on that begins an escape, or the end. */
static size_t find_mark(struct kh_view text, size_t at, bool quoted)
{
	if (quoted) {
		const char *p = at < text.n ? memchr(text.p + at, '=', text.n - at) : NULL;
		return p != NULL ? (size_t)(p - text.p) : text.n;
	}
	for (; at + sizeof(lanes) <= text.n; at += sizeof(lanes)) {
		lanes v;
		uint64_t half[2];
		memcpy(&v, text.p + at, sizeof(v));
		lanes hit = (lanes)(v == '%') | (lanes)(v == '&') | (lanes)(v == '\\');
		memcpy(half, &hit, sizeof(half));
		if ((half[0] | half[1]) != 0)
			break;
	}
	while (at < text.n && marks[(unsigned char)text.p[at]] == NULL)
		at++;
	return at;
}

/* Stretches of a text with their escapes undone.  They do not overlap, so all of them fit into one buffer. */
struct stretches {
	struct kh_view text;
	char *out;
	size_t n;     /* bytes of the present stretch */
	size_t done;  /* bytes of the text that are in it */
	size_t count; /* escapes in it */
};

static void copy(struct stretches *s, size_t to)
{
	memcpy(s->out + s->n, s->text.p + s->done, to - s->done);
	s->n += to - s->done;
	s->done = to;
}

/* Ends the present stretch, with AROUND bytes behind its last escape. */
static enum kh_err end_stretch(struct stretches *s, size_t around, kh_unescape_fn *fn, void *ctx)
{
	if (s->count == 0)
		return KH_OK;
	copy(s, s->text.n - s->done > around ? s->done + around : s->text.n);
	enum kh_err e = fn(ctx, kh_view_of(s->out, s->n), s->count);
	s->out += s->n;
	s->n = s->count = 0;
	return e;
}

enum kh_err kh_unescape_each(struct kh_arena *arena, struct kh_view text, bool quoted, size_t around,
			     kh_unescape_fn *fn, void *ctx)
{
	struct stretches s = {.text = text};
	enum kh_err e = KH_OK;

	for (size_t at = 0; e == KH_OK && (at = find_mark(text, at, quoted)) < text.n;) {
		uint32_t c = 0;
		bool byte = false;
		size_t len = (quoted ? quoted_escape : marks[(unsigned char)text.p[at]])(text, at, &c, &byte);
		if (len == 0) {
			at++;
			continue;
		}
		if (s.out == NULL && (s.out = kh_arena_alloc(arena, text.n + 4)) == NULL)
			return KH_ENOMEM;
		if (s.count > 0 && (at - s.done) / 2 > around)
			e = end_stretch(&s, around, fn, ctx);
		if (s.count == 0)
			s.done = at - s.done > around ? at - around : s.done;
		copy(&s, at);
		s.n += put(s.out + s.n, c, byte);
		s.count++;
		s.done = at += len;
	}
	return e == KH_OK ? end_stretch(&s, around, fn, ctx) : e;
}

struct whole {
	struct kh_view text;
	size_t count;
};

static enum kh_err keep_whole(void *ctx, struct kh_view text, size_t count)
{
	*(struct whole *)ctx = (struct whole){text, count};
	return KH_OK;
}

enum kh_err kh_unescape_any(struct kh_arena *arena, struct kh_view text, bool quoted, struct kh_view *ret_text,
			    size_t *ret_count)
{
	struct whole whole = {0};
	enum kh_err e = kh_unescape_each(arena, text, quoted, text.n, keep_whole, &whole);

	*ret_count = whole.count;
	if (whole.count > 0)
		*ret_text = whole.text;
	return e;
}
