/* U3: what an upstream sends is read strictly and written anew, message by message. */
#include "worker/mcp/rewrite.h"

#include "harness.h"

/* LINE written anew; *RET_COUNT is the number of its messages. */
static struct kh_view rewritten(struct kh_test *t, struct kh_view line, size_t *ret_count)
{
	struct kh_view text = {NULL, 0};
	struct kh_buf out;

	kh_buf_init(&out, &t->arena, 1U << 20);
	must(t, kh_rewrite_line(&t->arena, line, &out, ret_count, &t->err));
	must(t, kh_buf_end(&out, &text));
	return text;
}

static void test_one(struct kh_test *t)
{
	static const struct {
		const char *line, *want;
	} all[] = {
		{"{\"id\":1,\"result\":{\"b\":[1.0,1e2],\"a\":\"\\u0041\\/\"},\"jsonrpc\":\"2.0\"}",
		 "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"b\":[1.0,100.0],\"a\":\"A/\"}}\n"},
		{" { \"jsonrpc\" : \"2.0\" , \"method\" : \"notifications/x\" , \"params\" : { } } \r",
		 "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\",\"params\":{}}\n"},
		{"{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\",\"result\":7,\"_meta\":{},\"more\":[]}",
		 "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}\n"},
		{"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"no\"}}",
		 "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"no\"}}\n"},
		{"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":18446744073709551615}",
		 "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":18446744073709551615}\n"},
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_view text = rewritten(t, kh_view_str(all[i].line), &n);
		assert_view(text, all[i].want);
		assert_int_equal(n, 1);
		/* What is written anew stays as it is. */
		assert_view(rewritten(t, kh_view_sub(text, 0, text.n - 1), &n), all[i].want);
	}
}

static void test_blank_and_batch(struct kh_test *t)
{
	size_t n = 7;

	assert_view(rewritten(t, KH_LIT(""), &n), "");
	assert_int_equal(n, 0);
	assert_view(rewritten(t, KH_LIT(" \t\r"), &n), "");
	assert_view(
		rewritten(
			t,
			KH_LIT("[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]"),
			&n),
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n");
	assert_int_equal(n, 2);
}

static void refuse(struct kh_test *t, struct kh_view line, enum kh_err want, const char *code)
{
	struct kh_buf out;
	size_t n;

	kh_buf_init(&out, &t->arena, 1U << 20);
	must_fail(t, want, kh_rewrite_line(&t->arena, line, &out, &n, &t->err));
	assert_string_equal(t->err.code, code);
}

static void test_refused(struct kh_test *t)
{
	struct kh_buf many;
	struct kh_view text;

	refuse(t, KH_LIT("Server listening on stdio"), KH_EINPUT, "json_syntax");
	refuse(t, KH_LIT("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"result\":{}}"), KH_EINPUT, "json_duplicate");
	refuse(t, KH_LIT("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}"), KH_EINPUT, "json_syntax");
	refuse(t, KH_LIT("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}} {}"), KH_EINPUT, "json_syntax");
	refuse(t, KH_LIT("{\"jsonrpc\":\"2.0\",\"id\":1}"), KH_EINPUT, "bad_message");
	refuse(t, KH_LIT("7"), KH_EINPUT, "bad_message");
	refuse(t, KH_LIT("[]"), KH_EINPUT, "bad_message");
	refuse(t, KH_LIT("[[{\"jsonrpc\":\"2.0\",\"method\":\"x\"}]]"), KH_EINPUT, "bad_message");
	refuse(t, KH_LIT("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":[]}"), KH_EINPUT, "bad_params");
	kh_buf_init(&many, &t->arena, 1U << 20);
	for (int i = 0; i <= KH_REWRITE_BATCH; i++)
		kh_buf_printf(&many, "%c{\"jsonrpc\":\"2.0\",\"method\":\"x\"}", i == 0 ? '[' : ',');
	kh_buf_byte(&many, ']');
	must(t, kh_buf_end(&many, &text));
	refuse(t, text, KH_ELIMIT, "too_many");
}

/* A message as deep as JSON may be here is written; a level more is refused. */
static void test_deep(struct kh_test *t)
{
	for (int depth = 62; depth < 65; depth++) {
		struct kh_buf deep, out;
		struct kh_view text;
		size_t n;

		kh_buf_init(&deep, &t->arena, 4096);
		kh_buf_lit(&deep, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":");
		for (int i = 0; i < depth; i++)
			kh_buf_byte(&deep, '[');
		for (int i = 0; i < depth; i++)
			kh_buf_byte(&deep, ']');
		kh_buf_byte(&deep, '}');
		must(t, kh_buf_end(&deep, &text));
		kh_buf_init(&out, &t->arena, 4096);
		if (depth < 64)
			must(t, kh_rewrite_line(&t->arena, text, &out, &n, &t->err));
		else
			refuse(t, text, KH_ELIMIT, "json_depth");
	}
}

/* As many values as a message may have, and one more. */
static void test_values(struct kh_test *t)
{
	static const char begin[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":["; /* 7 values */
	static char line[2 * KH_REWRITE_VALUES + sizeof(begin)];

	for (size_t more = 0; more < 2; more++) {
		size_t n = strlen(begin), count;
		struct kh_arena arena;
		struct kh_buf out;
		memcpy(line, begin, n);
		for (size_t i = 7; i < KH_REWRITE_VALUES + more; i++, n += 2)
			memcpy(line + n, "1,", 2);
		memcpy(line + n - 1, "]}", 2);
		kh_arena_init(&arena, NULL, 1U << 30);
		kh_buf_init(&out, &arena, arena.limit);
		enum kh_err e = kh_rewrite_line(&arena, kh_view_of(line, n + 1), &out, &count, &t->err);
		assert_int_equal(e, more == 0 ? KH_OK : KH_ELIMIT);
		if (more == 1)
			assert_string_equal(t->err.detail, "a message with more than 2097152 values");
		kh_arena_done(&arena);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_one),  KH_TEST(test_blank_and_batch), KH_TEST(test_refused),
	KH_TEST(test_deep), KH_TEST_ONCE(test_values),
};
KH_TEST_MAIN(cases)
