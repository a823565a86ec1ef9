/* Finds what may be repeated.  Answers come from outside, so they allow little (compare.h), and never a destination. */
#include "core/block/allowed.h"

#include "core/block/anchor.h"
#include "core/screen/fold.h"

#include <stdlib.h>

#define PIECE 8 /* characters in a row: as many as fit into a 64-bit number */

/* ---- pieces ---- */

/* The pieces of some texts, as numbers.  A slot with 0 is free; no piece is 0. */
struct pieces {
	uint64_t *slots;
	size_t mask;
};

static size_t slot_of(const struct pieces *set, uint64_t piece)
{
	size_t slot = (size_t)((piece * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & set->mask;

	while (set->slots[slot] != 0 && set->slots[slot] != piece)
		slot = (slot + 1) & set->mask;
	return slot;
}

/* Squeezes TEXTS, one after the other with a zero between them. */
static enum kh_err squeeze(struct kh_arena *arena, const struct kh_view *texts, size_t count, struct kh_view *ret)
{
	size_t total = 0, n = 0;
	char *out;

	for (size_t i = 0; i < count; i++)
		total += 2 * texts[i].n + 32;
	out = kh_arena_alloc(arena, total + 1);
	if (out == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		struct kh_folded folded;
		enum kh_err e = kh_fold_text(arena, texts[i], false, &folded);
		if (e != KH_OK)
			return e;
		n += kh_fold_squeeze(kh_fold_plain, folded.text.p, folded.text.n, out + n);
		out[n++] = 0;
	}
	*ret = kh_view_of(out, n);
	return KH_OK;
}

static uint64_t piece_at(const char *p)
{
	uint64_t piece;

	memcpy(&piece, p, sizeof(piece));
	return memchr(p, 0, PIECE) == NULL ? piece : 0;
}

static enum kh_err mark(struct kh_allowed *allowed, struct kh_arena *arena, const struct kh_streams *streams,
			const struct kh_view *texts, size_t count, unsigned char as)
{
	struct kh_view bytes;
	struct pieces set = {0};
	enum kh_err e = squeeze(arena, texts, count, &bytes);

	if (e != KH_OK || bytes.n < PIECE)
		return e;
	for (set.mask = 63; set.mask < bytes.n * 2; set.mask = set.mask * 2 + 1)
		;
	set.slots = KH_NEW_N(arena, uint64_t, set.mask + 1);
	if (set.slots == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i + PIECE <= bytes.n; i++) {
		uint64_t piece = piece_at(bytes.p + i);
		if (piece != 0)
			set.slots[slot_of(&set, piece)] = piece;
	}
	for (size_t i = 0; i + PIECE <= streams->bytes.n; i++) {
		uint64_t piece = piece_at(streams->bytes.p + i);
		if (piece != 0 && set.slots[slot_of(&set, piece)] == piece)
			memset(allowed->marks + i, as, PIECE);
	}
	return KH_OK;
}

enum kh_err kh_allowed_make(struct kh_allowed *allowed, struct kh_arena *arena, const struct kh_compare *what,
			    const struct kh_streams *streams)
{
	if (allowed->marked)
		return KH_OK;
	allowed->marked = true;
	allowed->marks = kh_arena_alloc(arena, streams->bytes.n + 1);
	if (allowed->marks == NULL)
		return KH_ENOMEM;
	enum kh_err e = mark(allowed, arena, streams, what->answers, what->answer_count, KH_ALLOWED_ANSWER);
	return e == KH_OK ? mark(allowed, arena, streams, what->own, what->own_count, KH_ALLOWED_OWN) : e;
}

/* ---- anchors ---- */

static void add_anchor(struct kh_allowed *allowed, struct kh_arena *arena, struct kh_view anchor)
{
	struct kh_view *at = kh_arena_more(arena, allowed->anchors, allowed->anchor_count, &allowed->anchor_cap,
					   sizeof(*at));

	if (at == NULL)
		return; /* the arena is marked */
	allowed->anchors = at;
	allowed->anchors[allowed->anchor_count++] = anchor;
}

static int sort_anchors(const void *a, const void *b)
{
	const struct kh_view *x = a, *y = b;

	return kh_view_cmp(*x, *y);
}

static char letter_of(enum kh_match_kind kind)
{
	return (char)('a' + (int)kind);
}

/* Whether ANCHOR in an answer is a sum of money in the form in which Keyhole delivers one, "120000.50 USD". */
static bool is_amount(struct kh_view text, const struct kh_anchor *anchor)
{
	size_t at = anchor->end;

	if (anchor->kind != KH_ANCHOR_NUMBER || anchor->end - anchor->start != anchor->key.n)
		return false;
	if (at < text.n && text.p[at] == '.') {
		for (at++; at < text.n && kh_ascii_is_digit(text.p[at]); at++)
			;
	}
	if (at + 4 > text.n || text.p[at] != ' ')
		return false;
	for (size_t i = at + 1; i < at + 4; i++) {
		if (text.p[i] < 'A' || text.p[i] > 'Z')
			return false;
	}
	return at + 4 == text.n || !kh_ascii_is_alpha(text.p[at + 4]);
}

static enum kh_err list_anchors(struct kh_allowed *allowed, struct kh_arena *arena, const struct kh_compare *what)
{
	static const bool all[KH_ANCHOR_COUNT] = {true, true, true, true};
	static const enum kh_match_kind kinds[KH_ANCHOR_COUNT] = {[KH_ANCHOR_URL] = KH_MATCH_URL,
								  [KH_ANCHOR_HOST] = KH_MATCH_HOST,
								  [KH_ANCHOR_ADDRESS] = KH_MATCH_ADDRESS,
								  [KH_ANCHOR_NUMBER] = KH_MATCH_NUMBER};
	enum kh_err e = KH_OK;

	allowed->listed = true;
	for (size_t i = 0; i < what->own_count + what->answer_count && e == KH_OK; i++) {
		struct kh_anchor_scan scan;
		struct kh_anchor anchor;
		struct kh_folded folded;
		char key[KH_ANCHOR_KEY + 1];
		bool own = i < what->own_count;
		e = kh_fold_text(arena, own ? what->own[i] : what->answers[i - what->own_count], false, &folded);
		if (e != KH_OK)
			break;
		kh_anchor_begin(&scan, folded.text, all);
		while (kh_anchor_next(&scan, &anchor)) {
			if (!own && !is_amount(folded.text, &anchor))
				continue;
			key[0] = letter_of(kinds[anchor.kind]);
			size_t n = kh_anchor_key(&anchor, key + 1);
			add_anchor(allowed, arena, kh_arena_dup(arena, kh_view_of(key, n + 1)));
		}
		e = kh_arena_check(arena);
	}
	if (allowed->anchor_count > 1)
		qsort(allowed->anchors, allowed->anchor_count, sizeof(*allowed->anchors), sort_anchors);
	return e;
}

enum kh_err kh_allowed_anchor(struct kh_allowed *allowed, struct kh_arena *arena, const struct kh_compare *what,
			      enum kh_match_kind kind, struct kh_view key, bool *ret_yes)
{
	enum kh_err e = allowed->listed ? KH_OK : list_anchors(allowed, arena, what);
	struct kh_view want = kh_arena_printf(arena, "%c%.*s", letter_of(kind), KH_FMT(key));

	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e != KH_OK)
		return e;
	*ret_yes = allowed->anchor_count > 0 && bsearch(&want, allowed->anchors, allowed->anchor_count,
							sizeof(*allowed->anchors), sort_anchors) != NULL;
	return KH_OK;
}

/* ---- words for grammar ---- */

bool kh_allowed_grammar(struct kh_view word)
{
	/* These words are squeezed, so an i is written as l. */
	static const char words[] =
		" a about after all also am an and any are as at be been before but by can could dld do does each for "
		"from had has have he her hls how l lf ln lnto ls lt lts may me more most must my no nor not of on one "
		"or other our out over she should so some such than that the thelr them then there these they thls "
		"those through to up upon was we were what when where whether whlch whlle who whose whom wlll wlth "
		"wlthln wlthout would you your ";
	char padded[16];

	if (word.n + 2 > sizeof(padded))
		return false;
	padded[0] = ' ';
	memcpy(padded + 1, word.p, word.n);
	padded[word.n + 1] = ' ';
	return kh_view_find(kh_view_of(words, sizeof(words) - 1), kh_view_of(padded, word.n + 2), 0) != SIZE_MAX;
}
