/*
 * Keeps what was sent.  All values are hostile.  A value is cut to a fixed size first: its middle cannot stand beside
 * a piece of another call, and the call itself is compared whole.
 */
#include "core/block/sent.h"

#include "base/buf.h"
#include "core/screen/fold.h"
#include "core/screen/unescape.h"

#define ENDS  1024 /* bytes of each end of a long value that are kept */
#define SHORT 8    /* bytes of a value that is kept again each time it is repeated */
#define WHOLE 64   /* bytes of a value of which nothing is known to be constant; the same */
#define TIMES 8    /* so often */
#define FEW   2    /* letters of a piece, or of what two values share by chance */

static bool is_word(char c)
{
	return kh_fold_plain[(unsigned char)c] != 0;
}

/* ---- the values of a call ---- */

struct splitting {
	struct kh_arena *arena;
	struct kh_view operation;
	struct kh_sent_value *values;
	struct kh_buf *texts; /* of each value, while it is put together */
	size_t count;
	struct kh_buf names;
};

static void add_scalar(struct splitting *s, struct kh_buf *out, yyjson_val *val)
{
	yyjson_mut_doc *doc = yyjson_is_num(val) ? kh_json_new(s->arena) : NULL;
	struct kh_view text;

	if (yyjson_is_str(val)) {
		kh_buf_add(out, kh_json_str(val));
		kh_buf_byte(out, '\n');
	} else if (doc != NULL && kh_json_write(s->arena, yyjson_val_mut_copy(doc, val), &text) == KH_OK) {
		kh_buf_add(out, text);
		kh_buf_byte(out, '\n');
	}
}

static void add_name(struct splitting *s, yyjson_val *key)
{
	kh_buf_add(&s->names, kh_json_str(key));
	kh_buf_byte(&s->names, ' ');
}

/* Adds everything in VAL to OUT.  The JSON parser has bounded the depth. */
static void add_all(struct splitting *s, struct kh_buf *out, yyjson_val *val)
{
	yyjson_val *key, *item;
	size_t i, max;

	add_scalar(s, out, val);
	yyjson_arr_foreach (val, i, max, item)
		add_all(s, out, item);
	yyjson_obj_foreach (val, i, max, key, item) {
		add_name(s, key);
		add_all(s, out, item);
	}
}

/* The text of the parameter at PATH.  The last one is for all that have no place of their own. */
static struct kh_buf *text_of(struct splitting *s, struct kh_view path)
{
	size_t at = s->count < KH_SENT_VALUES && s->operation.n + path.n < KH_SENT_NAME ? s->count++ : KH_SENT_VALUES;
	struct kh_sent_value *value = &s->values[at];

	if (value->name.p == NULL) {
		value->path = at < KH_SENT_VALUES ? path : KH_LIT("");
		value->name = kh_arena_printf(s->arena, "%.*s %.*s", KH_FMT(s->operation),
					      KH_FMT(at < KH_SENT_VALUES ? path : KH_LIT("...")));
		kh_buf_init(&s->texts[at], s->arena, s->arena->limit);
	}
	return &s->texts[at];
}

/* Every member of an object is a parameter; a list is one with all that is in it. */
static void split(struct splitting *s, struct kh_view path, yyjson_val *val)
{
	yyjson_val *key, *item;
	size_t i, max;

	if (!yyjson_is_obj(val)) {
		add_all(s, text_of(s, path), val);
		return;
	}
	yyjson_obj_foreach (val, i, max, key, item) {
		struct kh_view name = kh_json_str(key);
		bool plain = kh_view_is_id(name, 64);
		add_name(s, key);
		split(s, kh_arena_printf(s->arena, "%.*s.%.*s", KH_FMT(path), KH_FMT(plain ? name : KH_LIT("*"))),
		      item);
	}
}

/* V without its middle if it is longer than twice ENDS. */
static enum kh_err shorten(struct kh_arena *arena, struct kh_view *v, size_t ends)
{
	struct kh_buf out;

	if (v->n <= 2 * ends)
		return KH_OK;
	kh_buf_init(&out, arena, 2 * ends);
	kh_buf_add(&out, kh_view_sub(*v, 0, ends));
	kh_buf_byte(&out, '\n');
	kh_buf_add(&out, kh_view_from(*v, v->n - (ends - 1)));
	return kh_buf_end(&out, v);
}

/* TEXT with its escapes undone, folded, and without its middle if it is long. */
static enum kh_err fold(struct kh_arena *arena, const struct kh_buf *text, struct kh_view *ret_value)
{
	struct kh_view whole;
	struct kh_folded folded = {0};
	size_t escapes;
	enum kh_err e = kh_buf_end(text, &whole);

	if (e == KH_OK && whole.n > 0)
		whole.n--; /* the newline or blank at its end */
	/* First as it is, so that folding costs little: a character has at most four bytes. */
	if (e == KH_OK)
		e = shorten(arena, &whole, 4 * ENDS);
	if (e == KH_OK)
		e = kh_unescape_any(arena, whole, false, &whole, &escapes);
	if (e == KH_OK)
		e = kh_fold_text(arena, whole, false, &folded);
	if (e == KH_OK)
		e = shorten(arena, &folded.text, ENDS);
	*ret_value = folded.text;
	return e;
}

enum kh_err kh_sent_split(struct kh_arena *arena, struct kh_view operation, yyjson_val *parameters,
			  struct kh_sent_value **ret_values, size_t *ret_count)
{
	struct splitting s = {.arena = arena, .operation = kh_view_sub(operation, 0, KH_SENT_NAME / 2)};
	size_t n = 0;

	s.values = KH_NEW_N(arena, struct kh_sent_value, KH_SENT_VALUES + 1);
	s.texts = KH_NEW_N(arena, struct kh_buf, KH_SENT_VALUES + 1);
	if (s.values == NULL || s.texts == NULL)
		return KH_ENOMEM;
	kh_buf_init(&s.names, arena, arena->limit);
	split(&s, KH_LIT(""), parameters);
	struct kh_sent_value *values = KH_NEW_N(arena, struct kh_sent_value, KH_SENT_VALUES + 2);
	enum kh_err e = values != NULL ? kh_arena_check(arena) : KH_ENOMEM;
	/* The names come first, because what is constant should not stand between two pieces. */
	if (e == KH_OK && s.names.n > 0) {
		values[n].name = kh_arena_printf(arena, "%.*s names", KH_FMT(s.operation));
		e = fold(arena, &s.names, &values[n++].value);
	}
	for (size_t i = 0; i <= KH_SENT_VALUES && e == KH_OK; i++) {
		if (s.values[i].name.p == NULL || s.texts[i].n == 0)
			continue;
		e = fold(arena, &s.texts[i], &s.values[i].value);
		values[n++] = s.values[i];
	}
	*ret_values = values;
	*ret_count = n;
	return e;
}

/* ---- what is constant ---- */

static size_t count_letters(struct kh_view v)
{
	size_t letters = 0;

	for (size_t i = 0; i < v.n; i++)
		letters += is_word(v.p[i]);
	return letters;
}

/* How many bytes A and B have in common at their beginning, up to the end of a word; signs alone do not count. */
static size_t same_start(struct kh_view a, struct kh_view b)
{
	size_t n = 0;

	while (n < a.n && n < b.n && a.p[n] == b.p[n])
		n++;
	while (n > 0 && is_word(a.p[n - 1]))
		n--;
	return count_letters(kh_view_sub(a, 0, n)) > 0 ? n : 0;
}

/*
 * The same at their end, from the beginning of a word on, without the first FROM bytes.  A few letters do not count,
 * because two pieces may end alike; a key and its value do.
 */
static size_t same_end(struct kh_view a, struct kh_view b, size_t from)
{
	size_t n = 0;

	while (from + n < a.n && from + n < b.n && a.p[a.n - 1 - n] == b.p[b.n - 1 - n])
		n++;
	while (n > 0 && is_word(a.p[a.n - n]))
		n--;
	struct kh_view end = kh_view_from(a, a.n - n);
	return count_letters(end) > FEW || memchr(end.p, '=', end.n) != NULL ? n : 0;
}

static bool is_same(const struct kh_sent *sent, struct kh_view value)
{
	return sent->calls > 0 && kh_view_eq(sent->last, value);
}

static bool is_number(struct kh_view v)
{
	size_t n = 0;

	while (n < v.n && kh_ascii_is_digit(v.p[n]))
		n++;
	return v.n > 0 && n == v.n;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Whether LINE is what was kept of VALUE without its first PREFIX and last SUFFIX bytes. */
static bool is_line(struct kh_view line, struct kh_view value, size_t prefix, size_t suffix)
{
	if (prefix + suffix > value.n || line.n != value.n - prefix - suffix)
		return false;
	for (size_t i = 0; i < line.n; i++) {
		char c = value.p[prefix + i];
		if (line.p[i] != (c == '\n' ? ' ' : c))
			return false;
	}
	return true;
}

/* Whether there was only one value so far, however often, so that nothing is known to be constant. */
static bool is_first(const struct kh_sent *sent)
{
	struct kh_view rest = sent->lines, line;

	if (sent->calls < 2)
		return true;
	if (sent->fallen > 0 || sent->moving || rest.n == 0)
		return false;
	for (rest.n--; kh_view_split(&rest, '\n', &line);) {
		if (!is_line(line, sent->last, 0, 0))
			return false;
	}
	return true;
}

/*
 * What of VALUE is constant.  Two pieces may be equal by chance, so it is only what the value before had in common with
 * the one before it, too.  What a repeated value repeats is what was not constant before.  If only a number changes,
 * it may count the calls, and no more than before of what stands behind it is constant.
 */
static void find_constant(const struct kh_sent *sent, struct kh_view value, size_t *ret_prefix, size_t *ret_suffix)
{
	bool same = is_same(sent, value), first = is_first(sent);
	size_t start = same ? sent->prefix : same_start(value, sent->last);

	*ret_prefix = first ? start : least(start, sent->start);
	size_t end = same ? sent->suffix : same_end(value, sent->last, *ret_prefix);
	*ret_suffix = first ? end : least(end, sent->end);
	if (is_number(kh_view_sub(value, *ret_prefix, value.n - *ret_suffix)))
		*ret_suffix = least(*ret_suffix, sent->suffix);
}

/* A short value that is repeated may be a letter that is; a long one is constant. */
struct kh_view kh_sent_piece(const struct kh_sent *sent, struct kh_view value)
{
	size_t prefix, suffix;

	find_constant(sent, value, &prefix, &suffix);
	size_t n = value.n - prefix - suffix;
	bool unknown = sent->calls < TIMES && n <= WHOLE && is_first(sent); /* a letter of it may be */
	if (is_same(sent, value) && !sent->moving && n > SHORT && !unknown)
		return KH_LIT("");
	return kh_view_sub(value, prefix, value.n - suffix);
}

/* ---- keeping ---- */

/* The offset of the last line before END. */
static size_t line_start(struct kh_view lines, size_t end)
{
	size_t from = end > 0 ? end - 1 : 0;

	while (from > 0 && lines.p[from - 1] != '\n')
		from--;
	return from;
}

enum kh_err kh_sent_lines(struct kh_arena *arena, const struct kh_sent *sent, struct kh_view value,
			  struct kh_view *ret_lines)
{
	size_t prefix, suffix, from = sent->lines.n, count = 0;
	struct kh_view line = {NULL, 0};
	struct kh_buf out;

	*ret_lines = sent->lines;
	find_constant(sent, value, &prefix, &suffix);
	if (prefix + suffix > sent->last.n || (prefix <= sent->prefix && suffix <= sent->suffix))
		return KH_OK;
	for (size_t end = from; end > 0; count++, from = end) {
		size_t at = line_start(sent->lines, end);
		struct kh_view before = kh_view_sub(sent->lines, at, end - 1);
		if (!is_line(before, sent->last, sent->prefix, sent->suffix))
			break;
		line = before;
		end = at;
	}
	size_t start = prefix > sent->prefix ? prefix - sent->prefix : 0;
	size_t end = suffix > sent->suffix ? suffix - sent->suffix : 0;
	if (count == 0 || start + end > line.n)
		return KH_OK;
	kh_buf_init(&out, arena, KH_SENT_BYTES);
	kh_buf_add(&out, kh_view_sub(sent->lines, 0, from));
	for (; count > 0 && line.n > start + end; count--) {
		kh_buf_add(&out, kh_view_sub(line, start, line.n - end));
		kh_buf_byte(&out, '\n');
	}
	return kh_buf_end(&out, ret_lines);
}

enum kh_err kh_sent_all(struct kh_arena *arena, const struct kh_sent *sent, const struct kh_sent_value *values,
			size_t count, struct kh_view *ret_line)
{
	struct kh_buf out;

	kh_buf_init(&out, arena, arena->limit);
	for (size_t i = 0; i < count; i++) {
		struct kh_view piece = kh_sent_piece(&sent[i], values[i].value);
		if (is_same(&sent[i], values[i].value) && !sent[i].moving && piece.n > FEW)
			continue; /* it is constant, or its own text has it */
		if (out.n > 0 && piece.n > 0)
			kh_buf_byte(&out, '\t');
		kh_buf_add(&out, piece);
	}
	return kh_buf_end(&out, ret_line);
}

/* Adds PIECE as a line.  Lines are dropped from the beginning, whole. */
static enum kh_err add_line(struct kh_arena *arena, struct kh_sent *sent, struct kh_view piece)
{
	struct kh_view rest = sent->lines;
	struct kh_buf out;

	while (rest.n > 0 && rest.n + piece.n + 1 > KH_SENT_BYTES) {
		const char *end = memchr(rest.p, '\n', rest.n);
		rest = end != NULL ? kh_view_from(rest, (size_t)(end - rest.p) + 1) : KH_LIT("");
	}
	sent->fallen += sent->lines.n - rest.n;
	kh_buf_init(&out, arena, KH_SENT_BYTES);
	kh_buf_add(&out, rest);
	for (size_t i = 0; i < piece.n; i++)
		kh_buf_byte(&out, piece.p[i] == '\n' ? ' ' : piece.p[i]);
	kh_buf_byte(&out, '\n');
	return kh_buf_end(&out, &sent->lines);
}

enum kh_err kh_sent_add(struct kh_arena *arena, struct kh_sent *sent, struct kh_view value)
{
	bool all = sent->name.n == 0, same = is_same(sent, value);
	struct kh_view piece = all ? value : kh_sent_piece(sent, value);
	enum kh_err e = all ? KH_OK : kh_sent_lines(arena, sent, value, &sent->lines);

	if (e == KH_OK && piece.n > 0)
		e = add_line(arena, sent, kh_view_sub(piece, 0, KH_SENT_BYTES - 1));
	if (e != KH_OK)
		return e;
	if (!all) {
		size_t prefix, suffix;
		find_constant(sent, value, &prefix, &suffix);
		sent->start = same ? sent->start : same_start(value, sent->last);
		sent->end = same ? sent->end : same_end(value, sent->last, prefix);
		sent->prefix = prefix;
		sent->suffix = suffix;
		sent->moving = sent->calls > 0 && !same;
		sent->last = kh_arena_dup(arena, value);
	}
	sent->calls++;
	return kh_arena_check(arena);
}
