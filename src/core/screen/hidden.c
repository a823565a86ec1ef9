/*
 * Hidden characters.  One pass over hostile bytes sorts them by kind and collects the text that each kind could spell;
 * then each collection is decoded once.  All work is linear, because the collections are no longer than the text.
 */
#include "core/screen/hidden.h"

#include "base/utf8.h"
#include "core/screen/normalise.h"
#include "core/screen/turn.h"

#include <utf8proc.h>

#define BITS_MIN  24 /* fewest zero-width characters that may be bits */
#define KINDS_MAX 6  /* different ones that are distinguished */
#define MARKS_OK  4

struct spelled {
	char *p; /* NULL until the first character */
	size_t n;
	size_t start, end;
};

struct pass {
	struct kh_arena *arena;
	struct kh_view text;
	kh_decode_found *found;
	void *ctx;
	struct kh_hidden *ret;
	struct spelled tags, selectors, bits; /* each bit is an index into kinds */
	uint32_t kinds[KINDS_MAX];
	size_t kind_count, kind_uses[KINDS_MAX];
	uint32_t before; /* the last visible character */
	size_t soft_run; /* zero-width characters since then */
	size_t marks;
};

static void count(struct pass *p, enum kh_hidden_kind kind, size_t at, size_t len)
{
	if (p->ret->count[kind]++ == 0)
		p->ret->first[kind] = at;
	p->ret->last[kind] = at + len;
}

static void spell(struct pass *p, struct spelled *s, char c, size_t at, size_t len)
{
	if (s->p == NULL) {
		/* Large enough: each of these characters has three bytes or more, except soft hyphens and controls. */
		s->p = kh_arena_alloc(p->arena, p->text.n);
		s->start = at;
	}
	if (s->p == NULL)
		return;
	s->p[s->n++] = c;
	s->end = at + len;
}

static void emit(struct pass *p, enum kh_layer layer, const struct spelled *s)
{
	struct kh_view v = kh_arena_dup(p->arena, kh_view_of(s->p, s->n));

	if (v.p != NULL)
		p->found(p->ctx, layer, v, s->start, s->end);
}

static void zero_width(struct pass *p, uint32_t c, size_t at, size_t len)
{
	size_t i = 0;

	while (i < p->kind_count && p->kinds[i] != c)
		i++;
	if (i == p->kind_count) {
		if (i == KINDS_MAX)
			return;
		p->kinds[p->kind_count++] = c;
	}
	p->kind_uses[i]++;
	spell(p, &p->bits, (char)i, at, len);
}

static bool is_soft(uint32_t c)
{
	return (c >= 0x200b && c <= 0x200d) || c == 0x2060 || c == 0xfeff || c == 0xad;
}

static bool is_bidi(uint32_t c)
{
	return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0x200e || c == 0x200f || c == 0x61c;
}

static bool is_selector(uint32_t c)
{
	return (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0xe0100 && c <= 0xe01ef);
}

static bool is_mark(uint32_t c)
{
	utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);

	return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

static void invisible(struct pass *p, uint32_t c, size_t at, size_t len)
{
	if (c >= 0xe0000 && c <= 0xe007f) {
		count(p, KH_HIDDEN_TAG, at, len);
		if (c >= 0xe0020 && c <= 0xe007e)
			spell(p, &p->tags, (char)(c - 0xe0000), at, len);
	} else if (is_selector(c)) {
		count(p, KH_HIDDEN_SELECTOR, at, len);
		spell(p, &p->selectors, (char)(c >= 0xe0100 ? c - 0xe0100 + 16 : c - 0xfe00), at, len);
	} else if (is_bidi(c)) {
		count(p, c == 0x202d || c == 0x202e ? KH_HIDDEN_OVERRIDE : KH_HIDDEN_BIDI, at, len);
		zero_width(p, c, at, len);
	} else {
		count(p, is_soft(c) ? KH_HIDDEN_SOFT : KH_HIDDEN_OTHER, at, len);
		p->soft_run++;
		zero_width(p, c, at, len);
	}
}

static void visible(struct pass *p, uint32_t c, size_t at, size_t len)
{
	if (c >= 0x300 && is_mark(c)) {
		p->marks++;
		if (p->marks > p->ret->marks)
			p->ret->marks = p->marks;
		if (p->marks > MARKS_OK)
			count(p, KH_HIDDEN_MARKS, at, len);
		return;
	}
	p->marks = 0;
	if (p->soft_run > 0 && p->before < 0x80 && c < 0x80 && kh_ascii_is_alpha((char)p->before) &&
	    kh_ascii_is_alpha((char)c))
		p->ret->within += p->soft_run;
	p->soft_run = 0;
	p->before = c;
}

/*
 * Decodes selectors as bytes.  There are two conventions: the seventeenth selector is byte 16, or byte 0; both may give
 * text.
 */
static void decode_selectors(struct pass *p)
{
	struct spelled *s = &p->selectors;

	if (s->n < 3)
		return;
	if (kh_decode_is_text(kh_view_of(s->p, s->n)))
		emit(p, KH_LAYER_SELECTORS, s);
	for (size_t i = 0; i < s->n; i++)
		s->p[i] = (char)(s->p[i] - 16);
	if (kh_decode_is_text(kh_view_of(s->p, s->n)))
		emit(p, KH_LAYER_SELECTORS, s);
}

/* Packs bits of B, those equal to ONE or ZERO, WIDTH to a character, into OUT; returns the number of characters. */
static size_t pack(const struct spelled *b, size_t zero, size_t one, unsigned width, char *out)
{
	unsigned acc = 0, have = 0;
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		size_t kind = (unsigned char)b->p[i];
		if (kind != zero && kind != one)
			continue;
		acc = acc << 1 | (kind == one);
		if (++have == width) {
			out[n++] = (char)acc;
			acc = have = 0;
		}
	}
	return n;
}

/* Decodes two kinds of zero-width characters as bits, either kind as 0 or 1, eight or seven bits to a character. */
static void decode_bits(struct pass *p)
{
	struct spelled *b = &p->bits, out = *b;
	size_t first = 0, second = SIZE_MAX;

	if (b->n < BITS_MIN || p->kind_count < 2)
		return;
	for (size_t i = 1; i < p->kind_count; i++) {
		if (p->kind_uses[i] > p->kind_uses[first])
			second = first, first = i;
		else if (second == SIZE_MAX || p->kind_uses[i] > p->kind_uses[second])
			second = i;
	}
	out.p = kh_arena_alloc(p->arena, b->n);
	if (out.p == NULL)
		return;
	for (unsigned way = 0; way < 4; way++) {
		size_t zero = way & 1 ? second : first, one = way & 1 ? first : second;
		out.n = pack(b, zero, one, way & 2 ? 7 : 8, out.p);
		if (out.n >= 3 && kh_decode_is_text(kh_view_of(out.p, out.n))) {
			emit(p, KH_LAYER_ZERO_WIDTH, &out);
			return;
		}
	}
}

/* Decodes text after a right-to-left override, which is shown backwards. */
static void decode_override(struct pass *p)
{
	static const struct kh_view rlo = KH_LIT_INIT("\xe2\x80\xae"), pop = KH_LIT_INIT("\xe2\x80\xac");

	for (size_t at = 0; (at = kh_view_find(p->text, rlo, at)) != SIZE_MAX;) {
		size_t start = at + rlo.n;
		while (kh_view_starts(kh_view_from(p->text, start), rlo))
			start += rlo.n;
		size_t end = kh_view_find(p->text, pop, start);
		struct kh_view v = kh_view_sub(p->text, start, end == SIZE_MAX ? p->text.n : end);
		struct kh_view reversed = kh_turn_reverse(p->arena, v);
		if (reversed.n > 0)
			p->found(p->ctx, KH_LAYER_REVERSED, reversed, at, start + v.n);
		at = start + v.n;
	}
}

/*
 * Passes over bytes from AT on that are visible ASCII, or that no character begins with, without a branch for each.
 * One of the latter was counted before, and no invisible character is beside them.  Returns where they end, before the
 * last byte of the text.
 */
static size_t skip_bytes(struct pass *p, size_t at)
{
	size_t invalid = 0, last = p->ret->last[KH_HIDDEN_INVALID], seen = 0;
	uint32_t before = p->before;

	for (; at + 1 < p->text.n; at++) {
		unsigned char c = (unsigned char)p->text.p[at];
		bool ascii = (unsigned char)(c - ' ') < 0x5f;
		if (kh_utf8_begins(p->text.p + at) | (c < ' ') | (c == 0x7f))
			break;
		before = ascii ? c : before;
		last = ascii ? last : at + 1;
		seen += ascii;
		invalid += !ascii;
	}
	p->before = before;
	p->marks = seen > 0 ? 0 : p->marks;
	p->ret->count[KH_HIDDEN_INVALID] += invalid;
	p->ret->last[KH_HIDDEN_INVALID] = last;
	return at;
}

void kh_hidden_scan(struct kh_arena *arena, struct kh_view text, kh_decode_found *found, void *ctx,
		    struct kh_hidden *ret)
{
	struct pass p = {.arena = arena, .text = text, .found = found, .ctx = ctx, .ret = ret};

	*ret = (struct kh_hidden){0};
	for (size_t at = 0; at < text.n;) {
		if (ret->count[KH_HIDDEN_INVALID] > 0 && p.soft_run == 0 && at + 1 < text.n &&
		    !kh_utf8_begins(text.p + at))
			at = skip_bytes(&p, at);
		uint32_t c = (unsigned char)text.p[at];
		size_t len = c < 0x80           ? 1
			     : text.n - at >= 4 ? kh_utf8_decode_wide(text.p + at, &c)
						: kh_utf8_decode(text, at, &c);
		if (len == 0) {
			count(&p, KH_HIDDEN_INVALID, at, 1);
			at++;
			continue;
		}
		if (c != '\t' && c != '\n' && c != '\r' && kh_utf8_is_invisible(c))
			invisible(&p, c, at, len);
		else
			visible(&p, c, at, len);
		at += len;
	}
	if (p.tags.n > 0)
		emit(&p, KH_LAYER_TAGS, &p.tags);
	decode_selectors(&p);
	decode_bits(&p);
	if (ret->count[KH_HIDDEN_OVERRIDE] > 0)
		decode_override(&p);
}

void kh_hidden_judge(const struct kh_hidden *h, bool strict, kh_hidden_found *found, void *ctx)
{
	const struct {
		enum kh_hidden_kind kind;
		bool is;
		const char *code;
		enum kh_severity severity;
	} rows[] = {
		{KH_HIDDEN_INVALID, h->count[KH_HIDDEN_INVALID] > 0, "invalid_utf8", KH_SEVERITY_MEDIUM},
		{KH_HIDDEN_TAG, h->count[KH_HIDDEN_TAG] > (strict ? 0 : 7), "tag", KH_SEVERITY_HIGH},
		{KH_HIDDEN_SELECTOR, h->count[KH_HIDDEN_SELECTOR] > (strict ? 0 : 15), "selector",
		 strict ? KH_SEVERITY_MEDIUM : KH_SEVERITY_LOW},
		{KH_HIDDEN_OVERRIDE, h->count[KH_HIDDEN_OVERRIDE] > 0, "bidi", KH_SEVERITY_HIGH},
		{KH_HIDDEN_BIDI, h->count[KH_HIDDEN_BIDI] > 0 && strict, "bidi", KH_SEVERITY_LOW},
		{KH_HIDDEN_OTHER, h->count[KH_HIDDEN_OTHER] > (strict ? 0 : 16), "invisible", KH_SEVERITY_MEDIUM},
		{KH_HIDDEN_SOFT, h->count[KH_HIDDEN_SOFT] > 1 && (strict || h->within > 4), "invisible",
		 KH_SEVERITY_MEDIUM},
		{KH_HIDDEN_MARKS, h->count[KH_HIDDEN_MARKS] > 0 && (strict || h->marks > KH_NORMALISE_MARKS), "marks",
		 KH_SEVERITY_MEDIUM},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].is)
			found(ctx, rows[i].code, rows[i].severity, h->first[rows[i].kind], h->last[rows[i].kind]);
	}
}
