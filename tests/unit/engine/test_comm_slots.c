/* B8, B17: what comes of a call is known at a slot, and paid for: how it ended, and what was decided of it. */
#include "operating.h"

#include "engine/comm/call.h"
#include "engine/comm/look.h"
#include "engine/due.h"

#include <stdio.h>

/* B17: an outcome leaves at its slot, and what is reserved is charged then (B6). */
static void test_slots(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, "policy:\n  operations:\n"
						  "    - {name: comm.read, risk: low, paths: [/srv/docs]}\n");
	struct kh_view task = kh_operating_task(f);
	struct kh_comm_look look;
	struct kh_comm_call act;

	must(t, kh_operating_call(f, task, KH_OPERATING_READ, KH_LIT(""), &act));
	struct kh_view id = act.look.id;
	kh_fixture_pass(f, 60000);
	kh_operating_end(f, &act, KH_ERRAND_OK, "notes");
	must(t, kh_operating_look(f, id, &look));
	assert_int_equal(look.ended, KH_ENDED_NOT);
	assert_int_equal(look.block.n, 0);
	assert_int_equal(look.due, atomic_load(&f->now) + 40000); /* 100 ms after it began */
	assert_true(kh_fixture_task_row(f, task)->budget.reserved > 3000000);
	kh_fixture_pass(f, 40000);
	must(t, kh_operating_look(f, id, &look));
	assert_int_equal(look.ended, KH_ENDED_OK);
	assert_int_equal(kh_fixture_task_row(f, task)->budget.reserved, 0);
	assert_true(kh_fixture_task_row(f, task)->budget.charged > 3000000);
}

#define KH_COUNT                                                                                      \
	"{\"operation\":\"comm.exec\",\"command\":\"count\",\"reason\":\"the user wants to know the " \
	"number of open invoices\"}"

/*
 * E7, B8: the slots and what is reserved (3 bits, and log2 of the pairs of slots: when it is told as running, and when as
 * ended) follow from the policy's time limit, or the command's, or the tier's.
 */
static void test_limits(struct kh_test *t)
{
	static const struct {
		const char *limits, *tier, *own;
		uint64_t seconds, microbits;
	} cases[] = {
		{"file_seconds: 10", "T0", "", 300, 9714246},   /* 14 slots */
		{"total_seconds: 1", "T0", "", 1, 7807355},     /* 7 */
		{"total_seconds: 600", "T0", "", 600, 9906891}, /* 15 */
		{"total_seconds: 600", "T2", "", 120, 9507795}, /* 13 */
		{"total_seconds: 600", "T0", ", limits: {seconds: 1}", 1, 7807355},
		{"total_seconds: 1", "T0", ", limits: {seconds: 600}", 600, 9906891},
	};

	static char text[sizeof(cases) / sizeof(cases[0])][400]; /* the fixture keeps it from one test to the next */

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text[i], sizeof(text[i]),
			 "policy:\n  limits: {%s}\n  operations:\n"
			 "    - name: comm.exec\n      risk: low\n      effects: none\n      tier: %s\n"
			 "      commands: [{name: count, argv: [/bin/true]%s}]\n",
			 cases[i].limits, cases[i].tier, cases[i].own);
		struct kh_fixture *f = kh_fixture_open(t, text[i]);
		struct kh_view task = kh_operating_task(f);
		struct kh_comm_call act;

		must(t, kh_operating_call(f, task, KH_COUNT, KH_LIT(""), &act));
		assert_int_equal(act.next, KH_CALL_RUNS);
		assert_int_equal(act.errand.limits.seconds, cases[i].seconds);
		assert_int_equal(act.errand.wall_ms, cases[i].seconds * 1000);
		assert_int_equal(kh_fixture_task_row(f, task)->budget.reserved, cases[i].microbits);
		/* The last slot is 2 s after the end of its time. */
		assert_int_equal(kh_operating_row(f, act.look.id)->wall_ms, cases[i].seconds * 1000 + 2000);
	}
}

/* B8, B17: what a human decides of a call takes effect at a slot, whoever looks, and is paid for when it is asked. */
static void test_decision_slots(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, "policy:\n  operations:\n"
						  "    - {name: comm.fetch, risk: moderate, hosts: [example.com]}\n");
	struct kh_view task = kh_operating_task(f);
	struct kh_comm_call act;
	struct kh_due due = {0};

	uint64_t before = kh_fixture_task_row(f, task)->budget.charged;
	must(t, kh_operating_call(f, task, KH_OPERATING_FETCH, KH_LIT(""), &act));
	struct kh_view approval = act.look.approval, id = act.look.id;
	assert_int_equal(kh_fixture_task_row(f, task)->budget.charged - before,
			 13056638); /* 3, and log2 of 71 x 15 slots */
	kh_fixture_pass(f, 1300000);
	must(t, kh_approving_decide(f, f->reviewer, approval, KH_CHOICE_APPROVE, NULL));
	assert_int_equal(kh_approving_row(f, approval)->state, KH_APPROVAL_APPROVED);
	must(t, kh_operating_call(f, task, NULL, id, &act));
	assert_int_equal(act.next, KH_CALL_WAITS);
	assert_true(kh_view_eq(act.look.approval, approval));
	assert_int_equal(act.look.due, atomic_load(&f->now) + 158000);
	must(t, kh_fixture_own(f, kh_due_run, &due));
	assert_int_equal(due.next, atomic_load(&f->now) + 158000);
	kh_fixture_pass(f, 158000);
	must(t, kh_fixture_own(f, kh_due_run, &due));
	assert_int_equal(kh_operating_row(f, id)->state, KH_DECLARATION_DECLARED);
	assert_non_null(kh_fixture_event(f, KH_AUDIT_APPROVAL_TOLD).p);
	must(t, kh_operating_call(f, task, NULL, id, &act));
	assert_int_equal(act.next, KH_CALL_RUNS);
}

/* B6: an approval that the budget does not hold is not asked for. */
static void test_decision_too_dear(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, "policy:\n  budgets: {task_bits: 20}\n  operations:\n"
						  "    - {name: comm.fetch, risk: moderate, hosts: [example.com]}\n");
	struct kh_view task = kh_operating_task(f);
	struct kh_comm_call act;

	must_fail(t, KH_EREFUSED, kh_operating_call(f, task, KH_OPERATING_FETCH, KH_LIT(""), &act));
	assert_code(t, "budget_exceeded");
	assert_int_equal(kh_fixture_task_row(f, task)->pending, 0);
}

static const struct kh_test_case cases[] = {KH_TEST(test_slots), KH_TEST(test_limits), KH_TEST(test_decision_slots),
					    KH_TEST(test_decision_too_dear)};
KH_TEST_MAIN(cases)
