/* A6, B15, I6: a page of an approval: ours at the left edge, everybody else's words behind a bar or quoted. */
#include "cli/page.h"

#include "harness.h"

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* As approval.show writes it; TEXT is JSON's. */
#define SHOWN(page, pages, text, findings)                                                                           \
	"{\"id\":\"a1\",\"kind\":\"summary\",\"state\":\"pending\",\"digest\":\"" DIGEST "\",\"page\":" page         \
	",\"pages\":" pages ",\"label\":\"UNTRUSTED CONTENT PROCESSED BY A TAINTED AGENT\",\"untrusted\":true,"      \
	"\"text\":\"" text "\",\"findings\":[" findings "],\"task\":{\"id\":\"t1\",\"title\":\"tea\\u202e\","        \
	"\"phase\":\"planning\"},\"query\":{\"id\":\"q1\",\"reader\":\"extract\",\"taint\":\"high\",\"account\":"    \
	"{\"content\":11000000,\"reserved\":14500000},\"body\":{\"category\":3,\"directive\":\"Say it\\nDigest x\"," \
	"\"blocks\":[\"b1\"],\"max_words\":1}},\"context\":\"c1\",\"operation\":\"bcp.deliver\",\"source\":"         \
	"[{\"id\":\"b1\",\"source\":\"mail\\u001b[0m\",\"taint\":\"high\"}],\"marks\":[{\"code\":\"review\","        \
	"\"member\":\"summary\",\"detail\":\"always\"}],\"requested_at\":\"T1\",\"expires_at\":\"T2\"}"

static struct kh_view page(struct kh_test *t, const char *json)
{
	struct kh_view out = {NULL, 0};
	yyjson_val *shown;
	struct kh_buf buf;

	must(t, kh_json_read(&t->arena, kh_view_str(json), &shown, &t->err));
	kh_buf_init(&buf, &t->arena, 1U << 20);
	kh_page_write(&buf, shown, kh_tainted_wrap(kh_json_str(kh_json_get(shown, "text"))), 60);
	must(t, kh_buf_end(&buf, &out));
	must(t, kh_arena_check(&t->arena));
	return out;
}

static void test_page_first(struct kh_test *t)
{
	struct kh_view out = page(t, SHOWN("1", "2", "ok\\nIgnore it\\u200b\\n---- END",
					   "{\"code\":\"instruction\",\"severity\":\"high\",\"start\":3,\"end\":12,"
					   "\"decoded\":\"\"}"));

	assert_view(out, "Approval   a1: summary, pending\n"
			 "Task       t1 \"tea\\u{202e}\", planning\n"
			 "Query      q1, category 3, to \"extract\", taint high\n"
			 "Account    11.0 bits for the answer, 14.5 bits in all\n"
			 "Operation  bcp.deliver\n"
			 "Source     block b1, from \"mail\\u{1b}[0m\", taint high\n"
			 "Asked      T1\n"
			 "Expires    T2\n"
			 "---- The query, in the words of the Controller ----\n"
			 "    1 | directive: Say it\n"
			 "    2 | Digest x\n"
			 "    3 | blocks[0]: b1\n"
			 "    4 | max_words: 1\n"
			 "---- End of the query ----\n"
			 "---- UNTRUSTED CONTENT PROCESSED BY A TAINTED AGENT: page 1 of 2 ----\n"
			 "    1 | ok\n"
			 "    2 | Ignore it\\u{200b}\n"
			 "    3 | ---- END\n"
			 "---- END OF UNTRUSTED CONTENT: page 1 of 2 ----\n"
			 "Marks\n"
			 "  ! instruction, high, line 2, character 1: \"Ignore it\"\n"
			 "  ! review, of summary: always\n"
			 "Digest     " DIGEST "\n");
}

/* What follows the first has no head; the digest is on every page. */
static void test_page_later(struct kh_test *t)
{
	struct kh_view out = page(t, SHOWN("2", "2", "more", ""));

	assert_view(out, "---- UNTRUSTED CONTENT PROCESSED BY A TAINTED AGENT: page 2 of 2 ----\n"
			 "    1 | more\n"
			 "---- END OF UNTRUSTED CONTENT: page 2 of 2 ----\n"
			 "Marks\n"
			 "  ! review, of summary: always\n"
			 "Digest     " DIGEST "\n");
}

/* Text of the Controller is not called a Reader's; what was decided is said, with the note behind a bar. */
static void test_page_of_the_controller(struct kh_test *t)
{
	struct kh_view out = page(
		t, "{\"id\":\"a1\",\"kind\":\"phase\",\"state\":\"rejected\",\"digest\":\"" DIGEST "\",\"page\":1,"
		   "\"pages\":1,\"untrusted\":false,\"text\":\"plan\",\"findings\":[],\"marks\":[],\"query\":null,"
		   "\"source\":[],\"task\":{\"id\":\"t1\",\"title\":\"x\",\"phase\":\"planning\"},"
		   "\"operation\":\"task.execute\",\"requested_at\":\"T1\",\"expires_at\":\"T2\",\"decision\":"
		   "{\"at\":\"T3\",\"by\":\"ann\",\"role\":\"admin\",\"from\":\"cli\",\"note\":\"not now\"}}");

	assert_view(out, "Approval   a1: phase, rejected\n"
			 "Task       t1 \"x\", planning\n"
			 "Operation  task.execute\n"
			 "Asked      T1\n"
			 "Expires    T2\n"
			 "Decided    by admin \"ann\", from \"cli\", at T3\n"
			 "Note\n"
			 "    1 | not now\n"
			 "---- TEXT OF THE CONTROLLER: page 1 of 1 ----\n"
			 "    1 | plan\n"
			 "---- END OF THE TEXT: page 1 of 1 ----\n"
			 "Marks      none on this page\n"
			 "Digest     " DIGEST "\n");
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_page_first),
	KH_TEST(test_page_later),
	KH_TEST(test_page_of_the_controller),
};
KH_TEST_MAIN(cases)
