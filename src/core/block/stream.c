/*
 * Readings and streams.  The texts are hostile.  All work is linear in their size: a reading has a fixed number of
 * streams, and forms.h bounds the readings.
 */
#include "core/block/stream.h"

#include "base/buf.h"
#include "core/block/mixed.h"
#include "core/block/strewn.h"
#include "core/screen/decode.h"
#include "core/screen/fold.h"
#include "core/screen/forms.h"

#define MIN       4    /* bytes of the shortest match that counts (a.io) */
#define APART_MAX 4096 /* bytes of a text that is read in parts */
#define SEGMENTS  8    /* words of it at which encoded text may begin */
#define TEXTS     32   /* texts that are read in parts */

struct maker {
	struct kh_arena *arena;
	const struct kh_compare *what;
	struct kh_streams *set;
	char *bytes;
	uint32_t *origin;
	bool *begins;
	size_t n, cap;
	size_t stream_cap, reading_cap;
	size_t text;                            /* the text whose forms are being read */
	const struct kh_compare_joined *joined; /* the same, of several calls; or NULL */
	struct kh_view first;                   /* the first of these forms that was encoded */
};

/* ---- streams ---- */

/* Makes room for N more bytes and the zero. */
static bool reserve(struct maker *m, size_t n)
{
	if (m->cap - m->n > n)
		return true;
	size_t cap = m->cap * 2 > m->n + n + 1 ? m->cap * 2 : m->n + n + 1;
	char *bytes = kh_arena_grow(m->arena, m->bytes, m->n, cap);
	uint32_t *origin = kh_arena_grow(m->arena, m->origin, m->n * sizeof(*origin), cap * sizeof(*origin));
	bool *begins = kh_arena_grow(m->arena, m->begins, m->n * sizeof(*begins), cap * sizeof(*begins));
	if (bytes == NULL || origin == NULL || begins == NULL)
		return false; /* the arena is marked */
	m->bytes = bytes;
	m->origin = origin;
	m->begins = begins;
	m->cap = cap;
	return true;
}

struct way {
	const unsigned char *map;
	bool rot13, backwards, upside_down;
};

static char turn(char c)
{
	char base = c >= 'a' ? 'a' : 'A';

	return (char)(kh_ascii_is_alpha(c) ? base + (c - base + 13) % 26 : c);
}

/* Maps letters that become each other when turned upside down; the other such letters are look-alikes. */
static char turn_over(char c)
{
	static const char pairs[] = "bqqbdppdnuun";

	for (size_t i = 0; i + 1 < sizeof(pairs); i += 2) {
		if (pairs[i] == c)
			return pairs[i + 1];
	}
	return c;
}

static unsigned char read_byte(struct kh_view folded, size_t at, struct way way)
{
	char c = folded.p[at];

	if (kh_fold_is_sign(folded, at))
		return 0;
	if (way.rot13)
		c = turn(c);
	return way.map[(unsigned char)(way.upside_down ? turn_over(c) : c)];
}

/* Squeezes bytes [from, to) of READING's folded text; *GAP: characters were left out before. */
static void squeeze(struct maker *m, const struct kh_reading *reading, size_t from, size_t to, struct way way,
		    bool *gap)
{
	for (size_t i = from; i < to; i++) {
		size_t at = way.backwards ? to - 1 - (i - from) : i;
		unsigned char kept = read_byte(reading->folded, at, way);
		if (kept == 0) {
			*gap = true;
			continue;
		}
		m->bytes[m->n] = (char)kept;
		m->origin[m->n] = reading->origin[at];
		m->begins[m->n++] = *gap;
		*gap = false;
	}
}

static void end_stream(struct maker *m, const struct kh_reading *reading, size_t at, bool turned)
{
	struct kh_streams *set = m->set;

	struct kh_stream *grown = kh_arena_more(m->arena, set->at, set->n, &m->stream_cap, sizeof(*grown));
	if (grown == NULL)
		return; /* the arena is marked */
	set->at = grown;
	set->at[set->n++] = (struct kh_stream){at, m->n - at, reading, turned};
	m->bytes[m->n++] = 0;
}

static void add_stream(struct maker *m, const struct kh_reading *reading, struct way way)
{
	size_t at = m->n;
	bool gap = true;

	if (!reserve(m, reading->folded.n))
		return;
	squeeze(m, reading, 0, reading->folded.n, way, &gap);
	end_stream(m, reading, at, way.rot13 || way.backwards || way.upside_down);
}

static bool has_signs(struct kh_view v)
{
	for (size_t i = 0; i < v.n; i++) {
		if (kh_fold_plain[(unsigned char)v.p[i]] == 0 && kh_fold_signs[(unsigned char)v.p[i]] != 0)
			return true;
	}
	return false;
}

/* ---- readings ---- */

/* Reads OF, which is folded, as it is. */
static enum kh_err keep_folded(struct kh_arena *arena, struct kh_view of, struct kh_folded *ret)
{
	uint32_t *origin = KH_NEW_N(arena, uint32_t, of.n + 1);

	for (size_t i = 0; origin != NULL && i <= of.n; i++)
		origin[i] = (uint32_t)i;
	*ret = (struct kh_folded){.text = of, .origin = origin};
	return origin != NULL ? KH_OK : KH_ENOMEM;
}

/* IS_FOLDED: OF is folded already. */
static struct kh_reading *add_reading(struct maker *m, struct kh_view of, size_t text, bool decoded, bool is_folded)
{
	struct kh_streams *set = m->set;
	struct kh_reading *reading = KH_NEW(m->arena, struct kh_reading);
	struct kh_folded folded;

	if (reading == NULL ||
	    (is_folded ? keep_folded(m->arena, of, &folded) : kh_fold_text(m->arena, of, true, &folded)) != KH_OK)
		return NULL;
	struct kh_reading **grown = kh_arena_more(m->arena, set->readings, set->reading_count, &m->reading_cap,
						  sizeof(*grown));
	if (grown == NULL)
		return NULL;
	set->readings = grown;
	*reading = (struct kh_reading){.of = of,
				       .folded = folded.text,
				       .origin = folded.origin,
				       .text = text,
				       .to = of.n,
				       .decoded = decoded,
				       .anchors = true};
	set->readings[set->reading_count++] = reading;
	return reading;
}

/* Adds OF as a reading, with all its streams. */
static const struct kh_reading *read_text(struct maker *m, struct kh_view of, size_t text, bool decoded)
{
	const struct kh_reading *reading = of.n >= MIN ? add_reading(m, of, text, decoded, false) : NULL;

	if (reading == NULL)
		return NULL;
	add_stream(m, reading, (struct way){.map = kh_fold_plain});
	if (has_signs(reading->folded))
		add_stream(m, reading, (struct way){.map = kh_fold_signs});
	add_stream(m, reading, (struct way){.map = kh_fold_plain, .rot13 = true});
	add_stream(m, reading, (struct way){.map = kh_fold_plain, .backwards = true});
	add_stream(m, reading, (struct way){.map = kh_fold_plain, .rot13 = true, .backwards = true});
	add_stream(m, reading, (struct way){.map = kh_fold_plain, .upside_down = true});
	add_stream(m, reading, (struct way){.map = kh_fold_plain, .upside_down = true, .backwards = true});
	return reading;
}

/* ---- all texts as one ---- */

static enum kh_err join(struct maker *m, struct kh_view *ret_joined)
{
	const struct kh_compare *what = m->what;
	struct kh_buf out;

	kh_buf_init(&out, m->arena, m->arena->limit);
	for (size_t i = 0; i < what->text_count - what->apart; i++) {
		m->set->starts[i] = out.n;
		kh_buf_add(&out, what->texts[i]);
		kh_buf_byte(&out, ' ');
	}
	return kh_buf_end(&out, ret_joined);
}

/*
 * Squeezes READING's folded text from offset START of its text up to *END of the folded text; *END is then moved to the
 * start.
 */
static void squeeze_piece(struct maker *m, const struct kh_reading *reading, size_t start, size_t *end)
{
	size_t from = *end;
	bool gap = true;

	while (from > 0 && reading->origin[from - 1] >= start)
		from--;
	squeeze(m, reading, from, *end, (struct way){.map = kh_fold_plain}, &gap);
	*end = from;
}

/* Adds the texts in the opposite order as one stream. */
static void add_opposite(struct maker *m, const struct kh_reading *joined)
{
	size_t at = m->n, text = m->what->text_count - m->what->apart, end = joined->folded.n;

	if (text < 2 || !reserve(m, joined->folded.n))
		return;
	while (text > 0)
		squeeze_piece(m, joined, m->set->starts[--text], &end);
	end_stream(m, joined, at, false);
}

/* Adds all texts joined, plainly and in the opposite order. */
static enum kh_err read_joined(struct maker *m)
{
	struct kh_view joined;
	enum kh_err e = join(m, &joined);
	const struct kh_reading *all = e == KH_OK ? read_text(m, joined, SIZE_MAX, false) : NULL;

	if (all != NULL)
		add_opposite(m, all);
	return e;
}

/* ---- what is encoded ---- */

/* Marks what several calls were put together to, of which [from, to) is present. */
static struct kh_reading *add_pieces(struct maker *m, struct kh_view text, size_t from, size_t to, bool decoded)
{
	struct kh_reading *reading = text.n >= MIN ? add_reading(m, text, m->joined->of, decoded, !decoded) : NULL;

	if (reading == NULL)
		return NULL;
	reading->from = from;
	reading->to = to;
	reading->joined = true;
	reading->whole = m->joined->whole;
	reading->anchors = m->joined->anchors;
	return reading;
}

/*
 * Adds what several calls together are encoded as.  Which of it is present follows from the share of the code: every
 * character takes about as much of it as any other.
 */
static void add_decoded(struct maker *m, struct kh_view text)
{
	const struct kh_compare_joined *of = m->joined;
	size_t from = of->from * text.n / of->text.n, to = of->to * text.n / of->text.n + 2;
	const struct kh_reading *reading = add_pieces(m, text, from > 2 ? from - 2 : 0, to, true);

	if (reading != NULL)
		add_stream(m, reading, (struct way){.map = kh_fold_plain});
}

static enum kh_err on_form(void *ctx, const struct kh_forms_form *form)
{
	struct maker *m = ctx;

	if (form->depth == 0)
		return KH_OK;
	if (m->first.p == NULL)
		m->first = form->text;
	if (m->joined != NULL)
		add_decoded(m, form->text);
	else
		read_text(m, form->text, m->text, true);
	return kh_arena_check(m->arena);
}

/* True for a text that can be a piece of encoded data: it has no blank and only characters that encodings use. */
static bool is_code(struct kh_view v)
{
	for (size_t i = 0; i < v.n; i++) {
		char c = v.p[i];
		if (!kh_ascii_is_alpha(c) && !kh_ascii_is_digit(c) && strchr("+/=-_%", c) == NULL)
			return false;
	}
	return v.n > 0;
}

static void add_code(struct kh_buf *out, struct kh_view v)
{
	for (size_t i = 0; i < v.n; i++) {
		if (v.p[i] != '=' && !kh_ascii_is_blank(v.p[i]))
			kh_buf_byte(out, v.p[i]);
	}
}

/* Joins texts that are pieces of encoded data, and decodes them. */
static enum kh_err read_codes(struct maker *m)
{
	const struct kh_compare *what = m->what;
	size_t count = what->text_count - what->apart;
	enum kh_err e = KH_OK;

	for (size_t i = 0; i < count && e == KH_OK;) {
		struct kh_view joined;
		struct kh_buf out;
		size_t pieces = 0, first = i;
		kh_buf_init(&out, m->arena, m->arena->limit);
		for (; i < count && is_code(what->texts[i]); i++, pieces++)
			add_code(&out, what->texts[i]);
		i += i == first;
		if (pieces < 2)
			continue;
		m->text = first;
		e = kh_buf_end(&out, &joined);
		if (e == KH_OK)
			e = kh_forms_each(m->arena, joined, on_form, m);
	}
	return e;
}

/* Reads a text whose words are pieces of encoded data. */
static enum kh_err read_spaced(struct maker *m, struct kh_view text)
{
	struct kh_view rest = text, word, joined;
	struct kh_buf out;
	size_t words = 0;

	while (kh_view_split(&rest, ' ', &word)) {
		if (word.n > 0 && !is_code(word))
			return KH_OK;
		words += word.n > 0;
	}
	if (words < 2)
		return KH_OK;
	kh_buf_init(&out, m->arena, m->arena->limit);
	add_code(&out, text);
	enum kh_err e = kh_buf_end(&out, &joined);
	return e == KH_OK ? kh_forms_each(m->arena, joined, on_form, m) : e;
}

/* Reads what is encoded in each text, and joins it if several texts are pieces that were encoded one by one. */
static enum kh_err read_encoded(struct maker *m)
{
	const struct kh_compare *what = m->what;
	struct kh_buf out;
	size_t pieces = 0, first = 0;
	enum kh_err e = KH_OK;

	kh_buf_init(&out, m->arena, m->arena->limit);
	for (size_t i = 0; i < what->text_count && e == KH_OK; i++) {
		m->text = i;
		m->first = (struct kh_view){NULL, 0};
		e = kh_forms_each(m->arena, what->texts[i], on_form, m);
		if (e == KH_OK)
			e = read_spaced(m, what->texts[i]);
		if (i >= what->text_count - what->apart)
			continue;
		if (m->first.p != NULL && pieces++ == 0)
			first = i;
		kh_buf_add(&out, m->first.p != NULL ? m->first : what->texts[i]);
		kh_buf_byte(&out, ' ');
	}
	struct kh_view joined;
	if (e == KH_OK)
		e = kh_buf_end(&out, &joined);
	if (e == KH_OK && pieces > 0 && what->text_count - what->apart > 1)
		read_text(m, joined, first, true);
	return e;
}

/* ---- what was taken apart, in a text or over several ---- */

static bool is_word(char c)
{
	return kh_fold_plain[(unsigned char)c] != 0;
}

/* Adds what was made of folded texts.  Its letters and digits did not stand together, so it has no anchors. */
static const struct kh_reading *add_made(struct maker *m, struct kh_view of, size_t text)
{
	struct kh_reading *reading = of.n >= MIN ? add_reading(m, of, text, true, true) : NULL;

	if (reading == NULL)
		return NULL;
	reading->anchors = false;
	reading->made = true;
	add_stream(m, reading, (struct way){.map = kh_fold_plain});
	return reading;
}

static enum kh_err read_made(struct maker *m, const struct kh_buf *made, size_t text)
{
	struct kh_view of;
	enum kh_err e = kh_buf_end(made, &of);

	if (e != KH_OK)
		return e;
	add_made(m, of, text);
	return kh_arena_check(m->arena);
}

static enum kh_err on_strewn(void *ctx, struct kh_view text)
{
	struct maker *m = ctx;
	const struct kh_reading *reading = add_made(m, text, m->text);

	if (reading != NULL)
		add_stream(m, reading, (struct way){.map = kh_fold_plain, .backwards = true});
	return kh_arena_check(m->arena);
}

/* Reads letters among others in the values, and in the names. */
static enum kh_err read_strewn(struct maker *m)
{
	const struct kh_compare *what = m->what;
	size_t values = what->text_count - what->apart;

	m->text = 0;
	enum kh_err e = kh_strewn_each(m->arena, what->texts, values, on_strewn, m);
	m->text = values;
	return e == KH_OK ? kh_strewn_each(m->arena, what->texts + values, what->apart, on_strewn, m) : e;
}

/* Decodes what is left of TEXT without its separators, from the beginning of each of its first words on. */
static enum kh_err read_segments(struct maker *m, struct kh_view text)
{
	size_t words = 0;
	enum kh_err e = KH_OK;

	for (size_t at = 0; at < text.n && words < SEGMENTS && e == KH_OK; at++) {
		struct kh_buf out;
		struct kh_view joined;
		if (!is_word(text.p[at]) || (at > 0 && is_word(text.p[at - 1])))
			continue;
		words++;
		kh_buf_init(&out, m->arena, m->arena->limit);
		for (size_t i = at; i < text.n; i++) {
			if (is_word(text.p[i]))
				kh_buf_byte(&out, text.p[i]);
		}
		e = kh_buf_end(&out, &joined);
		if (e == KH_OK)
			e = kh_forms_each(m->arena, joined, on_form, m);
	}
	return e;
}

/* Reads one of the folded texts by itself: its words backwards, the values in it. */
static enum kh_err read_taken(struct maker *m, const struct kh_view *folded, size_t text)
{
	enum kh_err e = KH_OK;

	for (unsigned way = 0; way < 3 && e == KH_OK; way++) {
		struct kh_buf out;
		kh_buf_init(&out, m->arena, m->arena->limit);
		if (way == 2)
			kh_mixed_values(&out, folded[text]);
		else
			kh_mixed_turned(&out, folded[text], way == 1);
		e = read_made(m, &out, text);
	}
	return e;
}

/* Reads the text and those before it in turn: two, three, and so on. */
static enum kh_err read_mixed(struct maker *m, const struct kh_view *folded, size_t text)
{
	enum kh_err e = KH_OK;

	for (size_t n = 2; n <= KH_MIXED_TEXTS && n <= text + 1 && e == KH_OK; n++) {
		struct kh_buf letters, words;
		kh_buf_init(&letters, m->arena, m->arena->limit);
		kh_buf_init(&words, m->arena, m->arena->limit);
		kh_mixed_letters(&letters, folded + text + 1 - n, n);
		kh_mixed_words(&words, folded + text + 1 - n, n);
		e = read_made(m, &letters, text);
		if (e == KH_OK)
			e = read_made(m, &words, text);
	}
	return e;
}

/* A long text is left out: what is taken apart in it is found by its words. */
static enum kh_err read_apart(struct maker *m)
{
	const struct kh_compare *what = m->what;
	struct kh_view folded[TEXTS];
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < what->text_count - what->apart && i < TEXTS; i++) {
		struct kh_view of = what->texts[i].n <= APART_MAX ? what->texts[i] : KH_LIT("");
		struct kh_folded fold;
		e = kh_fold_text(m->arena, of, false, &fold);
		if (e != KH_OK)
			break;
		folded[i] = fold.text;
		m->text = i;
		e = read_taken(m, folded, i);
		if (e == KH_OK)
			e = read_mixed(m, folded, i);
		if (e == KH_OK)
			e = read_segments(m, of);
	}
	return e;
}

/* ---- what several calls were put together to ---- */

static enum kh_err read_pieces(struct maker *m, const struct kh_compare_joined *text)
{
	m->joined = text;
	const struct kh_reading *reading = add_pieces(m, text->text, text->from, text->to, false);
	if (reading == NULL || text->anchors)
		return kh_arena_check(m->arena);
	add_stream(m, reading, (struct way){.map = kh_fold_plain});
	if (!text->coded)
		return KH_OK;
	add_stream(m, reading, (struct way){.map = kh_fold_plain, .rot13 = true});
	return kh_forms_each(m->arena, text->text, on_form, m);
}

enum kh_err kh_stream_make(struct kh_arena *arena, const struct kh_compare *what, struct kh_streams *ret)
{
	struct kh_streams set = {0};
	struct maker m = {.arena = arena, .what = what, .set = &set};

	set.starts = KH_NEW_N(arena, size_t, what->text_count);
	if (set.starts == NULL || !reserve(&m, 0))
		return KH_ENOMEM;
	enum kh_err e = read_joined(&m);
	for (size_t i = what->text_count - what->apart; e == KH_OK && i < what->text_count; i++)
		read_text(&m, what->texts[i], i, false);
	if (e == KH_OK)
		e = read_encoded(&m);
	if (e == KH_OK)
		e = read_codes(&m);
	if (e == KH_OK)
		e = read_apart(&m);
	if (e == KH_OK)
		e = read_strewn(&m);
	for (size_t i = 0; e == KH_OK && i < what->joined_count; i++)
		e = read_pieces(&m, &what->joined[i]);
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e != KH_OK)
		return e;
	set.bytes = kh_view_of(m.bytes, m.n);
	set.origin = m.origin;
	set.begins = m.begins;
	*ret = set;
	return KH_OK;
}

size_t kh_stream_last(const size_t *first, size_t stride, size_t n, size_t at)
{
	size_t low = 0, high = n;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (*(const size_t *)(const void *)((const char *)first + middle * stride) <= at)
			low = middle;
		else
			high = middle;
	}
	return low;
}

const struct kh_stream *kh_stream_find(const struct kh_streams *set, size_t at)
{
	return &set->at[kh_stream_last(&set->at->at, sizeof(*set->at), set->n, at)];
}

size_t kh_stream_text(const struct kh_streams *set, const struct kh_compare *what, const struct kh_reading *reading,
		      size_t from)
{
	if (reading->text != SIZE_MAX)
		return reading->text;
	return kh_stream_last(set->starts, sizeof(*set->starts), what->text_count - what->apart, from);
}
