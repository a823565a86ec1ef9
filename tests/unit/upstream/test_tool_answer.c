/* U6: what a tool answered becomes text for Readers, and is kept whole. */
#include "harness.h"
#include "upstream/answer.h"

#include <stdio.h>

#define RESULT(text)  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" text "}"
#define CONTENT(text) RESULT("{\"content\":[" text "]}")
#define TEXT(text)    "{\"type\":\"text\",\"text\":\"" text "\"}"
#define ERROR(text)   "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":" text "}"
#define LINK          "{\"type\":\"resource_link\",\"uri\":\"file:///a\\n[x]\",\"name\":\"n\"}"

static struct kh_errand_result read_as(struct kh_test *t, const char *message, bool is_resource)
{
	struct kh_errand_result result = {.end = KH_ERRAND_FAILED};

	must(t, kh_answer_read(&t->arena, kh_tainted_wrap(kh_view_str(message)), is_resource, &result));
	assert_true(result.vettable <= kh_tainted_size(result.content));
	assert_true((result.end == KH_ERRAND_OK) == (result.why.n == 0));
	return result;
}

static struct kh_errand_result read_one(struct kh_test *t, const char *message)
{
	return read_as(t, message, false);
}

/* U3: what a resource has, part by part; whatever else it is, it is no content. */
static void test_resource(struct kh_test *t)
{
	static const struct {
		const char *message, *content;
	} good[] = {
		{RESULT("{\"contents\":[]}"), ""},
		{RESULT("{\"contents\":[{\"uri\":\"u:1\",\"text\":\"a\"},{\"uri\":\"u:2\",\"mimeType\":\"image/"
			"png\",\"blob\":\"AAA=\"},7],\"structuredContent\":{\"x\":1},\"isError\":true}"),
		 "[resource, uri \"u:1\"]\na\n\n[resource, uri \"u:2\", mimeType \"image/png\", 2 bytes]\n\n"
		 "[resource, 0 bytes]"},
	};
	static const char *const bad[] = {RESULT("{}"), RESULT("[]"), RESULT("{\"contents\":\"a\"}"),
					  CONTENT(TEXT("a")),
					  RESULT("{\"contents\":[],\"resultType\":\"input_required\"}")};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct kh_errand_result result = read_as(t, good[i].message, true);
		assert_int_equal(result.end, KH_ERRAND_OK);
		assert_view(kh_tainted_open(result.content), good[i].content);
		assert_true(kh_tainted_size(result.original) > 0);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kh_errand_result result = read_as(t, bad[i], true);
		assert_int_equal(result.end, KH_ERRAND_FAILED);
		assert_int_equal(kh_tainted_size(result.content), 0);
	}
	struct kh_errand_result result = read_as(t, ERROR("{\"code\":-32002,\"message\":\"no such\"}"), true);
	assert_int_equal(result.end, KH_ERRAND_FAILED);
	assert_view(kh_tainted_open(result.content), "no such");
}

/* What a Reader is given. */
static void test_content(struct kh_test *t)
{
	static const struct {
		const char *message, *content;
	} answers[] = {
		{CONTENT(""), ""},
		{RESULT("{}"), ""},
		{CONTENT(TEXT("a")), "a"},
		{CONTENT(TEXT("a\\nb") "," TEXT("c")), "a\nb\n\nc"},
		{RESULT("{\"content\":[" TEXT("a") "],\"structuredContent\":{\"b\":1}}"), "a"},
		{RESULT("{\"content\":[],\"structuredContent\":{\"z\":1.0,\"b\":[true]}}"), "{\"b\":[true],\"z\":1}"},
		{RESULT("{\"structuredContent\":[1]}"), "[1]"},
		{RESULT("{\"structuredContent\":9007199254740993}"), "9007199254740993"},
		{RESULT("{\"content\":[{\"type\":\"image\",\"data\":\"AAAA\",\"mimeType\":\"image/"
			"png\"}],\"structuredContent\":{}}"),
		 "[image, mimeType \"image/png\", 3 bytes]\n\n{}"},
		{CONTENT("{\"type\":\"audio\",\"data\":\"AA==\",\"mimeType\":\"a\\n]\"}"),
		 "[audio, mimeType \"a\\u{a}]\", 1 bytes]"},
		{CONTENT("{\"type\":\"audio\",\"data\":7}"), "[audio, 0 bytes]"},
		{CONTENT("{\"type\":\"resource\",\"resource\":{\"uri\":\"u:1\",\"mimeType\":\"text/"
			 "plain\",\"text\":\"inside\"}}," TEXT("b")),
		 "[resource, uri \"u:1\", mimeType \"text/plain\"]\ninside\n\nb"},
		{CONTENT("{\"type\":\"resource\",\"resource\":{\"uri\":\"u:1\",\"blob\":\"AAA=\"}}"),
		 "[resource, uri \"u:1\", 2 bytes]"},
		{CONTENT("{\"type\":\"resource\"}"), "[resource, 0 bytes]"},
		{CONTENT("{\"type\":\"video\\u001b\"},7,{}"),
		 "[something of type \"video\\u{1b}\", which is not shown]\n\n"
		 "[something of type \"\", which is not shown]\n\n[something of type \"\", which is not shown]"},
		{RESULT("{\"content\":[" TEXT("a") "],\"_meta\":{\"x\":\"secret\"},\"resultType\":\"complete\"}"), "a"},
	};

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct kh_errand_result result = read_one(t, answers[i].message);
		assert_int_equal(result.end, KH_ERRAND_OK);
		assert_view(kh_tainted_open(result.content), answers[i].content);
		assert_int_equal(result.vettable, strlen(answers[i].content));
		assert_int_equal(kh_tainted_size(result.details), 0);
	}
}

/* Links stand behind everything else, wherever the server put them. */
static void test_links(struct kh_test *t)
{
	struct kh_errand_result result = read_one(t, CONTENT(LINK "," TEXT("a") "," LINK));

	assert_view(kh_tainted_open(result.content), "a\n\n[link, uri \"file:///a\\u{a}[x]\", name \"n\"]\n\n"
						     "[link, uri \"file:///a\\u{a}[x]\", name \"n\"]");
	assert_int_equal(result.vettable, 1);
	result = read_one(t, CONTENT(LINK));
	assert_int_equal(result.vettable, 0);
	assert_view(kh_tainted_open(result.content), "[link, uri \"file:///a\\u{a}[x]\", name \"n\"]");
}

/* All of the result is kept, also what nobody is given. */
static void test_original(struct kh_test *t)
{
	struct kh_errand_result result = read_one(
		t, RESULT("{\"structuredContent\":{\"n\":1.0},\"content\":[{\"type\":\"image\",\"data\":\"AAAA\"}],"
			  "\"_meta\":{\"x\":2}}"));

	assert_view(kh_tainted_open(result.original),
		    "{\"_meta\":{\"x\":2},\"content\":[{\"data\":\"AAAA\",\"type\":\"image\"}],"
		    "\"structuredContent\":{\"n\":1}}");
	result = read_one(t, RESULT("{\"b\":9007199254740993,\"a\":1.0}"));
	assert_view(kh_tainted_open(result.original), "{\"b\":9007199254740993,\"a\":1.0}");
}

static void test_failures(struct kh_test *t)
{
	static const struct {
		const char *message, *content, *details, *why;
		enum kh_errand_end end;
	} answers[] = {
		{RESULT("{\"isError\":true,\"content\":[" TEXT("no such file") "]}"), "no such file",
		 "{\"error\":\"no such file\"}", "the tool reported an error", KH_ERRAND_FAILED},
		{RESULT("{\"isError\":true}"), "", "{\"error\":\"\"}", "the tool reported an error", KH_ERRAND_FAILED},
		{ERROR("{\"code\":-32602,\"message\":\"bad \\\"x\\\"\",\"data\":{\"b\":1,\"a\":2}}"),
		 "bad \"x\"\n\n{\"a\":2,\"b\":1}",
		 "{\"code\":-32602,\"error\":\"bad \\\"x\\\"\\n\\n{\\\"a\\\":2,\\\"b\\\":1}\"}",
		 "the server answered with an error", KH_ERRAND_FAILED},
		{ERROR("{\"code\":99999999999,\"message\":5}"), "", "{\"error\":\"\"}",
		 "the server answered with an error", KH_ERRAND_FAILED},
		{RESULT("{\"resultType\":\"input_required\",\"inputRequests\":{}}"), "", "", "asks for input",
		 KH_ERRAND_FAILED},
		{RESULT("{\"resultType\":\"task\",\"content\":[" TEXT("a") "]}"), "", "", "in the background",
		 KH_ERRAND_UNKNOWN},
		{RESULT("[]"), "", "", "no result of a tool", KH_ERRAND_FAILED},
		{RESULT("{\"content\":{}}"), "", "", "no result of a tool", KH_ERRAND_FAILED},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", "", "", "no response", KH_ERRAND_FAILED},
		{"{\"jsonrpc\":\"2.0\"", "", "", "no response", KH_ERRAND_FAILED},
		{"", "", "", "no response", KH_ERRAND_FAILED},
	};

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		struct kh_errand_result result = read_one(t, answers[i].message);
		assert_int_equal(result.end, answers[i].end);
		assert_view(kh_tainted_open(result.content), answers[i].content);
		assert_view(kh_tainted_open(result.details), answers[i].details);
		if (strstr(result.why.p, answers[i].why) == NULL)
			fail_msg("\"%s\": %s", result.why.p, answers[i].message);
	}
}

#define FULL  ((16U << 20) - 1900) /* bytes of text, if there is room for a link in the message */
#define MARKS 550                  /* in its address, of 3 bytes each; quoted each has 8 */

/* A message whose content has N bytes of text, and a link if LINKS, which is longer as text than as JSON. */
static struct kh_view write_large(size_t n, bool links, bool is_error)
{
	static char message[(16U << 20) + 4096];
	int at = snprintf(message, sizeof(message),
			  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"isError\":%s,"
			  "\"content\":[{\"type\":\"text\",\"text\":\"",
			  is_error ? "true" : "false");

	memset(message + at, 'a', n);
	at += (int)n;
	at += snprintf(message + at, sizeof(message) - (size_t)at, "\"}%s",
		       links ? ",{\"type\":\"resource_link\",\"uri\":\"" : "");
	for (int i = 0; links && i < MARKS; i++)
		at += snprintf(message + at, sizeof(message) - (size_t)at, "\xe2\x80\xae");
	snprintf(message + at, sizeof(message) - (size_t)at, "%s]}}", links ? "\"}" : "");
	return kh_view_str(message);
}

static struct kh_errand_result read_large(size_t n, bool links, bool is_error, struct kh_arena *arena)
{
	struct kh_errand_result result = {.end = KH_ERRAND_FAILED};

	kh_arena_init(arena, &kh_alloc_system, 256U << 20);
	assert_int_equal(kh_answer_read(arena, kh_tainted_wrap(write_large(n, links, is_error)), false, &result),
			 KH_OK);
	return result;
}

/* At the most that is taken and at one more; a link that does not fit counts, too. */
static void test_bounds(struct kh_test *t)
{
	static const struct {
		size_t n;
		bool links, is_error, is_kept;
	} large[] = {
		{FULL, true, false, true},
		{FULL, true, true, true},
		{16U << 20, false, false, false},
		{FULL + MARKS, true, false, false},
	};
	struct kh_arena arena;
	struct kh_errand_result result = read_large(FULL, false, false, &arena);

	(void)t;
	assert_int_equal(result.end, KH_ERRAND_OK);
	assert_int_equal(kh_tainted_size(result.content), FULL);
	kh_arena_done(&arena);
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		result = read_large(large[i].n, large[i].links, large[i].is_error, &arena);
		assert_int_equal(result.end, KH_ERRAND_FAILED);
		assert_int_equal(kh_tainted_size(result.content), 0);
		assert_true(kh_view_starts(result.why, KH_LIT("too_large: ")));
		assert_true((kh_tainted_size(result.original) > FULL) == large[i].is_kept);
		kh_arena_done(&arena);
	}
}

/* Details are short, and no character is cut. */
static void test_details(struct kh_test *t)
{
	static char message[20000];
	size_t n = (size_t)snprintf(message, sizeof(message),
				    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"a");

	for (int i = 0; i < 5000; i++)
		n += (size_t)snprintf(message + n, sizeof(message) - n, "\xc3\xa9");
	snprintf(message + n, sizeof(message) - n, "\"}}");
	struct kh_errand_result result = read_one(t, message);
	assert_int_equal(kh_tainted_size(result.content), 10001);
	assert_int_equal(kh_tainted_size(result.details), strlen("{\"code\":1,\"error\":\"\"}") + 4095);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_resource), KH_TEST(test_content),     KH_TEST(test_links),   KH_TEST(test_original),
	KH_TEST(test_failures), KH_TEST_ONCE(test_bounds), KH_TEST(test_details),
};
KH_TEST_MAIN(cases)
