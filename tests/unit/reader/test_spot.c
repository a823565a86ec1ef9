#include "reader/spot.h"

#include "harness.h"

static void look(struct kh_test *t, struct kh_spot *spot, struct kh_tokens *tokens, struct kh_mail *mail,
		 const char *question, const char *text)
{
	*tokens = kh_tokens_cut(&t->arena, kh_view_str(text));
	*mail = kh_mail_read(tokens);
	kh_spot_init(spot, &t->arena, tokens, mail, kh_view_str(question));
	must(t, kh_arena_check(&t->arena));
}

static bool number(struct kh_spot *spot, size_t i, struct kh_range *ret_range, int *ret_bonus)
{
	(void)ret_range;
	(void)ret_bonus;
	return spot->tokens->at[i].kind == KH_TOKEN_NUMBER;
}

/* The number that the question's words stand by, or none. */
static struct kh_view best(struct kh_test *t, const char *question, const char *text)
{
	struct kh_tokens tokens;
	struct kh_mail mail;
	struct kh_spot spot;
	struct kh_range range;

	look(t, &spot, &tokens, &mail, question, text);
	return kh_spot_best(&spot, number, &range) ? kh_tokens_span(&tokens, range.first, range.end - 1)
						   : KH_LIT("none");
}

static void test_nearest(struct kh_test *t)
{
	assert_view(best(t, "How many cats?", "3 dogs and 4 cats. 5 birds"), "4");
	assert_view(best(t, "How many cats?", "Dogs: 3\nCats: 4\nBirds: 5"), "4");
	assert_view(best(t, "How many cats?", "Dogs 3. Birds 5."), "none");
	assert_view(best(t, "How many cats?", "Nothing but 5."), "5");
	assert_view(best(t, "How many?", "First 3, then 5."), "3");
	assert_view(best(t, "How many of the 3 cats?", "cats 3, cats 5"), "5");
	assert_view(best(t, "How many cats?", ""), "none");
}

static void test_roles(struct kh_test *t)
{
	static const struct {
		const char *question;
		bool sender, recipient;
	} all[] = {{"Who sent it?", true, false},          {"What is the sender's name?", true, false},
		   {"Who was it sent to?", false, true},   {"To whom was this written?", false, true},
		   {"Who is the recipient?", false, true}, {"Who is the sender, who the recipient?", true, false},
		   {"Who is the boss?", false, false}};
	struct kh_tokens tokens;
	struct kh_mail mail;
	struct kh_spot spot;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		look(t, &spot, &tokens, &mail, all[i].question, "");
		assert_int_equal(kh_spot_asks_sender(&spot), all[i].sender);
		assert_int_equal(kh_spot_asks_recipient(&spot), all[i].recipient);
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_nearest), KH_TEST(test_roles)};
KH_TEST_MAIN(cases)
