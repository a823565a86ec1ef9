/*
 * The index.  Everything in it is hostile: the texts, the sources and their sizes.  Each window of the texts is in the
 * table once, with a chain of its positions.  All positions are marked when the window is first found, and only then,
 * so that repetitive texts and sources cost no more than others.  A bit filter that fits into the fastest cache is
 * asked first and excludes most of a source.
 */
#include "core/block/runs.h"

#include "core/screen/fold.h"

#define CHUNK       16384 /* bytes of a source that are squeezed at once */
#define AROUND      64    /* bytes around a chunk that are read with it if signs stand for letters */
#define FILTER_LESS 12    /* bits of the filter, as powers of two */
#define FILTER_MOST 23
#define PER_WINDOW  16 /* bits of the filter for a window */
#define PROBES_MAX  64 /* if a search takes longer, the table is rebuilt with another seed */
#define SEEDS       8

typedef unsigned char byte;
typedef byte lanes __attribute__((vector_size(16)));

/* A window has ten bytes, which are read as two overlapping loads of eight. */
/* Uses the highest bits of a product, because only those depend on all bits of its factors. */
static inline uint64_t hash(const struct kh_runs *runs, const char *p)
{
	uint64_t a, b;

	memcpy(&a, p, sizeof(a));
	memcpy(&b, p + KH_RUNS_WINDOW - sizeof(b), sizeof(b));
	return (a ^ (b >> 48) * UINT64_C(0xff51afd7ed558ccd)) * runs->seed;
}

static bool has_zero(const char *p)
{
	return memchr(p, 0, KH_RUNS_WINDOW) != NULL;
}

/* The slot of the window at P, or a free slot for it; SIZE_MAX if the search was too long. */
static size_t find_slot(const struct kh_runs *runs, const char *p, uint64_t h)
{
	size_t mask = ((size_t)1 << runs->table_bits) - 1, slot = (size_t)(h >> (64 - runs->table_bits));

	for (unsigned i = 0; i < PROBES_MAX; i++, slot = (slot + 1) & mask) {
		uint32_t at = runs->table[slot];
		if (at == 0 || memcmp(runs->bytes + at - 1, p, KH_RUNS_WINDOW) == 0)
			return slot;
	}
	return SIZE_MAX;
}

/* Adds every window to the table; false if the seed gives searches that are too long. */
static bool fill(struct kh_runs *runs)
{
	for (size_t at = 0; at + KH_RUNS_WINDOW <= runs->n; at++) {
		const char *p = runs->bytes + at;
		if (has_zero(p))
			continue;
		uint64_t h = hash(runs, p);
		size_t slot = find_slot(runs, p, h), bit = (size_t)(h >> (64 - runs->filter_bits));
		if (slot == SIZE_MAX)
			return false;
		runs->filter[bit / 64] |= UINT64_C(1) << (bit % 64);
		runs->next[at] = runs->table[slot];
		runs->table[slot] = (uint32_t)at + 1;
	}
	return true;
}

static unsigned bits_for(size_t n, unsigned less, unsigned most)
{
	unsigned bits = less;

	while (bits < most && (size_t)1 << bits < n)
		bits++;
	return bits;
}

enum kh_err kh_runs_init(struct kh_runs *runs, struct kh_arena *arena, struct kh_view bytes)
{
	if (bytes.n >= UINT32_MAX / PER_WINDOW)
		return KH_ELIMIT;
	*runs = (struct kh_runs){.bytes = bytes.p, .n = bytes.n, .first = SIZE_MAX, .round = 1};
	runs->filter_bits = bits_for(bytes.n * PER_WINDOW, FILTER_LESS, FILTER_MOST);
	runs->table_bits = bits_for(bytes.n * 2, 4, 32);
	size_t filter_words = ((size_t)1 << runs->filter_bits) / 64, slots = (size_t)1 << runs->table_bits;
	runs->filter = KH_NEW_N(arena, uint64_t, filter_words);
	runs->table = KH_NEW_N(arena, uint32_t, slots);
	runs->next = KH_NEW_N(arena, uint32_t, bytes.n + 1);
	runs->found = KH_NEW_N(arena, uint32_t, slots);
	runs->hits = kh_arena_alloc(arena, bytes.n + 1);
	runs->squeezed = kh_arena_alloc(arena, kh_fold_room(CHUNK + 2 * AROUND + KH_RUNS_WINDOW));
	if (runs->filter == NULL || runs->table == NULL || runs->next == NULL || runs->found == NULL ||
	    runs->hits == NULL || runs->squeezed == NULL)
		return KH_ENOMEM;
	for (unsigned i = 0; i < SEEDS; i++) {
		runs->seed = (UINT64_C(0x9e3779b97f4a7c15) * (2 * i + 1)) ^ (uint64_t)(bytes.n << 1);
		runs->seed |= 1;
		if (fill(runs))
			return KH_OK;
		memset(runs->filter, 0, filter_words * sizeof(*runs->filter));
		memset(runs->table, 0, slots * sizeof(*runs->table));
	}
	return KH_ELIMIT; /* the texts are an attack on the table: refuse, so that nothing passes uncompared */
}

void kh_runs_mark(struct kh_runs *runs, size_t at, size_t n)
{
	memset(runs->hits + at, 1, n);
	runs->first = at < runs->first ? at : runs->first;
	runs->last = at + n > runs->last ? at + n : runs->last;
}

/* Marks every place of the window in this slot of the table. */
static void mark(struct kh_runs *runs, size_t slot)
{
	if (runs->found[slot] == runs->round)
		return;
	runs->found[slot] = runs->round;
	for (size_t at = runs->table[slot]; at != 0; at = runs->next[at - 1])
		kh_runs_mark(runs, at - 1, KH_RUNS_WINDOW);
}

/* Scans N squeezed bytes. */
static void scan_windows(struct kh_runs *runs, const char *p, size_t n)
{
	const uint64_t *filter = runs->filter;
	unsigned shift = 64 - runs->filter_bits;

	for (size_t i = 0; i + KH_RUNS_WINDOW <= n; i++) {
		uint64_t h = hash(runs, p + i);
		size_t bit = (size_t)(h >> shift);
		if ((filter[bit / 64] >> (bit % 64) & 1) == 0)
			continue;
		size_t slot = find_slot(runs, p + i, h);
		if (slot != SIZE_MAX && runs->table[slot] != 0)
			mark(runs, slot);
	}
}

static bool is_word(char c)
{
	return kh_fold_plain[(byte)c] != 0;
}

/* The same with signs read as letters, except those that are used as signs. */
static size_t squeeze_signs(struct kh_view folded, size_t from, size_t to, char *out)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++) {
		unsigned char c = kh_fold_signs[(byte)folded.p[i]];
		if (c != 0 && !(kh_fold_plain[(byte)folded.p[i]] == 0 && kh_fold_is_sign(folded, i)))
			out[n++] = (char)c;
	}
	return n;
}

/* Whether [start, end) has a sign that can stand for a letter, in a place in which a letter can be. */
static bool has_signs(struct kh_view text, size_t start, size_t end)
{
	for (size_t at = start; at < end;) {
		if (at + sizeof(lanes) <= end) {
			lanes v;
			memcpy(&v, text.p + at, sizeof(v));
			lanes hit = (lanes)(v == '@') | (lanes)(v == '$') | (lanes)(v == '!') | (lanes)(v == '|') |
				    (lanes)(v == '+');
			uint64_t half[2];
			memcpy(half, &hit, sizeof(half));
			if ((half[0] | half[1]) == 0) {
				at += sizeof(lanes);
				continue;
			}
		}
		size_t stop = at + sizeof(lanes) < end ? at + sizeof(lanes) : end;
		for (; at < stop; at++) {
			if (kh_fold_signs[(byte)text.p[at]] != 0 && !is_word(text.p[at]) && !kh_fold_is_sign(text, at))
				return true;
		}
	}
	return false;
}

void kh_runs_scan(struct kh_runs *runs, struct kh_view folded)
{
	size_t kept = 0;

	for (size_t at = 0; at < folded.n && runs->n >= KH_RUNS_WINDOW; at += CHUNK) {
		size_t end = folded.n - at > CHUNK ? at + CHUNK : folded.n;
		char *p = runs->squeezed;
		if (has_signs(folded, at, end)) {
			size_t first = at > AROUND ? at - AROUND : 0;
			size_t last = folded.n - end > AROUND ? end + AROUND : folded.n;
			char *q = p + KH_RUNS_WINDOW;
			char before[KH_RUNS_WINDOW];
			memcpy(before, p, sizeof(before));
			scan_windows(runs, q, squeeze_signs(folded, first, last, q));
			memcpy(p, before, sizeof(before));
		}
		size_t n = kept + kh_fold_squeeze(kh_fold_plain, folded.p + at, end - at, p + kept);
		scan_windows(runs, p, n);
		/* Keep the bytes in which a window can begin that ends in the next chunk. */
		kept = n < KH_RUNS_WINDOW - 1 ? n : KH_RUNS_WINDOW - 1;
		memmove(p, p + n - kept, kept);
	}
}

void kh_runs_clear(struct kh_runs *runs)
{
	if (runs->first < runs->last)
		memset(runs->hits + runs->first, 0, runs->last - runs->first);
	runs->first = SIZE_MAX;
	runs->last = 0;
	runs->round++;
}
