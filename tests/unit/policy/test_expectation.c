#include "core/policy/expectation.h"
#include "harness.h"

static enum kh_err expectations(struct kh_test *t, const char *text, struct kh_expectations *ret)
{
	return kh_expectation_read(&t->arena, kh_view_str(text), KH_LIT("t.yaml"), ret, &t->err);
}

/* C7: the same tests as YAML and as JSON Lines, with their lines; values are what they look like. */
static void test_forms(struct kh_test *t)
{
	static const char *const texts[] = {
		"# c\npolicy: p.yaml\ntests:\n"
		"  - name: one\n    request: {operation: comm.fetch, planned: false, usage: {running: 3}, now: 1.5,\n"
		"      parameters: {url: \"7\", list: [a, -1, null, ~, \"\"]}}\n    expect: {decision: deny, gate: "
		"phase, code: X}\n"
		"  - {request: {}, expect: {decision: allow}}\n",
		"{\"policy\":\"p.yaml\"}\n\n\n{\"name\":\"one\",\"request\":{\"operation\":\"comm.fetch\",\"planned\":"
		"false,"
		"\"usage\":{\"running\":3},\"now\":1.5,\"parameters\":{\"url\":\"7\",\"list\":[\"a\",-1,null,null,\"\"]"
		"}},"
		"\"expect\":{\"decision\":\"deny\",\"gate\":\"phase\",\"code\":\"X\"}}\n\n\n\n"
		"{\"request\":{},\"expect\":{\"decision\":\"allow\"}}",
	};

	for (size_t i = 0; i < 2; i++) {
		struct kh_expectations all;
		must(t, expectations(t, texts[i], &all));
		assert_view(all.policy, "p.yaml");
		assert_int_equal(all.n, 2);
		assert_view(all.at[0].name, "one");
		assert_int_equal(all.at[0].line, 4);
		assert_view(all.at[0].decision, "deny");
		assert_view(all.at[0].gate, "phase");
		assert_view(all.at[0].code, "X");
		assert_int_equal(all.at[1].line, 8);
		assert_int_equal(all.at[1].name.n, 0);
		assert_int_equal(all.at[1].gate.n, 0);
		yyjson_mut_doc *doc = kh_json_new(&t->arena);
		struct kh_view text;
		must(t, kh_arena_check(&t->arena));
		must(t, kh_json_write(&t->arena, yyjson_val_mut_copy(doc, all.at[0].request), &text));
		assert_view(text,
			    "{\"operation\":\"comm.fetch\",\"planned\":false,\"usage\":{\"running\":3},\"now\":1.5,"
			    "\"parameters\":{\"url\":\"7\",\"list\":[\"a\",-1,null,null,\"\"]}}");
	}
}

/* I8: what is wrong, where, and what was expected. */
static void test_refused(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"", "t.yaml:1: no test: expected at least one"},
		{"tests: []\n", "t.yaml:1: no test: expected at least one"},
		{"policy: p\n", "t.yaml:1: no test: expected at least one"},
		{"- a\n", "t.yaml:1: the file: expected a map of policy and tests"},
		{"tests: a\n", "t.yaml:1: tests: expected a list of tests"},
		{"policy: [a]\ntests: []\n", "t.yaml:1: policy: expected the path of a policy's file"},
		{"policy: a\npolicy: b\n", "t.yaml:2: the key \"policy\": expected policy and tests, each once"},
		{"test: []\n", "t.yaml:1: the key \"test\": expected policy and tests, each once"},
		{"tests:\n  - a\n", "t.yaml:2: a test: expected an object of name, request or expect"},
		{"tests:\n  - {request: {}, expect: {decision: deny}, why: x}\n",
		 "t.yaml:2: a test: unknown member \"why\": expected name, request or expect"},
		{"tests:\n  - {expect: {decision: deny}}\n", "t.yaml:2: request: expected a request as of "},
		{"tests:\n  - {request: {}}\n", "t.yaml:2: expect: expected an object of decision, gate or code"},
		{"tests:\n  - {request: {}, expect: {gate: phase}}\n",
		 "t.yaml:2: expect: expected the member decision in it"},
		{"tests:\n  - {request: {}, expect: {decision: no}}\n",
		 "t.yaml:2: expect.decision: expected allow, verify, ask or deny"},
		{"tests:\n  - {request: {}, expect: {decision: deny, gate: door}}\n",
		 "t.yaml:2: expect.gate: expected declaration, registration, "},
		{"tests:\n  - {request: {}, expect: {decision: deny, code: 7}}\n",
		 "t.yaml:2: expect.code: expected a code"},
		{"tests:\n  - {request: {}, expect: {decision: deny, rule: x}}\n",
		 "t.yaml:2: expect: unknown member \"rule\": expected decision, gate or code"},
		{"tests:\n  - {name: [a], request: {}, expect: {decision: deny}}\n", "t.yaml:2: name: expected text"},
		{"tests:\n  - {request: {a: 1, a: 2}, expect: {decision: deny}}\n", "t.yaml:2: "},
		{"tests: *a\n", "t.yaml:1: an alias: expected "},
		{"{\"request\":{}\n", "t.yaml:1: "},
		{"{\"policy\":\"p\"}\n{\"policy\":\"q\"}\n", "t.yaml:2: a test: unknown member \"policy\": expected "},
		{"{\"request\":{},\"expect\":{\"decision\":\"deny\"}}\n7\n",
		 "t.yaml:2: a test: expected an object of "},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_expectations found;
		must_fail(t, KH_EINPUT, expectations(t, all[i][0], &found));
		assert_string_equal(t->err.code, "tests_invalid");
		if (strncmp(t->err.detail, all[i][1], strlen(all[i][1])) != 0)
			print_error("got  %s\nwant %s\n", t->err.detail, all[i][1]);
		assert_int_equal(strncmp(t->err.detail, all[i][1], strlen(all[i][1])), 0);
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_forms), KH_TEST(test_refused)};
KH_TEST_MAIN(cases)
