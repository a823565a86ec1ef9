/*
 * Ways to put pieces together.  Lines are hostile.  Each way takes a part of every line, newest first, until it has
 * enough, and writes the parts in both orders.
 */
#include "core/block/pieces.h"

#include "base/buf.h"
#include "core/block/parts.h"
#include "core/screen/decode.h"
#include "core/screen/fold.h"

#define LISTED    4096 /* lines that are looked at */
#define LINES     256  /* lines of each way */
#define TEXT      96   /* characters before the present ones that are compared as text */
#define CODE      768  /* the same if they may be encoded */
#define GLUED     32   /* lines of which hosts, addresses and numbers are made */
#define GLUED_MAX 160  /* characters of them */
#define FIELDS    4    /* fields from a line's beginning */
#define PLACES    16   /* places from either end of a line at which a piece may stand */
#define WIDTH     11   /* its characters: one more, and it would be found by itself */
#define AROUND    8    /* characters around a piece whose length changes */
#define PLACED    16   /* characters before the present ones of pieces that stand at a place */
#define PLACED_IN 128  /* lines that are looked at for them */
#define TURNS     3    /* calls of which one has a piece */
#define WORDS     8    /* words of a line that are looked at one by one */
#define LATEST    16   /* lines that show what is usual */

typedef unsigned char byte;

/* What is taken of a line. */
enum part {
	WHOLE,
	BACKWARDS,
	SWAPPED,  /* the parts between tabs, last first */
	LETTERS,  /* without digits: a counter */
	VARYING,  /* without what it has in common with the line before, to the character, but for n and `width` */
	CHANGED,  /* the words that are neither a number nor the same in the lines beside it */
	NOVEL,    /* the parts between tabs that do not fill many lines */
	DECODED,  /* as base64, by itself */
	FIELD,    /* the n-th word */
	FROM_END, /* the n-th word from the end */
	COLUMN,   /* `width` characters from the n-th on */
	FAR,      /* the same, counted from the end */
	INNER,    /* all but the first n and the last `width` */
};

struct way {
	enum part part;
	size_t n;
	bool similar; /* only lines with as many letters and digits as the present one */
	bool coded;   /* all of it may be encoded */
	bool glued;   /* it may be a host, an address or a number */
	size_t width; /* of a column; of what is left out or taken at the end */
	size_t every; /* only each of so many lines; 0: all */
};

static const struct way ways[] = {
	{.part = WHOLE, .coded = true, .glued = true},
	{.part = WHOLE, .similar = true, .coded = true, .glued = true},
	{.part = BACKWARDS},
	{.part = SWAPPED, .coded = true, .glued = true},
	{.part = LETTERS},
	{.part = VARYING, .coded = true, .glued = true},
	{.part = VARYING, .n = 1},
	{.part = VARYING, .width = 1},
	{.part = VARYING, .n = 1, .width = 1},
	{.part = CHANGED, .coded = true, .glued = true},
	{.part = NOVEL, .coded = true, .glued = true},
	{.part = DECODED},
};

struct line {
	struct kh_view text;
	size_t letters; /* and digits */
	size_t words;
};

struct joining {
	struct kh_arena *arena;
	struct kh_pieces *out;
	size_t of;
	struct line *lines; /* newest first; the first is the present one */
	size_t count;
	size_t usual;          /* number of words that most of the latest have */
	struct kh_view filler; /* the part that is in many of the latest; or empty */
	struct kh_view *parts; /* what the current way takes of them */
	size_t part_count;
};

static bool is_word(char c)
{
	return kh_fold_plain[(byte)c] != 0;
}

/* ---- parts of lines ---- */

static size_t same_start(struct kh_view a, struct kh_view b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	return n;
}

static size_t same_end(struct kh_view a, struct kh_view b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.p[a.n - 1 - n] == b.p[b.n - 1 - n])
		n++;
	return n;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Line AT without what is constant.  Two pieces may begin alike, so what counts as constant is the least of what three
 * lines in a row have in common: this one and two before it, or beside it if there are no more.  The way may take some of
 * it as well.
 */
static struct kh_view varying(const struct joining *j, const struct way *way, size_t at)
{
	struct kh_view text = j->lines[at].text;
	size_t from = at + 2 < j->count ? at : j->count >= 3 ? j->count - 3 : 0;
	size_t start = text.n, end = text.n;

	if (j->count < 2)
		return text;
	for (size_t i = from; i < from + 3 && i < j->count; i++) {
		start = i == at ? start : least(start, same_start(text, j->lines[i].text));
		end = i == at ? end : least(end, same_end(text, j->lines[i].text));
	}
	start -= least(start, way->n);
	end -= least(end, way->width);
	return start + end < text.n ? kh_view_sub(text, start, text.n - end) : KH_LIT("");
}

/* What stands at the way's place in V. */
static struct kh_view at_place(const struct way *way, struct kh_view v)
{
	size_t end = way->part == COLUMN ? least(v.n, way->n + way->width)
		     : way->part == FAR  ? v.n - least(v.n, way->n)
					 : v.n - least(v.n, way->width);
	size_t start = way->part == FAR ? end - least(end, way->width) : least(end, way->n);

	return kh_view_sub(v, start, end);
}

static bool is_placed(const struct way *way)
{
	return way->part == COLUMN || way->part == FAR || way->part == INNER;
}

/* Whether word N of line AT is the same in two lines beside it: a letter may come twice, but not three times. */
static bool is_constant(const struct joining *j, size_t at, size_t n, struct kh_view word)
{
	size_t first = at + 2 < j->count ? at : j->count >= 3 ? j->count - 3 : 0;

	if (j->count < 3)
		return false;
	for (size_t i = first; i < first + 3; i++) {
		if (!kh_view_eq(kh_parts_field(j->lines[i].text, n), word))
			return false;
	}
	return true;
}

static bool is_number(struct kh_view v)
{
	size_t n = 0;

	while (n < v.n && kh_ascii_is_digit(v.p[n]))
		n++;
	return n == v.n;
}

static void write_changed(struct kh_buf *out, const struct joining *j, size_t at)
{
	struct kh_view word;

	for (size_t n = 0; n < WORDS && (word = kh_parts_field(j->lines[at].text, n)).n > 0; n++) {
		if (is_number(word) || is_constant(j, at, n, word))
			continue;
		kh_buf_add(out, word);
		kh_buf_byte(out, ' ');
	}
}

static void write_novel(struct kh_buf *out, const struct joining *j, struct kh_view v)
{
	struct kh_view part;

	while (kh_view_split(&v, '\t', &part)) {
		if (kh_view_eq(part, j->filler))
			continue;
		kh_buf_add(out, part);
		kh_buf_byte(out, ' ');
	}
}

/* Whether the way makes a difference for a line; if it makes none for all of them, it is left out. */
static bool differs(const struct joining *j, const struct way *way, struct kh_view v)
{
	switch (way->part) {
	case NOVEL:
		return j->filler.n > 0;
	case SWAPPED:
		return memchr(v.p, '\t', v.n) != NULL;
	case LETTERS:
		for (size_t i = 0; i < v.n; i++) {
			if (kh_ascii_is_digit(v.p[i]))
				return true;
		}
		return false;
	case FIELD:
	case FROM_END:
	case CHANGED:
		return kh_parts_field(v, 1).n > 0;
	case COLUMN:
	case FAR:
	case INNER:
		return at_place(way, v).n < v.n;
	case WHOLE:
	case BACKWARDS:
	case VARYING:
	case DECODED:
		break;
	}
	return v.n > 1;
}

static enum kh_err take(struct joining *j, const struct way *way, size_t at, struct kh_view *ret_part)
{
	struct kh_view text = j->lines[at].text;
	struct kh_buf out;

	kh_buf_init(&out, j->arena, 2 * KH_PIECES_LINE);
	switch (way->part) {
	case BACKWARDS:
		kh_parts_backwards(&out, text);
		break;
	case SWAPPED:
		kh_parts_swapped(&out, text);
		break;
	case LETTERS:
		kh_parts_letters(&out, text);
		break;
	case CHANGED:
		write_changed(&out, j, at);
		break;
	case NOVEL:
		write_novel(&out, j, text);
		break;
	case DECODED:
		kh_decode_word(&out, text);
		break;
	case WHOLE:
	case VARYING:
	case FIELD:
	case FROM_END:
	case COLUMN:
	case FAR:
	case INNER:
		*ret_part = way->part == VARYING    ? varying(j, way, at)
			    : way->part == FIELD    ? kh_parts_field(text, way->n)
			    : way->part == FROM_END ? kh_parts_field_from_end(text, way->n)
			    : is_placed(way)        ? at_place(way, text)
						    : text;
		return KH_OK;
	}
	return kh_buf_end(&out, ret_part);
}

/* Whether a line is left out.  One with fewer words than usual has only punctuation where the others have a word. */
static bool is_left_out(const struct joining *j, const struct way *way, size_t at)
{
	const struct line *line = &j->lines[at];

	if (way->part == FIELD || way->part == FROM_END)
		return line->words < j->usual;
	if (way->every > 0)
		return at % way->every != 0;
	return way->similar && line->letters != j->lines[0].letters;
}

/* Whether the parts count: numbers, each as much more or less than the one before.  They carry nothing. */
static bool is_counter(const struct joining *j)
{
	int64_t n[3];

	if (j->part_count < 3)
		return false;
	for (size_t i = 0; i < 3; i++) {
		if (!kh_view_int(j->parts[i], &n[i]))
			return false;
	}
	return n[0] - n[1] == n[1] - n[2] && n[0] != n[1];
}

/* Whether nothing changes at a place but the last digit of a counter. */
static bool is_still(const struct joining *j)
{
	size_t same = 0, up = 0, down = 0;

	for (size_t i = 1; i < j->part_count; i++) {
		struct kh_view now = j->parts[i - 1], before = j->parts[i];
		bool digits = now.n == 1 && before.n == 1 && is_number(now) && is_number(before);
		same += kh_view_eq(now, before);
		up += digits && (now.p[0] - before.p[0] + 10) % 10 == 1;
		down += digits && (before.p[0] - now.p[0] + 10) % 10 == 1;
	}
	return j->part_count > 2 && (same + 1 == j->part_count || up + 1 == j->part_count || down + 1 == j->part_count);
}

/* Takes parts until there is enough.  None, if the present line has none or all are like the lines. */
static enum kh_err take_parts(struct joining *j, const struct way *way)
{
	size_t enough = way->coded ? CODE : is_placed(way) ? PLACED : TEXT, n = 0;
	size_t count = is_placed(way) ? least(j->count, PLACED_IN) : j->count;
	bool differ = way->part == WHOLE && !way->similar;
	enum kh_err e = KH_OK;

	j->part_count = 0;
	for (size_t i = 0; i < count && n < enough && j->part_count < LINES && e == KH_OK; i++) {
		struct kh_view part = {NULL, 0};
		bool skip = is_left_out(j, way, i);
		differ = differ || (way->similar || way->every > 0 ? skip : differs(j, way, j->lines[i].text));
		if (skip)
			continue;
		e = take(j, way, i, &part);
		if (e == KH_OK && part.n == 0 && i == 0)
			break;
		if (is_placed(way) && part.n > WIDTH)
			break; /* that was compared by itself when it was sent */
		if (e != KH_OK || part.n == 0)
			continue;
		for (size_t k = 0; i > 0 && k < part.n; k++)
			n += !is_placed(way) || is_word(part.p[k]); /* signs alone make no run */
		j->parts[j->part_count++] = part;
	}
	if (!differ || is_counter(j) || (is_placed(way) && is_still(j)))
		j->part_count = 0;
	return e;
}

/* ---- texts ---- */

/* Writes the first COUNT parts as one text, SEPARATOR between them (0: nothing); OPPOSITE: newest first. */
static enum kh_err write_text(struct joining *j, const struct way *way, size_t count, char separator, bool opposite,
			      bool anchors)
{
	struct kh_pieces *list = j->out;
	struct kh_compare_joined text = {
		.of = j->of, .coded = way->coded && !anchors, .whole = is_placed(way), .anchors = anchors};
	struct kh_buf out;

	kh_buf_init(&out, j->arena, j->arena->limit);
	for (size_t i = 0; i < count; i++) {
		size_t at = opposite ? i : count - 1 - i;
		size_t from = out.n;
		kh_buf_add(&out, j->parts[at]);
		if (at == 0) {
			text.from = from;
			text.to = out.n;
		}
		if (separator != 0)
			kh_buf_byte(&out, separator);
	}
	enum kh_err e = kh_buf_end(&out, &text.text);
	struct kh_compare_joined *at = kh_arena_more(j->arena, list->at, list->n, &list->cap, sizeof(*at));
	if (e != KH_OK || at == NULL)
		return e != KH_OK ? e : KH_ENOMEM;
	list->at = at;
	list->at[list->n++] = text;
	return KH_OK;
}

/* A host, an address or a number is made of whole parts: the present one and some before it. */
static enum kh_err write_glued(struct joining *j, const struct way *way)
{
	size_t n = j->parts[0].n;
	enum kh_err e = KH_OK;

	for (size_t count = 2; count <= j->part_count && count <= GLUED && e == KH_OK; count++) {
		n += j->parts[count - 1].n;
		if (n > GLUED_MAX)
			break;
		e = write_text(j, way, count, 0, false, true);
		if (e == KH_OK)
			e = write_text(j, way, count, 0, true, true);
	}
	return e;
}

static enum kh_err join_way(struct joining *j, const struct way *way)
{
	enum kh_err e = take_parts(j, way);

	if (e != KH_OK || j->part_count < 2)
		return e;
	for (int opposite = 0; opposite < 2 && e == KH_OK; opposite++) {
		e = write_text(j, way, j->part_count, '\n', opposite != 0, false);
		if (e == KH_OK && way->coded)
			e = write_text(j, way, j->part_count, 0, opposite != 0, false);
	}
	return e == KH_OK && way->glued ? write_glued(j, way) : e;
}

/* ---- lines ---- */

static void add_line(struct joining *j, struct kh_view text)
{
	struct line *line = &j->lines[j->count++];

	line->text = kh_view_sub(text, 0, KH_PIECES_LINE);
	for (size_t i = 0; i < line->text.n; i++) {
		line->letters += is_word(line->text.p[i]);
		line->words += is_word(line->text.p[i]) && (i == 0 || !is_word(line->text.p[i - 1]));
	}
}

/* How many words most of the latest lines have. */
static size_t usual_words(const struct joining *j)
{
	size_t counts[WORDS + 1] = {0}, best = 0;

	for (size_t i = 0; i < j->count && i < LATEST; i++)
		counts[least(j->lines[i].words, WORDS)]++;
	for (size_t i = 1; i <= WORDS; i++)
		best = counts[i] > counts[best] ? i : best;
	return best;
}

/* How many of the latest lines have PART between tabs. */
static size_t count_part(const struct joining *j, struct kh_view part)
{
	size_t count = 0;

	for (size_t i = 0; i < j->count && i < LATEST; i++) {
		struct kh_view rest = j->lines[i].text, other;
		bool has = false;
		while (!has && kh_view_split(&rest, '\t', &other))
			has = kh_view_eq(other, part);
		count += has;
	}
	return count;
}

/*
 * A part that is in two fifths of the latest lines or more: what stands in a parameter while the piece is in another.
 * No letter is that frequent in a text.
 */
static struct kh_view find_filler(const struct joining *j)
{
	struct kh_view best = {NULL, 0};
	size_t most = 2, latest = least(j->count, LATEST);

	for (size_t i = 0; i < j->count && i < 4; i++) {
		struct kh_view rest = j->lines[i].text, part;
		for (size_t n = 0; n < 4 && kh_view_split(&rest, '\t', &part); n++) {
			size_t count = part.n > 0 ? count_part(j, part) : 0;
			if (count > most && 5 * count >= 2 * latest) {
				most = count;
				best = part;
			}
		}
	}
	return best;
}

/* Lists the present line and those before it, newest first.  Many are listed, because similar ones may be far apart. */
static enum kh_err list_lines(struct joining *j, struct kh_view lines, struct kh_view present)
{
	size_t count = 1;

	for (size_t i = lines.n; i > 0 && count < LISTED; i--)
		count += lines.p[i - 1] == '\n';
	j->lines = KH_NEW_N(j->arena, struct line, count);
	j->parts = KH_NEW_N(j->arena, struct kh_view, LINES);
	if (j->lines == NULL || j->parts == NULL)
		return KH_ENOMEM;
	add_line(j, present);
	for (size_t end = lines.n; end > 0 && j->count < count;) {
		size_t from = end - 1;
		while (from > 0 && lines.p[from - 1] != '\n')
			from--;
		add_line(j, kh_view_sub(lines, from, end - 1));
		end = from;
	}
	return KH_OK;
}

/* Whether the lines that are looked at for pieces at a place are all as long as the present one. */
static bool are_even(const struct joining *j)
{
	size_t i = 1;

	while (i < j->count && i < PLACED_IN && j->lines[i].text.n == j->lines[0].text.n)
		i++;
	return i == j->count || i == PLACED_IN;
}

/* Pieces of fixed length at a fixed place, from either end, and those of other length amid text of fixed length. */
static enum kh_err join_places(struct joining *j)
{
	size_t most = j->lines[0].text.n, inner = most <= WIDTH + 2 * AROUND ? AROUND : 0;
	bool even = are_even(j) && most <= 2 * PLACES; /* then it makes no difference from which end one counts */
	enum kh_err e = KH_OK;

	for (size_t n = 0; n < (even ? 2 * PLACES : PLACES) && n < most && e == KH_OK; n++) {
		for (size_t width = 1; width <= WIDTH && e == KH_OK; width++) {
			e = join_way(j, &(struct way){.part = COLUMN, .n = n, .width = width});
			if (e == KH_OK && !even)
				e = join_way(j, &(struct way){.part = FAR, .n = n, .width = width});
		}
	}
	for (size_t n = 0; !even && n <= inner && e == KH_OK; n++) {
		for (size_t width = 0; width <= inner && e == KH_OK; width++)
			e = join_way(j, &(struct way){.part = INNER, .n = n, .width = width});
	}
	return e;
}

/* The lines without the first, of which a parameter's own lines do not have what is constant. */
static struct kh_view later(struct kh_view lines)
{
	const char *end = lines.n > 0 ? memchr(lines.p, '\n', lines.n) : NULL;

	return end != NULL ? kh_view_from(lines, (size_t)(end - lines.p)) : lines;
}

/* Whether the list has the places of these lines: those of a token that uses one parameter are those of all. */
static bool has_places(const struct kh_pieces *pieces, struct kh_view lines, struct kh_view present)
{
	return kh_view_eq(pieces->present, present) && kh_view_eq(later(pieces->lines), later(lines));
}

enum kh_err kh_pieces_join(struct kh_arena *arena, struct kh_view lines, struct kh_view present, size_t of,
			   struct kh_pieces *pieces)
{
	struct joining j = {.arena = arena, .out = pieces, .of = of};
	enum kh_err e = KH_OK;

	if (lines.n == 0 || present.n == 0)
		return KH_OK;
	e = list_lines(&j, lines, present);
	if (e == KH_OK) {
		j.usual = usual_words(&j);
		j.filler = find_filler(&j);
	}
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && e == KH_OK; i++)
		e = join_way(&j, &ways[i]);
	for (size_t n = 0; n < FIELDS && e == KH_OK; n++)
		e = join_way(&j, &(struct way){.part = FIELD, .n = n, .coded = n == 0, .glued = n == 0});
	for (size_t n = 0; n < FIELDS / 2 && e == KH_OK; n++)
		e = join_way(&j, &(struct way){.part = FROM_END, .n = n, .coded = n == 0, .glued = n == 0});
	for (size_t every = 2; every <= TURNS && e == KH_OK; every++)
		e = join_way(&j, &(struct way){.part = WHOLE, .coded = true, .every = every});
	if (e == KH_OK && !has_places(pieces, lines, present))
		e = join_places(&j);
	pieces->lines = lines;
	pieces->present = present;
	return e;
}
