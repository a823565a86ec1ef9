/* B16-B18, B24, A5: what a Controller may know of its query, and nothing more. */
#include "asking.h"

#include "engine/context/context.h"
#include "engine/query/respond.h"
#include "engine/task/reset.h"
#include "engine/task/show.h"
#include "engine/task/task.h"

#define TWO_FIELDS                                                                                                  \
	"\"category\":1,\"target\":\"scripted\",\"fields\":[{\"name\":\"b\",\"type\":\"boolean\"},{\"name\":\"a\"," \
	"\"type\":\"enum\",\"values\":[\"Red\",\"Blue\"]}]"

/* B17, B24: in the query's order, normalised, with nothing of the Reader's own form; the same at every look. */
static void test_look_delivery(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);

	kh_fixture_answer(w.f, " {\"fields\": {\"a\" : \"Blue\", \"b\":true }} ");
	struct kh_look look = kh_asking_ask(&w, TWO_FIELDS);
	assert_int_equal(look.outcome, KH_OUTCOME_DELIVERED);
	assert_true(kh_asking_has(look.delivery, "\"response\":{\"fields\":{\"b\":true,\"a\":\"Blue\"}}"));
	assert_true(kh_asking_has(look.delivery, "\"trust\":\"untrusted\""));
	assert_true(kh_asking_has(look.delivery, "\"taint\":\"medium\""));
	int64_t events = kh_fixture_events(w.f);
	struct kh_look again = kh_asking_look(&w, look.query);
	assert_true(kh_view_eq(look.delivery, again.delivery));
	assert_true(kh_view_eq(look.block, again.block));
	assert_int_equal(kh_fixture_events(w.f), events);
}

/* What is another's is not there, told in the same words as what nobody has. */
static void test_look_of_others(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view query = kh_asking_put(&w, YES), other;
	struct kh_view second = kh_fixture_token(w.f, KH_ROLE_CONTROLLER, "second", &other);
	struct kh_view tokens[] = {second, w.f->hosted, w.f->host};
	struct kh_view ids[] = {query, KH_LIT("q0123456789abcdef"), KH_LIT("x"), w.task};

	for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
		for (size_t k = 0; k < sizeof(ids) / sizeof(ids[0]); k++) {
			struct kh_look look = {.query = ids[k]};
			must_fail(t, KH_EUNKNOWN, kh_fixture_call(w.f, tokens[i], kh_look_run, &look));
			assert_code(t, "unknown_query");
			assert_null(look.row);
		}
	}
	struct kh_look look = {.query = query};
	must(t, kh_fixture_call(w.f, w.f->reviewer, kh_look_run, &look));
	must(t, kh_fixture_call(w.f, w.f->admin, kh_look_run, &look));
}

/* A5: by the approval that was named; it stays the first one, and `pending` stays until the outcome leaves. */
static void test_look_by_approval(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_admit admit;

	must(t, kh_asking_admit(&w, SUMMARY, &admit));
	struct kh_view query = kh_arena_dup(&w.f->arena, admit.id);
	struct kh_view first = kh_arena_dup(&w.f->arena, admit.approval);
	struct kh_look look = {.approval = first};
	must(t, kh_fixture_call(w.f, w.f->controller, kh_look_run, &look));
	assert_int_equal(look.outcome, KH_OUTCOME_PENDING);
	assert_true(kh_view_eq(look.waits, first));
	must(t, kh_approving_decide(w.f, w.f->reviewer, first, KH_CHOICE_APPROVE, NULL));
	/* B16: that it was approved, that the Reader has it and has answered are not to be seen. */
	look = kh_asking_look(&w, query);
	assert_int_equal(look.outcome, KH_OUTCOME_PENDING);
	assert_true(kh_view_eq(look.waits, first));
	kh_fixture_answer(w.f, "{\"summary\":\"tea\"}");
	kh_asking_carry(&w, query);
	assert_int_equal(kh_asking_row(&w, query)->state, KH_QUERY_HELD);
	look = kh_asking_look(&w, query);
	assert_int_equal(look.outcome, KH_OUTCOME_PENDING);
	assert_true(kh_view_eq(look.waits, first));
	assert_int_equal(look.delivery.n, 0);
	look = (struct kh_look){.approval = first};
	must_fail(t, KH_EUNKNOWN, kh_fixture_call(w.f, w.f->hosted, kh_look_run, &look));
	assert_code(t, "unknown_approval");
}

/* SPEC 1: what was asked before a reset is not to be had after it. */
static void test_look_after_a_reset(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_reset reset = {.context = w.f->context, .reason = KH_LIT("memory was cleared")};

	kh_fixture_answer(w.f, YES_TRUE);
	struct kh_look look = kh_asking_ask(&w, YES);
	assert_int_equal(look.outcome, KH_OUTCOME_DELIVERED);
	must(t, kh_fixture_call(w.f, w.f->reviewer, kh_reset_run, &reset));
	struct kh_look again = {.query = look.query};
	must_fail(t, KH_EUNKNOWN, kh_fixture_call(w.f, w.f->controller, kh_look_run, &again));
	assert_code(t, "unknown_query");
	assert_int_equal(again.delivery.n, 0);
}

/* All that a Controller can call, in one text. */
static struct kh_view everything(struct kh_asking *w, struct kh_view query)
{
	struct kh_look look = kh_asking_look(w, query);
	struct kh_task_show show = {.task = w->task};
	struct kh_page list = {.all = true};

	must(w->f->t, kh_fixture_call(w->f, w->f->controller, kh_task_show_run, &show));
	must(w->f->t, kh_fixture_call(w->f, w->f->controller, kh_task_list_run, &list));
	return kh_arena_printf(&w->f->arena, "%d %.*s %.*s %.*s %.*s %.*s", (int)look.outcome, KH_FMT(look.delivery),
			       KH_FMT(look.waits), KH_FMT(look.block), KH_FMT(show.json), KH_FMT(list.json));
}

/* B18: sealed content and answers that were not delivered are in nothing that a Controller gets. */
static void test_look_shows_no_canary(struct kh_test *t)
{
	static const char *const said[] = {
		"CANARY", "{\"answers\":[{\"id\":\"q1\",\"answer\":\"CANARY CANARY CANARY CANARY\"}]}", /* too long */
		"{\"answers\":[{\"id\":\"CANARY\",\"answer\":\"x\"}]}",
		"{\"answers\":[{\"id\":\"q1\",\"answer\":\"ignore CANARY\"}]}", /* held */
	};

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		struct kh_asking w = kh_asking_begin(t, NULL);
		w.task = kh_fixture_task(w.f, w.f->controller);
		kh_fixture_block(w.f, w.f->controller, w.task, "The word is CANARY.");
		for (int n = 0; n < 3; n++)
			kh_fixture_answer(w.f, said[i]);
		struct kh_look look = kh_asking_ask(&w, WHO);
		assert_int_equal(look.outcome, i < 3 ? KH_OUTCOME_FAILED : KH_OUTCOME_PENDING);
		struct kh_view seen = everything(&w, look.query);
		must(t, kh_arena_check(&w.f->arena));
		assert_false(kh_asking_has(seen, "CANARY"));
		assert_false(kh_asking_has(seen, "canary"));
		assert_false(kh_asking_has(seen, "tries"));
		assert_false(kh_asking_has(seen, "too_many_words"));
	}
}

/* B16, B17: with slots, nothing that a Controller can call tells an answer that is there from one that is not. */
static void test_look_tells_nothing_before_the_slot(struct kh_test *t)
{
	static const char *const said[] = {YES_TRUE, YES_FALSE, "{}"};
	struct kh_asking w = kh_asking_begin(t, KH_ASKING_SLOTS);

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
		struct kh_view query = kh_asking_put(&w, YES);
		for (int n = 0; n < 3; n++)
			kh_fixture_answer(w.f, said[i]);
		kh_fixture_pass(w.f, 20000);
		struct kh_view before = everything(&w, query);
		kh_asking_carry(&w, query);
		assert_int_equal(kh_asking_row(&w, query)->state, KH_QUERY_READY);
		assert_true(kh_view_eq(before, everything(&w, query)));
		kh_fixture_pass(w.f, 30000);
		assert_int_equal(kh_asking_look(&w, query).outcome, i < 2 ? KH_OUTCOME_DELIVERED : KH_OUTCOME_FAILED);
		atomic_store(&w.f->answered, w.f->answer_count);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_look_delivery),        KH_TEST(test_look_of_others),
	KH_TEST(test_look_by_approval),     KH_TEST(test_look_after_a_reset),
	KH_TEST(test_look_shows_no_canary), KH_TEST(test_look_tells_nothing_before_the_slot),
};
KH_TEST_MAIN(cases)
