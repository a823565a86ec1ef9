/*
 * Forms for comparing.  Input is hostile bytes.  Each form is prescanned once.  If a stretch of it may be encoded, the
 * decoders get that stretch, and what they find is a form in turn.
 */
#include "core/screen/forms.h"

#include "base/buf.h"
#include "core/screen/fold.h"
#include "core/screen/hidden.h"
#include "core/screen/prescan.h"
#include "core/screen/screen.h"
#include "core/screen/turn.h"
#include "core/screen/unescape.h"

#define MORE       65536 /* decoded bytes that a text of any size may have */
#define MARGIN     4     /* blocks that are read with one that has an escape */
#define AROUND     256   /* bytes around an escape that are read with it */
#define EACH       64    /* decoded texts that are forms of their own, however short */
#define SMALL      512   /* bytes of a short one */
#define TURNED_MAX 4096  /* bytes of an encoded stretch that are also read backwards and in rot13 */
#define HIDDEN_MIN 3     /* fewest invisible characters that may spell something */

struct walk {
	struct kh_arena *arena;
	kh_forms_fn *fn;
	void *ctx;
	size_t budget;
	size_t depth; /* of the form that is being decoded */
	size_t found; /* decoded texts so far */
	struct kh_buf small;
	size_t small_depth;
	enum kh_err e;
};

static void read_form(struct walk *w, struct kh_view text, size_t depth);

/* If there are many short texts, each would cost more than to read it: they are one form, a line each. */
static void read_small(struct walk *w)
{
	struct kh_view text;

	if (w->small.n == 0 || w->e != KH_OK)
		return;
	w->e = kh_buf_end(&w->small, &text);
	kh_buf_init(&w->small, w->arena, w->arena->limit);
	if (w->e == KH_OK)
		read_form(w, text, w->small_depth);
}

static void on_found(void *ctx, enum kh_layer layer, struct kh_view decoded, size_t start, size_t end)
{
	struct walk *w = ctx;

	(void)layer;
	(void)start;
	(void)end;
	if (w->e != KH_OK || w->depth >= KH_SCREEN_DEPTH || decoded.n > w->budget)
		return;
	w->budget -= decoded.n;
	if (w->found++ < EACH || decoded.n > SMALL) {
		read_form(w, decoded, w->depth + 1);
		return;
	}
	if (w->small_depth != w->depth + 1)
		read_small(w);
	w->small_depth = w->depth + 1;
	kh_buf_add(&w->small, decoded);
	kh_buf_byte(&w->small, '\n');
}

/* V backwards.  It is folded, so each byte is a character. */
static struct kh_view turn(struct kh_arena *arena, struct kh_view v)
{
	char *p = kh_arena_alloc(arena, v.n);

	for (size_t i = 0; p != NULL && i < v.n; i++)
		p[i] = v.p[v.n - 1 - i];
	return kh_view_of(p, p != NULL ? v.n : 0);
}

/* Reads encoded text in a stretch, and in the stretch in rot13 and backwards. */
static void read_codes(struct walk *w, struct kh_view part, bool packed)
{
	struct kh_view ways[3] = {part};
	size_t count = 1;

	if (part.n <= TURNED_MAX && w->depth + 2 <= KH_SCREEN_DEPTH) {
		ways[count++] = kh_turn_rot13(w->arena, part);
		ways[count++] = turn(w->arena, part);
	}
	for (size_t i = 0; i < count && w->e == KH_OK; i++) {
		w->depth += i > 0;
		if (packed)
			kh_decode_packed(w->arena, ways[i], on_found, w);
		else
			kh_decode_spread(w->arena, ways[i], true, on_found, w);
		w->depth -= i > 0;
	}
}

static enum kh_err on_unescaped(void *ctx, struct kh_view text, size_t count)
{
	struct walk *w = ctx;

	(void)count;
	on_found(w, KH_LAYER_ESCAPE, text, 0, 0);
	return w->e;
}

/* Reads what is around the escapes of a stretch, with these undone. */
static void read_escapes(struct walk *w, struct kh_view part)
{
	for (int quoted = 0; quoted < 2 && w->e == KH_OK; quoted++)
		w->e = kh_unescape_each(w->arena, part, quoted != 0, AROUND, on_unescaped, w);
}

static void read_encoded(struct walk *w, const struct kh_forms_form *form, const struct kh_prescan *raw)
{
	struct kh_prescan look = *raw;
	size_t start, end;

	/*
	 * Encoded text may have invisible characters in it, so read the folded text; escapes are undone in the original
	 * text, because folding may change their characters.
	 */
	if (form->folded.p != form->text.p)
		w->e = kh_prescan(w->arena, form->folded, &look);
	for (size_t at = 0; w->e == KH_OK && kh_prescan_next(&look, KH_PRESCAN_PACKED, 1, &at, &start, &end);)
		read_codes(w, kh_view_sub(form->folded, start, end), true);
	for (size_t at = 0; w->e == KH_OK && kh_prescan_next(&look, KH_PRESCAN_DIGITS, 1, &at, &start, &end);)
		read_codes(w, kh_view_sub(form->folded, start, end), false);
	for (size_t at = 0; w->e == KH_OK && kh_prescan_next(raw, KH_PRESCAN_ESCAPE, MARGIN, &at, &start, &end);)
		read_escapes(w, kh_view_sub(form->text, start, end));
}

/* Reads what the invisible characters of TEXT spell.  The others matter only after an override. */
static void read_hidden(struct walk *w, struct kh_view text, struct kh_view unseen)
{
	static const struct kh_view override = KH_LIT_INIT("\xe2\x80\xae");
	struct kh_hidden hidden;

	kh_hidden_scan(w->arena, kh_view_find(unseen, override, 0) != SIZE_MAX ? text : unseen, on_found, w, &hidden);
}

static void read_form(struct walk *w, struct kh_view text, size_t depth)
{
	struct kh_forms_form form = {text, text, depth};
	struct kh_folded folded = {0};
	struct kh_prescan look;
	struct kh_buf small = w->small;
	size_t before = w->depth, small_depth = w->small_depth;

	w->e = kh_prescan(w->arena, text, &look);
	if (w->e == KH_OK && (!look.ascii || look.controls)) {
		w->e = kh_fold_text(w->arena, text, false, &folded);
		form.folded = folded.text;
	}
	if (w->e == KH_OK)
		w->e = w->fn(w->ctx, &form);
	if (w->e != KH_OK || depth == KH_SCREEN_DEPTH)
		return;
	w->depth = depth;
	kh_buf_init(&w->small, w->arena, w->arena->limit);
	if (folded.hidden >= HIDDEN_MIN)
		read_hidden(w, text, folded.unseen);
	if (w->e == KH_OK)
		read_encoded(w, &form, &look);
	read_small(w);
	w->small = small;
	w->small_depth = small_depth;
	w->depth = before;
}

enum kh_err kh_forms_each(struct kh_arena *arena, struct kh_view text, kh_forms_fn *fn, void *ctx)
{
	struct walk w = {.arena = arena, .fn = fn, .ctx = ctx};

	w.budget = text.n <= (SIZE_MAX - MORE) / KH_FORMS_BUDGET ? text.n * KH_FORMS_BUDGET + MORE : SIZE_MAX;
	read_form(&w, text, 0);
	return w.e == KH_OK ? kh_arena_check(arena) : w.e;
}
