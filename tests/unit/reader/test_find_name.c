#include "reader/find_name.h"

#include "extracting.h"

static const char mail[] = "From: Ann Lee <ann.lee@example.org>\n"
			   "To: \"Bob van der Berg\" <bob@example.com>\n"
			   "Subject: Visit of Carol\n\n"
			   "Hi Bob,\n\n"
			   "The workshop is led by Dr. Dana O'Neil. Attendees: Erik Schmidt, Fay Wong.\n"
			   "Please book the room with Gus Novak at the Harbour Hotel.\n\n"
			   "Kind regards,\nAnn\n";

/* I3: who sent it, who it was sent to, and who stands near the question's words. */
static void test_names(struct kh_test *t)
{
	static const struct kh_asked all[] = {
		{"Who sent the mail?", mail, "ann lee"},
		{"What is the sender's full name?", mail, "ann lee"},
		{"Who is the recipient?", mail, "bob van der berg"},
		{"Who was it sent to?", mail, "bob van der berg"},
		{"Who leads the workshop?", mail, "dana o'neil"},
		{"Who is the first attendee?", mail, "erik schmidt"},
		{"With whom should the room be booked?", mail, "gus novak"},
		{"Who signed the letter?", "Dear Sir,\n\nno news today.\n\nBest,\nGrace Hopper", "grace hopper"},
		{"Who signed the letter?", "Team, all is well. Regards, Emma", "emma"},
		{"To whom is the letter addressed?", "Hello Karl-Heinz,\n\nhow are you?\n\nCheers,\nMia", "karl-heinz"},
		{"Who wrote this?", "Good morning, my name is Ines Duarte and I sell tea.", "ines duarte"},
		{"Who wrote this?", "From: lena.meyer@example.org\n\nAll is well.", "lena meyer"},
		{"Who signed the letter?", "Dear all,\n\nfine.\n\nRegards,\n\xc3\x85sa \xc5\x81ukasz",
		 "\xc3\xa5sa \xc5\x82ukasz"},
		{"Who wrote this?", "the rain in spain. it rains.", "reject"},
	};
	ALL_ANSWERED(t, "person_name", all);
}

static struct kh_view name_in(struct kh_test *t, const char *text)
{
	struct kh_tokens tokens = kh_tokens_cut(&t->arena, kh_view_str(text));
	must(t, kh_arena_check(&t->arena));
	size_t end = kh_find_name_end(&tokens, 0);
	return end > 0 ? kh_tokens_span(&tokens, 0, end - 1) : KH_LIT("");
}

/* Where a name ends. */
static void test_name_end(struct kh_test *t)
{
	assert_view(name_in(t, "Ludwig van Beethoven wrote"), "Ludwig van Beethoven");
	assert_view(name_in(t, "John F. Kennedy spoke"), "John F. Kennedy");
	assert_view(name_in(t, "Anna-Lena Huber, Bern"), "Anna-Lena Huber");
	assert_view(name_in(t, "Lily's party"), "Lily's");
	assert_view(name_in(t, "Ann\nLee"), "Ann");
	assert_view(name_in(t, "Monday Morning"), "");
	assert_view(name_in(t, "small letters"), "");
	assert_view(name_in(t, "Ann de la"), "Ann");
}

static const struct kh_test_case cases[] = {KH_TEST(test_names), KH_TEST(test_name_end)};
KH_TEST_MAIN(cases)
