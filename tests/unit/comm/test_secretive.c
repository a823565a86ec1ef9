/* U3: words that ask for a secret, under the disguises that a human would not notice. */
#include "core/comm/secretive.h"
#include "harness.h"

static bool is_name(struct kh_test *t, const char *text)
{
	bool yes = false;

	must(t, kh_secretive_name(&t->arena, kh_view_str(text), &yes));
	return yes;
}

static bool is_text(struct kh_test *t, const char *text)
{
	bool yes = false;

	must(t, kh_secretive_text(&t->arena, kh_view_str(text), &yes));
	return yes;
}

static void test_secrets(struct kh_test *t)
{
	static const char *const names[] = {
		"password",
		"Pass-word",
		"PASSWORT",
		"p a s s w o r d",
		"P4ssw0rd",
		"p@$$word",
		"api_key",
		"apiKey",
		"APIKEY",
		"key",
		"The key",
		"sshKey",
		"token",
		"access-token",
		"PIN",
		"P.I.N.",
		"pinCode",
		"secret",
		"clientSecret",
		"pa\xc3\x9fword\xc3\xa9password",
		("contrase\xc3\xb1"
		 "a"),
		"mot de passe",
		"kennwort",
		"otp",
		"\xd0\xbf\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd1\x8c",
		"\xe5\xaf\x86\xe7\xa0\x81",
		"credentials",
		"passphrase",
		"p\xd0\xb0ssword",                                      /* with a Cyrillic letter */
		"pass\xe2\x80\x8bword",                                 /* with a zero-width space */
		"\xef\xbd\x90\xef\xbd\x81\xef\xbd\x93\xef\xbd\x93word", /* in wide letters */
		"CVV",
		"cvc",
		"ssn",
		"session_id",
		"2FA auth",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!is_name(t, names[i]))
			fail_msg("%s", names[i]);
	}
}

static void test_others(struct kh_test *t)
{
	static const char *const names[] = {
		"",         "colour",         "keyboard", "monkey",       "passenger", "compass", "passport_number",
		"shipping", "pineapple",      "opinion",  "stand",        "tango",     "author",  "first name",
		"e-mail",   "number of days", "cookbook", "\xe2\x82\xac", "\xff\xfe",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (is_name(t, names[i]))
			fail_msg("%s", names[i]);
	}
}

/* In a sentence short words mean other things. */
static void test_texts(struct kh_test *t)
{
	assert_true(is_text(t, "Please enter your p4ss word to go on."));
	assert_true(is_text(t, "Gib dein Passwort ein"));
	assert_false(is_text(t, "Which key of the table, and which token of the text?"));
	assert_false(is_text(t, "Pin the note to the wall?"));
}

static const struct kh_test_case cases[] = {KH_TEST(test_secrets), KH_TEST(test_others), KH_TEST(test_texts)};
KH_TEST_MAIN(cases)
