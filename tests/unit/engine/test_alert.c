/* B9: alerts are raised when it happens, once. */
#include "engine/audit/alert.h"

#include "asking.h"

#include "engine/task/show.h"

#define HALF(task, context)                                                                      \
	"policy:\n  release: immediate\n  budgets:\n    alert_percent: 50\n    task_bits: " task \
	"\n    context_bits: " context "\n" KH_ASKING_RATES
#define INTEGER                                                                                                      \
	"\"category\":1,\"target\":\"scripted\",\"fields\":[{\"name\":\"n\",\"type\":\"integer\",\"min\":1,\"max\":" \
	"65536}]"

/* Which alert is the newest, by its chain and its number there; 0: there is none. */
static int64_t newest(struct kh_asking *w)
{
	struct kh_view event = kh_fixture_event(w->f, KH_AUDIT_ALERT);
	yyjson_val *root = event.p != NULL ? kh_fixture_json(w->f, event) : NULL;

	return yyjson_get_sint(kh_json_get(root, "chain")) * 1000 + yyjson_get_sint(kh_json_get(root, "n"));
}

static void test_alert_task_budget(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, HALF("24", "1000"));
	int64_t before = newest(&w);

	kh_asking_put(&w, YES);
	kh_asking_put(&w, YES);
	assert_int_equal(newest(&w), before); /* 8 of 24 */
	kh_asking_put(&w, YES);               /* 12: the threshold itself */
	int64_t alert = newest(&w);
	assert_true(alert > before);
	assert_true(kh_asking_has(kh_fixture_event(w.f, KH_AUDIT_ALERT),
				  "\"what\":{\"code\":\"task_budget\",\"percent\":50,\"reader\":\"scripted\"}"));
	kh_asking_put(&w, YES);
	kh_asking_put(&w, YES);
	assert_int_equal(newest(&w), alert);
	/* A query's end moves reserved to charged, and crosses nothing. */
	kh_fixture_answer(w.f, YES_TRUE);
	kh_asking_ask(&w, YES);
	assert_int_equal(newest(&w), alert);
}

static void test_alert_context_budget(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, HALF("1000", "16"));

	int64_t before = newest(&w);
	kh_asking_put(&w, YES);
	assert_int_equal(newest(&w), before);
	w.task = kh_fixture_task(w.f, w.f->controller);
	kh_fixture_block(w.f, w.f->controller, w.task, "Another.");
	kh_asking_put(&w, YES);
	assert_true(newest(&w) > before);
	assert_true(kh_asking_has(kh_fixture_event(w.f, KH_AUDIT_ALERT), "\"code\":\"context_budget\""));
}

/* Both at once are two alerts. */
static void test_alert_both(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, HALF("8", "8"));
	int64_t events = kh_fixture_events(w.f);

	kh_asking_put(&w, YES);
	assert_int_equal(kh_fixture_events(w.f), events + 3);
}

/* Far past a Reader's own history: more than four times the mean of eight queries or more. */
static void test_alert_unusual(struct kh_test *t)
{
	struct kh_asking w = {.f = kh_fixture_fresh(t, NULL)};

	w.task = kh_fixture_task(w.f, w.f->controller);
	kh_fixture_block(w.f, w.f->controller, w.task, "A mail.");
	for (int i = 0; i < 7; i++)
		kh_asking_put(&w, YES);
	kh_asking_put(&w, INTEGER); /* 19 bits, but seven are no history */
	assert_int_equal(newest(&w), 0);
	w.f = kh_fixture_fresh(t, NULL);
	w.task = kh_fixture_task(w.f, w.f->controller);
	kh_fixture_block(w.f, w.f->controller, w.task, "A mail.");
	for (int i = 0; i < 8; i++)
		kh_asking_put(&w, YES);
	assert_int_equal(newest(&w), 0);
	kh_asking_put(&w, INTEGER); /* 19 > 4 x 4 */
	assert_true(newest(&w) > 0);
	assert_true(kh_asking_has(kh_fixture_event(w.f, KH_AUDIT_ALERT),
				  "\"what\":{\"code\":\"unusual_bandwidth\",\"reader\":\"scripted\"}"));
}

/* A query that is refused raises nothing, and is not history. */
static void test_alert_not_for_refusals(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, HALF("6", "1000"));
	struct kh_admit admit;
	int64_t before = newest(&w);

	must(t, kh_asking_admit(&w, INTEGER, &admit));
	assert_int_equal(admit.refused, KH_OUTCOME_BUDGET);
	assert_int_equal(newest(&w), before);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_alert_task_budget), KH_TEST(test_alert_context_budget),   KH_TEST(test_alert_both),
	KH_TEST(test_alert_unusual),     KH_TEST(test_alert_not_for_refusals),
};
KH_TEST_MAIN(cases)
