/* BCPNext and BCPRespond. */
#include "calling.h"
#include "engine/context/put.h"
#include "engine/query/admit.h"

static struct kh_view ask(struct kh_calling *c)
{
	struct kh_admit admit = {
		.query = kh_fixture_json(
			c->f, kh_arena_printf(&c->f->arena,
					      "{\"task\":\"%.*s\",\"category\":1,\"target\":\"%.*s\",\"fields\":[{"
					      "\"name\":\"n\",\"type\":\"integer\",\"min\":-5,\"max\":5}]}",
					      KH_FMT(c->task), KH_FMT(c->f->reader_name))),
	};
	struct kh_error err = {0};

	if (kh_engine_call(c->f->engine, kh_token_read(c->f->engine, c->f->controller), kh_admit_run, &admit,
			   &c->f->arena, &err) != KH_OK)
		fail_msg("not admitted: %s", err.detail);
	return admit.id;
}

static enum kh_outcome outcome(struct kh_calling *c, struct kh_view query)
{
	struct kh_look look = {.query = query};
	struct kh_error err = {0};

	if (kh_engine_call(c->f->engine, kh_token_read(c->f->engine, c->f->controller), kh_look_run, &look,
			   &c->f->arena, &err) != KH_OK)
		fail_msg("not looked at: %s", err.detail);
	return look.outcome;
}

static yyjson_val *next(struct kh_calling *c)
{
	return kh_json_get(kh_calling_ok(c, c->f->reader, "BCPNext", "{\"wait_seconds\":0}"), "query");
}

static yyjson_val *respond(struct kh_calling *c, struct kh_view id, const char *members)
{
	return kh_calling_ok(c, c->f->reader, "BCPRespond",
			     kh_calling_text(c, "{\"query_id\":\"%.*s\",%s}", KH_FMT(id), members));
}

/* I3, B24, E11: the question with its content in a fence, and an answer in the form of bcp.txt. */
static void test_answered(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);
	struct kh_view query = ask(&c);
	yyjson_val *got = next(&c);
	struct kh_view id = kh_json_str(kh_json_get(got, "query_id"));

	member_is(got, "type", "bcp_query");
	assert_non_null(kh_json_get(got, "prompt"));
	const char *context = yyjson_get_str(yyjson_arr_get_first(kh_json_get(got, "context")));
	assert_non_null(strstr(context, "sesamecanary"));
	assert_non_null(strstr(context, "UNTRUSTED_EXTERNAL_CONTENT"));
	assert_string_equal(c.result.trust, "untrusted");
	assert_string_equal(c.result.taint, "high");
	member_is(respond(&c, id, "\"response\":{\"fields\":{\"n\":3}}"), "result", "accepted");
	assert_int_equal(outcome(&c, query), KH_OUTCOME_DELIVERED);
	member_is(respond(&c, id, "\"response\":{\"fields\":{\"n\":3}}"), "result", "closed");
}

/* B2, B10, B16: other spellings; what is not in form is `invalid`, a signed zero too; the code says why (B16). */
static void test_forms(struct kh_test *t)
{
	static const char *const bad[] = {"\"response\":{\"fields\":{\"n\":-0}}", "\"fields\":{\"n\":6}"};
	static const char *const why[] = {"wrong_type", "out_of_range"};
	struct kh_calling c = kh_calling_begin(t, NULL);
	struct kh_view query = ask(&c);
	yyjson_val *asked = next(&c), *said;

	assert_null(kh_json_get(asked, "again"));
	for (size_t i = 0; i < 2; i++) {
		said = respond(&c, kh_json_str(kh_json_get(asked, "query_id")), bad[i]);
		member_is(said, "result", "invalid");
		member_is(said, "code", why[i]);
		asked = next(&c);
		member_is(asked, "again", why[i]);
	}
	said = respond(&c, kh_json_str(kh_json_get(asked, "query_id")), "\"fields\":{\"n\":0}");
	member_is(said, "result", "accepted");
	assert_null(kh_json_get(said, "code"));
	assert_int_equal(outcome(&c, query), KH_OUTCOME_DELIVERED);
}

/* B4: a Reader is given its own questions and can answer no other's. */
static void test_other(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);
	struct kh_view query = ask(&c), id = kh_json_str(kh_json_get(next(&c), "query_id"));
	struct kh_view other = kh_fixture_token(c.f, KH_ROLE_READER, "other", NULL);
	yyjson_val *got = kh_calling_ok(&c, other, "BCPNext", "{\"wait_seconds\":0}");

	assert_true(yyjson_is_false(kh_json_get(got, "found")));
	assert_null(kh_json_get(got, "query"));
	kh_calling_fails(&c, other, "BCPRespond",
			 kh_calling_text(&c, "{\"query_id\":\"%.*s\",\"response\":{\"fields\":{\"n\":3}}}", KH_FMT(id)),
			 "unknown_query");
	assert_int_equal(outcome(&c, query), KH_OUTCOME_NONE);
}

/* I3: one task at a time: what waits in another comes when this one's question is answered, or its time is over. */
static void test_one_task(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);
	struct kh_view first = c.task, second = kh_fixture_task(c.f, c.f->controller);

	kh_fixture_block(c.f, c.f->controller, second, "Another mail.");
	(void)ask(&c);
	c.task = second;
	struct kh_view other = ask(&c);
	c.task = first;
	struct kh_view same = ask(&c), id = kh_json_str(kh_json_get(next(&c), "query_id"));
	yyjson_val *got = next(&c); /* of the same task, though the other's has waited longer */
	assert_non_null(got);
	assert_null(next(&c));
	member_is(respond(&c, kh_json_str(kh_json_get(got, "query_id")), "\"response\":{\"fields\":{\"n\":1}}"),
		  "result", "accepted");
	assert_int_equal(outcome(&c, same), KH_OUTCOME_DELIVERED);
	assert_null(next(&c));
	member_is(respond(&c, id, "\"response\":{\"fields\":{\"n\":2}}"), "result", "accepted");
	id = kh_json_str(kh_json_get(next(&c), "query_id"));
	member_is(respond(&c, id, "\"response\":{\"fields\":{\"n\":3}}"), "result", "accepted");
	assert_int_equal(outcome(&c, other), KH_OUTCOME_DELIVERED);
	/* A question that can no longer be answered holds nothing up. */
	(void)ask(&c);
	assert_non_null(next(&c));
	c.task = second;
	(void)ask(&c);
	assert_null(next(&c));
	kh_fixture_pass(c.f, INT64_C(3600) * KH_FIXTURE_SECOND);
	(void)ask(&c);
	assert_non_null(next(&c));
}

static void ask_now(struct kh_calling *c)
{
	(void)ask(c);
}

/* A question that comes while the Reader waits wakes it; one who is gone is given none. */
static void test_waits(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);

	c.meanwhile = ask_now;
	yyjson_val *got = kh_calling_ok(&c, c.f->reader, "BCPNext", "{}");
	assert_true(yyjson_is_true(kh_json_get(got, "found")));
	assert_true(c.waits > 0);
	c.stop = true;
	c.meanwhile = ask_now;
	got = kh_calling_ok(&c, c.f->reader, "BCPNext", "{}");
	assert_true(yyjson_is_false(kh_json_get(got, "found")));
	assert_int_equal(c.waits, 1);
	c.stop = false;
	got = kh_calling_ok(&c, c.f->reader, "BCPNext", "{}");
	assert_true(yyjson_is_true(kh_json_get(got, "found")));
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_answered), KH_TEST(test_forms),      KH_TEST(test_other),
	KH_TEST(test_one_task), KH_TEST_ONCE(test_waits),
};
KH_TEST_MAIN(cases)
