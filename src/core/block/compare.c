/*
 * Comparing texts.  All of them are hostile, and so is their size: there is no hash that could be attacked, and no step
 * whose cost grows with the product of two lengths.
 *
 * The texts are indexed: every window of 12 characters of every form, sorted, with a bit filter in front; and every
 * token, sorted.  Then each source's forms are gone over once, and each of their windows and tokens is looked up. Equal
 * means equal bytes.
 */
#include "core/block/compare.h"

#include "base/utf8.h"
#include "core/block/token.h"
#include "core/screen/normalise.h"

#include <stdlib.h>

/* The filter has at least 8 bits a window, within these powers of two. */
#define FILTER_LEAST 12
#define FILTER_MOST  24

#define TEXT_MIN 4 /* bytes: nothing that counts when it is shared is shorter (a.io) */

struct form {
	struct kh_view view;
	size_t text; /* or source */
	size_t index;
};

struct forms {
	struct form *at;
	size_t n, cap;
};

/* A window or a token of one of the texts. */
struct window {
	const char *p;
	uint32_t n;
	uint32_t form;
};

struct entry {
	enum kh_match_kind kind;
	struct kh_view key;
	size_t form, start, end;
};

struct index {
	struct kh_arena *arena;
	struct forms forms;
	struct window *windows;
	size_t window_count;
	uint64_t *filter;
	unsigned filter_bits; /* a power of two of them */
	struct entry *entries;
	size_t entry_count, entry_cap;
	struct kh_matches matches;
};

const char *kh_compare_kind(enum kh_match_kind kind)
{
	static const char *const names[KH_MATCH_COUNT] = {"run", "url", "host", "address", "number"};

	return names[kind];
}

/* ---- forms ---- */

static enum kh_err add_form(struct kh_arena *arena, struct forms *forms, struct kh_view view, size_t text, size_t index)
{
	if (forms->n == forms->cap) {
		size_t cap = forms->cap ? forms->cap * 2 : 16;
		struct form *at = kh_arena_grow(arena, forms->at, forms->n * sizeof(*at), cap * sizeof(*at));
		if (at == NULL)
			return KH_ENOMEM;
		forms->at = at;
		forms->cap = cap;
	}
	forms->at[forms->n++] = (struct form){view, text, index};
	return KH_OK;
}

/*
 * The forms of one text, each reduced to what it is compared by: lower case, look-alikes folded, blanks single.  They
 * are made in SCRATCH, and kept in KEEP, which may be the same.
 */
static enum kh_err add_forms(struct kh_screen *screen, struct kh_arena *scratch, struct kh_arena *keep,
			     struct forms *forms, struct kh_view text, size_t number)
{
	struct kh_view *views;
	size_t count;
	enum kh_err e = kh_screen_forms(screen, scratch, text, &views, &count);

	for (size_t i = 0; e == KH_OK && i < count; i++) {
		struct kh_view view = views[i];
		if (kh_utf8_invalid(view) == SIZE_MAX)
			e = kh_normalise_skeleton(scratch, views[i], &view);
		if (e == KH_OK && keep != scratch) {
			view = kh_arena_dup(keep, view);
			e = view.p ? KH_OK : KH_ENOMEM;
		}
		if (e == KH_OK)
			e = add_form(keep, forms, view, number, i);
	}
	return e;
}

/* ---- windows ---- */

/* The length of the character at byte AT; a byte that is no UTF-8 is a character of its own. */
static size_t step(struct kh_view v, size_t at)
{
	uint32_t c;

	if ((unsigned char)v.p[at] < 0x80)
		return 1;
	size_t n = kh_utf8_decode(v, at, &c);
	return n ? n : 1;
}

/* The end of the first window of V; V.n + 1 where V is too short for one. */
static size_t first_end(struct kh_view v)
{
	size_t end = 0;

	for (size_t i = 0; i < KH_COMPARE_RUN; i++) {
		if (end == v.n)
			return v.n + 1;
		end += step(v, end);
	}
	return end;
}

/* A window has 12 bytes or more: its first and its last 8 tell most windows apart. */
static size_t filter_bit(const struct index *index, const char *p, size_t n)
{
	uint64_t a, b;

	memcpy(&a, p, sizeof(a));
	memcpy(&b, p + n - sizeof(b), sizeof(b));
	uint64_t mixed = (a ^ (b << 29 | b >> 35)) * UINT64_C(0x9e3779b97f4a7c15);
	return (size_t)(mixed >> (64 - index->filter_bits));
}

static int compare_windows(const struct window *a, const struct window *b)
{
	return kh_view_cmp(kh_view_of(a->p, a->n), kh_view_of(b->p, b->n));
}

static int sort_windows(const void *a, const void *b)
{
	const struct window *x = a, *y = b;
	int c = compare_windows(x, y);

	return c ? c : x->form != y->form ? (x->form > y->form) - (x->form < y->form) : (x->p > y->p) - (x->p < y->p);
}

/* Every window of the texts' forms. */
static enum kh_err index_windows(struct index *index)
{
	size_t total = 0;

	for (size_t i = 0; i < index->forms.n; i++)
		total += index->forms.at[i].view.n;
	index->filter_bits = FILTER_LEAST;
	while (index->filter_bits < FILTER_MOST && (size_t)1 << index->filter_bits < total * 8)
		index->filter_bits++;
	index->windows = KH_NEW_N(index->arena, struct window, total);
	index->filter = KH_NEW_N(index->arena, uint64_t, ((size_t)1 << index->filter_bits) / 64);
	if (index->windows == NULL || index->filter == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < index->forms.n; i++) {
		struct kh_view v = index->forms.at[i].view;
		size_t start = 0, end = first_end(v);
		while (end <= v.n) {
			size_t bit = filter_bit(index, v.p + start, end - start);
			index->filter[bit / 64] |= UINT64_C(1) << (bit % 64);
			index->windows[index->window_count++] = (struct window){v.p + start, (uint32_t)(end - start),
										(uint32_t)i};
			start += step(v, start);
			end = end < v.n ? end + step(v, end) : v.n + 1;
		}
	}
	if (index->window_count > 1)
		qsort(index->windows, index->window_count, sizeof(*index->windows), sort_windows);
	return KH_OK;
}

/* The first of the texts' windows that equals the N bytes at P, or NULL. */
static const struct window *find_window(const struct index *index, const char *p, size_t n)
{
	struct window want = {.p = p, .n = (uint32_t)n};
	size_t bit = filter_bit(index, p, n), low = 0, high = index->window_count;

	if ((index->filter[bit / 64] >> (bit % 64) & 1) == 0)
		return NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare_windows(&index->windows[middle], &want) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == index->window_count || compare_windows(&index->windows[low], &want) != 0)
		return NULL;
	return &index->windows[low];
}

/* ---- matches ---- */

/* Adds a match; false where this kind has enough of this source, or there is no memory. */
static bool add_match(struct index *index, struct kh_match match, size_t *count)
{
	struct kh_matches *list = &index->matches;

	if (*count == KH_COMPARE_MAX)
		return false;
	if (list->n == list->cap) {
		size_t cap = list->cap ? list->cap * 2 : 16;
		struct kh_match *at = kh_arena_grow(index->arena, list->at, list->n * sizeof(*at), cap * sizeof(*at));
		if (at == NULL)
			return false;
		list->at = at;
		list->cap = cap;
	}
	list->at[list->n++] = match;
	list->kinds[match.kind]++;
	++*count;
	return true;
}

static struct kh_match make_match(const struct index *index, enum kh_match_kind kind, const struct form *source,
				  size_t form, size_t start, size_t end)
{
	const struct form *text = &index->forms.at[form];

	return (struct kh_match){
		.kind = kind,
		.text = text->text,
		.source = source->text,
		.in_text = {text->index, start, end},
		.in_source = {.form = source->index},
		.shared = kh_view_sub(text->view, start, end),
	};
}

/* Goes over one form of a source for shared runs.  Where one was found, the next can only end behind it. */
static void match_runs(struct index *index, const struct form *source, size_t *count)
{
	struct kh_view v = source->view;
	size_t start = 0, end = first_end(v), matched = 0;

	for (; end <= v.n; start += step(v, start), end = end < v.n ? end + step(v, end) : v.n + 1) {
		const struct window *hit = end > matched ? find_window(index, v.p + start, end - start) : NULL;
		if (hit == NULL)
			continue;
		struct kh_view text = index->forms.at[hit->form].view;
		size_t from = (size_t)(hit->p - text.p), n = end - start;
		while (start + n < v.n && from + n < text.n) {
			size_t more = step(v, start + n);
			if (more > text.n - from - n || memcmp(v.p + start + n, text.p + from + n, more) != 0)
				break;
			n += more;
		}
		matched = start + n;
		struct kh_match match = make_match(index, KH_MATCH_RUN, source, hit->form, from, from + n);
		match.in_source.start = start;
		match.in_source.end = start + n;
		if (!add_match(index, match, count))
			return;
	}
}

/* ---- tokens ---- */

static enum kh_match_kind kind_of(enum kh_token_kind kind)
{
	static const enum kh_match_kind kinds[] = {[KH_TOKEN_URL] = KH_MATCH_URL,
						   [KH_TOKEN_HOST] = KH_MATCH_HOST,
						   [KH_TOKEN_ADDRESS] = KH_MATCH_ADDRESS,
						   [KH_TOKEN_NUMBER] = KH_MATCH_NUMBER};

	return kinds[kind];
}

static void add_entry(struct index *index, struct entry entry)
{
	if (index->entry_count == index->entry_cap) {
		size_t cap = index->entry_cap ? index->entry_cap * 2 : 16;
		struct entry *at = kh_arena_grow(index->arena, index->entries, index->entry_count * sizeof(*at),
						 cap * sizeof(*at));
		if (at == NULL)
			return; /* the arena is marked */
		index->entries = at;
		index->entry_cap = cap;
	}
	index->entries[index->entry_count++] = entry;
}

/* A host of a text stands for the domains above it too: a name under a source's domain is that domain's. */
static void add_parents(struct index *index, struct entry entry)
{
	size_t dot;

	if (entry.kind != KH_MATCH_HOST || kh_ascii_is_digit(entry.key.p[entry.key.n - 1]))
		return;
	while ((dot = kh_view_find(entry.key, KH_LIT("."), 0)) != SIZE_MAX) {
		entry.key = kh_view_from(entry.key, dot + 1);
		if (kh_view_find(entry.key, KH_LIT("."), 0) != SIZE_MAX)
			add_entry(index, entry);
	}
}

static int compare_entries(const struct entry *a, const struct entry *b)
{
	return a->kind != b->kind ? (a->kind > b->kind) - (a->kind < b->kind) : kh_view_cmp(a->key, b->key);
}

static int sort_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int c = compare_entries(x, y);

	if (c == 0)
		c = (x->form > y->form) - (x->form < y->form);
	return c ? c : (x->start > y->start) - (x->start < y->start);
}

static enum kh_err index_tokens(struct index *index)
{
	for (size_t i = 0; i < index->forms.n; i++) {
		struct kh_token_scan scan;
		struct kh_token token;

		kh_token_begin(&scan, index->forms.at[i].view);
		while (kh_token_next(&scan, &token)) {
			struct kh_view key = token.kind == KH_TOKEN_NUMBER ? kh_arena_dup(index->arena, token.key)
									   : token.key;
			struct entry entry = {kind_of(token.kind), key, i, token.start, token.end};
			if (key.p == NULL)
				return KH_ENOMEM;
			add_entry(index, entry);
			add_parents(index, entry);
		}
	}
	if (kh_arena_check(index->arena) != KH_OK)
		return KH_ENOMEM;
	if (index->entry_count > 1)
		qsort(index->entries, index->entry_count, sizeof(*index->entries), sort_entries);
	return KH_OK;
}

static const struct entry *find_entry(const struct index *index, enum kh_match_kind kind, struct kh_view key)
{
	struct entry want = {.kind = kind, .key = key};
	size_t low = 0, high = index->entry_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare_entries(&index->entries[middle], &want) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == index->entry_count || compare_entries(&index->entries[low], &want) != 0)
		return NULL;
	return &index->entries[low];
}

/* Goes over one form of a source for shared tokens of the kinds that OPEN names. */
static void match_tokens(struct index *index, const struct form *source, const bool open[KH_MATCH_COUNT],
			 size_t counts[KH_MATCH_COUNT])
{
	struct kh_token_scan scan;
	struct kh_token token;

	kh_token_begin(&scan, source->view);
	while (kh_token_next(&scan, &token)) {
		enum kh_match_kind kind = kind_of(token.kind);
		const struct entry *hit = open[kind] ? find_entry(index, kind, token.key) : NULL;
		if (hit == NULL)
			continue;
		struct kh_match match = make_match(index, kind, source, hit->form, hit->start, hit->end);
		match.in_source.start = token.start;
		match.in_source.end = token.end;
		add_match(index, match, &counts[kind]);
	}
}

/* ---- all of it ---- */

static int sort_matches(const void *a, const void *b)
{
	const struct kh_match *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->in_source.form != y->in_source.form)
		return x->in_source.form < y->in_source.form ? -1 : 1;
	return (x->in_source.start > y->in_source.start) - (x->in_source.start < y->in_source.start);
}

/*
 * One source against the index.  Of its forms the first that gives matches of a kind gives all of that kind: the others
 * show the same again (rot13 of one text matches rot13 of the other).
 */
static enum kh_err match_source(struct index *index, struct kh_screen *screen, struct kh_arena *scratch,
				struct kh_view source, size_t number)
{
	struct forms forms = {0};
	size_t counts[KH_MATCH_COUNT] = {0};
	enum kh_err e = add_forms(screen, scratch, scratch, &forms, source, number);

	for (size_t i = 0; e == KH_OK && i < forms.n; i++) {
		bool open[KH_MATCH_COUNT];
		for (size_t kind = 0; kind < KH_MATCH_COUNT; kind++)
			open[kind] = counts[kind] == 0;
		if (open[KH_MATCH_RUN])
			match_runs(index, &forms.at[i], &counts[KH_MATCH_RUN]);
		match_tokens(index, &forms.at[i], open, counts);
		e = kh_arena_check(index->arena);
	}
	return e;
}

enum kh_err kh_compare_texts(struct kh_screen *screen, struct kh_arena *arena, const struct kh_view *texts,
			     size_t text_count, const struct kh_view *sources, size_t source_count,
			     struct kh_matches *ret_matches)
{
	struct index index = {.arena = arena};
	struct kh_arena scratch; /* for one text or source at a time: matches point into the texts' kept forms only */
	enum kh_err e = KH_OK;

	kh_arena_init(&scratch, arena->alloc, arena->limit);
	for (size_t i = 0; source_count > 0 && i < text_count && e == KH_OK; i++) {
		if (texts[i].n >= TEXT_MIN)
			e = add_forms(screen, &scratch, arena, &index.forms, texts[i], i);
		kh_arena_clear(&scratch);
	}
	if (e == KH_OK)
		e = index_windows(&index);
	if (e == KH_OK)
		e = index_tokens(&index);
	for (size_t i = 0; i < source_count && e == KH_OK; i++) {
		e = match_source(&index, screen, &scratch, sources[i], i);
		kh_arena_clear(&scratch);
	}
	kh_arena_done(&scratch);
	if (e != KH_OK)
		return e;
	if (index.matches.n > 1)
		qsort(index.matches.at, index.matches.n, sizeof(*index.matches.at), sort_matches);
	*ret_matches = index.matches;
	return KH_OK;
}

enum kh_err kh_compare_text(struct kh_screen *screen, struct kh_arena *arena, struct kh_view text,
			    const struct kh_view *sources, size_t source_count, struct kh_matches *ret_matches)
{
	return kh_compare_texts(screen, arena, &text, 1, sources, source_count, ret_matches);
}
