/* E9, E10: what came becomes text, or it is said why not. */
#include "executor.h"

#include "base/clock.h"
#include "errand/totext.h"

static struct kh_view fetched(const struct kh_message *message, unsigned *ret_status, enum kh_fault *ret_fault)
{
	(void)message;
	(void)ret_status;
	*ret_fault = KH_FAULT_CONNECT;
	return KH_LIT("");
}

static struct kh_errand_result totext(struct kh_test *t, const char *type, struct kh_view bytes, bool plain)
{
	struct kh_errand_tools tools = {.client = executor_client(t)};
	struct kh_totext job = {.bytes = kh_tainted_wrap(bytes),
				.type = kh_tainted_wrap(kh_view_str(type)),
				.plain = plain,
				.deadline = kh_clock_ms() + 60000};
	struct kh_errand_result result = {.end = KH_ERRAND_FAILED};

	must(t, kh_totext_run(&tools, &job, &t->arena, &result));
	return result;
}

static void test_text(struct kh_test *t)
{
	static const struct {
		const char *type, *bytes, *want;
		bool differs;
	} cases[] = {
		{"text/plain", "as it is\n\t\xc3\xa9", "as it is\n\t\xc3\xa9", false},
		{"", "", "", false},
		{"application/json", "{\"a\":1}", "{\"a\":1}", false},
		{"notes.txt", "<html> in a text", "in a text", true}, /* a name says little; the bytes say more */
		{"text/plain", "<html>stays", "<html>stays", false},
		{"text/html", "<p>a<p>b", "a\n\nb", true},
		{"TEXT/HTML; charset=utf-8", "<p>a", "a", true},
		{"page.HTM", "<p>a", "a", true},
		{"", " \n<!DOCTYPE html><p>a", "a", true},
		{"text/plain; charset=iso-8859-1", "\xc3\xa9", "\xc3\x83\xc2\xa9", true}, /* valid by chance */
		{"text/plain", "a\r\nb\x07", "a\nb", true},
		{"text/plain", "caf\xe9", "caf\xef\xbf\xbd", true},
		{"image/svg+xml", "<svg>", "<svg>", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kh_errand_result result = totext(t, cases[i].type, kh_view_str(cases[i].bytes), false);
		assert_int_equal(result.end, KH_ERRAND_OK);
		assert_view(kh_tainted_open(result.content), cases[i].want);
		assert_int_equal(kh_tainted_size(result.original) > 0, cases[i].differs);
	}
	/* A program's output is text whatever it looks like. */
	struct kh_errand_result result = totext(t, "", KH_LIT("%PDF-<html>"), true);
	assert_view(kh_tainted_open(result.content), "%PDF-<html>");
}

static void test_not_text(struct kh_test *t)
{
	struct kh_errand_result result = totext(t, "image/png", KH_LIT("whatever"), false);
	assert_int_equal(result.end, KH_ERRAND_FAILED);
	assert_int_equal(kh_tainted_size(result.content), 0);
	assert_int_equal(kh_tainted_size(result.original), 8); /* for humans */
	assert_view(result.why, "it is not text");
	result = totext(t, "", kh_view_of("a\0b", 3), false);
	assert_int_equal(result.end, KH_ERRAND_FAILED);
	result = totext(t, "", KH_LIT("\1\2\3\4\5\6"), false);
	assert_int_equal(result.end, KH_ERRAND_FAILED);
	result = totext(t, "", KH_LIT("%PDF-1.4 nothing"), false);
	assert_int_equal(result.end, KH_ERRAND_FAILED);
	assert_true(kh_view_find(result.why, KH_LIT("PDF"), 0) != SIZE_MAX);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_text),
	KH_TEST_ONCE(test_not_text),
};

EXECUTOR_TEST_MAIN(cases)
