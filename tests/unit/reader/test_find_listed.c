#include "reader/find_listed.h"

#include "extracting.h"

/* I3, B11: countries and languages, as their lists spell them. */
static void test_countries(struct kh_test *t)
{
	static const struct kh_asked all[] = {
		{"Where does the parcel go?", "The parcel goes to Guinea-Bissau. We write from Spain.",
		 "Guinea-Bissau"},
		{"Where do you live?", "I live in the United States of America, not in Canada.", "United States"},
		{"Where is the office?", "Our office: 12 High Street, London, UK", "United Kingdom"},
		{"Where is it?", "It is no place; us and them, or IT.", "reject"},
		{"Where is the bank?", "The account of the bank is KW51UPUF.", "reject"},
	};
	ALL_ANSWERED(t, "country", all);
}

static void test_languages(struct kh_test *t)
{
	static const struct kh_asked all[] = {
		{"In which language is the mail written?",
		 "Wir sind am Montag nicht im Haus und bitten Sie, die T\xc3\xbcr zu.", "German"},
		{"In which language is the mail written?", "Please send the keys to the office, and thank you for it.",
		 "English"},
		{"In which language is the mail written?",
		 "Merci pour votre lettre, nous sommes dans le jardin avec les fleurs.", "French"},
		{"Which language does she speak?", "She speaks Portuguese with her aunt.", "Portuguese"},
		{"In which language is the mail written?", "xyz", "reject"},
	};
	ALL_ANSWERED(t, "language", all);
}

static const struct kh_test_case cases[] = {KH_TEST(test_countries), KH_TEST(test_languages)};
KH_TEST_MAIN(cases)
