/* Results as JSON: what MCP, REST and the command line all say. */
#include "engine/comm/render_declared.h"
#include "engine/comm/render_outcome.h"
#include "engine/query/render_query.h"

#include "harness.h"

/* E3: in an answer to a call the id is `declaration`; what was denied has none. */
static void test_declared(struct kh_test *t)
{
	const struct kh_declare_item asked = {.id = KH_LIT_INIT("d0123456789abcdef"),
					      .operation = KH_LIT_INIT("comm.read"),
					      .ruling = KH_ASK,
					      .gate = "approval",
					      .code = "approval_required",
					      .why = KH_LIT_INIT("a \"reason\""),
					      .approval = KH_LIT_INIT("a0123456789abcdef")};
	const struct kh_declare_item denied = {
		.operation = KH_LIT_INIT("comm.fetch"), .ruling = KH_DENY, .why = KH_LIT_INIT("no")};
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	struct kh_view text;

	must(t, doc != NULL ? KH_OK : KH_ENOMEM);
	yyjson_mut_val *list = yyjson_mut_arr(doc);
	(void)kh_render_declared_add(doc, list, &asked);
	(void)kh_render_declared_add(doc, list, &denied);
	must(t, kh_json_write(&t->arena, list, &text));
	assert_view(text, "[{\"declaration\":\"d0123456789abcdef\",\"operation\":\"comm.read\",\"ruling\":\"ask\","
			  "\"gate\":\"approval\",\"code\":\"approval_required\",\"why\":\"a \\\"reason\\\"\","
			  "\"approval\":\"a0123456789abcdef\"},"
			  "{\"operation\":\"comm.fetch\",\"ruling\":\"deny\",\"why\":\"no\"}]");
}

/* E12: its own parameters, how it ended, and a block; an approval as long as it is waited for. */
static void test_outcome(struct kh_test *t)
{
	struct kh_declaration_row row = {.state = KH_DECLARATION_DECLARED};
	struct kh_comm_look look = {.ended = KH_ENDED_NOT,
				    .id = KH_LIT_INIT("d1"),
				    .operation = KH_LIT_INIT("comm.read"),
				    .parameters = KH_LIT_INIT("{\"path\":\"/a\"}"),
				    .approval = KH_LIT_INIT("a1")};
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	struct kh_view text;

	must(t, doc != NULL ? KH_OK : KH_ENOMEM);
	must(t, kh_json_write(&t->arena, kh_render_outcome_new(doc, &look), &text));
	assert_view(text, "{\"outcome\":\"pending\",\"declaration\":\"d1\",\"operation\":\"comm.read\","
			  "\"parameters\":{\"path\":\"/a\"},\"approval\":\"a1\"}");
	look.ended = KH_ENDED_OK;
	look.modified = true;
	look.block = KH_LIT("b1");
	must(t, kh_json_write(&t->arena, kh_render_outcome_new(doc, &look), &text));
	assert_view(text, "{\"outcome\":\"ok\",\"declaration\":\"d1\",\"operation\":\"comm.read\","
			  "\"parameters\":{\"path\":\"/a\"},\"modified\":true,\"block\":\"b1\"}");
	look = (struct kh_comm_look){.ended = KH_ENDED_NOT, .row = &row};
	assert_string_equal(kh_render_outcome_word(&look), "declared");
	row.state = KH_DECLARATION_RUNNING;
	assert_string_equal(kh_render_outcome_word(&look), "running");
}

/* B16, B18: an outcome, and what belongs to it; what is JSON already stays as it is. */
static void test_query(struct kh_test *t)
{
	struct kh_render_query told = {.outcome = KH_OUTCOME_NONE, .query = KH_LIT_INIT("q1")};
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	struct kh_view text;

	must(t, doc != NULL ? KH_OK : KH_ENOMEM);
	must(t, kh_json_write(&t->arena, kh_render_query_new(doc, &told), &text));
	assert_view(text, "{\"outcome\":\"waiting\",\"query\":\"q1\"}");
	told = (struct kh_render_query){.outcome = KH_OUTCOME_DELIVERED,
					.query = KH_LIT("q1"),
					.block = KH_LIT("b1"),
					.delivery = KH_LIT("{\"response\":{}}"),
					.sources = KH_LIT("[\"b0\"]"),
					.advice = KH_LIT("[]")};
	must(t, kh_json_write(&t->arena, kh_render_query_new(doc, &told), &text));
	assert_view(text, "{\"outcome\":\"delivered\",\"query\":\"q1\",\"block\":\"b1\",\"delivery\":{\"response\":{}},"
			  "\"sources\":[\"b0\"],\"advice\":[]}");
}

static const struct kh_test_case cases[] = {KH_TEST(test_declared), KH_TEST(test_outcome), KH_TEST(test_query)};
KH_TEST_MAIN(cases)
