#include "core/policy/contract.h"
#include "harness.h"

static const char policy_text[] = "policy:\n"
				  "  operations:\n"
				  "    - name: comm.fetch\n"
				  "      hosts: ['*.example.com']\n"
				  "      approval: auto\n"
				  "  tools:\n"
				  "    - {name: files__read, risk: low, tier: T1, effects: none}\n";

static enum kh_err explain(struct kh_test *t, const char *policy, const char *request, struct kh_view *ret_text)
{
	struct kh_call call = {.arena = &t->arena, .doc = kh_json_new(&t->arena), .now = INT64_C(1763173000000000)};
	yyjson_mut_val *out;
	yyjson_val *in;
	enum kh_err e = kh_arena_check(&t->arena);

	if (e == KH_OK)
		e = kh_json_read(&t->arena, kh_view_str(request), &in, &t->err);
	if (e == KH_OK)
		e = kh_policy_contract_explain(&call, kh_view_str(policy), KH_LIT("keyhole.yaml"), in, &out, &t->err);
	return e ? e : kh_json_write(&t->arena, out, ret_text);
}

/* C7: the decision, the gate, the rule and why; and every gate on the way. */
static void test_whole(struct kh_test *t)
{
	struct kh_view text;

	must(t, explain(t, policy_text,
			"{\"operation\":\"comm.fetch\",\"parameters\":{\"url\":\"https://www.example.com/"
			"a\"},\"taint\":\"medium\"}",
			&text));
	assert_view(
		text,
		"{\"decision\":\"verify\",\"gate\":\"risk\",\"rule\":\"policy.taint_risk.medium.moderate\","
		"\"code\":\"verification_required\",\"why\":\"it has to be verified\","
		"\"limits\":{\"seconds\":30,\"memory_bytes\":1073741824,\"processes\":64,\"output_bytes\":16777216,"
		"\"disk_bytes\":67108864},\"gates\":["
		"{\"gate\":\"declaration\",\"result\":\"pass\",\"rule\":\"built in\",\"code\":\"pass\","
		"\"why\":\"no declaration was given; a good one is assumed\"},"
		"{\"gate\":\"registration\",\"result\":\"pass\",\"rule\":\"built in\",\"code\":\"pass\","
		"\"why\":\"the operation is registered\"},"
		"{\"gate\":\"phase\",\"result\":\"pass\",\"rule\":\"built in\",\"code\":\"pass\",\"why\":\"the phase "
		"admits it\"},"
		"{\"gate\":\"permission\",\"result\":\"pass\",\"rule\":\"policy.operations[0]\",\"line\":3,\"code\":"
		"\"pass\","
		"\"why\":\"the rule allows the operation and its arguments\"},"
		"{\"gate\":\"trust_tier\",\"result\":\"pass\",\"rule\":\"policy.operations[0]\",\"line\":3,\"code\":"
		"\"pass\","
		"\"why\":\"tier T0\"},"
		"{\"gate\":\"quota\",\"result\":\"pass\",\"rule\":\"policy.egress_bytes\",\"code\":\"pass\","
		"\"why\":\"17 bytes go out, 0 of 4096 are used\"},"
		"{\"gate\":\"rate\",\"result\":\"pass\",\"rule\":\"policy.operations[0]\",\"line\":3,\"code\":\"pass\","
		"\"why\":\"the rate is 10/minute, 0 used\"},"
		"{\"gate\":\"taint\",\"result\":\"pass\",\"rule\":\"policy.taint_risk.medium.moderate\",\"code\":"
		"\"pass\","
		"\"why\":\"taint medium x risk moderate: verify\"},"
		"{\"gate\":\"risk\",\"result\":\"verify\",\"rule\":\"policy.taint_risk.medium.moderate\","
		"\"code\":\"verification_required\",\"why\":\"it has to be verified\"},"
		"{\"gate\":\"approval\",\"result\":\"pass\",\"rule\":\"policy.operations[0]\",\"line\":3,\"code\":"
		"\"pass\","
		"\"why\":\"no approval is needed\"}]}");
}

/* C7: what each member of a request does. */
static void test_members(struct kh_test *t)
{
	static const char fetch[] =
		"\"operation\":\"comm.fetch\",\"parameters\":{\"url\":\"https://www.example.com/a\"}";
	static const struct {
		const char *more, *begin;
	} all[] = {
		{"", "{\"decision\":\"allow\",\"gate\":\"approval\""},
		{",\"phase\":\"planning\"", "{\"decision\":\"deny\",\"gate\":\"phase\""},
		{",\"phase\":\"dreaming\"", "{\"decision\":\"deny\",\"gate\":\"phase\""},
		{",\"planned\":false", "{\"decision\":\"ask\",\"gate\":\"approval\""},
		{",\"planned\":false,\"granted\":true", "{\"decision\":\"allow\",\"gate\":\"approval\""},
		{",\"role\":\"reader\"", "{\"decision\":\"deny\",\"gate\":\"permission\""},
		{",\"taint\":\"high\"", "{\"decision\":\"verify\",\"gate\":\"risk\""},
		{",\"taint\":\"high\",\"verified\":\"passed\"", "{\"decision\":\"allow\""},
		{",\"taint\":\"high\",\"verified\":\"failed\"", "{\"decision\":\"deny\",\"gate\":\"risk\""},
		{",\"suspicious\":true", "{\"decision\":\"verify\",\"gate\":\"risk\""},
		{",\"usage\":{\"egress_bytes\":4090}", "{\"decision\":\"deny\",\"gate\":\"quota\""},
		{",\"usage\":{\"running\":20}", "{\"decision\":\"deny\",\"gate\":\"quota\""},
		{",\"usage\":{\"calls\":10},\"now\":1763173000000000", "{\"decision\":\"deny\",\"gate\":\"rate\""},
		{",\"usage\":{\"calls\":9}", "{\"decision\":\"allow\""},
		{",\"planned\":false,\"usage\":{\"pending\":3}", "{\"decision\":\"deny\",\"gate\":\"approval\""},
		{",\"declaration\":{\"operation\":\"comm.fetch\"}", "{\"decision\":\"deny\",\"gate\":\"declaration\""},
		{",\"declaration\":null", "{\"decision\":\"deny\",\"gate\":\"declaration\""},
		{",\"declaration\":{\"operation\":\"comm.fetch\",\"url\":\"https://www.example.com/"
		 "a\",\"reason\":\"the price "
		 "list of spare parts is needed for the quote\"}",
		 "{\"decision\":\"allow\""},
		{",\"declaration\":{\"operation\":\"comm.read\",\"path\":\"/srv/a\",\"reason\":\"the price list of "
		 "spare parts is "
		 "needed for the quote\"}",
		 "{\"decision\":\"deny\",\"gate\":\"declaration\""},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_view request = kh_arena_printf(&t->arena, "{%s%s}", fetch, all[i].more), text;
		must(t, kh_arena_check(&t->arena));
		must(t, explain(t, policy_text, request.p, &text));
		if (!kh_view_starts(text, kh_view_str(all[i].begin)))
			print_error("%s: %.*s\n", all[i].more, KH_FMT(text));
		assert_true(kh_view_starts(text, kh_view_str(all[i].begin)));
	}
}

/* C7, I8: a policy that does not load is an answer, with file, line and what was expected. */
static void test_bad_policy(struct kh_test *t)
{
	struct kh_view text;

	must(t, explain(t, "policy:\n  lint: sometimes\n", "{\"operation\":\"comm.fetch\"}", &text));
	assert_view(text, "{\"error\":{\"code\":\"policy_invalid\",\"member\":\"policy.lint\",\"detail\":\"keyhole."
			  "yaml:2: policy.lint: "
			  "\\\"sometimes\\\": expected advice or refuse\"}}");
}

/* C7: a request that is not usable (exit status 2). */
static void test_bad_request(struct kh_test *t)
{
	static const char *const all[] = {
		"[]",
		"{}",
		"{\"operation\":1}",
		"{\"operation\":\"comm.fetch\",\"paramters\":{}}",
		"{\"operation\":\"comm.fetch\",\"parameters\":[]}",
		"{\"operation\":\"comm.fetch\",\"taint\":\"huge\"}",
		"{\"operation\":\"comm.fetch\",\"role\":1}",
		"{\"operation\":\"comm.fetch\",\"planned\":\"yes\"}",
		"{\"operation\":\"comm.fetch\",\"usage\":{\"x\":1}}",
		"{\"operation\":\"comm.fetch\",\"usage\":{\"calls\":-1}}",
		"{\"operation\":\"comm.fetch\",\"usage\":[]}",
		"{\"operation\":\"comm.fetch\",\"origins\":[]}",
		"{\"operation\":\"comm.fetch\",\"origins\":{\"b\":1}}",
		"{\"operation\":\"comm.fetch\",\"now\":1.5}",
		"{\"operation\":\"comm.fetch\",\"phase\":1}",
		"{\"operation\":\"comm.fetch\",\"verified\":true}",
		"{\"operation\":\"comm.fetch\",\"reached\":\"T9\"}",
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_view text;
		must_fail(t, KH_EINPUT, explain(t, policy_text, all[i], &text));
		assert_string_equal(t->err.code, "request_invalid");
		assert_non_null(strstr(t->err.detail, "expected "));
	}
}

/* K8: origins of referenced blocks; E5: how an upstream is reached. */
static void test_tools(struct kh_test *t)
{
	struct kh_view text;

	must(t, explain(t, policy_text, "{\"operation\":\"files__read\",\"parameters\":{}}", &text));
	assert_true(kh_view_starts(text, KH_LIT("{\"decision\":\"allow\"")));
	must(t, explain(t, policy_text,
			"{\"operation\":\"files__read\",\"parameters\":{\"x\":{\"$block\":\"b1\"}},\"origins\":{\"b1\":"
			"\"a.com\"}}",
			&text));
	assert_true(kh_view_find(text, KH_LIT("content_not_allowed"), 0) != SIZE_MAX);
	must(t,
	     explain(t, policy_text, "{\"operation\":\"other__x\",\"reached\":\"T1\",\"verified\":\"passed\"}", &text));
	assert_true(kh_view_starts(text, KH_LIT("{\"decision\":\"ask\"")));
}

static const struct kh_test_case cases[] = {KH_TEST(test_whole), KH_TEST(test_members), KH_TEST(test_bad_policy),
					    KH_TEST(test_bad_request), KH_TEST(test_tools)};
KH_TEST_MAIN(cases)
