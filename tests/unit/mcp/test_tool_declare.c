/* declare. */
#include "operating.h"

static yyjson_val *item(yyjson_val *got, size_t i)
{
	return yyjson_arr_get(kh_json_get(got, "declarations"), i);
}

/* E3, E6: in all forms, in both phases; what is asked for has its approval at once, and nothing runs. */
static void test_forms(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, KH_OPERATING_POLICY);
	static const char *const forms[] = {
		"{\"operation\":\"comm.fetch\"," KH_OPERATING_URL "," KH_OPERATING_WHY "}",
		"{\"operation\":\"comm.fetch\",\"parameters\":{" KH_OPERATING_URL "}," KH_OPERATING_WHY "}",
		"{\"operation\":\"comm.fetch\",\"parameters\":{" KH_OPERATING_URL "},\"justification\":{"
		"\"user_request\":\"When is the meeting on this agenda?\","
		"\"missing_knowledge\":\"The date that the agenda gives.\",\"expected_use\":\"To tell the user the "
		"date.\"}}",
		"{\"external_info\":{\"required\":true,\"declarations\":[{\"action\":\"web_fetch\","
		"\"target\":\"https://example.com/agenda\"," KH_OPERATING_WHY "}]}}",
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		yyjson_val *got = kh_calling_ok(&c, c.f->controller, "declare", forms[i]);
		assert_int_equal(yyjson_arr_size(kh_json_get(got, "declarations")), 1);
		member_is(item(got, 0), "operation", "comm.fetch");
		member_is(item(got, 0), "ruling", "allow");
		assert_int_equal(kh_json_str(kh_json_get(item(got, 0), "declaration")).p[0], 'd');
		assert_null(kh_json_get(item(got, 0), "approval"));
	}
	assert_null(kh_fixture_event(c.f, KH_AUDIT_OPERATION_BEGUN).p);
}

/* E3: a parameter that is given twice is none: which of them a human has seen could not be said. */
static void test_twice(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, KH_OPERATING_POLICY);

	kh_calling_fails(&c, c.f->controller, "declare",
			 "{\"operation\":\"comm.fetch\",\"parameters\":{\"operation\":\"comm.exec\"," KH_OPERATING_URL
			 "}," KH_OPERATING_WHY "}",
			 "unknown_member");
}

/* E4, E6: what a gate denies has no id, and the gate's code and what to do; the others are admitted. */
static void test_rulings(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, KH_OPERATING_POLICY);
	yyjson_val *got = kh_calling_ok(
		&c, c.f->controller, "declare",
		"{\"external_info\":{\"required\":true,\"declarations\":["
		"{\"action\":\"web_fetch\",\"target\":\"https://other.example/\"," KH_OPERATING_WHY "},"
		"{\"action\":\"file_read\",\"target\":\"/srv/agenda.txt\"," KH_OPERATING_WHY "},"
		"{\"action\":\"file_read\",\"target\":\"/srv/minutes.txt\"," KH_OPERATING_WHY "}]}}");

	assert_int_equal(yyjson_arr_size(kh_json_get(got, "declarations")), 3);
	member_is(item(got, 0), "ruling", "deny");
	member_is(item(got, 0), "gate", "permission");
	member_is(item(got, 0), "code", "DOMAIN_BLOCKED");
	assert_null(kh_json_get(item(got, 0), "declaration"));
	assert_non_null(kh_json_get(item(got, 0), "next"));
	member_is(item(got, 1), "ruling", "ask");
	assert_int_equal(kh_json_str(kh_json_get(item(got, 1), "approval")).p[0], 'a');
	/* Similar ones share one approval; its id alone does not say which is meant. */
	assert_true(kh_view_eq(kh_json_str(kh_json_get(item(got, 1), "approval")),
			       kh_json_str(kh_json_get(item(got, 2), "approval"))));
	kh_calling_fails(
		&c, c.f->controller, "approval_wait",
		kh_calling_text(&c, "{\"id\":\"%.*s\"}", KH_FMT(kh_json_str(kh_json_get(item(got, 1), "approval")))),
		"several_declarations");
}

/* E3: what is wrong with a declaration is named. */
static void test_invalid(struct kh_test *t)
{
	static const struct {
		const char *json, *code, *member;
	} bad[] = {
		{"{\"operation\":\"comm.fetch\"," KH_OPERATING_WHY "}", "missing", "url"},
		{"{\"operation\":\"comm.fetch\"," KH_OPERATING_URL "}", "missing", "reason"},
		{"{\"operation\":\"comm.fetch\"," KH_OPERATING_URL ",\"reason\":\"need more information\"}", "vague",
		 "reason"},
		{"{\"operation\":\"Comm.fetch\"," KH_OPERATING_URL "," KH_OPERATING_WHY "}", "operation_malformed",
		 "operation"},
		{"{\"operation\":\"comm.fetch\"," KH_OPERATING_URL "," KH_OPERATING_WHY ",\"phase\":\"planning\"}",
		 "OUTBOUND_FORBIDDEN_IN_PLANNING", "phase"},
		{"{\"operation\":\"comm.fetch\"," KH_OPERATING_URL "," KH_OPERATING_WHY
		 ",\"session_id\":\"t0123456789abcdef\"}",
		 "session_mismatch", "session_id"},
	};
	struct kh_calling c = kh_calling_begin(t, KH_OPERATING_POLICY);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		kh_calling_fails(&c, c.f->controller, "declare", bad[i].json, bad[i].code);
		assert_string_equal(t->err.member, bad[i].member);
	}
	kh_calling_fails(&c, c.f->hosted, "declare",
			 kh_calling_text(&c, "{\"task\":\"%.*s\",\"operation\":\"comm.fetch\"}", KH_FMT(c.task)),
			 "unknown_task");
}

static const struct kh_test_case cases[] = {KH_TEST(test_forms), KH_TEST(test_twice), KH_TEST(test_rulings),
					    KH_TEST(test_invalid)};
KH_TEST_MAIN(cases)
