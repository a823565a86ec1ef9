/* B4, B20, A2, A3, E7: what a Reader is given, and when. */
#include "engine/query/ask.h"

#include "asking.h"

#include "engine/query/respond.h"

#define SUMMARY_BEFORE "\"category\":3,\"target\":\""
#define SUMMARY_AFTER  "\",\"directive\":\"Say what the mail is about\",\"max_words\":8," JUSTIFIED

static struct kh_ask next(struct kh_asking *w)
{
	struct kh_ask ask = {0};

	must(w->f->t, kh_fixture_call(w->f, w->f->reader, kh_ask_next_run, &ask));
	return ask;
}

/* The oldest first, each once; with the blocks of the query and nobody else's. */
static void test_ask_next(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);

	assert_false(next(&w).found);
	struct kh_view first = kh_asking_agent(&w, YES_BEFORE, YES_AFTER);
	struct kh_view second = kh_asking_agent(&w, YES_BEFORE, YES_AFTER);
	kh_asking_put(&w, YES); /* a driver's */
	struct kh_ask ask = next(&w);
	assert_true(ask.found);
	assert_int_equal(ask.effect, kh_asking_row(&w, first)->effect);
	assert_int_equal(ask.ask.block_count, 1);
	assert_view(kh_tainted_open(ask.ask.blocks[0].content), "A mail.");
	assert_true(kh_view_eq(ask.ask.blocks[0].id, w.block));
	assert_true(kh_view_eq(ask.ask.task, w.task));
	assert_true(kh_view_starts(ask.ask.from, KH_LIT("controller")));
	assert_int_equal(ask.ask.query->category, 1);
	/* E7, L2: it is begun, durably, before the agent has it. */
	assert_int_equal(kh_asking_effect(&w, first)->state, KH_EFFECT_BEGUN);
	assert_int_equal(kh_asking_effect(&w, first)->begun_at, atomic_load(&w.f->now));
	unsigned char nonce[16];
	memcpy(nonce, ask.ask.nonce, sizeof(nonce));
	ask = next(&w);
	assert_int_equal(ask.effect, kh_asking_row(&w, second)->effect);
	assert_memory_not_equal(nonce, ask.ask.nonce, sizeof(nonce));
	assert_false(next(&w).found);
}

/* Past the deadline nobody is given content any more. */
static void test_ask_past_the_deadline(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view query = kh_asking_agent(&w, YES_BEFORE, YES_AFTER);

	kh_fixture_pass(w.f, 600 * KH_FIXTURE_SECOND);
	assert_false(next(&w).found);
	assert_int_equal(kh_asking_effect(&w, query)->state, KH_EFFECT_FAILED);
	assert_int_equal(kh_asking_look(&w, query).outcome, KH_OUTCOME_EXPIRED);
}

static struct kh_view approved_summary(struct kh_asking *w)
{
	struct kh_view query = kh_asking_agent(w, SUMMARY_BEFORE, SUMMARY_AFTER);

	assert_false(next(w).found); /* B20: not before a human has agreed */
	struct kh_view approval = kh_publicid_text(&w->f->arena, kh_engine_id_key(w->f->engine), KH_ID_APPROVAL,
						   kh_asking_row(w, query)->approval);
	must(w->f->t, kh_approving_decide(w->f, w->f->reviewer, approval, KH_CHOICE_APPROVE, NULL));
	return query;
}

/* A2: the grant is used by the first ask; a retry needs no other. */
static void test_ask_uses_the_grant(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view query = approved_summary(&w);
	const struct kh_approval_row *grant;
	int64_t approval = kh_asking_row(&w, query)->approval;

	grant = kh_fixture_row(w.f, KH_TABLE_APPROVALS, approval);
	assert_int_equal(grant->used, 0);
	struct kh_ask ask = next(&w);
	assert_true(ask.found);
	grant = kh_fixture_row(w.f, KH_TABLE_APPROVALS, approval);
	assert_int_equal(grant->used, 1);
	assert_int_equal(grant->state, KH_APPROVAL_USED);
	struct kh_respond call = {.ask = ask.ask.id, .response = kh_tainted_wrap(KH_LIT("{}"))};
	must(t, kh_fixture_call(w.f, w.f->reader, kh_respond_run, &call));
	assert_string_equal(call.code, "invalid");
	assert_true(next(&w).found);
	grant = kh_fixture_row(w.f, KH_TABLE_APPROVALS, approval);
	assert_int_equal(grant->used, 1);
}

/* A3: a grant that has expired is no rejection; the Reader does not see the query. */
static void test_ask_with_an_expired_grant(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view query = approved_summary(&w);

	kh_fixture_pass(w.f, 601 * KH_FIXTURE_SECOND);
	assert_false(next(&w).found);
	assert_int_equal(kh_asking_look(&w, query).outcome, KH_OUTCOME_EXPIRED);
	assert_int_equal(kh_fixture_task_row(w.f, w.task)->budget.reserved, 0);
}

/* ask.begin: once; what is begun, ended, or an agent's is not handed out. */
static void test_ask_begin(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view query = kh_asking_put(&w, YES_OF("program"));
	struct kh_ask ask = {.effect = kh_asking_row(&w, query)->effect, .mark = true};

	must(t, kh_fixture_own(w.f, kh_ask_begin_run, &ask));
	assert_true(ask.found);
	int64_t events = kh_fixture_events(w.f);
	must(t, kh_fixture_own(w.f, kh_ask_begin_run, &ask));
	assert_false(ask.found);
	assert_int_equal(kh_fixture_events(w.f), events);
	query = kh_asking_agent(&w, YES_BEFORE, YES_AFTER);
	ask = (struct kh_ask){.effect = kh_asking_row(&w, query)->effect, .mark = true};
	must(t, kh_fixture_own(w.f, kh_ask_begin_run, &ask));
	assert_false(ask.found);
	assert_int_equal(kh_asking_effect(&w, query)->state, KH_EFFECT_WAITING);
	ask.effect = INT64_C(1) << 40;
	must_fail(t, KH_EUNKNOWN, kh_fixture_own(w.f, kh_ask_begin_run, &ask));
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_ask_next),           KH_TEST(test_ask_past_the_deadline),
	KH_TEST(test_ask_uses_the_grant), KH_TEST(test_ask_with_an_expired_grant),
	KH_TEST(test_ask_begin),
};
KH_TEST_MAIN(cases)
