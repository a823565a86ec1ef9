#include "core/bcp/repeat.h"

#include "judge.h"

static const char fields[] = "{\"category\":1,\"fields\":[{\"name\":\"a\",\"type\":\"boolean\"},"
			     "{\"name\":\"b\",\"type\":\"integer\",\"min\":0,\"max\":9,\"repeat\":3}]}";

/* B14: only what is asked again is asked again, as often as it says. */
static void test_queries(struct kh_test *t)
{
	struct kh_query query = ask_good(t, fields), again;

	bool more = kh_repeat_query(&t->arena, &query, 1, &again);
	must(t, kh_arena_check(&t->arena));
	assert_true(more);
	assert_int_equal(again.field_count, 1);
	assert_view(again.fields[0].name, "b");
	more = kh_repeat_query(&t->arena, &query, 2, &again);
	must(t, kh_arena_check(&t->arena));
	assert_true(more);
	assert_false(kh_repeat_query(&t->arena, &query, 3, &again));
	query = ask_good(t, "{\"category\":2,\"questions\":[{\"id\":\"q\",\"question\":\"Who sent it?\",\"format\":"
			    "\"person_name\",\"rephrasings\":[\"Who is the sender?\"]}]}");
	more = kh_repeat_query(&t->arena, &query, 1, &again);
	must(t, kh_arena_check(&t->arena));
	assert_true(more);
	assert_view(again.questions[0].text, "Who is the sender?");
	assert_false(kh_repeat_query(&t->arena, &query, 2, &again));
}

static enum kh_verdict compared(struct kh_test *t, const char *first, const char *second)
{
	struct kh_query query = ask_good(t, fields), again;
	struct kh_answer answer = judge(t, fields, first), repeated;

	kh_repeat_query(&t->arena, &query, 1, &again);
	must(t, kh_arena_check(&t->arena));
	must(t, kh_answer_judge(NULL, &t->arena, &again, kh_tainted_wrap(kh_view_str(second)), (struct kh_recent){0},
				&repeated));
	kh_repeat_compare(&answer, &query, &repeated, &again);
	must(t, kh_arena_check(&t->arena));
	return answer.verdict;
}

/* B14: answers that agree are delivered, others are held. */
static void test_compare(struct kh_test *t)
{
	assert_int_equal(compared(t, "{\"a\":true,\"b\":5}", "{\"b\":5}"), KH_VERDICT_DELIVER);
	assert_int_equal(compared(t, "{\"a\":true,\"b\":5}", "{\"b\":6}"), KH_VERDICT_HOLD);
	assert_int_equal(compared(t, "{\"a\":true,\"b\":5}", "nonsense"), KH_VERDICT_HOLD);
	assert_int_equal(compared(t, "{\"a\":true,\"b\":55}", "{\"b\":5}"), KH_VERDICT_REJECT);
}

static const struct kh_test_case cases[] = {KH_TEST(test_queries), KH_TEST(test_compare)};
KH_TEST_MAIN(cases)
