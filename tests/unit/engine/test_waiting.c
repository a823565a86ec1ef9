/* A5, B17: when a Controller is told something follows from its own call, the slots, and a fixed clock. */
#include "engine/waiting.h"

#include "base/clock.h"
#include "fixture.h"

#define SECOND KH_FIXTURE_SECOND
#define SLACK  (SECOND / 2) /* that a loaded machine may lose between two lines */

static bool is_about(int64_t at, int64_t want)
{
	return at >= want - SLACK && at <= want + SLACK;
}

/* A query that is with its Reader is looked at when its time comes, when the record says something, or in the end. */
static void test_waiting_query(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_query_row row = {.task = 7};
	int64_t now = kh_clock_us(), clock = kh_engine_now(f->engine);
	struct kh_waiting w = {.until = now + 60 * SECOND};
	struct kh_look look = {.row = &row, .due = clock + 10 * SECOND, .slot = clock + 5 * SECOND};

	assert_true(kh_waiting_query(f->engine, &w, &look));
	assert_true(is_about(w.at, now + 10 * SECOND));
	assert_int_equal(w.chain, 7);
	look.due = clock + 100 * SECOND;
	assert_true(kh_waiting_query(f->engine, &w, &look));
	assert_int_equal(w.at, w.until);
	look.due = 0;
	assert_true(kh_waiting_query(f->engine, &w, &look));
	assert_int_equal(w.at, w.until);
	w.until = now - 1;
	assert_false(kh_waiting_query(f->engine, &w, &look));
	for (enum kh_outcome o = KH_OUTCOME_NONE + 1; o <= KH_OUTCOME_BUDGET; o++) {
		look.outcome = o;
		w = (struct kh_waiting){.until = now + 60 * SECOND, .human = true};
		assert_true(kh_waiting_query(f->engine, &w, &look) == (o == KH_OUTCOME_PENDING));
		w.human = false;
		assert_false(kh_waiting_query(f->engine, &w, &look));
	}
}

/* B17: a Reader that the waiting thread asked, and that took too long: told at the next slot, once. */
static void test_waiting_query_here(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_query_row row = {.task = 7};
	int64_t now = kh_clock_us(), clock = kh_engine_now(f->engine);
	struct kh_waiting w = {.until = now - 1, .here = true};
	struct kh_look look = {.row = &row, .slot = clock + 5 * SECOND};

	assert_true(kh_waiting_query(f->engine, &w, &look));
	assert_true(is_about(w.until, now + 5 * SECOND));
	assert_int_equal(w.at, w.until);
	assert_false(w.here);
	w = (struct kh_waiting){.until = now + 60 * SECOND, .here = true};
	assert_true(kh_waiting_query(f->engine, &w, &look)); /* there is time: as any other */
	assert_int_equal(w.until, now + 60 * SECOND);
	look.slot = clock; /* release: immediate */
	w = (struct kh_waiting){.until = now - 1, .here = true};
	assert_false(kh_waiting_query(f->engine, &w, &look));
	look.outcome = KH_OUTCOME_DELIVERED;
	look.slot = clock + 5 * SECOND;
	w = (struct kh_waiting){.until = now - 1, .here = true};
	assert_false(kh_waiting_query(f->engine, &w, &look)); /* an outcome has left at its slot already */
}

/* A human's decision is told at its slot; another process may make it, so it is looked for now and then. */
static void test_waiting_call(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_declaration_row row = {.task = 9};
	int64_t now = kh_clock_us(), clock = kh_engine_now(f->engine);
	struct kh_waiting w = {.until = now + 60 * SECOND};
	struct kh_comm_look look = {.row = &row, .approval = KH_LIT("a"), .due = clock + 30 * SECOND};

	assert_true(kh_waiting_call(f->engine, &w, &look));
	assert_true(is_about(w.at, now + 5 * SECOND));
	assert_int_equal(w.chain, 9);
	look.due = clock + SECOND;
	assert_true(kh_waiting_call(f->engine, &w, &look));
	assert_true(is_about(w.at, now + SECOND));
	look.due = clock + 30 * SECOND;
	look.approval = (struct kh_view){NULL, 0};
	assert_true(kh_waiting_call(f->engine, &w, &look));
	assert_true(is_about(w.at, now + 30 * SECOND));
	assert_int_equal(w.chain, 9);
	look.due = 0;
	assert_true(kh_waiting_call(f->engine, &w, &look));
	assert_int_equal(w.at, w.until);
	look.ended = KH_ENDED_FAILED;
	assert_false(kh_waiting_call(f->engine, &w, &look));
	look.ended = KH_ENDED_NOT;
	w.until = now - 1;
	assert_false(kh_waiting_call(f->engine, &w, &look));
}

/* B17: what was carried out by the waiting thread is told at its slot, though the caller would have waited less. */
static void test_waiting_call_here(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_declaration_row row = {.task = 9};
	int64_t now = kh_clock_us(), clock = kh_engine_now(f->engine);
	struct kh_waiting w = {.until = now, .here = true};
	struct kh_comm_look look = {.row = &row, .due = clock + 3 * SECOND};

	assert_true(kh_waiting_call(f->engine, &w, &look));
	assert_true(is_about(w.at, now + 3 * SECOND));
	w = (struct kh_waiting){.until = now};
	assert_false(kh_waiting_call(f->engine, &w, &look));
}

/* A rest ends by the clock; one for the record ends soon, to look at it again. */
static void test_waiting_rest(struct kh_test *t)
{
	int64_t now = kh_clock_us();

	(void)t;
	kh_waiting_rest(&(struct kh_waiting){.at = now - SECOND});
	kh_waiting_rest(&(struct kh_waiting){.at = now + SECOND / 20});
	assert_true(kh_clock_us() >= now + SECOND / 20);
	now = kh_clock_us();
	kh_waiting_rest(&(struct kh_waiting){.at = now + 600 * SECOND, .chain = 1});
	assert_true(kh_clock_us() < now + 60 * SECOND);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_waiting_query),     KH_TEST_ONCE(test_waiting_query_here), KH_TEST_ONCE(test_waiting_call),
	KH_TEST_ONCE(test_waiting_call_here), KH_TEST_ONCE(test_waiting_rest),
};
KH_TEST_MAIN(cases)
