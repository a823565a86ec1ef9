/* D4, E7: what a process that died has left: waiting is taken over, begun is lost, and nothing happens twice. */
#include "engine/recover.h"

#include "other.h"

#include "engine/query/ask.h"
#include "engine/query/respond.h"

static enum kh_err never(const struct kh_reader *reader, struct kh_arena *arena, const struct kh_reader_ask *ask,
			 struct kh_tainted *ret_response, enum kh_reader_fault *ret_fault, struct kh_view *ret_detail)
{
	(void)reader;
	(void)arena;
	(void)ask;
	(void)ret_response;
	(void)ret_fault;
	(void)ret_detail;
	fail_msg("the other process does not ask");
	return KH_ENOMEM;
}

static const struct kh_reader_driver pure = {.name = "scripted", .pure = true, .ask = never};
static const struct kh_reader_driver impure = {.name = "program", .pure = false, .ask = never};
static const struct kh_reader readers[] = {
	{.name = KH_LIT_INIT("scripted"), .driver = &pure},
	{.name = KH_LIT_INIT("program"), .driver = &impure},
};

static struct kh_recover recover(struct kh_asking *w)
{
	struct kh_recover call;

	must(w->f->t, kh_fixture_own(w->f, kh_recover_run, &call));
	return call;
}

static bool has(const struct kh_recover *call, int64_t effect)
{
	size_t count = 0;

	for (size_t i = 0; i < call->count; i++)
		count += call->effects[i] == effect;
	assert_true(count <= 1);
	return count == 1;
}

static struct kh_asking begin(struct kh_test *t, struct kh_other *other)
{
	struct kh_asking w = {.f = kh_fixture_fresh(t, NULL)};

	w.task = kh_fixture_task(w.f, w.f->controller);
	w.block = kh_fixture_block(w.f, w.f->controller, w.task, "A mail.");
	kh_other_open(other, w.f, readers, 2);
	return w;
}

/* While it lives, its asks are its own; when it is dead, a waiting one is carried out by whoever finds it. */
static void test_recover_takes_over(struct kh_test *t)
{
	struct kh_other other;
	struct kh_asking w = begin(t, &other);
	struct kh_view query = kh_other_put(&other, &w, YES_OF("program"), NULL);
	int64_t effect = kh_asking_row(&w, query)->effect;
	struct kh_recover call;
	enum kh_err e = kh_fixture_own(w.f, kh_recover_run, &call);

	assert_int_equal(kh_asking_effect(&w, query)->holder, kh_store_holder(other.store));
	kh_other_close(&other); /* before anything that may end the test */
	must(t, e);
	assert_false(has(&call, effect));
	assert_int_equal(call.lost, 0);
	call = recover(&w);
	assert_true(has(&call, effect));
	assert_int_equal(kh_asking_effect(&w, query)->holder, kh_store_holder(w.f->store));
	assert_true(kh_asking_has(kh_fixture_event(w.f, KH_AUDIT_ASK_TAKEN), "\"kind\":\"ask.taken\""));
	int64_t events = kh_fixture_events(w.f);
	call = recover(&w); /* again: still to be carried out, and nothing new on the record */
	assert_true(has(&call, effect));
	assert_int_equal(kh_fixture_events(w.f), events);
	kh_fixture_answer(w.f, YES_TRUE);
	must(t, kh_outbox_all(w.f->engine, &t->err));
	assert_int_equal(kh_asking_look(&w, query).outcome, KH_OUTCOME_DELIVERED);
	assert_int_equal(atomic_load(&w.f->asked), 1);
}

/* What had begun is a try that failed: that ask is never made again, another one is. */
static void test_recover_loses_what_had_begun(struct kh_test *t)
{
	struct kh_other other;
	struct kh_asking w = begin(t, &other);
	struct kh_ask ask;
	struct kh_view query = kh_other_put(&other, &w, YES_OF("program"), &ask);
	int64_t effect = ask.effect;
	struct kh_error err = {0};

	ask.mark = true;
	assert_int_equal(kh_engine_own(other.engine, kh_ask_begin_run, &ask, &w.f->arena, &err), KH_OK);
	assert_true(ask.found);
	kh_other_close(&other);
	struct kh_recover call = recover(&w);
	assert_int_equal(call.lost, 1);
	assert_false(has(&call, effect));
	const struct kh_effect_row *lost = kh_fixture_row(w.f, KH_TABLE_EFFECTS, effect);
	assert_int_equal(lost->state, KH_EFFECT_FAILED);
	assert_view(lost->verdict, "lost");
	assert_int_equal(kh_asking_row(&w, query)->tries, 1);
	assert_true(has(&call, kh_asking_row(&w, query)->effect));
	assert_int_equal(recover(&w).lost, 0);
	/* What the dead one would have said comes too late. */
	struct kh_respond late = {.effect = effect, .response = kh_tainted_wrap(KH_LIT(YES_FALSE))};
	must(t, kh_fixture_own(w.f, kh_respond_run, &late));
	assert_string_equal(late.code, "closed");
	kh_fixture_answer(w.f, YES_TRUE);
	must(t, kh_outbox_all(w.f->engine, &t->err));
	struct kh_look look = kh_asking_look(&w, query);
	assert_int_equal(look.outcome, KH_OUTCOME_DELIVERED);
	assert_true(kh_asking_has(look.delivery, "\"yes\":true"));
	assert_int_equal(atomic_load(&w.f->asked), 1);
}

/* B16: losses count as tries: a Reader whose ask always kills the process is not asked for ever. */
static void test_recover_has_a_limit(struct kh_test *t)
{
	struct kh_other other;
	struct kh_asking w = begin(t, &other);
	struct kh_view query = kh_other_put(&other, &w, YES_OF("program"), NULL);

	for (int i = 0; i < 3; i++) {
		struct kh_ask ask = {.effect = kh_asking_row(&w, query)->effect, .mark = true};
		struct kh_error err = {0};
		if (i > 0) { /* the next process finds it */
			struct kh_recover call;
			kh_other_open(&other, w.f, readers, 2);
			assert_int_equal(kh_engine_own(other.engine, kh_recover_run, &call, &w.f->arena, &err), KH_OK);
			ask.effect = kh_asking_row(&w, query)->effect;
		}
		assert_int_equal(kh_engine_own(other.engine, kh_ask_begin_run, &ask, &w.f->arena, &err), KH_OK);
		assert_true(ask.found);
		kh_other_close(&other);
	}
	assert_int_equal(recover(&w).lost, 1);
	assert_int_equal(kh_asking_look(&w, query).outcome, KH_OUTCOME_FAILED);
	assert_view(kh_asking_row(&w, query)->reason, "lost");
	assert_int_equal(atomic_load(&w.f->asked), 0);
}

/* An agent outlives our processes: what it took is still its to answer. */
static void test_recover_leaves_agents_alone(struct kh_test *t)
{
	struct kh_asking w = {.f = kh_fixture_fresh(t, NULL)};
	struct kh_ask ask = {0};

	w.task = kh_fixture_task(w.f, w.f->controller);
	kh_fixture_block(w.f, w.f->controller, w.task, "A mail.");
	struct kh_view taken = kh_asking_agent(&w, YES_BEFORE, YES_AFTER);
	must(t, kh_fixture_call(w.f, w.f->reader, kh_ask_next_run, &ask));
	struct kh_view waiting = kh_asking_agent(&w, YES_BEFORE, YES_AFTER);
	struct kh_view id = kh_arena_dup(&w.f->arena, ask.ask.id);
	kh_fixture_restart(w.f);
	struct kh_recover call = recover(&w);
	assert_int_equal(call.lost, 0);
	assert_int_equal(call.count, 0);
	assert_int_equal(kh_asking_effect(&w, waiting)->state, KH_EFFECT_WAITING);
	struct kh_respond respond = {.ask = id, .response = kh_tainted_wrap(KH_LIT(YES_TRUE))};
	must(t, kh_fixture_call(w.f, w.f->reader, kh_respond_run, &respond));
	assert_string_equal(respond.code, "accepted");
	assert_int_equal(kh_asking_look(&w, taken).outcome, KH_OUTCOME_DELIVERED);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_recover_takes_over),
	KH_TEST(test_recover_loses_what_had_begun),
	KH_TEST(test_recover_has_a_limit),
	KH_TEST(test_recover_leaves_agents_alone),
};
KH_TEST_MAIN(cases)
