#include "core/comm/guard.h"
#include "harness.h"

static struct kh_attribution attribution(struct kh_test *t, const char *source, const char *content)
{
	struct kh_attribution a = {.operation = KH_LIT("comm.fetch"),
				   .session_id = KH_LIT("s1"),
				   .source = kh_view_str(source),
				   .timestamp = 1000000};

	must(t, kh_attribution_make(&t->arena, &a, kh_view_str(content), &t->err));
	return a;
}

static const char page[] =
	"The quarterly revenue of Initrode grew to 48,213,000 euros, said finance chief Dana Whitfield.";
static const char mail[] =
	"The warehouse in Rotterdam closes for stocktaking from the ninth until the eleventh of June.";

/* What the guard says of OUTPUT beside these two sources. */
static struct kh_reasons guard(struct kh_test *t, const char *output)
{
	struct kh_attribution a = attribution(t, "https://news.example.com/initrode", page);
	struct kh_attribution b = attribution(t, "mail/inbox/17", mail);
	struct kh_guard_source sources[] = {{&a, kh_view_str(page), NULL}, {&b, kh_view_str(mail), NULL}};
	struct kh_reasons flags;
	size_t places[2];

	kh_reasons_init(&flags, &t->arena);
	struct kh_guard_given given = {.sources = sources, .count = 2};
	bool copies = false;
	must(t, kh_guard_output(&t->arena, kh_view_str(output), &given, &flags, places, &copies));
	assert_true(copies || flags.n == 0);
	return flags;
}

/* E10, E13 (threat: claiming external data as internal): what repeats a source without naming it is flagged. */
static void test_flagged(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"As we know, the quarterly revenue of Initrode grew to 48,213,000 euros.", "sources[0]"},
		{"AS WE KNOW, THE QUARTERLY REVENUE OF INITRODE GREW.", "sources[0]"},
		{"It is a fact that Rotterdam closes for stocktaking from the ninth.", "sources[1]"},
		/* Another's name is not its name, and a part of a name is none. */
		{"By mail/inbox/17: the quarterly revenue of Initrode grew.", "sources[0]"},
		{"From mail/inbox/171: Rotterdam closes for stocktaking from the ninth.", "sources[1]"},
		{"From notnews.example.com: the quarterly revenue of Initrode grew.", "sources[0]"},
		{"From news.example.com.evil.example: the quarterly revenue of Initrode grew.", "sources[0]"},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_reasons flags = guard(t, all[i][0]);
		if (flags.n != 1)
			fail_msg("%zu flags: %s", flags.n, all[i][0]);
		assert_string_equal(flags.at[0].code, "unattributed");
		assert_view(flags.at[0].member, all[i][1]);
	}
	assert_int_equal(guard(t, "The quarterly revenue of Initrode grew. Rotterdam closes for stocktaking.").n, 2);
}

/* E10: what names its source, or repeats nothing, passes. */
static void test_passes(struct kh_test *t)
{
	static const char *const all[] = {
		"",
		"I have nothing to report today.",
		"According to https://news.example.com/initrode the quarterly revenue of Initrode grew.",
		"The quarterly revenue of Initrode grew (source: NEWS.example.com).",
		"Rotterdam closes for stocktaking from the ninth [mail/inbox/17].",
		("\"The quarterly revenue of Initrode grew\", news.example.com. From mail/inbox/17: Rotterdam closes "
		 "for stocktaking."),
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_reasons flags = guard(t, all[i]);
		if (flags.n > 0)
			fail_msg("flagged: %s: %.*s", all[i], KH_FMT(flags.at[0].detail));
	}
}

/* E10, COMPAT 3 (hole: attribution as a substring test): what counts as naming. */
static void test_names(struct kh_test *t)
{
	static const struct {
		const char *output;
		bool yes;
	} all[] = {
		{"example.com", true},
		{"see https://example.com/p.", true},
		{"(Example.COM)", true},
		{"at example.com, and", true},
		{"\xe6\xa0\xb9\xe6\x8d\xae"
		 "example.com"
		 "\xe6\x8a\xa5",
		 true},
		{"", false},
		{"example", false},
		{"example.co", false},
		{"myexample.com", false},
		{"my-example.com", false},
		{"sub.example.com", false},
		{"example.com.evil.example", false},
		{"example.com-evil.example", false},
		{"example.community", false},
		{"https://evil.example/example.com", false},
		{"https://evil.example/?ref=example.com", false},
		{"https://example.com@evil.example/", false},
	};
	struct kh_attribution a = attribution(t, "https://example.com/p", "x");

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		bool yes = !all[i].yes;
		must(t, kh_guard_names(&t->arena, kh_view_str(all[i].output), &a, &yes));
		if (yes != all[i].yes)
			fail_msg("%s: %s", all[i].output, yes ? "named" : "not named");
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_flagged), KH_TEST(test_passes), KH_TEST(test_names)};
KH_TEST_MAIN(cases)
