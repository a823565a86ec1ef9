/* comm_search, comm_fetch, comm_query, comm_read, comm_exec, and approval_wait of what they wait for. */
#include "operating.h"

static const char *with_declaration(struct kh_calling *c, struct kh_view id)
{
	return kh_calling_text(c, "{\"declaration\":\"%.*s\"}", KH_FMT(id));
}

/* All of what was said, as a client gets it. */
static struct kh_view said_of(struct kh_calling *c)
{
	struct kh_view text;

	assert_int_equal(kh_json_write(&c->f->arena, c->result.structured, &text), KH_OK);
	return text;
}

/* E12: its own parameters and one word; why it failed is not said. */
static void test_failed(struct kh_test *t)
{
	struct kh_calling c = kh_operating_begin(t, NULL);
	yyjson_val *got = kh_calling_ok(&c, c.f->controller, "comm_fetch",
					"{" KH_OPERATING_URL "," KH_OPERATING_WHY "}");

	member_is(got, "outcome", "failed");
	member_is(got, "operation", "comm.fetch");
	member_is(kh_json_get(got, "parameters"), "url", "https://example.com/agenda");
	assert_null(kh_json_get(got, "block"));
	assert_null(c.result.trust);
	assert_int_equal(kh_json_str(kh_json_get(got, "declaration")).p[0], 'd');
}

/* E12, K10: a block and its labels, and nothing that the world said; asked once more, the same. */
static void test_ok(struct kh_test *t)
{
	struct kh_calling c = kh_operating_begin(t, NULL);
	const char *args = with_declaration(&c, kh_operating_fetched(&c, false, KH_OPERATING_WORLD));

	for (int i = 0; i < 2; i++) {
		yyjson_val *got = kh_calling_ok(&c, c.f->controller, "comm_fetch", args);
		member_is(got, "outcome", "ok");
		assert_int_equal(kh_json_str(kh_json_get(got, "block")).p[0], 'b');
		assert_non_null(strstr(yyjson_get_str(kh_json_get(got, "next")), "BCPQuery"));
		assert_string_equal(c.result.trust, "untrusted");
		assert_string_equal(c.result.taint, "high");
		assert_int_equal(kh_view_find(said_of(&c), KH_LIT("sesame"), 0), SIZE_MAX);
		assert_int_equal(kh_fixture_context_row(c.f, c.f->context)->taint, KH_TAINT_LOW);
	}
}

/* E12: what a Controller is told is the same, to the byte, whatever the world said. */
static void test_same(struct kh_test *t)
{
	static const char *const worlds[] = {"", KH_OPERATING_WORLD, "x"};
	struct kh_calling c = kh_operating_begin(t, NULL);
	struct kh_view first = {NULL, 0};

	for (size_t i = 0; i < 3; i++) {
		yyjson_val *got = kh_calling_ok(&c, c.f->controller, "comm_fetch",
						with_declaration(&c, kh_operating_fetched(&c, false, worlds[i])));
		struct kh_view text;
		yyjson_mut_doc *doc = kh_json_new(&c.f->arena);
		yyjson_mut_val *obj = yyjson_val_mut_copy(doc, got);
		yyjson_mut_obj_remove_key(obj, "declaration"); /* ids are of the store, in its order */
		yyjson_mut_obj_remove_key(obj, "block");
		assert_int_equal(kh_json_write(&c.f->arena, obj, &text), KH_OK);
		if (i > 0)
			assert_true(kh_view_eq(first, text));
		first = text;
	}
}

/* E11, E12: content in its fence, labelled, and what that costs is said and done. */
static void test_fenced(struct kh_test *t)
{
	struct kh_calling c = kh_operating_begin(t, NULL);
	struct kh_view id = kh_operating_fetched(&c, true, KH_OPERATING_WORLD);
	yyjson_val *got = kh_calling_ok(&c, c.f->controller, "comm_fetch",
					kh_calling_text(&c, "{\"declaration\":\"%.*s\",\"fenced\":true}", KH_FMT(id)));
	struct kh_view fenced = kh_json_str(kh_json_get(got, "fenced"));

	assert_true(kh_view_find(fenced, KH_LIT("UNTRUSTED_EXTERNAL_CONTENT"), 0) != SIZE_MAX);
	assert_true(kh_view_find(fenced, KH_LIT("sesamecanary"), 0) != SIZE_MAX);
	assert_true(kh_view_find(c.result.text, KH_LIT("taint is high"), 0) < kh_view_find(c.result.text, fenced, 0));
	assert_string_equal(c.result.taint, "high");
	assert_int_equal(kh_fixture_context_row(c.f, c.f->context)->taint, KH_TAINT_HIGH);
}

/* E12: `fenced` is the policy's to allow. */
static void test_not_fenced(struct kh_test *t)
{
	struct kh_calling c = kh_operating_begin(
		t, "policy:\n  release: immediate\n  operations:\n"
		   "    - {name: comm.fetch, hosts: [example.com], risk: low, approval: auto, rate: 1000/minute}\n");

	kh_calling_fails(&c, c.f->controller, "comm_fetch",
			 "{" KH_OPERATING_URL "," KH_OPERATING_WHY ",\"fenced\":true}", "fenced_not_allowed");
}

/* E4: a gate's code, and what to do about it. */
static void test_refused(struct kh_test *t)
{
	struct kh_calling c = kh_operating_begin(t, NULL);

	kh_calling_fails(&c, c.f->controller, "comm_fetch",
			 "{\"url\":\"https://other.example/agenda\"," KH_OPERATING_WHY "}", "DOMAIN_BLOCKED");
	assert_non_null(strstr(c.result.next, "Tell the user"));
	kh_calling_fails(&c, c.f->controller, "comm_read", "{\"path\":\"/etc/passwd\"," KH_OPERATING_WHY "}",
			 "path_not_allowed");
	kh_calling_fails(&c, c.f->controller, "comm_search",
			 "{\"query\":\"minutes of the meeting\",\"scope\":\"internal\"," KH_OPERATING_WHY "}",
			 "OPERATION_NOT_ALLOWED");
	kh_calling_fails(&c, c.f->controller, "comm_query",
			 "{\"database\":\"d\",\"statement\":\"s\"," KH_OPERATING_WHY "}", "statement_not_allowed");
	kh_calling_fails(&c, c.f->controller, "comm_exec", "{\"command\":\"rm\"," KH_OPERATING_WHY "}",
			 "command_not_allowed");
	kh_calling_fails(&c, c.f->hosted, "comm_fetch", "{" KH_OPERATING_URL "," KH_OPERATING_WHY "}", "task_needed");
}

/* E1: nothing runs while the task plans, and the model is told what to do. */
static void test_planning(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, KH_OPERATING_POLICY);

	kh_calling_fails(&c, c.f->controller, "comm_fetch", "{" KH_OPERATING_URL "," KH_OPERATING_WHY "}",
			 "OUTBOUND_FORBIDDEN_IN_PLANNING");
	assert_non_null(strstr(c.result.next, "begin_execution"));
}

/* E3: a reason in one form or the other, and one that says something. */
static void test_reason(struct kh_test *t)
{
	struct kh_calling c = kh_operating_begin(t, NULL);

	kh_calling_fails(&c, c.f->controller, "comm_fetch", "{" KH_OPERATING_URL "}", "missing");
	assert_string_equal(t->err.member, "reason");
	kh_calling_fails(
		&c, c.f->controller, "comm_fetch",
		"{" KH_OPERATING_URL "," KH_OPERATING_WHY
		",\"justification\":{\"user_request\":\"a\",\"missing_knowledge\":\"b\",\"expected_use\":\"c\"}}",
		"bad_value");
	kh_calling_fails(&c, c.f->controller, "comm_fetch", "{" KH_OPERATING_URL ",\"reason\":\"just because\"}",
			 "vague");
	kh_calling_fails(&c, c.f->controller, "comm_fetch", "{\"url\":\"ftp://example.com\"," KH_OPERATING_WHY "}",
			 "bad_url");
	yyjson_val *got = kh_calling_ok(&c, c.f->controller, "comm_fetch",
					"{" KH_OPERATING_URL
					",\"justification\":{\"user_request\":\"When is the meeting on this agenda?\","
					"\"missing_knowledge\":\"The date that the agenda gives.\","
					"\"expected_use\":\"To tell the user the date.\"}}");
	member_is(got, "outcome", "failed");
}

/* E3: what was declared is called by its id, by its own tool, with its own parameters. */
static void test_declared(struct kh_test *t)
{
	struct kh_calling c = kh_operating_begin(t, NULL);
	struct kh_view id = kh_operating_fetched(&c, false, "");

	kh_calling_fails(&c, c.f->controller, "comm_read", with_declaration(&c, id), "operation_differs");
	kh_calling_fails(
		&c, c.f->controller, "comm_fetch",
		kh_calling_text(&c, "{\"url\":\"https://example.com/other\",\"declaration\":\"%.*s\"}", KH_FMT(id)),
		"parameters_differ");
	kh_calling_ok(&c, c.f->controller, "comm_fetch",
		      kh_calling_text(&c, "{" KH_OPERATING_URL ",\"declaration\":\"%.*s\"}", KH_FMT(id)));
	kh_calling_fails(&c, c.f->hosted, "comm_fetch", with_declaration(&c, id), "unknown_declaration");
	kh_calling_fails(&c, c.f->controller, "comm_fetch", "{\"declaration\":\"d0123456789abcdef\"}",
			 "unknown_declaration");
	kh_calling_fails(&c, c.f->controller, "comm_fetch", "{\"declaration\":\"a0123456789abcdef\"}",
			 "unknown_declaration");
}

#define READ "{\"path\":\"/srv/agenda.txt\"," KH_OPERATING_WHY "}"

/* A4, A5: what waits for a human is taken up by the approval's id, and carried out once. */
static void test_pending(struct kh_test *t)
{
	struct kh_calling c = kh_operating_begin(t, NULL);
	yyjson_val *got = kh_calling_ok(&c, c.f->controller, "comm_read", READ);
	struct kh_view approval = kh_json_str(kh_json_get(got, "approval"));
	const char *wait = kh_calling_text(&c, "{\"id\":\"%.*s\"}", KH_FMT(approval));

	member_is(got, "outcome", "pending");
	assert_true(c.waits > 0);
	assert_string_equal(c.approval, kh_calling_text(&c, "%.*s", KH_FMT(approval)));
	member_is(kh_calling_ok(&c, c.f->controller, "approval_wait", wait), "outcome", "pending");
	assert_string_equal(c.approval, ""); /* who was given the id knows */
	kh_calling_decide(&c, approval, KH_CHOICE_APPROVE);
	got = kh_calling_ok(&c, c.f->controller, "approval_wait", wait);
	member_is(got, "outcome", "failed");
	member_is(got, "operation", "comm.read");
	member_is(kh_calling_ok(&c, c.f->controller, "approval_wait", wait), "outcome", "failed");
	kh_calling_fails(&c, c.f->hosted, "approval_wait", wait, "unknown_approval");
}

/* A3: a human's no is final. */
static void test_rejected(struct kh_test *t)
{
	struct kh_calling c = kh_operating_begin(t, NULL);

	c.stop = true; /* and a cancelled call ends at once */
	yyjson_val *got = kh_calling_ok(&c, c.f->controller, "comm_read", READ);
	struct kh_view id = kh_json_str(kh_json_get(got, "declaration"));
	kh_calling_decide(&c, kh_json_str(kh_json_get(got, "approval")), KH_CHOICE_REJECT);
	c.stop = false;
	got = kh_calling_ok(&c, c.f->controller, "comm_read", with_declaration(&c, id));
	member_is(got, "outcome", "rejected");
	assert_null(kh_json_get(got, "approval"));
	got = kh_calling_ok(&c, c.f->controller, "approval_wait", kh_calling_text(&c, "{\"id\":\"%.*s\"}", KH_FMT(id)));
	member_is(got, "outcome", "rejected");
}

/* I1: what stands open can be found again: task_status and blocks list the declarations, as they may be known. */
static void test_listed(struct kh_test *t)
{
	struct kh_calling c = kh_operating_begin(t, NULL);
	const char *one = kh_calling_text(&c, "{\"task\":\"%.*s\"}", KH_FMT(c.task));
	struct kh_view id = kh_operating_fetched(&c, false, KH_OPERATING_WORLD);

	kh_calling_ok(&c, c.f->controller, "comm_fetch", with_declaration(&c, id));
	yyjson_val *got = kh_calling_ok(&c, c.f->controller, "task_status", one);
	yyjson_val *list = kh_json_get(yyjson_arr_get_first(kh_json_get(got, "tasks")), "declarations");
	assert_int_equal(yyjson_arr_size(list), 1);
	member_is(yyjson_arr_get_first(list), "state", "ok");
	assert_true(kh_view_eq(kh_json_str(kh_json_get(yyjson_arr_get_first(list), "id")), id));
	got = kh_calling_ok(&c, c.f->controller, "blocks", one);
	assert_non_null(kh_json_get(yyjson_arr_get_first(kh_json_get(got, "declarations")), "block"));
	assert_int_equal(kh_view_find(said_of(&c), KH_LIT("sesame"), 0), SIZE_MAX);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_failed), KH_TEST(test_ok),           KH_TEST_ONCE(test_same),     KH_TEST(test_fenced),
	KH_TEST(test_not_fenced),  KH_TEST(test_refused),      KH_TEST(test_planning),      KH_TEST_ONCE(test_reason),
	KH_TEST(test_declared),    KH_TEST_ONCE(test_pending), KH_TEST_ONCE(test_rejected), KH_TEST(test_listed),
};
KH_TEST_MAIN(cases)
