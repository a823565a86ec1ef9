#include "core/comm/declaration.h"
#include "harness.h"

#include <stdio.h>

#define WHY "\"reason\":\"Compare prices of Product X\""
#define FETCH                                                                                                      \
	"\"operation\":\"comm.fetch\",\"url\":\"https://example.com/api/data\",\"reason\":\"Need product pricing " \
	"data "                                                                                                    \
	"for customer query\""
#define REQUEST "\"user_request\":\"What does Product X cost in 2026?\""
#define MISSING "\"missing_knowledge\":\"The current price list of Product X\""
#define USE     "\"expected_use\":\"Cite the price with its source\""
#define JUSTIFY "\"justification\":{" REQUEST "," MISSING "," USE "}"
#define BINDING "\"phase\":\"execution\",\"session_id\":\"session-123\""
#define SEARCH  "\"operation\":\"comm.search\",\"parameters\":{\"query\":\"Product X pricing 2026\",\"scope\":\"web\"}"

static struct kh_reasons errors, review;

static struct kh_declarations check_for(struct kh_test *t, const char *text, struct kh_view session)
{
	struct kh_declarations list = {.n = 0};
	yyjson_val *in;

	must(t, kh_json_read(&t->arena, kh_view_str(text), &in, &t->err));
	kh_reasons_init(&errors, &t->arena);
	kh_reasons_init(&review, &t->arena);
	must(t, kh_declaration_check(&t->arena, NULL, in, session, &list, &errors, &review));
	return list;
}

static struct kh_declaration accept(struct kh_test *t, const char *text)
{
	struct kh_declarations list = check_for(t, text, (struct kh_view){NULL, 0});

	if (errors.n > 0)
		fail_msg("%s %.*s: %.*s", errors.at[0].code, KH_FMT(errors.at[0].member), KH_FMT(errors.at[0].detail));
	assert_int_equal(list.n, 1);
	return list.at[0];
}

/* Refused with exactly this problem. */
static void refuse(struct kh_test *t, const char *text, const char *code, const char *member)
{
	struct kh_declarations list = check_for(t, text, (struct kh_view){NULL, 0});

	assert_int_equal(list.n, 0);
	if (errors.n == 0)
		fail_msg("accepted: %s", text);
	assert_string_equal(errors.at[0].code, code);
	assert_view(errors.at[0].member, member);
	assert_int_equal(errors.n, 1);
}

/* E3, E13 (Declaration Validation: valid declaration accepted): the full format. */
static void test_full(struct kh_test *t)
{
	struct kh_declaration d = accept(t, "{" SEARCH "," JUSTIFY "," BINDING "}");

	assert_view(d.operation.full, "comm.search");
	assert_int_equal(d.parameter_count, 2);
	assert_view(kh_json_str(kh_declaration_parameter(&d, "query")), "Product X pricing 2026");
	assert_null(kh_declaration_parameter(&d, "limit"));
	assert_view(d.user_request, "What does Product X cost in 2026?");
	assert_view(d.expected_use, "Cite the price with its source");
	assert_view(d.phase, "execution");
	assert_view(d.session_id, "session-123");
	assert_int_equal(d.reason.n, 0);
}

/* E3: the short form, of every operation; what it leaves out is bound at admission. */
static void test_short(struct kh_test *t)
{
	struct kh_declaration d = accept(t, "{" FETCH "}");

	assert_view(d.operation.full, "comm.fetch");
	assert_view(kh_json_str(kh_declaration_parameter(&d, "url")), "https://example.com/api/data");
	assert_view(d.reason, "Need product pricing data for customer query");
	assert_null(d.phase.p);
	assert_null(d.session_id.p);
	d = accept(t, "{" FETCH "," BINDING "}");
	assert_view(d.session_id, "session-123");
	accept(t, "{\"operation\":\"comm.search\",\"query\":\"Product X price\",\"limit\":5," WHY "}");
	accept(t, "{\"operation\":\"comm.query\",\"database\":\"shop\",\"statement\":\"price_of\",\"params\":{\"id\":7}"
		  "," WHY "}");
	accept(t, "{\"operation\":\"comm.read\",\"path\":\"notes.txt\"," WHY "}");
	accept(t, "{\"operation\":\"comm.exec\",\"command\":\"git\",\"args\":[\"log\"]," WHY "}");
}

/* E3, COMPAT 3 (hole: declarations with nested params are lost): arguments of tools are kept whole. */
static void test_nested(struct kh_test *t)
{
	struct kh_declaration d = accept(
		t, "{\"operation\":\"comm.mcp.files.search\",\"parameters\":{\"filter\":{\"any\":"
		   "[{\"name\":\"a}\\\"b\"},{\"deep\":[[1],{}]}]},\"n\":1}," JUSTIFY "," BINDING "}");
	yyjson_val *want;

	assert_int_equal(d.parameter_count, 2);
	must(t,
	     kh_json_read(&t->arena, KH_LIT("{\"any\":[{\"name\":\"a}\\\"b\"},{\"deep\":[[1],{}]}]}"), &want, &t->err));
	assert_true(yyjson_equals(want, kh_declaration_parameter(&d, "filter")));
	d = accept(t, "{\"operation\":\"comm.mcp.files.search\",\"filter\":{\"a\":{\"b\":{}}}," WHY "}");
	assert_int_equal(d.parameter_count, 1);
}

/* E3, E13 (Declaration Validation: missing justification rejected), as a whole or in any part. */
static void test_justification(struct kh_test *t)
{
	static const char *const all[][3] = {
		{REQUEST "," USE, "missing", "justification.missing_knowledge"},
		{MISSING "," USE, "missing", "justification.user_request"},
		{REQUEST "," MISSING, "missing", "justification.expected_use"},
		{REQUEST "," USE ",\"missing_knowledge\":\"need more information\"", "vague",
		 "justification.missing_knowledge"},
		{"\"user_request\":\"X price?\"," MISSING "," USE, "too_short", "justification.user_request"},
		{"\"user_request\":null," MISSING "," USE, "wrong_type", "justification.user_request"},
		{REQUEST "," MISSING "," USE ",\"urgent\":true", "unknown_member", "justification.urgent"},
	};
	char text[1024];

	refuse(t, "{" SEARCH "," BINDING "}", "missing", "justification");
	refuse(t, "{" SEARCH ",\"justification\":\"because\"," BINDING "}", "wrong_type", "justification");
	refuse(t, "{\"operation\":\"comm.fetch\",\"url\":\"https://example.com/\"}", "missing", "reason");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		snprintf(text, sizeof(text), "{" SEARCH ",\"justification\":{%s}," BINDING "}", all[i][0]);
		refuse(t, text, all[i][1], all[i][2]);
	}
}

/* E3: vague reasons are refused with what is missing. */
static void test_vague(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"", "too_short"},
		{"because", "too_short"},
		{"need data", "too_short"},
		{"a\\u200b\\u200b\\u200b\\u200b\\u200b\\u200b\\u200b\\u200b\\u200b\\u200b", "too_short"},
		{"I need information", "vague"},
		{"something to help the user", "vague"},
		{"stuff stuff stuff stuff", "vague"},
		{"need data need data need data", "vague"},
	};
	char text[512];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		snprintf(text, sizeof(text),
			 "{\"operation\":\"comm.fetch\",\"url\":\"https://example.com/\",\"reason\":\"%s\"}",
			 all[i][0]);
		refuse(t, text, all[i][1], "reason");
	}
}

/* E3, E13 (Declaration Validation: invalid phase rejected). */
static void test_phase(struct kh_test *t)
{
	static const char *const words[] = {"", "Execution", "execution ", "EXECUTION", "unknown", "executio\\u200bn"};
	char text[512];

	refuse(t, "{" FETCH ",\"phase\":\"planning\"}", "OUTBOUND_FORBIDDEN_IN_PLANNING", "phase");
	refuse(t, "{" FETCH ",\"phase\":null}", "wrong_type", "phase");
	refuse(t, "{" SEARCH "," JUSTIFY ",\"session_id\":\"s\"}", "missing", "phase");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		snprintf(text, sizeof(text), "{" FETCH ",\"phase\":\"%s\"}", words[i]);
		refuse(t, text, "phase_unknown", "phase");
	}
}

/* E3, COMPAT 3 (hole: ids compared by part): the session's id is compared whole, and never empty. */
static void test_session(struct kh_test *t)
{
	static const char *const others[] = {"abc", "abc1234", "ABC123", "xabc123"};
	char text[512];

	check_for(t, "{" FETCH ",\"session_id\":\"abc123\"}", KH_LIT("abc123"));
	assert_int_equal(errors.n, 0);
	check_for(t, "{" SEARCH "," JUSTIFY ",\"phase\":\"execution\"}", KH_LIT("abc123")); /* it is that one */
	assert_int_equal(errors.n, 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		snprintf(text, sizeof(text), "{" FETCH ",\"session_id\":\"%s\"}", others[i]);
		check_for(t, text, KH_LIT("abc123"));
		assert_int_equal(errors.n, 1);
		assert_string_equal(errors.at[0].code, "session_mismatch");
	}
	refuse(t, "{" FETCH ",\"session_id\":\"\"}", "session_malformed", "session_id");
	refuse(t, "{" FETCH ",\"session_id\":\"a b\"}", "session_malformed", "session_id");
	refuse(t, "{" FETCH ",\"session_id\":\"abc\\n\"}", "session_malformed", "session_id");
	refuse(t, "{" FETCH ",\"session_id\":7}", "wrong_type", "session_id");
	refuse(t, "{" SEARCH "," JUSTIFY ",\"phase\":\"execution\"}", "missing", "session_id");
}

/* E2, E3, E13 (Declaration Validation: malformed parameters rejected). */
static void test_parameters(struct kh_test *t)
{
	refuse(t, "{\"operation\":\"comm.fetch\",\"url\":\"http://example.com/\"," WHY "}", "bad_url", "url");
	refuse(t, "{\"operation\":\"comm.fetch\"," WHY "}", "missing", "url");
	refuse(t, "{" FETCH ",\"method\":\"POST\"}", "unknown_member", "method");
	refuse(t, "{" FETCH ",\"a\\nb\":1}", "unknown_member", "\"a\\u{a}b\"");
	refuse(t, "{\"operation\":\"comm.read\",\"path\":\"../../etc/shadow\"," WHY "}", "bad_path", "path");
	refuse(t, "{\"operation\":\"comm.search\",\"parameters\":[]," JUSTIFY "," BINDING "}", "wrong_type",
	       "parameters");
	refuse(t,
	       "{\"operation\":\"comm.search\",\"parameters\":{\"query\":\"X price\",\"limit\":1000}," JUSTIFY
	       "," BINDING "}",
	       "out_of_range", "parameters.limit");
	refuse(t, "{\"operation\":\"comm.search\"," JUSTIFY "," BINDING "}", "missing", "parameters");
	refuse(t, "{" SEARCH "," JUSTIFY "," BINDING ",\"approved\":true}", "unknown_member", "approved");
}

/* E2, E3, E13 (red line: renaming): operations that are not registered. */
static void test_operation(struct kh_test *t)
{
	refuse(t, "{\"operation\":\"internal_search\",\"query\":\"x\"," WHY "}", "operation_unknown", "operation");
	refuse(t, "{\"operation\":\"Comm.Fetch\",\"url\":\"x\"," WHY "}", "operation_malformed", "operation");
	refuse(t, "{\"operation\":[\"comm.fetch\"]," WHY "}", "wrong_type", "operation");
	refuse(t, "{" WHY "}", "missing", "operation");
	refuse(t, "[]", "wrong_type", "");
	refuse(t, "\"comm.fetch\"", "wrong_type", "");
}

/* E3: all problems are reported, not only the first. */
static void test_all(struct kh_test *t)
{
	check_for(t,
		  "{\"operation\":\"comm.search\",\"parameters\":{\"query\":\"\",\"scope\":\"x\",\"z\":1},"
		  "\"justification\":"
		  "{\"user_request\":\"x\"},\"phase\":\"planning\",\"session_id\":\"\",\"more\":0}",
		  (struct kh_view){NULL, 0});
	assert_int_equal(errors.n, 9);
}

static void test_limits(struct kh_test *t)
{
	static char text[KH_DECLARATION_PART_MAX + 256];
	size_t n = (size_t)snprintf(text, sizeof(text),
				    "{\"operation\":\"comm.read\",\"path\":\"x\",\"reason\":\"two words ");

	memset(text + n, 'y', KH_DECLARATION_PART_MAX - 9);
	snprintf(text + n + KH_DECLARATION_PART_MAX - 9, 3, "\"}");
	refuse(t, text, "too_long", "reason");
	n = (size_t)snprintf(text, sizeof(text), "{\"operation\":\"comm.mcp.a.b\"," WHY);
	for (int i = 0; i <= KH_OPERATION_ARGUMENTS_MAX; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, ",\"a%d\":%d", i, i);
	snprintf(text + n, sizeof(text) - n, "}");
	refuse(t, text, "too_many", "");
}

/* E3: parts of both forms go together, and the phase may have its other name. */
static void test_mixed(struct kh_test *t)
{
	struct kh_declaration d = accept(
		t, "{\"operation\":\"comm.fetch\",\"parameters\":{\"url\":\"https://example.com/\"}," WHY "}");

	assert_view(kh_json_str(kh_declaration_parameter(&d, "url")), "https://example.com/");
	d = accept(t, "{\"operation\":\"comm.fetch\",\"url\":\"https://example.com/\"," JUSTIFY
		      ",\"execution_phase\":\"execution\",\"session_id\":\"s1\"}");
	assert_view(d.phase, "execution");
	refuse(t,
	       "{\"operation\":\"comm.fetch\",\"url\":\"https://example.com/\"," WHY
	       ",\"execution_phase\":\"planning\"}",
	       "OUTBOUND_FORBIDDEN_IN_PLANNING", "execution_phase");
	refuse(t,
	       "{\"operation\":\"comm.fetch\",\"url\":\"https://example.com/\"," WHY ",\"phase\":\"execution\","
	       "\"execution_phase\":\"planning\"}",
	       "OUTBOUND_FORBIDDEN_IN_PLANNING", "execution_phase");
	refuse(t, "{\"operation\":\"comm.fetch\",\"url\":\"https://example.com/\"," WHY "," JUSTIFY "," BINDING "}",
	       "bad_value", "justification");
	refuse(t,
	       "{\"operation\":\"comm.fetch\",\"parameters\":{\"url\":\"https://example.com/\"},\"limit\":3," WHY "}",
	       "unknown_member", "limit");
}

/* E3: `query`, `url` and `scope` of the document's format stand with every operation; what it has no use for is kept apart. */
static void test_of_document(struct kh_test *t)
{
	struct kh_declaration d = accept(t,
					 "{\"operation\":\"comm.read\",\"path\":\"/srv/a.txt\",\"scope\":\"internal\","
					 "\"query\":\"the price\",\"url\":\"https://example.com/\"," WHY "}");
	size_t used = 0;

	for (size_t i = 0; i < d.parameter_count; i++)
		used += kh_declaration_uses(&d, &d.parameters[i]);
	assert_int_equal(d.parameter_count, 4);
	assert_int_equal(used, 1);
	refuse(t, "{\"operation\":\"comm.read\",\"path\":\"/srv/a.txt\",\"scope\":7," WHY "}", "wrong_type", "scope");
	refuse(t, "{\"operation\":\"comm.read\",\"path\":\"/srv/a.txt\",\"limit\":7," WHY "}", "unknown_member",
	       "limit");
	refuse(t, "{\"operation\":\"comm.search\",\"query\":\"price of product X\",\"scope\":\"moon\"," WHY "}",
	       "bad_value", "scope");
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_mixed),   KH_TEST(test_of_document),   KH_TEST(test_full),      KH_TEST(test_short),
	KH_TEST(test_nested),  KH_TEST(test_justification), KH_TEST(test_vague),     KH_TEST(test_phase),
	KH_TEST(test_session), KH_TEST(test_parameters),    KH_TEST(test_operation), KH_TEST(test_all),
	KH_TEST(test_limits),
};
KH_TEST_MAIN(cases)
