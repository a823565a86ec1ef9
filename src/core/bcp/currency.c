/* The currencies, and how one is found in the text of an amount.  Pure; the rows are in currency.def. */
#include "core/bcp/currency.h"

struct row {
	struct kh_view code;
	unsigned digits;
	struct kh_view symbols; /* separated by '|' */
	struct kh_view words;
};

static const struct row rows[] = {
#define KH_CURRENCY(code, digits, symbols, words) {KH_LIT_INIT(code), digits, KH_LIT_INIT(symbols), KH_LIT_INIT(words)},
#include "core/bcp/currency.def"
#undef KH_CURRENCY
};

#define COUNT (sizeof(rows) / sizeof(rows[0]))

static bool is_one_of(struct kh_view list, struct kh_view key)
{
	struct kh_view piece;

	while (kh_view_split(&list, '|', &piece)) {
		if (kh_view_eq_nocase(piece, key))
			return true;
	}
	return false;
}

bool kh_currency_find(struct kh_view key, struct kh_view *ret_code, unsigned *ret_digits)
{
	key = kh_view_trim(key);
	if (key.n == 0)
		return false;
	for (size_t i = 0; i < COUNT; i++) {
		const struct row *row = &rows[i];
		if (kh_view_eq_nocase(row->code, key) || is_one_of(row->symbols, key) || is_one_of(row->words, key)) {
			*ret_code = row->code;
			*ret_digits = row->digits;
			return true;
		}
	}
	return false;
}

bool kh_currency_has_dollar_sign(struct kh_view code)
{
	for (size_t i = 0; i < COUNT; i++) {
		if (kh_view_eq(rows[i].code, code))
			return kh_view_find(rows[i].symbols, KH_LIT("$"), 0) != SIZE_MAX;
	}
	return false;
}

/* Every non-ASCII character counts as a letter here, so that unknown text is not split. */
static bool is_letter(char c)
{
	return kh_ascii_is_alpha(c) || ((unsigned char)c & 0x80);
}

/* The length of SIGN if TEXT begins with it and no letter follows, else 0. */
static size_t at_start(struct kh_view text, struct kh_view sign)
{
	if (!kh_view_eq_nocase(kh_view_sub(text, 0, sign.n), sign))
		return 0;
	return text.n > sign.n && is_letter(text.p[sign.n]) ? 0 : sign.n;
}

/* The same if TEXT ends with it and no letter comes before. */
static size_t at_end(struct kh_view text, struct kh_view sign)
{
	if (sign.n > text.n || !kh_view_eq_nocase(kh_view_from(text, text.n - sign.n), sign))
		return 0;
	return text.n > sign.n && is_letter(text.p[text.n - sign.n - 1]) ? 0 : sign.n;
}

static size_t longest(struct kh_view text, size_t (*match)(struct kh_view text, struct kh_view sign))
{
	size_t best = 0;

	for (size_t i = 0; i < COUNT; i++) {
		struct kh_view symbols = rows[i].symbols, sign = rows[i].code;
		do {
			size_t n = match(text, sign);
			best = n > best ? n : best;
		} while (kh_view_split(&symbols, '|', &sign));
	}
	return best;
}

size_t kh_currency_symbol_prefix(struct kh_view text)
{
	return longest(text, at_start);
}

size_t kh_currency_symbol_suffix(struct kh_view text)
{
	return longest(text, at_end);
}

size_t kh_currency_count(void)
{
	return COUNT;
}
