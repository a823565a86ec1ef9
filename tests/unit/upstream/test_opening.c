/* U3: what a message is and whom it is for, from its opening; a line in another form is refused. */
#include "harness.h"
#include "upstream/opening.h"

#include "worker/mcp/rewrite.h"

#include <stdlib.h>

#define RPC   "{\"jsonrpc\":\"2.0\","
#define ID100 "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"

static const struct form {
	const char *line;
	enum kh_rpc_kind kind;
	const char *id, *method;
} forms[] = {
	{RPC "\"id\":1,\"method\":\"ping\"}", KH_RPC_REQUEST, "1", "ping"},
	{RPC "\"id\":\"a\",\"method\":\"roots/list\",\"params\":{}}", KH_RPC_REQUEST, "\"a\"", "roots/list"},
	{RPC "\"id\":-7,\"method\":\"x\",\"params\":{\"a\":1}}", KH_RPC_REQUEST, "-7", "x"},
	{RPC "\"id\":9223372036854775807,\"method\":\"\"}", KH_RPC_REQUEST, "9223372036854775807", ""},
	{RPC "\"id\":\"\",\"method\":\"x\"}", KH_RPC_REQUEST, "\"\"", "x"},
	{RPC "\"id\":\"q\\\"\\\\\",\"method\":\"x\\\"y\\\\\"}", KH_RPC_REQUEST, "\"q\\\"\\\\\"", "x\\\"y\\\\"},
	{RPC "\"id\":\"" ID100 ID100 "\",\"method\":\"x\"}", KH_RPC_REQUEST, "\"" ID100 ID100 "\"", "x"},
	{RPC "\"method\":\"notifications/x\"}", KH_RPC_NOTIFICATION, "", "notifications/x"},
	{RPC "\"method\":\"notifications/x\",\"params\":{\"id\":1}}", KH_RPC_NOTIFICATION, "", "notifications/x"},
	{RPC "\"id\":1,\"result\":{}}", KH_RPC_RESPONSE, "1", ""},
	{RPC "\"id\":\"a\",\"result\":null}", KH_RPC_RESPONSE, "\"a\"", ""},
	{RPC "\"id\":1,\"error\":{\"code\":1}}", KH_RPC_RESPONSE, "1", ""},
	{RPC "\"error\":{\"code\":1}}", KH_RPC_RESPONSE, "", ""},
};

#define FORMS (sizeof(forms) / sizeof(forms[0]))

/* Reads N bytes of LINE from a room of just that size, so that a byte too far is noticed; what it says stays valid. */
static bool read_first(const char *line, size_t n, struct kh_opening *opening, char **ret_room)
{
	char *room = malloc(n > 0 ? n : 1);

	assert_non_null(room);
	memcpy(room, line, n);
	*ret_room = room;
	return kh_opening_read(kh_view_of(room, n), opening);
}

static void assert_form(const struct form *form, size_t n)
{
	struct kh_opening opening;
	char *room;

	assert_true(read_first(form->line, n, &opening, &room));
	assert_int_equal(opening.kind, form->kind);
	assert_view(opening.id, form->id);
	assert_view(opening.method, form->method);
	free(room);
}

static void test_forms(struct kh_test *t)
{
	(void)t;
	for (size_t i = 0; i < FORMS; i++)
		assert_form(&forms[i], strlen(forms[i].line));
}

/* What is left of a line that is cut is refused, unless it ends as one does: then the opening is still the same. */
static void test_cut(struct kh_test *t)
{
	struct kh_opening opening;
	char *room;

	(void)t;
	for (size_t i = 0; i < FORMS; i++) {
		for (size_t n = 0; n < strlen(forms[i].line); n++) {
			if (n > 0 && forms[i].line[n - 1] == '}') {
				assert_form(&forms[i], n);
				continue;
			}
			assert_false(read_first(forms[i].line, n, &opening, &room));
			free(room);
		}
	}
}

static void test_hostile(struct kh_test *t)
{
	static const char *const lines[] = {
		"",
		"}",
		"{}",
		"hello",
		"[" RPC "\"id\":1,\"result\":{}}]}",
		" " RPC "\"id\":1,\"result\":{}}",
		RPC "\"id\":1,\"result\":{}} ",
		RPC "}",
		"{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":{}}",
		"{\"jsonrpc\": \"2.0\",\"id\":1,\"result\":{}}",
		"{\"id\":1,\"jsonrpc\":\"2.0\",\"result\":{}}",
		RPC "\"id\":null,\"result\":{}}",
		RPC "\"id\":null,\"error\":{}}",
		RPC "\"id\":1.5,\"result\":{}}",
		RPC "\"id\":,\"result\":{}}",
		RPC "\"id\":-,\"result\":{}}",
		RPC "\"id\":1-,\"result\":{}}",
		RPC "\"id\":+1,\"result\":{}}",
		RPC "\"id\":123456789012345678901,\"result\":{}}",
		RPC "\"id\":{},\"result\":{}}",
		RPC "\"id\":[1],\"result\":{}}",
		RPC "\"id\":\"a,\"result\":{}}",
		RPC "\"id\":\"a\\\",\"result\":{}}",
		RPC "\"id\":\"a\x01\",\"result\":{}}",
		RPC "\"id\":\"a\n\",\"result\":{}}",
		RPC "\"id\":\"" ID100 ID100 ID100 "\",\"result\":{}}",
		RPC "\"id\":1 ,\"result\":{}}",
		RPC "\"id\":1,}",
		RPC "\"id\":1}",
		RPC "\"result\":{}}",
		RPC "\"id\":1,\"params\":{}}",
		RPC "\"id\":1,\"Result\":{}}",
		RPC "\"id\":1,\"id\":2,\"result\":{}}",
		RPC "\"method\":1}",
		RPC "\"method\":\"x}",
		RPC "\"method\":\"x\\\"}",
		RPC "\"method\":\"x\"y}",
		RPC "\"method\":\"x\",\"id\":1}",
		RPC "\"method\":\"x\",\"result\":{}}",
		RPC "\"method\":\"x\",\"params\":[]}",
		RPC "\"method\":\"x\"}}",
		RPC "\"method\":\"\tx\"}",
	};
	struct kh_opening opening = {.kind = KH_RPC_REQUEST};
	char *room;

	(void)t;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (read_first(lines[i], strlen(lines[i]), &opening, &room))
			fail_msg("taken: %s", lines[i]);
		free(room);
	}
	/* A NUL ends no text. */
	assert_false(kh_opening_read(KH_LIT(RPC "\"id\":\"a\0b\",\"result\":{}}"), &opening));
	assert_int_equal(opening.kind, KH_RPC_REQUEST); /* nothing is written if it is refused */
	assert_int_equal(opening.id.n, 0);
}

/* What the worker writes is in this form, and means the same. */
static void test_worker(struct kh_test *t)
{
	static const char *const lines[] = {
		"{\"result\":{\"id\":2,\"method\":\"x\"},\"more\":1,\"id\":\"a/b\",\"jsonrpc\":\"2.0\"}",
		"{\"method\":\"x\\/\\u0001\\n\\ud83d\\ude00\",\"id\":1,\"jsonrpc\":\"2.0\"}",
		"{\"params\":{},\"method\":\"x\",\"id\":\"\\u00e9\\u0000\",\"jsonrpc\":\"2.0\"}",
		"{\"error\":{\"code\":1},\"id\":null,\"jsonrpc\":\"2.0\"}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct kh_opening opening;
		struct kh_view text;
		struct kh_buf out;
		size_t count;
		kh_buf_init(&out, &t->arena, t->arena.limit);
		must(t, kh_rewrite_line(&t->arena, kh_view_str(lines[i]), &out, &count, &t->err));
		must(t, kh_buf_end(&out, &text));
		assert_true(kh_opening_read(kh_view_of(text.p, text.n - 1), &opening));
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_forms),
	KH_TEST_ONCE(test_cut),
	KH_TEST_ONCE(test_hostile),
	KH_TEST(test_worker),
};
KH_TEST_MAIN(cases)
