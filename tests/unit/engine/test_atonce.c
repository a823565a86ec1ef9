/* P2, B16-B18: a query that is answered in the operation that admits it; what is recorded is what two would record. */
#include "asking.h"

#include "engine/query/atonce.h"

#define QUICK YES_OF("quick")
#define QUICK_TWICE \
	"\"category\":1,\"target\":\"quick\",\"fields\":[{\"name\":\"yes\",\"type\":\"boolean\",\"repeat\":2}]"

static struct kh_admit admit(struct kh_asking *w, const char *members)
{
	struct kh_view text = kh_arena_printf(&w->f->arena, "{\"task\":\"%.*s\",%s}", KH_FMT(w->task), members);
	struct kh_admit call = {.query = kh_fixture_json(w->f, text), .at_once = true};

	must(w->f->t, kh_fixture_call(w->f, w->f->controller, kh_admit_run, &call));
	assert_int_equal(call.refused, KH_OUTCOME_NONE);
	return call;
}

/* L2, B18: one operation, both events, the admission by its Controller and the delivery by Keyhole. */
static void test_delivered(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	kh_fixture_answer(w.f, YES_TRUE);
	struct kh_store_figures before = kh_store_figures(w.f->store);
	struct kh_admit call = admit(&w, QUICK);
	struct kh_store_figures after = kh_store_figures(w.f->store);
	assert_int_equal(after.operations - before.operations, 1);
	assert_int_equal(after.events - before.events, 2);
	assert_false(call.ask.found);
	assert_true(call.looked);
	assert_int_equal(call.look.outcome, KH_OUTCOME_DELIVERED);
	struct kh_look again = kh_asking_look(&w, call.id);
	assert_true(kh_view_eq(call.look.delivery, again.delivery));
	assert_true(kh_view_eq(call.look.block, again.block));
	assert_true(kh_view_eq(call.look.sources, again.sources));
	const struct kh_query_row *row = kh_asking_row(&w, call.id);
	assert_int_equal(row->state, KH_QUERY_DONE);
	assert_int_equal(row->charged, row->reserved);
	assert_int_equal(kh_asking_effect(&w, call.id)->state, KH_EFFECT_DONE);
	struct kh_view admitted = kh_fixture_event(w.f, KH_AUDIT_QUERY_ADMITTED);
	struct kh_view delivered = kh_fixture_event(w.f, KH_AUDIT_QUERY_DELIVERED);
	assert_true(kh_asking_has(admitted, "[\"effects\","));
	assert_false(kh_asking_has(admitted, "\"verdict\":"));
	assert_true(kh_asking_has(admitted, "\"state\":\"asking\""));
	assert_false(kh_asking_has(admitted, "\"by\":0,"));
	assert_true(kh_asking_has(delivered, "\"by\":0,"));
	assert_true(kh_asking_has(delivered, "\"verdict\":\"deliver\""));
}

/* B14, B16: what follows from a response follows in the same operation: tries, rounds, and the end. */
static void test_what_follows(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);

	kh_fixture_answer(w.f, "no answer");
	kh_fixture_answer(w.f, YES_TRUE);
	kh_fixture_answer(w.f, YES_TRUE);
	struct kh_admit call = admit(&w, QUICK_TWICE);
	assert_int_equal(call.look.outcome, KH_OUTCOME_DELIVERED);
	assert_int_equal(kh_asking_row(&w, call.id)->tries, 1);
	assert_int_equal(kh_asking_row(&w, call.id)->round, 1);
	kh_fixture_fault(w.f, KH_READER_CHANGED);
	for (uint64_t i = 0; i < w.f->policy->budgets.retries; i++)
		kh_fixture_answer(w.f, "no answer");
	call = admit(&w, QUICK);
	assert_true(call.looked);
	assert_int_equal(call.look.outcome, KH_OUTCOME_FAILED);
	assert_int_equal(call.look.delivery.n, 0);
}

/* B17: an outcome leaves at its slot, also where it was there at once. */
static void test_slots(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, KH_ASKING_SLOTS);

	kh_fixture_answer(w.f, YES_TRUE);
	struct kh_admit call = admit(&w, QUICK);
	struct kh_view query = kh_arena_dup(&w.f->arena, call.id);
	assert_true(call.looked);
	assert_int_equal(call.look.outcome, KH_OUTCOME_NONE);
	assert_int_equal(call.look.delivery.n, 0);
	assert_true(call.look.due > atomic_load(&w.f->now));
	kh_fixture_pass(w.f, call.look.due - atomic_load(&w.f->now));
	assert_int_equal(kh_asking_look(&w, query).outcome, KH_OUTCOME_DELIVERED);
}

/* A query with more fields than are looked for at once. */
static const char *long_query(struct kh_asking *w)
{
	struct kh_view text = KH_LIT("\"category\":1,\"target\":\"quick\",\"fields\":[" FIELD_YES);

	for (unsigned i = 0; text.n <= KH_ATONCE_QUERY; i++)
		text = kh_arena_printf(&w->f->arena, "%.*s,{\"name\":\"field_%u\",\"type\":\"boolean\"}", KH_FMT(text),
				       i);
	text = kh_arena_printf(&w->f->arena, "%.*s]", KH_FMT(text));
	must(w->f->t, kh_arena_check(&w->f->arena));
	return text.p;
}

/* Whoever takes its time, or has much to read, or waits for a human, is not asked here. */
static void test_not_at_once(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	static const char *const others[] = {YES_OF("scripted"), YES_OF("program"), SUMMARY_OF("quick")};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct kh_admit call = admit(&w, others[i]);
		assert_false(call.looked);
		assert_int_equal(atomic_load(&w.f->asked), 0);
	}
	char *large = kh_arena_alloc(&w.f->arena, KH_ATONCE_CONTENT + 2);
	assert_non_null(large);
	memset(large, 'a', KH_ATONCE_CONTENT + 1);
	w.task = kh_fixture_task(w.f, w.f->controller);
	(void)kh_fixture_block(w.f, w.f->controller, w.task, large);
	struct kh_admit call = admit(&w, QUICK);
	assert_true(call.ask.found);
	assert_false(call.looked);
	assert_int_equal(atomic_load(&w.f->asked), 0);
	struct kh_view query = kh_arena_dup(&w.f->arena, call.id);
	w.task = kh_fixture_task(w.f, w.f->controller);
	(void)kh_fixture_block(w.f, w.f->controller, w.task, "A mail.");
	call = admit(&w, long_query(&w));
	assert_true(call.ask.found);
	assert_int_equal(atomic_load(&w.f->asked), 0);
	kh_fixture_answer(w.f, YES_FALSE);
	kh_asking_carry(&w, query);
	assert_int_equal(kh_asking_look(&w, query).outcome, KH_OUTCOME_DELIVERED);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_delivered),
	KH_TEST(test_what_follows),
	KH_TEST(test_slots),
	KH_TEST(test_not_at_once),
};
KH_TEST_MAIN(cases)
