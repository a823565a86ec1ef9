#include "reader/mail.h"

#include "harness.h"

static struct kh_view part(const struct kh_tokens *tokens, struct kh_range range)
{
	return range.end > range.first ? kh_tokens_span(tokens, range.first, range.end - 1) : KH_LIT("");
}

static void test_headers(struct kh_test *t)
{
	struct kh_tokens tokens = kh_tokens_cut(
		&t->arena, KH_LIT("From: Ann <a@example.org>\nTo: Bob\nCc: Eve\nDate: 3 May 2026\nSubject: Re: a: b\n\n"
				  "Hello Bob,\n\nit rains.\n\nKind regards,\nAnn Lee\n"));

	must(t, kh_arena_check(&t->arena));
	struct kh_mail mail = kh_mail_read(&tokens);
	assert_view(part(&tokens, mail.from), "Ann <a@example.org>");
	assert_view(part(&tokens, mail.to), "Bob");
	assert_view(part(&tokens, mail.cc), "Eve");
	assert_view(part(&tokens, mail.date), "3 May 2026");
	assert_view(part(&tokens, mail.subject), "Re: a: b");
	assert_view(part(&tokens, mail.greeting), "Bob");
	assert_view(part(&tokens, mail.signature), "Ann Lee");
	assert_view(kh_tokens_text(&tokens, mail.body), "Hello");
}

/* Headers on one line, as tables keep them. */
static void test_one_line(struct kh_test *t)
{
	struct kh_tokens tokens = kh_tokens_cut(
		&t->arena, KH_LIT("SUBJECT: The roof|EMAIL_FROM: Ann|RECEIVED DATE: 3 May 2026|CONTENT: It rains."));

	must(t, kh_arena_check(&t->arena));
	struct kh_mail mail = kh_mail_read(&tokens);
	assert_view(part(&tokens, mail.subject), "The roof|");
	assert_view(part(&tokens, mail.from), "Ann|");
	assert_view(part(&tokens, mail.date), "3 May 2026|");
	assert_view(kh_tokens_text(&tokens, mail.body), "It");
}

/* A text that is no mail is all body. */
static void test_no_mail(struct kh_test *t)
{
	static const char *const texts[] = {"", "The sun shines. Best of all: the sea.", "a\nb\nc",
					    "Thanks to you, I go."};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct kh_tokens tokens = kh_tokens_cut(&t->arena, kh_view_str(texts[i]));
		must(t, kh_arena_check(&t->arena));
		struct kh_mail mail = kh_mail_read(&tokens);
		assert_int_equal(mail.body, 0);
		assert_view(part(&tokens, mail.from), "");
		assert_view(part(&tokens, mail.signature), "");
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_headers), KH_TEST(test_one_line), KH_TEST(test_no_mail)};
KH_TEST_MAIN(cases)
