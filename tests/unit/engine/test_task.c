#include "engine/task.h"

#include "fixture.h"

/* B6, L1: a task is opened with the policy's budget, in both chains. */
static void test_open(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_task_open open = {.title = KH_LIT("Reise nach Köln")};

	must(t, kh_fixture_call(f, f->controller, kh_task_open_run, &open));
	const struct kh_task_row *task = kh_fixture_task_row(f, open.id);
	assert_view(task->title, "Reise nach Köln");
	assert_int_equal(task->state, KH_TASK_OPEN);
	assert_int_equal(task->budget.budget, 4096 * KH_MICROBIT);
	assert_int_equal(task->budget.remaining, 4096 * KH_MICROBIT);
}

static const struct kh_test_case cases[] = {KH_TEST(test_open)};
KH_TEST_MAIN(cases)
