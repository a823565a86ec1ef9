/* B11: `country` is a closed list; an answer comes out in the list's spelling or not at all. */
#include "core/bcp/country.h"

#include "closed_check.h"

static const struct kh_closed_row rows[] = {
#define KH_COUNTRY(name, codes, also) KH_CLOSED_ROW(name, codes, also)
#include "core/bcp/country.def"
#undef KH_COUNTRY
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* B11: codes that an answer may hold as a plain word. */
static const char words[] =
	"ad|ai|am|as|at|ax|be|bi|bs|by|do|eh|er|hm|id|ie|im|in|iq|is|it|km|la|ma|me|mr|ms|my|na|no|om|pa|pm|ps|re|"
	"sh|so|st|to|tv|um|ye|and|are|can|nor|per";

static void test_rows(struct kh_test *t)
{
	(void)t;
	assert_int_equal(COUNT(rows), 250);
	closed_check_rows(kh_country_find, rows, COUNT(rows), kh_view_str(words));
}

static void test_unique(struct kh_test *t)
{
	(void)t;
	closed_check_unique(rows, COUNT(rows));
}

/* ISO 3166-1: one code of two letters and one of three for every row. */
static void test_codes(struct kh_test *t)
{
	(void)t;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct kh_view codes = rows[i].codes, two, three;
		assert_true(kh_view_split(&codes, '|', &two) && kh_view_split(&codes, '|', &three));
		assert_null(codes.p);
		assert_int_equal(two.n, 2);
		assert_int_equal(three.n, 3);
	}
}

static const struct kh_closed_vector vectors[] = {
	{"united states", "United States"},
	{"the United States of America", "United States"},
	{"united states of america (the)", "United States"},
	{"usa", "United States"},
	{"u.s.", "United States"},
	{"u.s.a.", "United States"},
	{"us", "United States"},
	{"uk", "United Kingdom"},
	{"u.k.", "United Kingdom"},
	{"gb", "United Kingdom"},
	{"great britain", "United Kingdom"},
	{"united kingdom of great britain and northern ireland", "United Kingdom"},
	{"holland", "Netherlands"},
	{"the netherlands", "Netherlands"},
	{"netherlands (kingdom of the)", "Netherlands"},
	{"burma", "Myanmar"},
	{"ivory coast", "Côte d'Ivoire"},
	{"cote d'ivoire", "Côte d'Ivoire"},
	{"cote d ivoire", "Côte d'Ivoire"},
	{"czech republic", "Czechia"},
	{"swaziland", "Eswatini"},
	{"macedonia", "North Macedonia"},
	{"macedonia, the former yugoslav republic of", "North Macedonia"},
	{"russian federation", "Russia"},
	{"viet nam", "Vietnam"},
	{"republic of korea", "South Korea"},
	{"korea (republic of)", "South Korea"},
	{"korea, republic of", "South Korea"},
	{"korea (democratic people's republic of)", "North Korea"},
	{"korea democratic peoples republic of", "North Korea"},
	{"iran, islamic republic of", "Iran"},
	{"iran (islamic republic of)", "Iran"},
	{"iran islamic republic of", "Iran"},
	{"holy see (vatican city state)", "Vatican City"},
	{"virgin islands, u.s.", "U.S. Virgin Islands"},
	{"virgin islands, british", "British Virgin Islands"},
	{"svalbard & jan mayen islands", "Svalbard and Jan Mayen"},
	{"libyan arab jamahiriya", "Libya"},
	{"palestinian territory", "Palestine"},
	{"palestine, state of", "Palestine"},
	{"congo, democratic republic of the", "Democratic Republic of the Congo"},
	{"congo (the democratic republic of the)", "Democratic Republic of the Congo"},
	{"dr congo", "Democratic Republic of the Congo"},
	{"d.r. congo", "Democratic Republic of the Congo"},
	{"congo-brazzaville", "Republic of the Congo"},
	{"congo, republic of", "Republic of the Congo"},
	{"guinea", "Guinea"},
	{"guinea-bissau", "Guinea-Bissau"},
	{"equatorial guinea", "Equatorial Guinea"},
	{"papua new guinea", "Papua New Guinea"},
	{"georgia", "Georgia"},
	{"niger", "Niger"},
	{"nigeria", "Nigeria"},
	{"dominica", "Dominica"},
	{"dominican republic", "Dominican Republic"},
	{"cocos (keeling) islands", "Cocos (Keeling) Islands"},
	{"bouvet island (bouvetoya)", "Bouvet Island"},
	{"british indian ocean territory (chagos archipelago)", "British Indian Ocean Territory"},
	{"antarctica (the territory south of 60 deg s)", "Antarctica"},
	{"slovakia (slovak republic)", "Slovakia"},
	{"falkland islands (malvinas)", "Falkland Islands"},
	{"lao people's democratic republic", "Laos"},
	{"kyrgyz republic", "Kyrgyzstan"},
	{"tanzania, united republic of", "Tanzania"},
	{"moldova (the republic of)", "Moldova"},
	{"micronesia (federated states of)", "Micronesia"},
	{"taiwan, province of china", "Taiwan"},
	{"bolivia (plurinational state of)", "Bolivia"},
	{"st. kitts & nevis", "Saint Kitts and Nevis"},
	{"saint vincent and the grenadines", "Saint Vincent and the Grenadines"},
	{"saint helena, ascension and tristan da cunha", "Saint Helena, Ascension and Tristan da Cunha"},
	{"bonaire, sint eustatius and saba", "Caribbean Netherlands"},
	{"sao tome and principe", "São Tomé and Príncipe"},
	{"reunion", "Réunion"},
	{"curacao", "Curaçao"},
	{"aland islands", "Åland Islands"},
	{"turkey", "Türkiye"},
	{"turkiye", "Türkiye"},
	{"bahamas, the", "Bahamas"},
	{"gambia (the)", "Gambia"},
	{"trinidad & tobago", "Trinidad and Tobago"},
	{"bosnia-herzegovina", "Bosnia and Herzegovina"},
	{"timor-leste", "Timor-Leste"},
	{"east timor", "Timor-Leste"},
	{"hong kong sar", "Hong Kong"},
	{"kosovo", "Kosovo"},
	{"deutschland", "Germany"},
	{"DE", "Germany"},
	{"deu", "Germany"},
	{"chn", "China"},
	{"france.", "France"},
	{"  france ", "France"},
	{"isle of man", "Isle of Man"},
	{"zwe", "Zimbabwe"},
};

static void test_vectors(struct kh_test *t)
{
	(void)t;
	closed_check_vectors(kh_country_find, vectors, COUNT(vectors));
}

static void test_not_found(struct kh_test *t)
{
	(void)t;
	static const char *const answers[] = {
		"",
		" ",
		".",
		"the",
		"the the",
		"&",
		"()",
		"|",
		"fr|de",
		"fra|",
		"congo",
		"the congo",
		"korea",
		"virgin islands",
		"england",
		"scotland",
		"wales",
		"northern ireland",
		"svalbard",
		"hawaii",
		"europe",
		"africa",
		"yugoslavia",
		"netherlands antilles",
		"soviet union",
		"no",
		"yes",
		"n/a",
		"n.a.",
		"na",
		"none",
		"unknown",
		"in",
		"is",
		"it",
		"at",
		"be",
		"so",
		"to",
		"my",
		"me",
		"i'm",
		"can",
		"are",
		"and",
		"per",
		"nor",
		"he",
		"france germany",
		"france, germany",
		"paris, france",
		"franc",
		"frances",
		"of",
		"republic of",
		"of iran",
		"xx",
		"zz",
		"eu",
		"ignore previous instructions",
		"fr\xc3\xa0nce",
	};

	closed_check_none(kh_country_find, answers, COUNT(answers));
}

/* Hostile lengths: nothing is cut to fit, so nothing past the longest key is found. */
static void test_long(struct kh_test *t)
{
	(void)t;
	char text[4096];
	struct kh_view got = KH_LIT("untouched");

	memset(text, 'a', sizeof(text));
	assert_false(kh_country_find(kh_view_of(text, sizeof(text)), &got));
	for (size_t n = KH_CLOSED_KEY_MAX - 2; n < KH_CLOSED_KEY_MAX + 3; n++)
		assert_false(kh_country_find(kh_view_of(text, n), &got));
	memset(text, ' ', sizeof(text));
	memcpy(text, "france", 6);
	memcpy(text + 4000, "x", 1);
	assert_false(kh_country_find(kh_view_of(text, sizeof(text)), &got));
	assert_false(kh_country_find(kh_view_of(NULL, 0), &got));
	assert_view(got, "untouched");
	assert_true(kh_country_find(kh_view_of(text, 4000), &got));
	assert_view(got, "France");
}

static void test_reduce(struct kh_test *t)
{
	(void)t;
	static const struct kh_closed_vector keys[] = {
		{"The  Bahamas", "bahamas"},
		{"U.S.A.", "usa"},
		{"Lao People's Democratic Republic", "lao peoples democratic republic"},
		{"Bosnia & Herzegovina", "bosnia and herzegovina"},
		{"bosnia&herzegovina", "bosnia and herzegovina"},
		{"--Guinea-Bissau--", "guinea bissau"},
		{"Cocos (Keeling) Islands", "cocos keeling islands"},
		{"theatre", "theatre"},
		{"the", ""},
		{"((", ""},
	};
	char out[KH_CLOSED_KEY_MAX];

	for (size_t i = 0; i < COUNT(keys); i++)
		assert_view(kh_view_of(out, kh_closed_reduce(kh_view_str(keys[i].answer), out)), keys[i].name);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_rows),      KH_TEST_ONCE(test_unique), KH_TEST_ONCE(test_codes),  KH_TEST_ONCE(test_vectors),
	KH_TEST_ONCE(test_not_found), KH_TEST_ONCE(test_long),   KH_TEST_ONCE(test_reduce),
};
KH_TEST_MAIN(cases)
