#include "reader/lead.h"

#include "extracting.h"

static const char mail[] = "From: Ann Lee <ann@example.org>\nSubject: The roof\n\n"
			   "Dear Bob,\n\n"
			   "The roof was repaired on Monday by two men with a crane. It cost less than planned. "
			   "Venue: the town hall\n\n"
			   "Regards,\nAnn\n";

/* I3: a label's line, the subject, else the sentence that has most of the question's words. */
static void test_short_texts(struct kh_test *t)
{
	static const struct kh_asked all[] = {
		{"What is the subject of the mail?", mail, "the roof"},
		{"Who repaired the roof?", mail, "the roof was repaired on monday by two men with a crane"},
		{"What is the venue?", "Time: noon\nVenue: the town hall\n", "the town hall"},
		{"Where is it held?", "Time: noon\nVenue: the town hall\n", "the town hall"},
		{"Why is the moon round?", "Nothing of the kind.", "reject"},
	};
	ALL_ANSWERED(t, "short_text", all);
}

static struct kh_view summary_of(struct kh_test *t, const char *text, unsigned max_words)
{
	struct kh_tokens tokens = kh_tokens_cut(&t->arena, kh_view_str(text));
	struct kh_view summary = kh_lead_summary(&t->arena, &tokens, max_words);
	must(t, kh_arena_check(&t->arena));
	return summary;
}

/* The body's first sentences, without headers and greeting, as many as fit. */
static void test_summaries(struct kh_test *t)
{
	assert_view(summary_of(t, mail, 20),
		    "The roof was repaired on Monday by two men with a crane. It cost less than planned.");
	assert_view(summary_of(t, mail, 14), "The roof was repaired on Monday by two men with a crane.");
	assert_view(summary_of(t, mail, 4), "The roof was repaired");
	assert_view(summary_of(t, "Milk\nBread\n", 1), "Milk");
	assert_view(summary_of(t, "", 10), "");
}

/* B1: a summary is held for a human whatever it says. */
static void test_summary_is_held(struct kh_test *t)
{
	struct kh_view query = KH_LIT("{\"category\":3,\"directive\":\"Summarise the mail.\",\"max_words\":30}");

	assert_view(delivered(t, query, kh_view_str(mail)), "hold");
	assert_view(delivered(t, query, KH_LIT("")), "reject");
}

static void test_cut(struct kh_test *t)
{
	(void)t;
	assert_view(kh_lead_cut(KH_LIT("  one two\n three "), 2), "one two");
	assert_view(kh_lead_cut(KH_LIT("one\xc2\xa0two three"), 2), "one\xc2\xa0two");
	assert_view(kh_lead_cut(KH_LIT("one two"), 9), "one two");
	assert_view(kh_lead_cut(KH_LIT(""), 9), "");
}

static const struct kh_test_case cases[] = {KH_TEST(test_short_texts), KH_TEST(test_summaries),
					    KH_TEST(test_summary_is_held), KH_TEST_ONCE(test_cut)};
KH_TEST_MAIN(cases)
