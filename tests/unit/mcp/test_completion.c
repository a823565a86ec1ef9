/* Completion of task ids. */
#include "mcp/completion.h"

#include "calling.h"

/* Task ids by their beginning: the caller's own. */
static void test_completion(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);
	static const struct {
		const char *params, *code;
	} bad[] = {
		{"{}", "missing"},
		{"{\"ref\":{\"type\":\"ref/other\"},\"argument\":{\"name\":\"id\",\"value\":\"\"}}", "bad_value"},
		{"{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"x\"},\"argument\":{\"name\":\"id\",\"value\":\"\"}}",
		 "unknown_resource"},
		{"{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"reader\"},\"argument\":{\"name\":\"a\",\"value\":\"\"}}",
		 "unknown_prompt"},
	};
	struct kh_who who;
	struct kh_mcp_call call = kh_calling_call(&c, c.f->controller, &who);
	yyjson_mut_val *result;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		call.arguments = kh_fixture_json(c.f, kh_view_str(bad[i].params));
		must_fail(t, KH_EINPUT, kh_mcp_completion_run(&call, &result));
		assert_string_equal(t->err.code, bad[i].code);
	}
	for (size_t n = 0; n < 2; n++) {
		const char *params = kh_calling_text(
			&c,
			"{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"keyhole://tasks/{id}/blocks\"},"
			"\"argument\":{\"name\":\"id\",\"value\":\"%.*s\"}}",
			n == 0 ? 3 : 1, n == 0 ? c.task.p : "x");
		call.arguments = kh_fixture_json(c.f, kh_view_str(params));
		must(t, kh_mcp_completion_run(&call, &result));
		yyjson_val *values = kh_json_get(kh_json_get(kh_calling_said(&c, result), "completion"), "values");
		assert_int_equal(yyjson_arr_size(values), n == 0 ? 1 : 0);
		if (n == 0)
			assert_view(c.task, yyjson_get_str(yyjson_arr_get_first(values)));
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_completion)};
KH_TEST_MAIN(cases)
