/* A5, E12: an operation from the call to what the Controller is told.  There is no executor here: what runs has failed.
 */
#include "gateway/operating.h"

#include "driven.h"
#include "gateway/dispatch.h"
#include "operating.h"

struct acted {
	struct kh_work work;
	struct kh_gateway *gateway;
	struct kh_operating operating;
	struct kh_arena arena;
	struct kh_error err;
	atomic_bool done;
};

static enum kh_work_next step(struct kh_work *work)
{
	struct acted *a = (struct acted *)work;
	enum kh_work_next next = kh_operating_step(a->gateway, &a->operating, work, &a->arena, &a->err);

	if (next == KH_WORK_WAIT)
		kh_arena_clear(&a->arena);
	else
		atomic_store(&a->done, true);
	return next;
}

static void begin(struct acted *a, struct kh_gateway *gateway, struct kh_fixture *f, struct kh_view task,
		  const char *declare)
{
	*a = (struct acted){.gateway = gateway, .work = {.step = step}};
	a->operating.token = kh_token_read(f->engine, f->controller);
	a->operating.task = task;
	a->operating.declare = kh_fixture_json(f, kh_view_str(declare));
	kh_arena_init(&a->arena, NULL, (size_t)64 << 20);
	assert_true(kh_works_add(kh_gateway_works(gateway), &a->work));
}

static void wait_for(struct acted *a)
{
	for (int64_t end = kh_works_now() + 30 * SECOND; kh_works_now() < end && !atomic_load(&a->done);)
		kh_driven_rest(1000);
	assert_true(atomic_load(&a->done));
}

static void test_operating_ends(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, KH_OPERATING_POLICY);
	struct kh_view task = kh_operating_task(f);
	struct kh_gateway *gateway = kh_driven_gateway(f, 0);
	struct acted a;

	begin(&a, gateway, f, task, KH_OPERATING_READ);
	wait_for(&a);
	assert_int_equal(a.operating.result, KH_OK);
	assert_int_equal(a.operating.look.ended, KH_ENDED_FAILED);
	assert_view(a.operating.look.parameters, "{\"path\":\"/srv/docs/notes.txt\"}");
	kh_arena_done(&a.arena);
	kh_driven_close(gateway);
}

/* A refusal comes out as it is; nothing was begun. */
static void test_operating_refused(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, KH_OPERATING_POLICY);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_gateway *gateway = kh_driven_gateway(f, 0);
	struct acted a;

	begin(&a, gateway, f, task, KH_OPERATING_READ);
	wait_for(&a);
	assert_int_equal(a.operating.result, KH_EREFUSED);
	assert_string_equal(a.err.code, "OUTBOUND_FORBIDDEN_IN_PLANNING");
	kh_arena_done(&a.arena);
	kh_driven_close(gateway);
}

/* A5: `pending` and the approval's id after the bound; taken up again by it when the human has decided. */
static void test_operating_waits(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, KH_OPERATING_POLICY);
	struct kh_view task = kh_operating_task(f);
	struct kh_gateway *gateway = kh_driven_gateway(f, SECOND / 10);
	struct acted a;

	begin(&a, gateway, f, task, KH_OPERATING_FETCH);
	wait_for(&a);
	assert_int_equal(a.operating.look.ended, KH_ENDED_NOT);
	struct kh_view approval = kh_arena_dup(&f->arena, a.operating.look.approval);
	assert_true(approval.n > 0);
	assert_string_equal(a.operating.waits, approval.p);
	kh_arena_done(&a.arena);
	must(t, kh_approving_decide(f, f->reviewer, approval, KH_CHOICE_APPROVE, NULL));
	a = (struct acted){.gateway = gateway,
			   .work = {.step = step},
			   .operating = {.token = kh_token_read(f->engine, f->controller)}};
	memcpy(a.operating.of, approval.p, approval.n);
	kh_arena_init(&a.arena, NULL, (size_t)64 << 20);
	assert_true(kh_works_add(kh_gateway_works(gateway), &a.work));
	wait_for(&a);
	assert_int_equal(a.operating.look.ended, KH_ENDED_FAILED);
	assert_int_equal(kh_approving_row(f, approval)->state, KH_APPROVAL_USED);
	kh_arena_done(&a.arena);
	kh_driven_close(gateway);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_operating_ends),
	KH_TEST_ONCE(test_operating_refused),
	KH_TEST_ONCE(test_operating_waits),
};
KH_TEST_MAIN(cases)
