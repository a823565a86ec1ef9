#include "core/comm/plan.h"
#include "harness.h"

#include <stdio.h>

static struct kh_reasons errors;

static void read_plan(struct kh_test *t, const char *text, struct kh_plan *ret)
{
	yyjson_val *in;

	must(t, kh_json_read(&t->arena, kh_view_str(text), &in, &t->err));
	kh_reasons_init(&errors, &t->arena);
	must(t, kh_plan_read(&t->arena, in, true, ret, &errors));
}

static void accept(struct kh_test *t, const char *text, struct kh_plan *ret)
{
	read_plan(t, text, ret);
	if (errors.n > 0)
		fail_msg("%s: %.*s", errors.at[0].code, KH_FMT(errors.at[0].detail));
}

static bool names(struct kh_test *t, const struct kh_plan *plan, const char *operation, const char *name,
		  const char *value)
{
	struct kh_parameter parameter = {.name = kh_view_str(name ? name : "")};

	if (name != NULL)
		must(t, kh_json_read(&t->arena, kh_view_str(value), &parameter.value, &t->err));
	return kh_plan_names(plan, kh_view_str(operation), &parameter, name != NULL);
}

/* E1: the plan of external-info.md, and plain names. */
static void test_forms(struct kh_test *t)
{
	struct kh_plan plan;

	accept(t,
	       "{\"plan\":\"I need to search for pricing information\",\"required_operations\":[{\"operation\":"
	       "\"comm.search\",\"query\":\"Product X pricing 2026\"},\"comm.read\",{\"operation\":\"comm.fetch\","
	       "\"parameters\":{\"url\":\"https://example.com/\"}},{\"operation\":\"comm.mcp.files.list\",\"deep\":"
	       "{\"a\":[1]}}]}",
	       &plan);
	assert_view(plan.text, "I need to search for pricing information");
	assert_int_equal(plan.item_count, 4);
	assert_true(names(t, &plan, "comm.read", "path", "\"notes.txt\""));
	assert_true(names(t, &plan, "comm.read", NULL, NULL));
	assert_true(names(t, &plan, "comm.search", "query", "\"Product X pricing 2026\""));
	assert_true(names(t, &plan, "comm.fetch", "url", "\"https://example.com/\""));
	assert_true(names(t, &plan, "comm.mcp.files.list", "deep", "{\"a\":[1]}"));
}

/* E1: an operation that the plan does not name, by its exact name and the parameters that the plan fixes. */
static void test_not_named(struct kh_test *t)
{
	struct kh_plan plan;

	accept(t,
	       "{\"plan\":\"x\",\"required_operations\":[{\"operation\":\"comm.fetch\",\"url\":\"https://example.com/"
	       "\"},"
	       "{\"operation\":\"comm.mcp.files.list\",\"deep\":{\"a\":[1]}}]}",
	       &plan);
	assert_false(names(t, &plan, "comm.search", "query", "\"x\""));
	assert_false(names(t, &plan, "comm.fetch", "url", "\"https://evil.example/\""));
	assert_false(names(t, &plan, "comm.fetch", NULL, NULL));
	assert_false(names(t, &plan, "Comm.fetch", "url", "\"https://example.com/\""));
	assert_false(names(t, &plan, "comm.fetchx", "url", "\"https://example.com/\""));
	assert_false(names(t, &plan, "comm.mcp.files.list", "deep", "{\"a\":[2]}"));
	accept(t, "{\"plan\":\"nothing external\",\"required_operations\":[]}", &plan);
	assert_false(names(t, &plan, "comm.fetch", NULL, NULL));
}

static void test_refused(struct kh_test *t)
{
	static const char *const all[][3] = {
		{"{\"required_operations\":[]}", "missing", "plan"},
		{"{\"plan\":\"x\"}", "missing", "required_operations"},
		{"{\"plan\":1,\"required_operations\":[]}", "wrong_type", "plan"},
		{"{\"plan\":\" \",\"required_operations\":[]}", "empty", "plan"},
		{"{\"plan\":\"x\",\"required_operations\":{}}", "wrong_type", "required_operations"},
		{"{\"plan\":\"x\",\"required_operations\":[],\"phase\":\"execution\"}", "unknown_member", "phase"},
	};
	static const char *const items[][3] = {
		{"1", "wrong_type", ""},
		{"{}", "missing", ".operation"},
		{"\"comm.write\"", "operation_unknown", ""},
		{"{\"operation\":\"Comm.fetch\"}", "operation_malformed", ".operation"},
		{"{\"operation\":\"comm.fetch\",\"uri\":\"x\"}", "unknown_member", ".uri"},
		{"{\"operation\":\"comm.fetch\",\"url\":\"http://x.example\"}", "bad_url", ".url"},
		{"{\"operation\":\"comm.fetch\",\"parameters\":[]}", "wrong_type", ".parameters"},
		{"{\"operation\":\"comm.fetch\",\"parameters\":{},\"url\":1}", "unknown_member", ".url"},
	};
	size_t n = sizeof(all) / sizeof(all[0]);
	char text[512], member[64];

	for (size_t i = 0; i < n + sizeof(items) / sizeof(items[0]); i++) {
		struct kh_plan plan = {.item_count = 77};
		const char *const *want = i < n ? all[i] : items[i - n];
		snprintf(text, sizeof(text),
			 i < n ? "%s" : "{\"plan\":\"x\",\"required_operations\":[\"comm.read\",%s]}", want[0]);
		snprintf(member, sizeof(member), i < n ? "%s" : "required_operations[1]%s", want[2]);
		read_plan(t, text, &plan);
		assert_int_equal(errors.n, 1);
		assert_string_equal(errors.at[0].code, want[1]);
		assert_view(errors.at[0].member, member);
		assert_int_equal(plan.item_count, 77);
	}
}

static void test_limits(struct kh_test *t)
{
	static char text[KH_PLAN_TEXT_MAX + 64];
	struct kh_plan plan;
	size_t n = (size_t)snprintf(text, sizeof(text), "{\"plan\":\"x\",\"required_operations\":[");

	for (int i = 0; i <= KH_PLAN_OPERATIONS_MAX; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s\"comm.read\"", i ? "," : "");
	snprintf(text + n, sizeof(text) - n, "]}");
	read_plan(t, text, &plan);
	assert_int_equal(errors.n, 1);
	assert_string_equal(errors.at[0].code, "too_many");
	n = (size_t)snprintf(text, sizeof(text), "{\"required_operations\":[],\"plan\":\"");
	memset(text + n, 'x', KH_PLAN_TEXT_MAX + 1);
	snprintf(text + n + KH_PLAN_TEXT_MAX + 1, 3, "\"}");
	read_plan(t, text, &plan);
	assert_int_equal(errors.n, 1);
	assert_string_equal(errors.at[0].code, "too_long");
	n = (size_t)snprintf(text, sizeof(text),
			     "{\"plan\":\"x\",\"required_operations\":[{\"operation\":\"comm.mcp.a.b\"");
	for (int i = 0; i < KH_OPERATION_ARGUMENTS_MAX; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, ",\"a%d\":%d", i, i);
	snprintf(text + n, sizeof(text) - n, "}]}");
	read_plan(t, text, &plan);
	assert_int_equal(errors.n, 1);
	assert_string_equal(errors.at[0].code, "too_many");
	read_plan(t, "[]", &plan);
	assert_int_equal(errors.n, 1);
	assert_string_equal(errors.at[0].code, "wrong_type");
}

static const struct kh_test_case cases[] = {KH_TEST(test_forms), KH_TEST(test_not_named), KH_TEST(test_refused),
					    KH_TEST(test_limits)};
KH_TEST_MAIN(cases)
