/*
 * Picks letters.  Texts are hostile; of all of them together a fixed number of bytes is read, so the work has a bound.
 */
#include "core/block/strewn.h"

#include "core/block/parts.h"
#include "core/screen/fold.h"

#define ALL    4096 /* bytes of all texts; a longer one is left out */
#define ITEM   64   /* bytes of each text if only some of the texts count; of all of them: */
#define ITEMS  1024
#define STEPS  4 /* letters or words of which one counts, at most */
#define TURNS  3 /* texts of which one counts, at most */
#define PLACES 5 /* places of a word, from either end */
#define WIDTH  3 /* letters at such a place, at most */

struct picking {
	struct kh_arena *arena;
	kh_strewn_fn *fn;
	void *ctx;
};

typedef void write_fn(struct kh_buf *out, struct kh_view text, size_t step, size_t from);

static bool is_word(char c)
{
	return kh_fold_plain[(unsigned char)c] != 0;
}

static enum kh_err emit(const struct picking *p, const struct kh_buf *out)
{
	struct kh_view text;
	enum kh_err e = kh_buf_end(out, &text);

	return e == KH_OK && text.n > 0 ? p->fn(p->ctx, text) : e;
}

/* One of STEP letters and digits, from the FROM-th on. */
static void write_every(struct kh_buf *out, struct kh_view text, size_t step, size_t from)
{
	size_t seen = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (is_word(text.p[i]) && seen++ % step == from)
			kh_buf_byte(out, text.p[i]);
	}
}

/* One of STEP words, from the FROM-th on.  SPACED: "e-mail" is one word, because blanks alone separate them. */
static void write_some(struct kh_buf *out, struct kh_view text, size_t step, size_t from, bool spaced)
{
	size_t seen = 0;

	for (size_t at = 0, start; at < text.n; at++) {
		for (start = at; at < text.n && (spaced ? text.p[at] != ' ' : is_word(text.p[at]));)
			at++;
		if (at == start || seen++ % step != from)
			continue;
		kh_buf_add(out, kh_view_sub(text, start, at));
		kh_buf_byte(out, ' ');
	}
}

static void write_words(struct kh_buf *out, struct kh_view text, size_t step, size_t from)
{
	write_some(out, text, step, from, false);
}

static void write_spaced(struct kh_buf *out, struct kh_view text, size_t step, size_t from)
{
	write_some(out, text, step, from, true);
}

/* Whether signs stand inside of words of TEXT, or alone between blanks, so that it matters what separates words. */
static bool has_signs(struct kh_view text)
{
	for (size_t i = 1; i + 1 < text.n; i++) {
		if (is_word(text.p[i]) || text.p[i] == ' ')
			continue;
		if ((is_word(text.p[i - 1]) && is_word(text.p[i + 1])) ||
		    (text.p[i - 1] == ' ' && text.p[i + 1] == ' '))
			return memchr(text.p, ' ', text.n) != NULL;
	}
	return false;
}

/* What PICK_SOME takes of TEXT, for every step and each of its beginnings. */
static enum kh_err pick_steps(const struct picking *p, struct kh_view text, write_fn *pick_some)
{
	enum kh_err e = KH_OK;

	for (size_t step = 2; step <= STEPS; step++) {
		for (size_t from = 0; from < step && e == KH_OK; from++) {
			struct kh_buf out;
			kh_buf_init(&out, p->arena, p->arena->limit);
			pick_some(&out, text, step, from);
			e = emit(p, &out);
		}
	}
	return e;
}

/* WIDTH characters of each word, from the N-th on; FAR: counted from the word's end.  Whole words are no choice. */
static bool write_places(struct kh_buf *out, struct kh_view text, size_t n, size_t width, bool far)
{
	bool chosen = false;

	for (size_t at = 0; at < text.n; at++) {
		size_t from = at;
		while (at < text.n && is_word(text.p[at]))
			at++;
		if (at - from <= n)
			continue;
		size_t end = far ? at - n : from + n + width < at ? from + n + width : at;
		size_t start = !far ? from + n : end - from > width ? end - width : from;
		chosen = chosen || end - start < at - from;
		kh_buf_add(out, kh_view_sub(text, start, end));
		kh_buf_byte(out, ' ');
	}
	return chosen;
}

static enum kh_err pick_places(const struct picking *p, struct kh_view text)
{
	enum kh_err e = KH_OK;

	for (size_t i = 0; i < 2 * PLACES * WIDTH && e == KH_OK; i++) {
		struct kh_buf out;
		kh_buf_init(&out, p->arena, p->arena->limit);
		if (write_places(&out, text, i / 2 / WIDTH, 1 + i / 2 % WIDTH, i % 2 != 0))
			e = emit(p, &out);
	}
	return e;
}

/* The text without its digits: each of them may count something.  Empty if it has none. */
static void write_uncounted(struct kh_buf *out, struct kh_view text)
{
	size_t digits = 0;

	for (size_t i = 0; i < text.n; i++)
		digits += kh_ascii_is_digit(text.p[i]);
	if (digits > 0)
		kh_parts_letters(out, text);
}

static enum kh_err pick(const struct picking *p, struct kh_view text)
{
	struct kh_view uncounted;
	struct kh_buf out;

	kh_buf_init(&out, p->arena, p->arena->limit);
	write_uncounted(&out, text);
	enum kh_err e = kh_buf_end(&out, &uncounted);
	if (e == KH_OK)
		e = emit(p, &out);
	if (e == KH_OK)
		e = pick_steps(p, text, write_every);
	return e == KH_OK ? pick_steps(p, uncounted, write_every) : e;
}

/* One of EVERY texts from the FIRST on as one text, folded. */
static enum kh_err join(const struct picking *p, const struct kh_view *texts, size_t count, size_t every, size_t first,
			struct kh_view *ret_text)
{
	struct kh_folded folded = {0};
	struct kh_view text;
	struct kh_buf out;

	kh_buf_init(&out, p->arena, p->arena->limit);
	for (size_t i = first; i < count && out.n < (every > 1 ? ITEMS : ALL); i += every) {
		struct kh_view of = every > 1 ? kh_view_sub(texts[i], 0, ITEM) : texts[i];
		kh_buf_add(&out, of.n <= ALL ? of : KH_LIT(""));
		kh_buf_byte(&out, ' ');
	}
	enum kh_err e = kh_buf_end(&out, &text);
	if (e == KH_OK)
		e = kh_fold_text(p->arena, text, false, &folded);
	*ret_text = folded.text;
	return e;
}

enum kh_err kh_strewn_each(struct kh_arena *arena, const struct kh_view *texts, size_t count, kh_strewn_fn *fn,
			   void *ctx)
{
	struct picking p = {arena, fn, ctx};
	enum kh_err e = KH_OK;

	for (size_t every = 1; every <= TURNS && 2 * every <= count + 1; every++) {
		for (size_t first = 0; first < every && e == KH_OK; first++) {
			struct kh_view text;
			e = join(&p, texts, count, every, first, &text);
			if (e == KH_OK && every > 1)
				e = fn(ctx, text);
			if (e == KH_OK)
				e = pick(&p, text);
			if (e == KH_OK && every == 1)
				e = pick_places(&p, text);
			if (e == KH_OK && every == 1)
				e = pick_steps(&p, text, write_words);
			if (e == KH_OK && every == 1 && has_signs(text))
				e = pick_steps(&p, text, write_spaced);
		}
	}
	return e;
}
