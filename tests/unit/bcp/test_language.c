/* B11: `language` is a closed list; an answer comes out in the list's spelling or not at all. */
#include "core/bcp/language.h"

#include "closed_check.h"

static const struct kh_closed_row rows[] = {
#define KH_LANGUAGE(name, codes, also) KH_CLOSED_ROW(name, codes, also)
#include "core/bcp/language.def"
#undef KH_LANGUAGE
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* B11: codes that an answer may hold as a plain word. */
static const char words[] = "am|an|as|be|bi|bs|ha|he|hi|ho|id|ie|is|it|km|la|lo|mr|ms|my|na|no|om|or|pa|pi|ps|sh|so|"
			    "st|to|uk|yo|her|lol|may|men|new|nor|per";

static void test_rows(struct kh_test *t)
{
	(void)t;
	closed_check_rows(kh_language_find, rows, COUNT(rows), kh_view_str(words));
}

static void test_unique(struct kh_test *t)
{
	(void)t;
	closed_check_unique(rows, COUNT(rows));
}

/* ISO 639: a code of two letters comes first and is followed by one of three; all 183 are there, and sh. */
static void test_codes(struct kh_test *t)
{
	(void)t;
	size_t with_two = 0;

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct kh_view codes = rows[i].codes, code;
		size_t last = 0;
		with_two += codes.n > 2 && codes.p[2] == '|';
		while (kh_view_split(&codes, '|', &code)) {
			assert_true((code.n == 2 || code.n == 3) && code.n >= last);
			last = code.n;
		}
		assert_int_equal(last, 3);
	}
	assert_int_equal(with_two, 184);
}

static const struct kh_closed_vector vectors[] = {
	{"english", "English"},
	{"EN", "English"},
	{"american english", "English"},
	{"english (us)", "English"},
	{"english (u.k.)", "English"},
	{"deutsch", "German"},
	{"de", "German"},
	{"deu", "German"},
	{"ger", "German"},
	{"swiss german", "German"},
	{"francais", "French"},
	{"fra", "French"},
	{"fre", "French"},
	{"canadian french", "French"},
	{"espanol", "Spanish"},
	{"castilian", "Spanish"},
	{"latin american spanish", "Spanish"},
	{"brazilian portuguese", "Portuguese"},
	{"portuguese (brazil)", "Portuguese"},
	{"portugues", "Portuguese"},
	{"mandarin", "Chinese"},
	{"mandarin chinese", "Chinese"},
	{"simplified chinese", "Chinese"},
	{"chinese (traditional)", "Chinese"},
	{"zh", "Chinese"},
	{"chi", "Chinese"},
	{"cantonese", "Cantonese"},
	{"yue", "Cantonese"},
	{"filipino", "Filipino"},
	{"tagalog", "Tagalog"},
	{"hawaiian", "Hawaiian"},
	{"cherokee", "Cherokee"},
	{"cebuano", "Cebuano"},
	{"hmong", "Hmong"},
	{"farsi", "Persian"},
	{"dari", "Persian"},
	{"flemish", "Dutch"},
	{"nederlands", "Dutch"},
	{"norwegian", "Norwegian"},
	{"norwegian bokmal", "Norwegian Bokmål"},
	{"nynorsk", "Norwegian Nynorsk"},
	{"volapuk", "Volapük"},
	{"k'iche'", "K'iche'"},
	{"serbo-croatian", "Serbo-Croatian"},
	{"luba-katanga", "Luba-Katanga"},
	{"gaelic", "Scottish Gaelic"},
	{"irish", "Irish"},
	{"tieng viet", "Vietnamese"},
	{"turkce", "Turkish"},
	{"nihongo", "Japanese"},
	{"bahasa indonesia", "Indonesian"},
	{"bahasa melayu", "Malay"},
	{"isizulu", "Zulu"},
	{"sesotho", "Southern Sotho"},
	{"sepedi", "Northern Sotho"},
	{"latin", "Latin"},
	{"ewe", "Ewe"},
	{"asl", "American Sign Language"},
	{"american sign language", "American Sign Language"},
	{"the french language", "French"},
	{"hokkien", "Hokkien"},
	{"haitian creole", "Haitian Creole"},
	{"ukrainian", "Ukrainian"},
	{"ukr", "Ukrainian"},
};

static void test_vectors(struct kh_test *t)
{
	(void)t;
	closed_check_vectors(kh_language_find, vectors, COUNT(vectors));
}

static void test_not_found(struct kh_test *t)
{
	(void)t;
	static const char *const answers[] = {
		"",
		"the",
		"no",
		"yes",
		"it",
		"is",
		"he",
		"hi",
		"my",
		"or",
		"so",
		"to",
		"am",
		"an",
		"as",
		"be",
		"id",
		"ok",
		"her",
		"may",
		"new",
		"nor",
		"per",
		"men",
		"lol",
		"uk",
		"us",
		"usa",
		"france",
		"germany",
		"n/a",
		"na",
		"none",
		"unknown",
		"creole",
		"language",
		"the language",
		"no language",
		" language",
		"ndebele",
		"sign language",
		"english french",
		"english, french",
		"english and french",
		"python",
		"c",
		"klingon",
		"speak",
		"xx",
		"zz",
		"of",
		"en|de",
		"englishh",
		"englis",
	};

	closed_check_none(kh_language_find, answers, COUNT(answers));
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_rows),    KH_TEST_ONCE(test_unique),    KH_TEST_ONCE(test_codes),
	KH_TEST_ONCE(test_vectors), KH_TEST_ONCE(test_not_found),
};
KH_TEST_MAIN(cases)
