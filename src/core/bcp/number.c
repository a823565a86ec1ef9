/*
 * Reads numbers.
 *
 * Which of '.' and ',' is the decimal mark depends on the text: if both occur, the last one is; a mark that occurs more
 * than once separates thousands; a single comma before exactly three digits separates thousands, before any other
 * number of digits it is a decimal comma; a single full stop is a decimal point.
 */
#include "core/bcp/number.h"

#include "core/bcp/currency.h"
#include "core/screen/normalise.h"

#include <inttypes.h>

#define DIGITS     18
#define EITHER     "what is a decimal mark here could separate thousands"
#define LONG_SCALE "billion and trillion mean different numbers in different languages"

static int64_t power_of_ten(unsigned n)
{
	int64_t value = 1;

	while (n-- > 0)
		value *= 10;
	return value;
}

/* Takes trailing zeros off the fraction. */
static struct kh_number shorten(struct kh_number number)
{
	while (number.places > 0 && number.value % 10 == 0) {
		number.value /= 10;
		number.places--;
	}
	return number;
}

/* Takes a sign off *V: a hyphen, U+2212 or a plus.  0 if there is none. */
static int take_sign(struct kh_view *v)
{
	static const struct {
		struct kh_view text;
		int sign;
	} signs[] = {{KH_LIT_INIT("-"), -1}, {KH_LIT_INIT("\xe2\x88\x92"), -1}, {KH_LIT_INIT("+"), 1}};

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (kh_view_starts(*v, signs[i].text)) {
			*v = kh_view_trim(kh_view_from(*v, signs[i].text.n));
			return signs[i].sign;
		}
	}
	return 0;
}

/*
 * True if TEXT has "billion" or "trillion" in capitals: in German they are nouns, and a thousand and a million times as
 * large as in English.  In lower case they are read as English, behind a number that English writes so.
 */
static bool has_long_scale(struct kh_view text)
{
	static const char *const words[] = {"billion", "trillion"};

	for (size_t i = 0; i < 2; i++) {
		struct kh_view word = kh_view_str(words[i]);
		for (size_t at = 0; at + word.n <= text.n; at++) {
			struct kh_view here = kh_view_sub(text, at, at + word.n);
			if (kh_view_eq_nocase(here, word) && !kh_view_eq(here, word))
				return true;
		}
	}
	return false;
}

/* The power of ten that a word after a number means ("million", "k"); 0 for any other word. */
static unsigned scale_of(struct kh_view word)
{
	static const struct {
		const char *word;
		unsigned power;
	} scales[] = {{"hundred", 2}, {"thousand", 3}, {"k", 3},  {"million", 6}, {"mio", 6},       {"m", 6},
		      {"mn", 6},      {"billion", 9},  {"bn", 9}, {"b", 9},       {"trillion", 12}, {"tn", 12}};

	for (size_t i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		if (kh_view_eq_nocase(word, kh_view_str(scales[i].word)))
			return scales[i].power;
	}
	return 0;
}

static unsigned count(struct kh_view v, char c)
{
	unsigned n = 0;

	for (size_t i = 0; i < v.n; i++)
		n += v.p[i] == c;
	return n;
}

/* The decimal mark of V, or 0 if it has none. */
static char decimal_mark(struct kh_view v)
{
	unsigned stops = count(v, '.'), commas = count(v, ',');
	const char *stop = stops ? memrchr(v.p, '.', v.n) : NULL;
	const char *comma = commas ? memrchr(v.p, ',', v.n) : NULL;

	if (stop != NULL && comma != NULL)
		return stop > comma ? '.' : ',';
	if (stops == 1)
		return '.';
	if (commas == 1)
		return v.p + v.n - comma == 4 && comma - v.p <= 3 && v.p[0] != '0' ? 0 : ',';
	return 0;
}

/* True if WHOLE has digits only, or groups of three (the Indian way: of two, the last of three) with one mark. */
static bool well_grouped(struct kh_view whole, char decimal)
{
	char mark = 0;
	size_t group = 0, groups = 0;
	bool twos = false;

	for (size_t i = 0; i < whole.n; i++) {
		char c = whole.p[i];
		if (kh_ascii_is_digit(c)) {
			group++;
			continue;
		}
		if ((c != '.' && c != ',' && c != '\'' && c != ' ' && c != '_') || c == decimal || (mark && c != mark))
			return false;
		if (group == 0 || group > 3 || (groups > 0 && group != 3 && group != 2))
			return false;
		twos |= groups > 0 && group == 2;
		mark = c;
		groups++;
		group = 0;
	}
	return groups == 0 ? group > 0 : group == 3 && (!twos || mark == ',');
}

/* Appends the digits of V, which may have marks between them, to *VALUE. */
static bool append_digits(struct kh_view v, int64_t *value, unsigned *ret_count)
{
	for (size_t i = 0; i < v.n; i++) {
		if (!kh_ascii_is_digit(v.p[i]))
			continue;
		if (*value > (INT64_MAX - 9) / 10)
			return false;
		*value = *value * 10 + (v.p[i] - '0');
		++*ret_count;
	}
	return *value < power_of_ten(DIGITS);
}

/* How a number is written, as far as others could read it otherwise. */
struct spelling {
	unsigned places; /* digits after the decimal mark */
	unsigned power;  /* of the word behind it */
	bool three;   /* its only mark stands before three digits: it can be the decimal mark, or separate thousands */
	bool comma;   /* and that is a comma */
	bool foreign; /* English writes no such number: a decimal comma, or full stops between thousands */
};

/* True if V has one mark, before its last three digits, and does not begin with a zero. */
static bool has_three(struct kh_view v)
{
	return v.n > 4 && v.n <= 7 && v.p[0] != '0' && (v.p[v.n - 4] == '.' || v.p[v.n - 4] == ',') &&
	       count(v, '.') + count(v, ',') == 1;
}

static bool read_plain(struct kh_view v, struct kh_number *ret_number, struct spelling *ret_spelling,
		       const char **ret_problem)
{
	char mark = decimal_mark(v);
	const char *at = mark ? memrchr(v.p, mark, v.n) : NULL;
	struct kh_view whole = at ? kh_view_sub(v, 0, (size_t)(at - v.p)) : v;
	struct kh_view fraction = at ? kh_view_from(v, (size_t)(at - v.p) + 1) : KH_LIT("");
	struct kh_number number = {0};
	unsigned digits = 0, places = 0;

	*ret_problem = "not a number";
	if (!well_grouped(whole, mark) || (at && fraction.n == 0) || count(whole, mark ? mark : '\0') > 0)
		return false;
	for (size_t i = 0; i < fraction.n; i++) {
		if (!kh_ascii_is_digit(fraction.p[i]))
			return false;
	}
	/* "1000,000" can be a million with a mark forgotten, or a thousand with three places. */
	if (whole.n > 3 && count(whole, mark) == 0 && kh_view_eq(fraction, KH_LIT("000"))) {
		*ret_problem = EITHER;
		return false;
	}
	if (!append_digits(whole, &number.value, &digits) || !append_digits(fraction, &number.value, &places) ||
	    places > DIGITS) {
		*ret_problem = "a number of more than 18 digits";
		return false;
	}
	ret_spelling->places = places;
	ret_spelling->three = has_three(v);
	ret_spelling->comma = count(v, ',') > 0;
	ret_spelling->foreign = mark == ',' || count(whole, '.') > 0;
	number.places = places;
	*ret_number = number;
	return true;
}

/* Multiplies by 10^POWER; the fraction is used up first. */
static bool scale(struct kh_number *number, unsigned power)
{
	while (power > 0 && number->places > 0) {
		number->places--;
		power--;
	}
	int64_t limit = power_of_ten(DIGITS) - 1;
	if (power > DIGITS || number->value > limit / power_of_ten(power))
		return false;
	number->value *= power_of_ten(power);
	return true;
}

static bool read_number(struct kh_view text, struct kh_number *ret_number, struct spelling *ret_spelling,
			const char **ret_problem)
{
	struct kh_view v = kh_view_trim(text);
	int sign = take_sign(&v);
	size_t end = v.n;
	struct kh_number number;

	while (end > 0 && kh_ascii_is_alpha(v.p[end - 1]))
		end--;
	unsigned power = end > 0 && end < v.n ? scale_of(kh_view_from(v, end)) : 0;
	struct kh_view digits = power ? kh_view_trim(kh_view_sub(v, 0, end)) : v;
	if (!read_plain(digits, &number, ret_spelling, ret_problem))
		return false;
	ret_spelling->power = power;
	if (power >= 9 && v.n - end > 2 && ret_spelling->foreign) {
		*ret_problem = LONG_SCALE;
		return false;
	}
	if (!scale(&number, power)) {
		*ret_problem = "a number of more than 18 digits";
		return false;
	}
	number.value *= sign < 0 ? -1 : 1;
	*ret_number = number;
	return true;
}

bool kh_number_read(struct kh_view text, struct kh_number *ret_number, const char **ret_problem)
{
	struct spelling spelling;

	*ret_problem = LONG_SCALE;
	return !has_long_scale(text) && read_number(text, ret_number, &spelling, ret_problem);
}

/* Takes a currency before the number off *V. */
static bool take_prefix(struct kh_view *v, struct kh_view *ret_code)
{
	unsigned digits;
	size_t n = kh_currency_symbol_prefix(*v);

	if (n == 0 || !kh_currency_find(kh_view_trim(kh_view_sub(*v, 0, n)), ret_code, &digits))
		return false;
	*v = kh_view_trim(kh_view_from(*v, n));
	return true;
}

/* The same after it: a symbol, a code, or words ("1.2 million US dollars"). */
static bool take_suffix(struct kh_view *v, struct kh_view *ret_code)
{
	unsigned digits;
	size_t n = kh_currency_symbol_suffix(*v);
	size_t at = v->n;

	if (n > 0 && kh_currency_find(kh_view_trim(kh_view_from(*v, v->n - n)), ret_code, &digits)) {
		*v = kh_view_trim(kh_view_sub(*v, 0, v->n - n));
		return true;
	}
	while (at > 0 && !kh_ascii_is_digit(v->p[at - 1]))
		at--;
	for (; at < v->n; at++) {
		if (v->p[at] == ' ' && kh_currency_find(kh_view_from(*v, at + 1), ret_code, &digits)) {
			*v = kh_view_sub(*v, 0, at);
			return true;
		}
	}
	return false;
}

/*
 * True if one reader could take the amount for another than the next does, in a currency with so many DIGITS after the
 * point: "1.200 EUR" and "1,2050 EUR", "1,205 KWD", "1,205 million EUR".
 */
static bool is_ambiguous(const struct spelling *s, struct kh_number number, unsigned digits)
{
	struct kh_number plain = shorten(number);
	unsigned places = s->power == 0 && s->places > plain.places ? s->places : plain.places;

	if (s->three && (s->power > 0 || (s->comma ? digits == 3 : digits != 3)))
		return true;
	int64_t size = plain.value < 0 ? -plain.value : plain.value;
	return size >= power_of_ten(plain.places) && places > (digits > 2 ? digits : 2);
}

bool kh_number_read_amount(struct kh_arena *arena, struct kh_view text, struct kh_number *ret_number,
			   struct kh_view *ret_code, const char **ret_problem)
{
	struct kh_view v, code, again;
	struct spelling spelling;
	struct kh_number number;
	unsigned digits = 0;

	*ret_problem = LONG_SCALE;
	if (has_long_scale(text))
		return false;
	*ret_problem = "not an amount with its currency";
	if (kh_normalise_lower(arena, text, &v) != KH_OK)
		return false;
	int sign = take_sign(&v);
	bool bare = kh_view_starts(v, KH_LIT("$"));
	bool before = take_prefix(&v, &code), after = take_suffix(&v, before ? &again : &code);
	/* If the currency is given twice, both must agree, but a bare "$" can be any dollar: "$5 CAD" is Canadian. */
	if (before && after && !kh_view_eq(again, code) && !(bare && kh_currency_has_dollar_sign(again)))
		return false;
	if (before && after)
		code = again;
	struct kh_view unsigned_ = v;
	if (sign != 0 && take_sign(&unsigned_) != 0)
		return false;
	if ((!before && !after) || !kh_currency_find(code, &code, &digits) ||
	    !read_number(v, &number, &spelling, ret_problem))
		return false;
	if (is_ambiguous(&spelling, number, digits)) {
		*ret_problem = EITHER;
		return false;
	}
	number.value *= sign < 0 ? -1 : 1;
	*ret_number = number;
	*ret_code = code;
	return true;
}

struct kh_view kh_number_write(struct kh_arena *arena, struct kh_number number, unsigned min_places)
{
	number = shorten(number);
	while (number.places < min_places && number.value < power_of_ten(DIGITS - 1) &&
	       number.value > -power_of_ten(DIGITS - 1)) {
		number.value *= 10;
		number.places++;
	}
	int64_t unit = power_of_ten(number.places);
	int64_t size = number.value < 0 ? -number.value : number.value;
	const char *sign = number.value < 0 ? "-" : "";
	if (number.places == 0)
		return kh_arena_printf(arena, "%s%" PRId64, sign, size);
	return kh_arena_printf(arena, "%s%" PRId64 ".%0*" PRId64, sign, size / unit, (int)number.places, size % unit);
}

/* Writes both as multiples of the smaller unit; 18 digits and 18 places fit into 128 bits. */
static void align(struct kh_number a, struct kh_number b, __int128 *ret_a, __int128 *ret_b, unsigned *ret_places)
{
	unsigned places = a.places > b.places ? a.places : b.places;

	*ret_a = (__int128)a.value * power_of_ten(places - a.places);
	*ret_b = (__int128)b.value * power_of_ten(places - b.places);
	*ret_places = places;
}

bool kh_number_add(struct kh_number a, struct kh_number b, struct kh_number *ret_sum)
{
	__int128 x, y;
	unsigned places;

	align(shorten(a), shorten(b), &x, &y, &places);
	__int128 sum = x + y, limit = power_of_ten(DIGITS);
	if (sum >= limit || sum <= -limit)
		return false;
	*ret_sum = shorten((struct kh_number){(int64_t)sum, places});
	return true;
}

int kh_number_cmp(struct kh_number a, struct kh_number b)
{
	__int128 x, y;
	unsigned places;

	align(a, b, &x, &y, &places);
	return (x > y) - (x < y);
}
