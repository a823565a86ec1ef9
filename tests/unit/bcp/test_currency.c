/* B11: an `amount` has a currency from a closed list, which comes out as its ISO 4217 code. */
#include "core/bcp/currency.h"

#include "base/utf8.h"
#include "harness.h"

struct row {
	struct kh_view code;
	unsigned digits;
	struct kh_view symbols, words;
};

static const struct row rows[] = {
#define KH_CURRENCY(code, digits, symbols, words) {KH_LIT_INIT(code), digits, KH_LIT_INIT(symbols), KH_LIT_INIT(words)},
#include "core/bcp/currency.def"
#undef KH_CURRENCY
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void check_find(struct kh_view key, struct kh_view code, unsigned digits)
{
	struct kh_view got = KH_LIT("");
	unsigned got_digits = 99;

	if (!kh_currency_find(key, &got, &got_digits) || !kh_view_eq(got, code))
		fail_msg("\"%.*s\" finds \"%.*s\", not %.*s", KH_FMT(key), KH_FMT(got), KH_FMT(code));
	assert_int_equal(got_digits, digits);
}

static void check_keys(struct kh_view keys, const struct row *row)
{
	struct kh_view key;

	while (keys.n > 0 && kh_view_split(&keys, '|', &key))
		check_find(key, row->code, row->digits);
}

/* Since the first row that claims a key has it, that each key finds its own row also proves that no two rows share one.
 */
static void test_rows(struct kh_test *t)
{
	(void)t;
	assert_int_equal(COUNT(rows), 161);
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(rows[i].code.n, 3);
		assert_true(rows[i].digits == 0 || rows[i].digits == 2 || rows[i].digits == 3);
		assert_true(i == 0 || kh_view_cmp(rows[i - 1].code, rows[i].code) < 0);
		assert_int_equal(kh_utf8_invalid(rows[i].symbols), SIZE_MAX);
		check_keys(rows[i].code, &rows[i]);
		check_keys(rows[i].symbols, &rows[i]);
		check_keys(rows[i].words, &rows[i]);
	}
}

/* TEXT begins (PREFIX) or ends with SIGN. */
static void check_measured(struct kh_view first, struct kh_view second, bool prefix)
{
	char text[64];
	struct kh_view whole = kh_view_of(text, first.n + second.n), sign = prefix ? first : second;

	assert_true(whole.n <= sizeof(text));
	memcpy(text, first.p, first.n);
	memcpy(text + first.n, second.p, second.n);
	size_t got = prefix ? kh_currency_symbol_prefix(whole) : kh_currency_symbol_suffix(whole);
	if (got != sign.n)
		fail_msg("%zu bytes of \"%.*s\" are a sign, not %zu", got, KH_FMT(whole), sign.n);
}

static void check_signs(struct kh_view signs)
{
	struct kh_view sign;

	while (signs.n > 0 && kh_view_split(&signs, '|', &sign)) {
		check_measured(sign, KH_LIT("5.00"), true);
		check_measured(sign, KH_LIT(" 5.00"), true);
		check_measured(sign, KH_LIT(""), true);
		check_measured(KH_LIT("5,00"), sign, false);
		check_measured(KH_LIT("5,00 "), sign, false);
		check_measured(KH_LIT(""), sign, false);
	}
}

/* Every symbol and code is measured whole before and after a number, with a blank and without. */
static void test_signs(struct kh_test *t)
{
	(void)t;
	for (size_t i = 0; i < COUNT(rows); i++) {
		check_signs(rows[i].code);
		check_signs(rows[i].symbols);
	}
}

struct vector {
	const char *key, *code;
	unsigned digits;
};

static const struct vector vectors[] = {
	{"$", "USD", 2},
	{"us$", "USD", 2},
	{"usd", "USD", 2},
	{"USD", "USD", 2},
	{"Usd", "USD", 2},
	{"dollar", "USD", 2},
	{"dollars", "USD", 2},
	{"us dollars", "USD", 2},
	{"u.s. dollars", "USD", 2},
	{" usd ", "USD", 2},
	{"€", "EUR", 2},
	{"euro", "EUR", 2},
	{"euros", "EUR", 2},
	{"£", "GBP", 2},
	{"pounds", "GBP", 2},
	{"pounds sterling", "GBP", 2},
	{"egyptian pounds", "EGP", 2},
	{"¥", "JPY", 0},
	{"yen", "JPY", 0},
	{"cn¥", "CNY", 2},
	{"yuan", "CNY", 2},
	{"rmb", "CNY", 2},
	{"₹", "INR", 2},
	{"rupees", "INR", 2},
	{"pakistani rupees", "PKR", 2},
	{"₩", "KRW", 0},
	{"₽", "RUB", 2},
	{"₺", "TRY", 2},
	{"₪", "ILS", 2},
	{"₫", "VND", 0},
	{"₴", "UAH", 2},
	{"₦", "NGN", 2},
	{"₱", "PHP", 2},
	{"฿", "THB", 2},
	{"zł", "PLN", 2},
	{"c$", "CAD", 2},
	{"ca$", "CAD", 2},
	{"a$", "AUD", 2},
	{"au$", "AUD", 2},
	{"nz$", "NZD", 2},
	{"hk$", "HKD", 2},
	{"s$", "SGD", 2},
	{"r$", "BRL", 2},
	{"chf", "CHF", 2},
	{"fr.", "CHF", 2},
	{"swiss francs", "CHF", 2},
	{"kč", "CZK", 2},
	{"kwd", "KWD", 3},
	{"kuwaiti dinars", "KWD", 3},
	{"bhd", "BHD", 3},
	{"iqd", "IQD", 3},
	{"jod", "JOD", 3},
	{"lyd", "LYD", 3},
	{"omr", "OMR", 3},
	{"tnd", "TND", 3},
	{"clp", "CLP", 0},
	{"isk", "ISK", 0},
	{"xaf", "XAF", 0},
	{"xof", "XOF", 0},
	{"xpf", "XPF", 0},
	{"ugx", "UGX", 0},
	{"rwf", "RWF", 0},
	{"pyg", "PYG", 0},
	{"mga", "MGA", 2},
	{"swedish kronor", "SEK", 2},
	{"mexican pesos", "MXN", 2},
	{"xcg", "XCG", 2},
	{"zwg", "ZWG", 2},
};

static void test_vectors(struct kh_test *t)
{
	(void)t;
	for (size_t i = 0; i < COUNT(vectors); i++)
		check_find(kh_view_str(vectors[i].key), kh_view_str(vectors[i].code), vectors[i].digits);
}

static void test_not_found(struct kh_test *t)
{
	(void)t;
	static const char *const keys[] = {
		"",       " ",     "|",       "$|",    "usd|eur", "kr",     "kr.",       "krone",  "kronor",  "franc",
		"francs", "peso",  "pesos",   "dinar", "dinars",  "dirham", "shillings", "kwacha", "manat",   "riyals",
		"cent",   "cents", "pence",   "c",     "¢",       "p",      "%",         "xau",    "xdr",     "xxx",
		"xts",    "btc",   "bitcoin", "usdt",  "us",      "u",      "dollarss",  "dolla",  "million", "k",
		"m",      "bn",    "km",      "ft",    "and",     "$$",     "$ $",       "points", "hours",
	};
	struct kh_view code = KH_LIT("untouched");
	unsigned digits = 99;

	for (size_t i = 0; i < COUNT(keys); i++) {
		if (kh_currency_find(kh_view_str(keys[i]), &code, &digits))
			fail_msg("\"%s\" finds %.*s", keys[i], KH_FMT(code));
	}
	assert_false(kh_currency_find(kh_view_of(NULL, 0), &code, &digits));
	assert_view(code, "untouched");
	assert_int_equal(digits, 99);
}

struct measure {
	const char *text;
	size_t prefix, suffix;
};

static const struct measure measures[] = {
	{"$1,200.50", 1, 0}, {"1200.50 usd", 0, 3}, {"1200.50 USD", 0, 3}, {"usd 1,200", 3, 0}, {"USD1200", 3, 0},
	{"€5", 3, 0},        {"1.200,50 €", 0, 3},  {"1.200,50€", 0, 3},   {"ca$5", 3, 0},      {"CA$5", 3, 0},
	{"5 ca$", 0, 3},     {"5c$", 0, 2},         {"$5 usd", 1, 3},      {"rs.500", 3, 0},    {"rs 500", 2, 0},
	{"s/.20", 3, 0},     {"100zł", 0, 3},       {"-$5", 0, 0},         {"$-5", 1, 0},       {"5", 0, 0},
	{"", 0, 0},          {"u", 0, 0},           {"us", 0, 0},          {"usdt 5", 0, 0},    {"5 xusd", 0, 0},
	{"xca$5", 0, 0},     {"5 xa$", 0, 0},       {"$x5", 0, 0},         {"5万元", 0, 0},     {"usdé", 0, 0},
	{"kr 5", 0, 0},      {"5 kr", 0, 0},        {"rsvp", 0, 0},        {"5 cents", 0, 0},   {"\xe2\x82", 0, 0},
	{"\xac", 0, 0},
};

static void test_measures(struct kh_test *t)
{
	(void)t;
	for (size_t i = 0; i < COUNT(measures); i++) {
		struct kh_view text = kh_view_str(measures[i].text);
		size_t prefix = kh_currency_symbol_prefix(text), suffix = kh_currency_symbol_suffix(text);
		if (prefix != measures[i].prefix || suffix != measures[i].suffix)
			fail_msg("\"%s\": %zu, %zu", measures[i].text, prefix, suffix);
	}
	assert_int_equal(kh_currency_symbol_prefix(kh_view_of(NULL, 0)), 0);
	assert_int_equal(kh_currency_symbol_suffix(kh_view_of(NULL, 0)), 0);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_rows),      KH_TEST_ONCE(test_signs),    KH_TEST_ONCE(test_vectors),
	KH_TEST_ONCE(test_not_found), KH_TEST_ONCE(test_measures),
};
KH_TEST_MAIN(cases)
