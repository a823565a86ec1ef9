/* Makes and compares fingerprints.  Content is hostile, but the key is secret: nobody can choose what is kept of it. */
#include "core/block/prints.h"

#include "base/buf.h"
#include "core/screen/fold.h"
#include "core/screen/forms.h"

#include <sodium.h>
#include <stdlib.h>

#define SPAN   3
#define SPANS  4096              /* windows in a row of which one is kept, at most */
#define CHUNK  65536             /* windows that are hashed at once */
#define MEMORY ((size_t)1 << 30) /* bytes for the forms of one content */

_Static_assert(KH_PRINTS_KEY == crypto_shorthash_KEYBYTES, "the key is SipHash's");

struct kh_prints_window {
	uint64_t print;
	uint32_t at;
};

static uint64_t hash(const unsigned char key[KH_PRINTS_KEY], const void *p, size_t n)
{
	unsigned char out[crypto_shorthash_BYTES];
	uint64_t print = 0;

	crypto_shorthash(out, p, n, key);
	for (size_t i = 0; i < KH_PRINTS_SIZE; i++)
		print = print << 8 | out[i];
	return print;
}

static uint64_t hash_anchor(const unsigned char key[KH_PRINTS_KEY], enum kh_anchor_kind kind, struct kh_view anchor)
{
	unsigned char text[KH_ANCHOR_KEY + 2] = {0, (unsigned char)kind}; /* no window has a zero */

	memcpy(text + 2, anchor.p, anchor.n);
	return hash(key, text, anchor.n + 2);
}

/* ---- making ---- */

struct making {
	struct kh_arena *arena;
	const unsigned char *key;
	size_t span;
	uint64_t *at;
	size_t n, cap;
	bool full;
};

static void add(struct making *m, uint64_t print)
{
	uint64_t *at = m->n < KH_PRINTS_MAX ? kh_arena_more(m->arena, m->at, m->n, &m->cap, sizeof(*at)) : NULL;

	m->full = m->full || m->n == KH_PRINTS_MAX;
	if (at == NULL)
		return; /* the arena is marked, or a larger span is tried */
	m->at = at;
	m->at[m->n++] = print;
}

/* Keeps of every SPAN windows in a row the one with the least hash, the last one of equals; each only once. */
static void winnow(struct making *m, const uint64_t *hashes, size_t count)
{
	size_t kept = SIZE_MAX;

	for (size_t end = 1; end <= count && !m->full; end++) {
		size_t from = end > m->span ? end - m->span : 0;
		if (end < m->span && end < count)
			continue;
		if (kept != SIZE_MAX && kept >= from) {
			if (hashes[end - 1] > hashes[kept])
				continue;
			kept = end - 1;
		} else {
			kept = from;
			for (size_t i = from + 1; i < end; i++)
				kept = hashes[i] <= hashes[kept] ? i : kept;
		}
		add(m, hashes[kept]);
	}
}

/* Hashes the windows of N squeezed bytes, a chunk at a time.  Chunks overlap, so that no row of windows is missed. */
static enum kh_err add_windows(struct making *m, const char *text, size_t n)
{
	size_t count = n >= KH_PRINTS_WINDOW ? n - KH_PRINTS_WINDOW + 1 : 0;
	size_t room = count < CHUNK ? count : CHUNK + SPANS;
	uint64_t *hashes = KH_NEW_N(m->arena, uint64_t, room);

	if (hashes == NULL)
		return KH_ENOMEM;
	for (size_t from = 0; from < count && !m->full; from += CHUNK) {
		size_t end = count - from > CHUNK + m->span ? from + CHUNK + m->span - 1 : count;
		if (end - from > room)
			end = from + room;
		for (size_t i = from; i < end; i++)
			hashes[i - from] = hash(m->key, text + i, KH_PRINTS_WINDOW);
		winnow(m, hashes, end - from);
	}
	return KH_OK;
}

static enum kh_err on_form(void *ctx, const struct kh_forms_form *form)
{
	static const bool all[KH_ANCHOR_COUNT] = {true, true, true, true};
	struct making *m = ctx;
	struct kh_anchor_scan scan;
	struct kh_anchor anchor;
	char key[KH_ANCHOR_KEY];
	char *text = kh_arena_alloc(m->arena, kh_fold_room(form->folded.n));

	if (text == NULL)
		return KH_ENOMEM;
	enum kh_err e = add_windows(m, text, kh_fold_squeeze(kh_fold_plain, form->folded.p, form->folded.n, text));
	kh_anchor_begin(&scan, form->folded, all);
	while (e == KH_OK && !m->full && kh_anchor_next(&scan, &anchor))
		add(m, hash_anchor(m->key, anchor.kind, kh_view_of(key, kh_anchor_key(&anchor, key))));
	return e == KH_OK ? kh_arena_check(m->arena) : e;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static enum kh_err write(struct making *m, struct kh_view *ret_prints)
{
	struct kh_buf out;

	if (m->n > 1)
		qsort(m->at, m->n, sizeof(*m->at), compare);
	kh_buf_init(&out, m->arena, (size_t)KH_PRINTS_MAX * KH_PRINTS_SIZE);
	for (size_t i = 0; i < m->n; i++) {
		if (i > 0 && m->at[i] == m->at[i - 1])
			continue;
		for (unsigned byte = KH_PRINTS_SIZE; byte > 0; byte--)
			kh_buf_byte(&out, (char)(m->at[i] >> (8 * (byte - 1)) & 0xff));
	}
	return kh_buf_end(&out, ret_prints);
}

enum kh_err kh_prints_make(struct kh_arena *arena, const unsigned char key[KH_PRINTS_KEY], struct kh_view content,
			   struct kh_view *ret_prints)
{
	struct kh_arena own;
	struct making m = {.arena = &own, .key = key, .full = true};
	enum kh_err e = KH_OK;

	kh_arena_init(&own, arena->alloc, MEMORY);
	/* Begins with a span that fits if the content has no other forms, and takes a larger one if it does not fit. */
	for (m.span = SPAN; content.n / m.span * 2 > KH_PRINTS_MAX; m.span++)
		;
	for (; e == KH_OK && m.full && m.span <= SPANS; m.span = m.span * 2 + 1) {
		kh_arena_clear(&own);
		m.at = NULL;
		m.n = m.cap = 0;
		m.full = false;
		e = kh_forms_each(&own, content, on_form, &m);
	}
	if (e == KH_OK)
		e = write(&m, ret_prints);
	if (e == KH_OK) {
		*ret_prints = kh_arena_dup(arena, *ret_prints);
		e = kh_arena_check(arena);
	}
	kh_arena_done(&own);
	return e;
}

/* ---- comparing ---- */

static int compare_windows(const void *a, const void *b)
{
	const struct kh_prints_window *x = a, *y = b;

	return x->print != y->print ? (x->print > y->print) - (x->print < y->print) : (x->at > y->at) - (x->at < y->at);
}

enum kh_err kh_prints_index(struct kh_arena *arena, const unsigned char key[KH_PRINTS_KEY], struct kh_view bytes,
			    struct kh_prints *ret_index)
{
	struct kh_prints index = {.key = key, .bytes = bytes};

	index.at = KH_NEW_N(arena, struct kh_prints_window, bytes.n);
	if (index.at == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i + KH_PRINTS_WINDOW <= bytes.n; i++) {
		if (memchr(bytes.p + i, 0, KH_PRINTS_WINDOW) == NULL)
			index.at[index.n++] = (struct kh_prints_window){hash(key, bytes.p + i, KH_PRINTS_WINDOW),
									(uint32_t)i};
	}
	if (index.n > 1)
		qsort(index.at, index.n, sizeof(*index.at), compare_windows);
	*ret_index = index;
	return KH_OK;
}

static uint64_t print_at(struct kh_view prints, size_t i)
{
	uint64_t print = 0;

	for (size_t k = 0; k < KH_PRINTS_SIZE; k++)
		print = print << 8 | (unsigned char)prints.p[i * KH_PRINTS_SIZE + k];
	return print;
}

/* Both are ascending, so one pass over each is enough. */
void kh_prints_scan(const struct kh_prints *index, struct kh_view prints, struct kh_runs *runs)
{
	size_t count = prints.n / KH_PRINTS_SIZE, i = 0, k = 0;

	while (i < count && k < index->n) {
		uint64_t print = print_at(prints, i);
		if (print < index->at[k].print) {
			i++;
			continue;
		}
		if (print == index->at[k].print)
			kh_runs_mark(runs, index->at[k].at, KH_PRINTS_WINDOW);
		k++;
	}
}

bool kh_prints_has(const unsigned char key[KH_PRINTS_KEY], struct kh_view prints, enum kh_anchor_kind kind,
		   struct kh_view anchor)
{
	uint64_t want = hash_anchor(key, kind, anchor);
	size_t low = 0, high = prints.n / KH_PRINTS_SIZE;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (print_at(prints, middle) < want)
			low = middle + 1;
		else
			high = middle;
	}
	return low < prints.n / KH_PRINTS_SIZE && print_at(prints, low) == want;
}
