/*
 * Normal forms of text.  Input is hostile but valid UTF-8.
 *
 * One pass: a character is decomposed (NFKD), invisible characters are dropped, white space is reduced, and the rest
 * waits in `pending` until a boundary across which nothing can compose.  Then the marks are sorted and composed.
 * Filtering comes after decomposition, so that decomposition cannot produce invisible characters, and before
 * composition, so that a second run changes nothing.  utf8proc's own sort is quadratic in a run of marks; here a run
 * has at most 30.
 */
#include "core/screen/normalise.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "core/screen/confusable.h"

#include <utf8proc.h>

#define DECOMPOSED_MAX 32      /* code points that one character decomposes to (18 at most in Unicode) */
#define FORM_PARTS     4       /* code points of one character that a form for scanning keeps */
#define PHRASE_FIRST   0xfdfaU /* ligatures of whole phrases */
#define PHRASE_LAST    0xfdfbU
#define HANGUL_FIRST   0xac00U
#define HANGUL_LAST    0xd7a3U
#define GROWTH         12 /* bytes out for a byte in: 11 at most in Unicode (U+FDFA) */
#define KEPT_FEW       8  /* bits: characters that are kept of a short text, because texts repeat theirs */
#define KEPT_MANY      12 /* and of a long one */
#define LONG_TEXT      65536
#define UNMARKED       0x300U /* no character below it composes with one before it */

#define BIT(category) (1U << UTF8PROC_CATEGORY_##category)

struct pass {
	struct kh_arena *arena;
	struct kh_buf out;
	struct kh_normalised *counts;
	utf8proc_option_t options;
	int32_t *pending;
	size_t n, cap;
	size_t marks; /* marks in a row, at the end */
	bool space;   /* white space was seen and not yet written */
	bool any;     /* something was written */
};

static bool is_mark(uint32_t c)
{
	unsigned category = (unsigned)utf8proc_category((utf8proc_int32_t)c);

	return ((BIT(MN) | BIT(MC) | BIT(ME)) >> category & 1) != 0;
}

static bool is_soft(uint32_t c)
{
	return (c >= 0x200b && c <= 0x200d) || c == 0x2060 || c == 0xfeff || c == 0xad;
}

/* Sorts the marks of one base by combining class, as Unicode requires; stable, for short runs only. */
static void sort_marks(int32_t *at, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		int32_t c = at[i];
		int class = utf8proc_get_property(c)->combining_class;
		size_t j = i;
		if (class == 0)
			continue;
		for (; j > 0 && utf8proc_get_property(at[j - 1])->combining_class > class; j--)
			at[j] = at[j - 1];
		at[j] = c;
	}
}

static void flush(struct pass *p)
{
	if (p->n == 0)
		return;
	sort_marks(p->pending, p->n);
	utf8proc_ssize_t n = utf8proc_normalize_utf32(p->pending, (utf8proc_ssize_t)p->n,
						      UTF8PROC_COMPOSE | UTF8PROC_STABLE);
	for (utf8proc_ssize_t i = 0; i < n; i++)
		kh_buf_char(&p->out, (uint32_t)p->pending[i]);
	p->n = 0;
}

static void put(struct pass *p, uint32_t c)
{
	if (c < UNMARKED)
		flush(p);
	int32_t *grown = kh_arena_more(p->arena, p->pending, p->n, &p->cap, sizeof(*grown));
	if (grown == NULL)
		return;
	p->pending = grown;
	p->pending[p->n++] = (int32_t)c;
	p->any = true;
}

/* Handles one decomposed character: drops it, or keeps it as white space or in `pending`. */
static void filter(struct pass *p, uint32_t c)
{
	if (kh_utf8_is_space(c)) {
		p->space = true;
		p->marks = 0;
		return;
	}
	if (kh_utf8_is_invisible(c)) {
		p->counts->soft += is_soft(c);
		p->counts->hidden += !is_soft(c);
		return;
	}
	p->marks = is_mark(c) ? p->marks + 1 : 0;
	if (p->marks > KH_NORMALISE_MARKS) {
		p->counts->marks_cut = true;
		return;
	}
	if (p->space && p->any)
		put(p, ' ');
	p->space = false;
	put(p, c);
}

/*
 * True if C is a digit or a sign only by its compatibility mapping, so that the number around it changes: in 10^6 the
 * six is no third digit.  A digit in another width or font is the same digit.
 */
static bool is_raised(uint32_t c, const int32_t *parts, utf8proc_ssize_t n)
{
	int type = utf8proc_get_property((utf8proc_int32_t)c)->decomp_type;
	bool shifted = type == UTF8PROC_DECOMP_TYPE_SUPER || type == UTF8PROC_DECOMP_TYPE_SUB;

	if (type == 0 || type == UTF8PROC_DECOMP_TYPE_WIDE || type == UTF8PROC_DECOMP_TYPE_NARROW ||
	    type == UTF8PROC_DECOMP_TYPE_FONT)
		return false;
	for (utf8proc_ssize_t i = 0; i < n && i < DECOMPOSED_MAX; i++) {
		if ((parts[i] >= '0' && parts[i] <= '9') || (shifted && (parts[i] == '+' || parts[i] == 0x2212)))
			return true;
	}
	return false;
}

static void decompose(struct pass *p, uint32_t c)
{
	int32_t parts[DECOMPOSED_MAX];
	int boundclass = 0;
	utf8proc_ssize_t n = utf8proc_decompose_char((utf8proc_int32_t)c, parts, DECOMPOSED_MAX, p->options,
						     &boundclass);

	p->counts->raised = p->counts->raised || is_raised(c, parts, n);
	for (utf8proc_ssize_t i = 0; i < n && i < DECOMPOSED_MAX; i++)
		filter(p, (uint32_t)parts[i]);
}

static enum kh_err run(struct kh_arena *arena, struct kh_view text, int options, struct kh_normalised *ret)
{
	struct kh_normalised counts = {0};
	struct pass p = {
		.arena = arena,
		.counts = &counts,
		.options = (utf8proc_option_t)(UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | UTF8PROC_STABLE | options)};
	size_t limit;

	if (__builtin_mul_overflow(text.n, GROWTH, &limit))
		return KH_ELIMIT;
	kh_buf_init(&p.out, arena, limit);
	for (size_t at = 0; at < text.n;) {
		uint32_t c;
		size_t len = kh_utf8_decode(text, at, &c);
		if (len == 0)
			return KH_EINPUT;
		if (c >= 0x80)
			decompose(&p, c);
		else
			filter(&p, (options & UTF8PROC_CASEFOLD) != 0 ? (uint32_t)kh_ascii_lower((char)c) : c);
		at += len;
	}
	flush(&p);
	enum kh_err e = kh_buf_end(&p.out, &counts.text);
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e == KH_OK)
		*ret = counts;
	return e;
}

/* The same for ASCII, which needs no tables and no waiting. */
static enum kh_err run_ascii(struct kh_arena *arena, struct kh_view text, bool fold, struct kh_normalised *ret)
{
	char *out = kh_arena_alloc(arena, text.n);
	size_t n = 0, hidden = 0;
	bool space = false;

	if (out == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		if (c == ' ' || (c >= '\t' && c <= '\r')) {
			space = true;
		} else if (c < ' ' || c == 0x7f) {
			hidden++;
		} else {
			if (space && n > 0)
				out[n++] = ' ';
			space = false;
			out[n++] = fold ? kh_ascii_lower(c) : c;
		}
	}
	*ret = (struct kh_normalised){.text = {out, n}, .hidden = hidden};
	return KH_OK;
}

/* Bytes of the normal form of a character of LEN bytes, at most; a test compares all of Unicode. */
static size_t most_of(uint32_t c, size_t len)
{
	if (c < 0x80)
		return 1;
	if (c == PHRASE_FIRST)
		return 33;
	if ((c >= 0x3200 && c <= 0x33ff) || c == PHRASE_LAST) /* words and units in a square or in brackets */
		return 18;
	return c >= 0x2000 && c <= 0x2fff ? 4 * len : 3 * len;
}

size_t kh_normalise_most(struct kh_view text)
{
	size_t most = 0;

	for (size_t at = 0; at < text.n;) {
		uint32_t c = 0;
		size_t len = kh_utf8_decode(text, at, &c);
		len = len > 0 ? len : 1;
		most += most_of(c, len);
		at += len;
	}
	return most;
}

enum kh_err kh_normalise_text(struct kh_arena *arena, struct kh_view text, struct kh_normalised *ret)
{
	return kh_utf8_is_ascii(text) ? run_ascii(arena, text, false, ret) : run(arena, text, 0, ret);
}

/* Every character of V in lower case; the simple mapping, one character to one. */
static enum kh_err lower(struct kh_arena *arena, struct kh_view v, struct kh_view *ret)
{
	struct kh_buf out;

	/* A lower-case letter may be longer in UTF-8 than its capital (U+023A: 2 and 3 bytes). */
	kh_buf_init(&out, arena, v.n <= SIZE_MAX / 2 ? v.n * 2 : v.n);
	for (size_t at = 0; at < v.n;) {
		uint32_t c;
		size_t len = kh_utf8_decode(v, at, &c);
		if (len == 0)
			return KH_EINPUT;
		kh_buf_char(&out, (uint32_t)utf8proc_tolower((utf8proc_int32_t)c));
		at += len;
	}
	return kh_buf_end(&out, ret);
}

enum kh_err kh_normalise_lower(struct kh_arena *arena, struct kh_view text, struct kh_view *ret_text)
{
	struct kh_normalised normal;
	struct kh_view v;

	if (kh_utf8_is_ascii(text)) {
		enum kh_err e = run_ascii(arena, text, true, &normal);
		if (e == KH_OK)
			*ret_text = normal.text;
		return e;
	}
	enum kh_err e = run(arena, text, 0, &normal);
	if (e == KH_OK)
		e = lower(arena, normal.text, &v);
	/* Compose again, because a small letter may compose with a mark although its capital does not (j and caron). */
	if (e == KH_OK)
		e = run(arena, v, 0, &normal);
	if (e == KH_OK)
		*ret_text = normal.text;
	return e;
}

enum kh_err kh_normalise_key(struct kh_arena *arena, struct kh_view text, struct kh_view *ret_key)
{
	struct kh_normalised normal;
	enum kh_err e;

	if (kh_utf8_is_ascii(text)) {
		e = run_ascii(arena, text, true, &normal);
	} else {
		e = run(arena, text, 0, &normal);
		if (e == KH_OK)
			e = run(arena, normal.text, UTF8PROC_CASEFOLD, &normal);
	}
	if (e == KH_OK)
		*ret_key = normal.text;
	return e;
}

/* What becomes of a code point in a skeleton. */
enum fate { WRITTEN, BLANK, DROPPED, ON_OTHERS /* a mark, dropped after an ASCII letter */ };

/* What becomes of a character: the first code points that it decomposes to. */
struct parts {
	uint32_t of; /* 0: none */
	uint32_t n;
	uint32_t at[FORM_PARTS];
	unsigned char fate[FORM_PARTS];
};

/* A skeleton being made: the output, and the origin of each of its bytes. */
struct skeleton {
	struct kh_arena *arena;
	char *text;
	uint32_t *origin;
	size_t n, cap;
	size_t from, space_from;
	unsigned flags;
	size_t spaces;      /* in a row, not yet written */
	bool ascii;         /* the last letter was ASCII */
	struct parts *kept; /* of characters seen before */
	unsigned kept_bits;
};

static bool skeleton_room(struct skeleton *s)
{
	if (s->cap - s->n >= 8)
		return true;
	size_t cap = s->cap + s->cap / 2 + 64;
	char *text = kh_arena_grow(s->arena, s->text, s->n, cap);
	uint32_t *origin = kh_arena_grow(s->arena, s->origin, s->n * sizeof(*origin), cap * sizeof(*origin));
	if (text == NULL || origin == NULL)
		return false;
	s->text = text;
	s->origin = origin;
	s->cap = cap;
	return true;
}

static void skeleton_put(struct skeleton *s, uint32_t c, size_t from)
{
	if (!skeleton_room(s))
		return;
	if (c < 0x80) {
		s->origin[s->n] = (uint32_t)from;
		s->text[s->n++] = (char)c;
		return;
	}
	size_t n = kh_utf8_encode(c, s->text + s->n);
	for (size_t i = 0; i < n; i++)
		s->origin[s->n++] = (uint32_t)from;
}

/* Writes the blanks that are pending, and C. */
static void skeleton_write(struct skeleton *s, uint32_t c)
{
	if (s->spaces > 0 && s->n > 0)
		skeleton_put(s, ' ', s->space_from);
	if (s->spaces > 1 && s->n > 0 && (s->flags & KH_NORMALISE_WIDE) != 0)
		skeleton_put(s, ' ', s->space_from);
	s->spaces = 0;
	s->ascii = c < 0x80;
	skeleton_put(s, c, s->from);
}

static void skeleton_blank(struct skeleton *s)
{
	if (s->spaces++ == 0)
		s->space_from = s->from;
	s->ascii = false;
}

/* Removes accents.  Keeps the vowel signs of scripts that need them, unless they are on an ASCII letter. */
static enum fate fate_of(uint32_t c, bool fold)
{
	if (kh_utf8_is_space(c))
		return BLANK;
	if (kh_utf8_is_invisible(c))
		return DROPPED;
	if (!fold || c < UNMARKED || !is_mark(c))
		return WRITTEN;
	return kh_confusable_is_accent(c) ? DROPPED : ON_OTHERS;
}

static void skeleton_part(struct skeleton *s, uint32_t c, enum fate fate)
{
	if (fate == BLANK)
		skeleton_blank(s);
	else if (fate == WRITTEN || (fate == ON_OTHERS && !s->ascii))
		skeleton_write(s, c);
}

/* The same for ASCII, which needs no table. */
static void skeleton_ascii(struct skeleton *s, char c)
{
	if (c == ' ' || (c >= '\t' && c <= '\r'))
		skeleton_blank(s);
	else if (c >= ' ' && c != 0x7f)
		skeleton_write(s, (unsigned char)((s->flags & KH_NORMALISE_FOLD) != 0 ? kh_ascii_lower(c) : c));
}

/* A syllable is two or three letters; utf8proc finds them by searching. */
static size_t decompose_hangul(uint32_t c, int32_t all[DECOMPOSED_MAX])
{
	uint32_t at = c - HANGUL_FIRST, tail = at % 28;

	all[0] = (int32_t)(0x1100 + at / 588);
	all[1] = (int32_t)(0x1161 + at % 588 / 28);
	all[2] = (int32_t)(0x11a7 + tail);
	return tail > 0 ? 3 : 2;
}

/* The code points that C decomposes to, for a skeleton. */
static size_t decompose_for(uint32_t c, bool fold, int32_t all[DECOMPOSED_MAX])
{
	const utf8proc_property_t *property = utf8proc_get_property((utf8proc_int32_t)c);
	int options = UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE | (fold ? UTF8PROC_CASEFOLD : 0), boundclass = 0;

	if (c == PHRASE_FIRST || c == PHRASE_LAST) /* the most expensive to decompose, and no rule needs their text */
		return 0;
	if (c >= HANGUL_FIRST && c <= HANGUL_LAST)
		return decompose_hangul(c, all);
	if (property->decomp_seqindex == UINT16_MAX && (!fold || property->casefold_seqindex == UINT16_MAX)) {
		all[0] = (int32_t)c;
		return 1;
	}
	utf8proc_ssize_t n = utf8proc_decompose_char((utf8proc_int32_t)c, all, DECOMPOSED_MAX,
						     (utf8proc_option_t)options, &boundclass);
	return n > 0 ? (size_t)n : 0;
}

/* Keeps only the first code points of a long decomposition: no rule needs the rest, and the form stays small. */
static void find_parts(uint32_t of, unsigned flags, struct parts *ret)
{
	bool fold = (flags & KH_NORMALISE_FOLD) != 0, alike = (flags & KH_NORMALISE_LOOKALIKE) != 0;
	int32_t all[DECOMPOSED_MAX];
	/*
	 * A capital may look like a different letter than its small form, so look for look-alikes before folding case
	 * and after.
	 */
	size_t n = decompose_for(alike ? kh_confusable_fold(of) : of, fold, all);

	*ret = (struct parts){.of = of};
	for (; ret->n < FORM_PARTS && ret->n < n; ret->n++) {
		uint32_t c = (uint32_t)all[ret->n];
		ret->fate[ret->n] = (unsigned char)fate_of(c, fold);
		ret->at[ret->n] = alike ? kh_confusable_fold(c) : c;
	}
}

/* What is found of a character is kept for the next time. */
static void skeleton_char(struct skeleton *s, uint32_t c)
{
	if (s->kept == NULL)
		s->kept = KH_NEW_N(s->arena, struct parts, (size_t)1 << s->kept_bits);
	if (s->kept == NULL)
		return;
	struct parts *parts = &s->kept[c * UINT32_C(0x9e3779b1) >> (32 - s->kept_bits)];
	if (parts->of != c)
		find_parts(c, s->flags, parts);
	for (size_t i = 0; i < parts->n; i++)
		skeleton_part(s, parts->at[i], (enum fate)parts->fate[i]);
}

/*
 * Takes bytes from AT on that are one character each, or none, without a branch for each: visible ASCII, controls, and
 * what no character begins with.  No blank may be pending.  Returns where they end, before the last byte of TEXT.
 */
static size_t skeleton_bytes(struct skeleton *s, struct kh_view text, size_t at)
{
	size_t room = s->cap - s->n, end = text.n - 1 - at < room ? text.n - 1 : at + room, n = s->n;
	bool fold = (s->flags & KH_NORMALISE_FOLD) != 0;

	for (; at < end; at++) {
		unsigned char c = (unsigned char)text.p[at];
		if (kh_utf8_begins(text.p + at) | (c == ' ') | ((unsigned char)(c - '\t') < 5))
			break;
		s->text[n] = (char)(c | ((unsigned)(fold & ((unsigned char)(c - 'A') < 26)) << 5));
		s->origin[n] = (uint32_t)at;
		n += (unsigned char)(c - '!') < 0x5e;
	}
	s->ascii = s->ascii || n > s->n;
	s->n = n;
	return at;
}

enum kh_err kh_normalise_form(struct kh_arena *arena, struct kh_view text, unsigned flags, struct kh_view *ret_text,
			      uint32_t **ret_origin)
{
	struct skeleton s = {.arena = arena, .flags = flags, .kept_bits = text.n < LONG_TEXT ? KEPT_FEW : KEPT_MANY};

	if (text.n >= UINT32_MAX / GROWTH)
		return KH_ELIMIT;
	s.cap = text.n + 4;
	s.text = kh_arena_alloc(arena, s.cap);
	s.origin = KH_NEW_N(arena, uint32_t, s.cap);
	if (s.text == NULL || s.origin == NULL)
		return KH_ENOMEM;
	for (size_t at = 0; at < text.n;) {
		uint32_t c;
		if (s.spaces == 0 && at + 1 < text.n && !kh_utf8_begins(text.p + at))
			at = skeleton_bytes(&s, text, at);
		s.from = at;
		if ((unsigned char)text.p[at] < 0x80) {
			skeleton_ascii(&s, text.p[at++]);
			continue;
		}
		size_t len = text.n - at >= 4 ? kh_utf8_decode_wide(text.p + at, &c) : kh_utf8_decode(text, at, &c);
		if (len > 0)
			skeleton_char(&s, c);
		at += len > 0 ? len : 1;
	}
	/* One more entry, for the end of the last byte. */
	if (skeleton_room(&s))
		s.origin[s.n] = (uint32_t)text.n;
	enum kh_err e = kh_arena_check(arena);
	if (e == KH_OK) {
		*ret_text = kh_view_of(s.text, s.n);
		*ret_origin = s.origin;
	}
	return e;
}

enum kh_err kh_normalise_skeleton(struct kh_arena *arena, struct kh_view text, struct kh_view *ret_text)
{
	uint32_t *origin;

	if (kh_utf8_invalid(text) != SIZE_MAX)
		return KH_EINPUT;
	return kh_normalise_form(arena, text, KH_NORMALISE_FOLD | KH_NORMALISE_LOOKALIKE, ret_text, &origin);
}
