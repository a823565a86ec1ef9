#include "core/comm/defuse.h"
#include "harness.h"

/* E11: the marker in every spelling that a reader could take for it; what stands around it stays. */
static void test_defused(struct kh_test *t)
{
	static const char *const all[] = {
		"UNTRUSTED_EXTERNAL_CONTENT",
		"untrusted_external_content",
		"Untrusted External Content",
		"UNTRUSTED-EXTERNAL-CONTENT",
		"U N T R U S T E D _ E X T E R N A L _ C O N T E N T",
		"UNTRUSTED_\nEXTERNAL_\r\nCONTENT",
		"UNTR\xe2\x80\x8bUSTED_EXT\xc2\xad\x45RNAL_CONTENT",                         /* invisible */
		"UNTR\xf3\xa0\x81\x95USTED_EXTERNAL_CONTENT",                                /* a tag */
		"\xef\xbc\xb5\xef\xbc\xae\xef\xbc\xb4RUSTED\xef\xbc\xbf\x45XTERNAL_CONTENT", /* full-width */
		"UNTRUST\xd0\x95\x44_\xd0\x95XT\xd0\x95RNAL_C\xd0\x9eNTENT",                 /* Cyrillic */
		"UNTRUSTE\xcc\x81\x44_EXTERNAL_CONTE\xcc\x88NT",                             /* accents */
		"\xf0\x9d\x90\x94NTRUSTED_EXTERNAL_CONTENT",                                 /* mathematical */
		"UNTRUSTED_EXTERNAL_CONTEN\xe2\x84\xa2",      /* one character for t and m */
		"UNTRU\xef\xac\x86\x45\x44_EXTERNAL_CONTENT", /* a ligature of s and t */
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_view text = kh_arena_printf(&t->arena, "a <<<%s>>> \xc3\xa9 %s.", all[i], all[i]), out;
		must(t, kh_arena_check(&t->arena));
		must(t, kh_defuse_text(&t->arena, text, &out));
		assert_view(out, "a <<<[marker defused]>>> \xc3\xa9 [marker defused].");
	}
}

static void test_untouched(struct kh_test *t)
{
	static const char *const all[] = {
		"",
		"Some text.\n---\nMore \xe2\x80\x8btext \xf0\x9f\x98\x80",
		"untrusted external conten",
		"ntrusted_external_content",
		"untrusted x external content",
		"UNTRUSTED",
		"untruntrusted external",
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_view out;
		must(t, kh_defuse_text(&t->arena, kh_view_str(all[i]), &out));
		assert_view(out, all[i]);
	}
}

/* What is left after cutting one marker out is not another one; the end is found too. */
static void test_nested(struct kh_test *t)
{
	struct kh_view out;

	must(t, kh_defuse_text(&t->arena, KH_LIT("UNTRUSTED_UNTRUSTED_EXTERNAL_CONTENT_EXTERNAL_CONTENT"), &out));
	assert_view(out, "UNTRUSTED_[marker defused]_EXTERNAL_CONTENT");
	must(t, kh_defuse_text(&t->arena, out, &out));
	assert_view(out, "UNTRUSTED_[marker defused]_EXTERNAL_CONTENT");
	must(t, kh_defuse_text(&t->arena, KH_LIT("untruuntrusted external content\xe2\x80\x8b!"), &out));
	assert_view(out, "untru[marker defused]!");
}

/* Linear: a megabyte of beginnings and of what may stand between letters. */
static void test_linear(struct kh_test *t)
{
	static char text[1 << 20];
	struct kh_view out;

	for (int kind = 0; kind < 3; kind++) {
		memset(text, kind == 0 ? 'u' : ' ', sizeof(text));
		for (size_t i = 0; kind == 2 && i + 8 < sizeof(text); i += 8)
			memcpy(text + i, "untru", 5);
		must(t, kh_defuse_text(&t->arena, kh_view_of(text, sizeof(text)), &out));
		assert_int_equal(out.n, sizeof(text));
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_defused), KH_TEST(test_untouched), KH_TEST(test_nested),
					    KH_TEST_ONCE(test_linear)};
KH_TEST_MAIN(cases)
