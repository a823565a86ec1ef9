/* Reads a pattern by recursive descent; only groups go deeper, and they are counted.  Trusts nothing of the text. */
#include "core/schema/pattern.h"

#include "base/utf8.h"

#include <limits.h>

#define NONE UINT32_MAX

struct reading {
	struct kh_arena *arena;
	struct kh_view text;
	size_t at;
	unsigned depth;
	struct kh_pattern *pattern;
	struct kh_error *err;
	enum kh_err e; /* of the first fault; what is read after it does not count */
};

static struct kh_pattern_piece *fault(struct reading *r, const char *what)
{
	if (r->e == KH_OK)
		r->e = kh_error_at(r->err, KH_EREFUSED, "schema_pattern", r->at, "at character %zu of the pattern: %s",
				   kh_utf8_length(kh_view_of(r->text.p, r->at < r->text.n ? r->at : r->text.n)) + 1,
				   what);
	r->at = r->text.n;
	return NULL;
}

/* The byte at AT + AHEAD; 0 at the end. */
static char look(const struct reading *r, size_t ahead)
{
	return r->at + ahead < r->text.n ? r->text.p[r->at + ahead] : '\0';
}

static bool take(struct reading *r, const char *word)
{
	struct kh_view rest = kh_view_from(r->text, r->at), wanted = kh_view_str(word);

	if (!kh_view_starts(rest, wanted))
		return false;
	r->at += wanted.n;
	return true;
}

static uint32_t take_character(struct reading *r)
{
	uint32_t c = 0;
	size_t n = kh_utf8_decode(r->text, r->at, &c);

	if (n == 0)
		fault(r, "it ends too early");
	r->at += n;
	return c;
}

static struct kh_pattern_piece *piece_new(struct reading *r, enum kh_pattern_kind kind)
{
	struct kh_pattern_piece *piece = KH_NEW(r->arena, struct kh_pattern_piece);

	if (piece == NULL && r->e == KH_OK)
		r->e = KH_ENOMEM;
	if (piece != NULL)
		piece->kind = kind;
	return piece;
}

static struct kh_pattern_piece *character(struct reading *r, uint32_t c)
{
	struct kh_pattern_piece *piece = piece_new(r, KH_PATTERN_CHAR);

	if (piece != NULL)
		piece->c = c;
	return piece;
}

static struct kh_charclass *set_new(struct reading *r)
{
	struct kh_charclass *set = KH_NEW(r->arena, struct kh_charclass);

	if (set == NULL)
		r->e = r->e == KH_OK ? KH_ENOMEM : r->e;
	else
		kh_charclass_init(set, r->arena);
	return set;
}

static struct kh_pattern_piece *set_piece(struct reading *r, struct kh_charclass *set)
{
	struct kh_pattern_piece *piece = piece_new(r, KH_PATTERN_SET);

	kh_charclass_seal(set);
	if (piece != NULL)
		piece->set = set;
	return piece;
}

/* N hexadecimal digits. */
static uint32_t take_hex(struct reading *r, unsigned n)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < n; i++) {
		int digit = kh_ascii_hex(look(r, 0));
		if (digit < 0) {
			fault(r, "expected hexadecimal digits");
			return 0;
		}
		value = value << 4 | (uint32_t)digit;
		r->at++;
	}
	return value;
}

/* After "\u". */
static uint32_t take_unicode(struct reading *r)
{
	uint32_t value = 0;

	if (!take(r, "{")) {
		value = take_hex(r, 4);
		if (value >> 10 != 0xd800 >> 10 || look(r, 0) != '\\' || look(r, 1) != 'u' || look(r, 2) == '{')
			return value;
		size_t before = r->at;
		r->at += 2;
		uint32_t low = take_hex(r, 4);
		if (low >> 10 == 0xdc00 >> 10)
			return 0x10000 + ((value & 0x3ff) << 10) + (low & 0x3ff);
		if (r->e == KH_OK)
			r->at = before;
		return value;
	}
	do
		value = value << 4 | take_hex(r, 1);
	while (look(r, 0) != '}' && value <= 0x10ffff && r->e == KH_OK);
	if (value > 0x10ffff || !take(r, "}"))
		fault(r, "expected a character as \\u{...}");
	return value;
}

/* After a backslash: an escape for one character.  NONE with a fault if it is none. */
static uint32_t take_escaped(struct reading *r)
{
	static const char letters[] = "tnvfr", meant[] = "\t\n\v\f\r";
	char c = look(r, 0);
	const char *found = c != '\0' ? strchr(letters, c) : NULL;

	if (r->at == r->text.n || (unsigned char)c >= 0x80) {
		fault(r, "a backslash must stand before a sign");
		return NONE;
	}
	r->at++;
	if (found != NULL)
		return (uint32_t)meant[found - letters];
	if (c == '0' && !kh_ascii_is_digit(look(r, 0)))
		return 0;
	if (c == 'x')
		return take_hex(r, 2);
	if (c == 'u')
		return take_unicode(r);
	if (c == 'c' && kh_ascii_is_alpha(look(r, 0)))
		return (uint32_t)r->text.p[r->at++] & 31;
	if (!kh_ascii_is_alpha(c) && !kh_ascii_is_digit(c) && c > ' ' && c != '_' && c != 127)
		return (uint32_t)c;
	r->at--;
	fault(r, kh_ascii_is_digit(c) || c == 'k'
			 ? "a reference back to a group cannot be matched in linear time and is not supported"
			 : "this escape is not known");
	return NONE;
}

/* After a backslash: adds a class such as \d or \p{L} to SET; false if what comes is none. */
static bool take_class(struct reading *r, struct kh_charclass *set)
{
	char c = look(r, 0);

	if (kh_charclass_add_escape(set, c)) {
		r->at++;
		return true;
	}
	if (c != 'p' && c != 'P')
		return false;
	r->at++;
	size_t from = r->at + 1, to = from;
	while (to < r->text.n && r->text.p[to] != '}')
		to++;
	struct kh_view name = kh_view_of(r->text.p + from, to > from ? to - from : 0);
	if (kh_view_starts(name, KH_LIT("gc=")))
		name = kh_view_from(name, 3);
	if (look(r, 0) != '{' || to >= r->text.n || !kh_charclass_add_property(set, name, c == 'P'))
		fault(r, "only general categories are known as properties, such as \\p{L}");
	else
		r->at = to + 1;
	return true;
}

/* One end of a range in brackets; NONE if it is a class, which is added. */
static uint32_t take_bound(struct reading *r, struct kh_charclass *set)
{
	if (!take(r, "\\"))
		return take_character(r);
	if (take(r, "b"))
		return '\b';
	return take_class(r, set) ? NONE : take_escaped(r);
}

/* After "[". */
static struct kh_pattern_piece *take_brackets(struct reading *r)
{
	struct kh_charclass *set = set_new(r);

	if (set == NULL)
		return NULL;
	set->is_negated = take(r, "^");
	while (r->e == KH_OK && !take(r, "]")) {
		uint32_t low = take_bound(r, set), high = low;
		if (look(r, 0) == '-' && look(r, 1) != ']' && r->at + 1 < r->text.n) {
			r->at++;
			high = take_bound(r, set);
			if (low == NONE || high == NONE || high < low)
				return fault(r, "not a range of characters");
		}
		if (low != NONE && r->e == KH_OK)
			kh_charclass_add(set, low, high);
	}
	return r->e == KH_OK ? set_piece(r, set) : NULL;
}

static struct kh_pattern_piece *take_escape(struct reading *r)
{
	struct kh_charclass *set;

	if (take(r, "b"))
		return piece_new(r, KH_PATTERN_WORD);
	if (take(r, "B"))
		return piece_new(r, KH_PATTERN_NOT_WORD);
	if (look(r, 0) == '\0' || strchr("dDwWsSpP", look(r, 0)) == NULL)
		return character(r, take_escaped(r));
	set = set_new(r);
	if (set == NULL)
		return NULL;
	take_class(r, set);
	return r->e == KH_OK ? set_piece(r, set) : NULL;
}

static struct kh_pattern_piece *take_either(struct reading *r);

/* What stands between the parentheses of a group, with the one that ends it. */
static struct kh_pattern_piece *take_inside(struct reading *r)
{
	struct kh_pattern_piece *inside;

	if (++r->depth > KH_PATTERN_GROUPS)
		return fault(r, "too many groups within each other");
	inside = take_either(r);
	r->depth--;
	if (r->e == KH_OK && !take(r, ")"))
		return fault(r, "a group is not ended");
	return inside;
}

static struct kh_pattern_piece *take_look(struct reading *r, enum kh_pattern_kind kind)
{
	struct kh_pattern_piece *inside = take_inside(r), *piece = piece_new(r, kind);

	if (r->e != KH_OK || piece == NULL)
		return NULL;
	if (r->pattern->n_looks == KH_PATTERN_LOOKS)
		return fault(r, "too many lookaheads");
	piece->look = r->pattern->n_looks;
	r->pattern->looks[r->pattern->n_looks++] = inside;
	return piece;
}

/* After "(?<": the name of a group and its ">". */
static bool take_name(struct reading *r)
{
	size_t from = r->at;

	while (kh_ascii_is_alpha(look(r, 0)) || look(r, 0) == '_' || look(r, 0) == '$' ||
	       (r->at > from && kh_ascii_is_digit(look(r, 0))))
		r->at++;
	return r->at > from && take(r, ">");
}

/* After "(". */
static struct kh_pattern_piece *take_group(struct reading *r)
{
	if (look(r, 0) != '?' || take(r, "?:"))
		return take_inside(r);
	if (take(r, "?="))
		return take_look(r, KH_PATTERN_LOOK);
	if (take(r, "?!"))
		return take_look(r, KH_PATTERN_NOT_LOOK);
	if (kh_view_starts(kh_view_from(r->text, r->at), KH_LIT("?<=")) ||
	    kh_view_starts(kh_view_from(r->text, r->at), KH_LIT("?<!")))
		return fault(r, "lookbehind is not supported");
	if (!take(r, "?<"))
		return fault(r, "this kind of group is not known");
	return take_name(r) ? take_inside(r) : fault(r, "expected the name of a group");
}

static struct kh_pattern_piece *take_any(struct reading *r)
{
	struct kh_charclass *set = set_new(r);

	if (set == NULL)
		return NULL;
	kh_charclass_add_any(set);
	return set_piece(r, set);
}

static struct kh_pattern_piece *take_atom(struct reading *r)
{
	char c = look(r, 0);

	if (c == '\0' || strchr("\\[(.^$*+?{}]", c) == NULL)
		return character(r, take_character(r));
	r->at++;
	switch (c) {
	case '\\':
		return take_escape(r);
	case '[':
		return take_brackets(r);
	case '(':
		return take_group(r);
	case '.':
		return take_any(r);
	case '^':
		return piece_new(r, KH_PATTERN_START);
	case '$':
		return piece_new(r, KH_PATTERN_END);
	default:
		r->at--;
		return fault(r, c == '}' || c == ']' || c == '{' ? "this sign must stand behind a backslash here"
								 : "there is nothing to repeat");
	}
}

static bool take_number(struct reading *r, unsigned *ret_number)
{
	unsigned number = 0;

	if (!kh_ascii_is_digit(look(r, 0)))
		return false;
	for (; kh_ascii_is_digit(look(r, 0)); r->at++)
		number = number > KH_PATTERN_REPEATS ? number : number * 10 + (unsigned)(look(r, 0) - '0');
	if (number > KH_PATTERN_REPEATS)
		fault(r, "a number of repetitions over 1000");
	*ret_number = number;
	return true;
}

/* A quantifier, if there is one. */
static bool take_repeat(struct reading *r, unsigned *ret_least, unsigned *ret_most)
{
	*ret_least = 0;
	*ret_most = UINT_MAX;
	if (take(r, "?")) {
		*ret_most = 1;
	} else if (take(r, "+")) {
		*ret_least = 1;
	} else if (take(r, "{")) {
		if (!take_number(r, ret_least))
			return fault(r, "expected a number of repetitions") != NULL;
		*ret_most = take(r, ",") ? UINT_MAX : *ret_least;
		if (*ret_most == UINT_MAX)
			(void)take_number(r, ret_most);
		if (!take(r, "}") || *ret_most < *ret_least)
			return fault(r, "not a number of repetitions") != NULL;
	} else if (!take(r, "*")) {
		return false;
	}
	(void)take(r, "?");
	return true;
}

/* An atom with its quantifier. */
static struct kh_pattern_piece *take_term(struct reading *r)
{
	struct kh_pattern_piece *atom = take_atom(r), *repeat;
	unsigned least, most;

	if (r->e != KH_OK || !take_repeat(r, &least, &most))
		return atom;
	if (atom->kind >= KH_PATTERN_START)
		return fault(r, "an assertion cannot be repeated");
	repeat = piece_new(r, KH_PATTERN_REPEAT);
	if (repeat == NULL)
		return NULL;
	repeat->pieces = atom;
	repeat->least = least;
	repeat->most = most;
	return repeat;
}

static struct kh_pattern_piece *take_list(struct reading *r)
{
	struct kh_pattern_piece *list = piece_new(r, KH_PATTERN_LIST);
	struct kh_pattern_piece **end = list != NULL ? &list->pieces : NULL;

	while (r->e == KH_OK && r->at < r->text.n && look(r, 0) != '|' && look(r, 0) != ')') {
		struct kh_pattern_piece *term = take_term(r);
		if (r->e != KH_OK || term == NULL)
			return NULL;
		*end = term;
		end = &term->next;
	}
	return list;
}

static struct kh_pattern_piece *take_either(struct reading *r)
{
	struct kh_pattern_piece *first = take_list(r), *either, **end;

	if (r->e != KH_OK || look(r, 0) != '|')
		return first;
	either = piece_new(r, KH_PATTERN_EITHER);
	if (either == NULL)
		return NULL;
	either->pieces = first;
	end = &first->next;
	while (r->e == KH_OK && take(r, "|")) {
		struct kh_pattern_piece *list = take_list(r);
		if (r->e != KH_OK)
			return NULL;
		*end = list;
		end = &list->next;
	}
	return either;
}

enum kh_err kh_pattern_read(struct kh_arena *arena, struct kh_view text, struct kh_pattern *ret_pattern,
			    struct kh_error *err)
{
	struct kh_pattern pattern = {0};
	struct reading r = {.arena = arena, .text = text, .pattern = &pattern, .err = err};

	pattern.root = take_either(&r);
	if (r.e == KH_OK && r.at < text.n)
		fault(&r, "a parenthesis ends no group");
	if (r.e == KH_OK)
		r.e = kh_arena_check(arena);
	if (r.e == KH_OK)
		*ret_pattern = pattern;
	return r.e;
}
