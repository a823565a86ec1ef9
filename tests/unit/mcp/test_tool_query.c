/* BCPQuery and approval_wait. */
#include "calling.h"

#define YES "\"category\":1,\"target\":\"scripted\",\"fields\":[{\"name\":\"yes\",\"type\":\"boolean\"}]"
#define WHO                                                                                                        \
	"\"category\":2,\"target\":\"scripted\",\"questions\":[{\"id\":\"q1\",\"question\":\"Who sent it?\","      \
	"\"expected_format\":\"short_text\",\"max_words\":4}],\"justification\":\"The user wants to know whom to " \
	"answer.\""
#define SAYS(text) "{\"answers\":[{\"id\":\"q1\",\"answer\":\"" text "\"}]}"

static const char *query(struct kh_calling *c, const char *members)
{
	return kh_calling_text(c, "{\"task\":\"%.*s\",%s}", KH_FMT(c->task), members);
}

/* B18, B23, K4, K10: the normalised value, with its notice and its labels. */
static void test_delivered(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);

	kh_fixture_answer(c.f, "{\"fields\":{\"yes\":true}}");
	yyjson_val *got = kh_calling_ok(&c, c.f->controller, "BCPQuery", query(&c, YES));
	member_is(got, "outcome", "delivered");
	yyjson_val *delivery = kh_json_get(got, "delivery");
	assert_true(yyjson_is_true(kh_json_get(kh_json_get(kh_json_get(delivery, "response"), "fields"), "yes")));
	assert_view(kh_json_str(kh_json_get(delivery, "query_id")), yyjson_get_str(kh_json_get(got, "query")));
	assert_non_null(strstr(yyjson_get_str(kh_json_get(got, "notice")), "its truth was not"));
	assert_null(kh_json_get(got, "next"));
	assert_null(kh_json_get(got, "advice"));
	assert_string_equal(c.result.trust, "untrusted");
	assert_string_equal(c.result.taint, "medium");
	assert_view(c.result.block, yyjson_get_str(kh_json_get(got, "block")));
	assert_view(c.result.sources, kh_calling_text(&c, "[\"%.*s\"]", KH_FMT(c.block)));
}

/* B2: the running system's spellings.  B22: advice comes with the outcome. */
static void test_spellings(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);

	kh_fixture_answer(c.f, "{\"urgent\":\"yes\"}");
	yyjson_val *got = kh_calling_ok(
		&c, c.f->controller, "BCPQuery",
		query(&c, "\"category\":2,\"to\":\"scripted\",\"questions\":[{\"name\":\"urgent\",\"question\":\"Is it "
			  "urgent?\",\"format\":\"yes_no\"}],\"justification\":\"It decides what is done first.\""));
	member_is(got, "outcome", "delivered");
	assert_view(kh_json_str(kh_json_get(yyjson_arr_get_first(kh_json_get(got, "advice")), "code")),
		    "yes_no_is_boolean");
}

/* B16: a Reader that fails, and one that answers what is not in form, look the same. */
static void test_failed(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);
	struct kh_view first, second;

	kh_fixture_fault(c.f, KH_READER_DEAD);
	kh_fixture_fault(c.f, KH_READER_DEAD);
	kh_fixture_fault(c.f, KH_READER_DEAD);
	for (int i = 0; i < 3; i++)
		kh_fixture_answer(c.f, "{\"fields\":{\"yes\":\"sesamecanary\"}}");
	yyjson_val *got = kh_calling_ok(&c, c.f->controller, "BCPQuery", query(&c, YES));
	member_is(got, "outcome", "failed");
	first = kh_json_str(kh_json_get(got, "next"));
	got = kh_calling_ok(&c, c.f->controller, "BCPQuery", query(&c, YES));
	member_is(got, "outcome", "failed");
	second = kh_json_str(kh_json_get(got, "next"));
	assert_true(kh_view_eq(first, second));
	assert_int_equal(yyjson_obj_size(got), 3); /* outcome, query, next */
	assert_null(c.result.trust);
}

/* B6: a budget is an outcome and no error, and nobody was asked. */
static void test_budget(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);
	yyjson_val *got = kh_calling_ok(&c, c.f->controller, "task_open", "{\"bits\":2}");

	c.task = kh_json_str(kh_json_get(got, "task"));
	kh_fixture_block(c.f, c.f->controller, c.task, "A mail.");
	got = kh_calling_ok(&c, c.f->controller, "BCPQuery", query(&c, WHO));
	member_is(got, "outcome", "budget");
	assert_null(kh_json_get(got, "delivery"));
	assert_int_equal(c.f->asked, 0);
}

static void approve(struct kh_calling *c)
{
	kh_calling_decide(c, kh_view_str(c->approval), KH_CHOICE_APPROVE);
}

/* A5, B13: a held answer waits for a human while the call waits; nothing of it is said before. */
static void test_held(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);

	kh_fixture_answer(c.f, SAYS("please ignore this"));
	c.meanwhile = approve;
	yyjson_val *got = kh_calling_ok(&c, c.f->controller, "BCPQuery", query(&c, WHO));
	member_is(got, "outcome", "delivered");
	assert_true(c.waits > 0);
}

/* A5: it waits its time and says `pending`; approval_wait takes it up by approval or query. */
static void test_pending(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);

	kh_fixture_answer(c.f, SAYS("please ignore this"));
	yyjson_val *got = kh_calling_ok(&c, c.f->controller, "BCPQuery", query(&c, WHO));
	struct kh_view id = kh_json_str(kh_json_get(got, "approval")), asked = kh_json_str(kh_json_get(got, "query"));
	member_is(got, "outcome", "pending");
	assert_view(id, c.approval); /* A4: a human can be told where */
	const char *by_approval = kh_calling_text(&c, "{\"id\":\"%.*s\"}", KH_FMT(id));
	const char *by_query = kh_calling_text(&c, "{\"id\":\"%.*s\"}", KH_FMT(asked));
	c.stop = true;
	got = kh_calling_ok(&c, c.f->controller, "approval_wait", by_approval);
	member_is(got, "outcome", "pending");
	assert_string_equal(c.approval, ""); /* whoever names it knows it */
	kh_calling_decide(&c, id, KH_CHOICE_REJECT);
	got = kh_calling_ok(&c, c.f->controller, "approval_wait", by_approval);
	member_is(got, "outcome", "rejected");
	got = kh_calling_ok(&c, c.f->controller, "approval_wait", by_query);
	member_is(got, "outcome", "rejected");
	assert_view(asked, yyjson_get_str(kh_json_get(got, "query")));
	/* Another's is not there. */
	kh_calling_fails(&c, c.f->hosted, "approval_wait", by_approval, "unknown_approval");
	kh_calling_fails(&c, c.f->hosted, "approval_wait", by_query, "unknown_query");
	kh_calling_fails(&c, c.f->controller, "approval_wait", "{\"id\":\"nonsense\"}", "unknown_approval");
}

/* B3: the core's own errors, with the member's path, and what to do about them. */
static void test_bad(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);

	kh_calling_fails(&c, c.f->controller, "BCPQuery",
			 query(&c, "\"category\":1,\"target\":\"scripted\",\"fields\":[{\"name\":\"n\",\"type\":"
				   "\"integer\",\"min\":3,\"max\":1}]"),
			 "range_empty");
	assert_string_equal(t->err.member, "fields[0].max");
	kh_calling_fails(&c, c.f->controller, "BCPQuery", "{\"task\":\"t0000000000000000\"," YES "}", "unknown_task");
	kh_calling_fails(&c, c.f->controller, "BCPQuery",
			 query(&c, "\"category\":1,\"target\":\"nobody\",\"fields\":[{\"name\":\"yes\",\"type\":"
				   "\"boolean\"}]"),
			 "unknown_reader");
	kh_calling_fails(&c, c.f->hosted, "BCPQuery", "{" YES "}", "task_needed");
	assert_non_null(strstr(c.result.next, "task_open"));
	assert_int_equal(c.f->asked, 0);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_delivered), KH_TEST(test_spellings),    KH_TEST(test_failed), KH_TEST(test_budget),
	KH_TEST_ONCE(test_held), KH_TEST_ONCE(test_pending), KH_TEST(test_bad),
};
KH_TEST_MAIN(cases)
