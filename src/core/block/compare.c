/*
 * Compares texts.  All of them are hostile, and so is their size: no step costs the product of two lengths.
 *
 * The texts are read in every way that stream.h knows; the windows of all streams go into an index (runs.h), and so do
 * the anchors of all readings.  Then each source's forms are scanned once.  The matches are judged at the end, on the
 * texts, which are small: how much of each run is words, and how much of it may be repeated.
 */
#include "core/block/compare.h"

#include "core/block/allowed.h"
#include "core/block/anchor.h"
#include "core/block/prints.h"
#include "core/block/runs.h"
#include "core/block/stream.h"
#include "core/screen/fold.h"
#include "core/screen/forms.h"

#include <stdlib.h>

#define WORD_MAX 48 /* characters around an end of a run that are searched for the end of the word */

#define FILTER 4096

/* An anchor of the texts. */
struct entry {
	enum kh_match_kind kind;
	struct kh_view key, whole; /* the key of a parent domain, and its own key */
	const struct kh_reading *of;
	size_t start, end; /* in the reading */
	bool hit;          /* found in the current source */
};

struct comparing {
	struct kh_arena *arena;
	const struct kh_compare *what;
	struct kh_streams streams;
	struct kh_runs runs;
	struct kh_prints prints; /* the same by fingerprint, from the first source on that has some */
	struct entry *entries;   /* by kind and key */
	size_t entry_count, entry_cap;
	bool wanted[KH_ANCHOR_COUNT];
	uint64_t filter[FILTER / 64]; /* a bit for each entry, by filter_bit() */
	struct kh_allowed allowed;
	struct kh_matches matches;
	bool decoded; /* the current form was decoded */
};

const char *kh_compare_kind(enum kh_match_kind kind)
{
	static const char *const names[KH_MATCH_COUNT] = {"run", "url", "host", "address", "number"};

	return names[kind];
}

static enum kh_match_kind kind_of(enum kh_anchor_kind kind)
{
	static const enum kh_match_kind kinds[KH_ANCHOR_COUNT] = {[KH_ANCHOR_URL] = KH_MATCH_URL,
								  [KH_ANCHOR_HOST] = KH_MATCH_HOST,
								  [KH_ANCHOR_ADDRESS] = KH_MATCH_ADDRESS,
								  [KH_ANCHOR_NUMBER] = KH_MATCH_NUMBER};

	return kinds[kind];
}

static enum kh_anchor_kind anchor_of(enum kh_match_kind kind)
{
	size_t i = 0;

	while (i + 1 < KH_ANCHOR_COUNT && kind_of((enum kh_anchor_kind)i) != kind)
		i++;
	return (enum kh_anchor_kind)i;
}

/* ---- the texts' anchors ---- */

/* Most anchors of a source differ from all entries in their length or in one of three characters. */
static size_t filter_bit(enum kh_match_kind kind, struct kh_view key)
{
	size_t n = key.n;

	return n == 0 ? 0
		      : ((size_t)kind * 61 + n * 17 + (unsigned char)key.p[0] * 7U +
			 (unsigned char)key.p[n / 2] * 131U + (unsigned char)key.p[n - 1] * 31U) %
				FILTER;
}

static void add_entry(struct comparing *c, struct entry entry)
{
	size_t bit = filter_bit(entry.kind, entry.key);

	struct entry *at = kh_arena_more(c->arena, c->entries, c->entry_count, &c->entry_cap, sizeof(*at));

	if (at == NULL)
		return; /* the arena is marked */
	c->entries = at;
	c->entries[c->entry_count++] = entry;
	c->filter[bit / 64] |= UINT64_C(1) << (bit % 64);
}

/* Adds the parent domains of a host in a text too, because a name under a source's domain belongs to that domain. */
static void add_parents(struct comparing *c, struct entry entry)
{
	size_t dot;

	if (entry.kind != KH_MATCH_HOST || entry.key.n == 0 || kh_ascii_is_digit(entry.key.p[entry.key.n - 1]))
		return;
	while ((dot = kh_view_find(entry.key, KH_LIT("."), 0)) != SIZE_MAX) {
		entry.key = kh_view_from(entry.key, dot + 1);
		if (kh_view_find(entry.key, KH_LIT("."), 0) != SIZE_MAX)
			add_entry(c, entry);
	}
}

static void index_reading(struct comparing *c, const struct kh_reading *reading)
{
	static const bool all[KH_ANCHOR_COUNT] = {true, true, true, true};
	struct kh_anchor_scan scan;
	struct kh_anchor anchor;
	char key[KH_ANCHOR_KEY];

	kh_anchor_begin(&scan, reading->folded, all);
	while (kh_anchor_next(&scan, &anchor)) {
		size_t start = reading->origin[anchor.start], end = reading->origin[anchor.end - 1] + 1;
		if (end <= reading->from || start >= reading->to)
			continue;
		struct kh_view whole = kh_arena_dup(c->arena, kh_view_of(key, kh_anchor_key(&anchor, key)));
		struct entry entry = {kind_of(anchor.kind), whole, whole, reading, start, end, false};
		add_entry(c, entry);
		add_parents(c, entry);
		c->wanted[anchor.kind] = true;
	}
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind) : kh_view_cmp(x->key, y->key);
}

static int sort_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int by_key = compare_entries(a, b);

	/* Of equal keys, one in the text itself comes before one that was decoded. */
	if (by_key == 0 && x->of->decoded != y->of->decoded)
		return x->of->decoded ? 1 : -1;
	return by_key ? by_key : (x->start > y->start) - (x->start < y->start);
}

static enum kh_err index_anchors(struct comparing *c)
{
	for (size_t i = 0; i < c->streams.reading_count; i++) {
		if (c->streams.readings[i]->anchors)
			index_reading(c, c->streams.readings[i]);
	}
	if (c->entry_count > 1)
		qsort(c->entries, c->entry_count, sizeof(*c->entries), sort_entries);
	/* A host without a dot is found only in its URL. */
	c->wanted[KH_ANCHOR_URL] = c->wanted[KH_ANCHOR_URL] || c->wanted[KH_ANCHOR_HOST];
	return kh_arena_check(c->arena);
}

static struct entry *find_entry(const struct comparing *c, enum kh_match_kind kind, struct kh_view key)
{
	struct entry want = {.kind = kind, .key = key};
	size_t low = 0, high = c->entry_count, bit = filter_bit(kind, key);

	if ((c->filter[bit / 64] >> (bit % 64) & 1) == 0)
		return NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (compare_entries(&c->entries[middle], &want) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->entry_count && compare_entries(&c->entries[low], &want) == 0 ? &c->entries[low] : NULL;
}

/* ---- one form of a source ---- */

static enum kh_err on_form(void *ctx, const struct kh_forms_form *form)
{
	struct comparing *c = ctx;
	struct kh_anchor_scan scan;
	struct kh_anchor anchor;
	char key[KH_ANCHOR_KEY];

	kh_runs_scan(&c->runs, form->folded);
	kh_anchor_begin(&scan, form->folded, c->wanted);
	while (kh_anchor_next(&scan, &anchor)) {
		/* The key of a number is its digits, and a text may have a million of them. */
		struct kh_view by = anchor.kind == KH_ANCHOR_NUMBER ? anchor.key
								    : kh_view_of(key, kh_anchor_key(&anchor, key));
		struct entry *hit = find_entry(c, kind_of(anchor.kind), by);
		if (hit != NULL)
			hit->hit = true;
	}
	c->decoded = c->decoded || form->depth > 0;
	return KH_OK;
}

/* ---- judging ---- */

static void add_match(struct comparing *c, struct kh_match match, size_t *count)
{
	struct kh_matches *list = &c->matches;

	if (*count == KH_COMPARE_MAX)
		return;
	struct kh_match *at = kh_arena_more(c->arena, list->at, list->n, &list->cap, sizeof(*at));
	if (at == NULL)
		return; /* the arena is marked */
	list->at = at;
	list->at[list->n++] = match;
	list->kinds[match.kind]++;
	++*count;
}

/* The word around byte AT of a stream: [*START, *END), within WORD_MAX characters. */
static void find_word(const struct comparing *c, const struct kh_stream *stream, size_t at, size_t *start, size_t *end)
{
	*start = at;
	*end = at + 1;
	while (*start > stream->at && !c->streams.begins[*start] && at - *start < WORD_MAX)
		--*start;
	while (*end < stream->at + stream->n && !c->streams.begins[*end] && *end - at < WORD_MAX)
		++*end;
}

/* Whether byte AT is one of STREAM, and of the present call. */
static bool is_of_call(const struct comparing *c, const struct kh_stream *stream, size_t at)
{
	if (at < stream->at || at >= stream->at + stream->n)
		return false;
	size_t origin = c->streams.origin[at];
	return origin >= stream->of->from && origin < stream->of->to;
}

/*
 * Whether the run [from, to) of STREAM has something of the present call, or all of it if the reading wants that.  One that was put together from several calls
 * needs more than two different characters as well, because a constant is no text.
 */
static bool is_present(const struct comparing *c, const struct kh_stream *stream, size_t from, size_t to)
{
	const struct kh_reading *of = stream->of;
	char first = c->streams.bytes.p[from], second = first;
	bool present = false, varied = !of->joined;

	if (of->whole && ((from > 0 && is_of_call(c, stream, from - 1)) || is_of_call(c, stream, to)))
		return false;
	for (size_t i = from; i < to && !(present && varied); i++) {
		char byte = c->streams.bytes.p[i];
		present = present || is_of_call(c, stream, i);
		varied = varied || (byte != first && second != first && byte != second);
		second = second == first ? byte : second;
	}
	return present && varied;
}

/*
 * How much of the run [from, to) of STREAM counts: the characters, and the blanks between words, of words that lie in
 * the run for the larger part and may not be repeated. 0 if all of these words have only a grammatical function.
 */
static size_t weigh(struct comparing *c, const struct kh_stream *stream, size_t from, size_t to)
{
	size_t weight = 0, answers = 0;
	bool meaning = false, before = false;

	for (size_t at = from; at < to;) {
		size_t start, end, own = 0, answered = 0;
		find_word(c, stream, at, &start, &end);
		size_t stop = end < to ? end : to, shared = stop - at;
		for (size_t i = at; i < stop; i++) {
			own += c->allowed.marks[i] == KH_ALLOWED_OWN;
			answered += c->allowed.marks[i] == KH_ALLOWED_ANSWER;
		}
		bool counts = 2 * shared >= end - start || shared >= KH_COMPARE_RUN;
		if (counts && shared > own) {
			weight += shared - own + before;
			answers += answered;
			meaning = meaning || !kh_allowed_grammar(kh_view_sub(c->streams.bytes, start, end));
			before = true;
		} else {
			before = false;
		}
		at = stop;
	}
	if (answers <= KH_COMPARE_ANSWER)
		weight -= answers < weight ? answers : weight;
	return meaning ? weight : 0;
}

/* The original text of bytes [from, to) of STREAM. */
static struct kh_view shared_text(const struct comparing *c, const struct kh_stream *stream, size_t from, size_t to,
				  size_t *ret_start)
{
	size_t first = SIZE_MAX, last = 0;

	for (size_t i = from; i < to; i++) {
		size_t at = c->streams.origin[i];
		first = at < first ? at : first;
		last = at > last ? at : last;
	}
	struct kh_view of = stream->of->of;
	for (last++; last < of.n && ((unsigned char)of.p[last] & 0xc0) == 0x80; last++)
		;
	*ret_start = first;
	return kh_view_sub(of, first, last);
}

/* True if there is an equal match with SOURCE already, because streams overlap a lot. */
static bool is_known(const struct comparing *c, size_t source, struct kh_view shared)
{
	for (size_t i = c->matches.n; i > 0 && c->matches.at[i - 1].source == source; i--) {
		struct kh_view known = c->matches.at[i - 1].shared;
		if (known.p <= shared.p && shared.p + shared.n <= known.p + known.n)
			return true;
	}
	return false;
}

static void judge_run(struct comparing *c, size_t source, size_t from, size_t to, size_t *count)
{
	const struct kh_stream *stream = kh_stream_find(&c->streams, from);
	size_t start;

	if (stream->of->made && *count > 0)
		return;
	if (!is_present(c, stream, from, to) || weigh(c, stream, from, to) < KH_COMPARE_RUN)
		return;
	struct kh_match match = {.kind = KH_MATCH_RUN, .source = source};
	match.shared = shared_text(c, stream, from, to, &start);
	if (is_known(c, source, match.shared))
		return;
	match.text = kh_stream_text(&c->streams, c->what, stream->of, start);
	match.decoded = stream->of->decoded || stream->turned || c->decoded;
	add_match(c, match, count);
}

static enum kh_err judge_runs(struct comparing *c, size_t source)
{
	const unsigned char *hits = c->runs.hits;
	size_t count = 0;
	enum kh_err e = c->runs.first < c->runs.last ? kh_allowed_make(&c->allowed, c->arena, c->what, &c->streams)
						     : KH_OK;

	for (size_t at = c->runs.first; e == KH_OK && at < c->runs.last; at++) {
		size_t from = at;
		while (at < c->runs.last && hits[at])
			at++;
		if (at > from)
			judge_run(c, source, from, at, &count);
	}
	kh_runs_clear(&c->runs);
	return e;
}

static enum kh_err judge_anchors(struct comparing *c, size_t source)
{
	size_t counts[KH_MATCH_COUNT] = {0};
	enum kh_err e = KH_OK;

	for (size_t i = 0; i < c->entry_count && e == KH_OK; i++) {
		struct entry *entry = &c->entries[i];
		bool own = false;
		if (!entry->hit)
			continue;
		entry->hit = false;
		e = kh_allowed_anchor(&c->allowed, c->arena, c->what, entry->kind, entry->whole, &own);
		if (e != KH_OK || own)
			continue;
		struct kh_match match = {
			.kind = entry->kind,
			.text = kh_stream_text(&c->streams, c->what, entry->of, entry->start),
			.source = source,
			.shared = kh_view_sub(entry->of->of, entry->start, entry->end),
			.decoded = entry->of->decoded || c->decoded,
		};
		add_match(c, match, &counts[entry->kind]);
	}
	return e;
}

/* ---- all of it ---- */

static int sort_matches(const void *a, const void *b)
{
	const struct kh_match *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->text != y->text ? (x->text < y->text ? -1 : 1)
				  : (x->shared.p > y->shared.p) - (x->shared.p < y->shared.p);
}

/* Finds what was in content that is no longer there. */
static enum kh_err scan_prints(struct comparing *c, struct kh_view prints)
{
	enum kh_err e = c->prints.key == NULL ? kh_prints_index(c->arena, c->what->key, c->streams.bytes, &c->prints)
					      : KH_OK;

	if (e != KH_OK)
		return e;
	kh_prints_scan(&c->prints, prints, &c->runs);
	for (size_t i = 0; i < c->entry_count; i++) {
		struct entry *entry = &c->entries[i];
		entry->hit = kh_prints_has(c->what->key, prints, anchor_of(entry->kind), entry->key);
	}
	return KH_OK;
}

static enum kh_err compare_source(struct comparing *c, struct kh_arena *scratch, struct kh_view source, size_t number)
{
	const struct kh_compare *what = c->what;
	bool gone = what->prints != NULL && what->prints[number].n > 0;
	enum kh_err e;

	c->decoded = false;
	e = gone ? scan_prints(c, what->prints[number]) : kh_forms_each(scratch, source, on_form, c);
	if (e == KH_OK)
		e = judge_runs(c, number);
	return e == KH_OK ? judge_anchors(c, number) : e;
}

enum kh_err kh_compare_texts(struct kh_arena *arena, const struct kh_compare *what, const struct kh_view *sources,
			     size_t source_count, struct kh_matches *ret_matches)
{
	struct comparing c = {.arena = arena, .what = what};
	struct kh_arena scratch; /* for one source at a time, because matches point only into the texts' readings */
	enum kh_err e = KH_OK;

	if (source_count > 0 && what->text_count > 0) {
		e = kh_stream_make(arena, what, &c.streams);
		if (e == KH_OK)
			e = kh_runs_init(&c.runs, arena, c.streams.bytes);
		if (e == KH_OK)
			e = index_anchors(&c);
		kh_arena_init(&scratch, arena->alloc, arena->limit);
		for (size_t i = 0; i < source_count && e == KH_OK; i++) {
			e = compare_source(&c, &scratch, sources[i], i);
			kh_arena_clear(&scratch);
		}
		kh_arena_done(&scratch);
		if (e == KH_OK)
			e = kh_arena_check(arena);
	}
	if (e != KH_OK)
		return e;
	if (c.matches.n > 1)
		qsort(c.matches.at, c.matches.n, sizeof(*c.matches.at), sort_matches);
	*ret_matches = c.matches;
	return KH_OK;
}
