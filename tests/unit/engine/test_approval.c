/* A1-A3, A6: how approvals are asked for, used, and end without anybody's decision. */
#include "engine/approval/approval.h"

#include "approving.h"
#include "core/policy/config.h"
#include "engine/task/task.h"

#define EXPIRY (600 * KH_FIXTURE_SECOND) /* the default */

static void test_request(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_view id = kh_approving_ask(f, task, KH_APPROVE_PHASE, "the plan");
	const struct kh_approval_row *row = kh_approving_row(f, id);

	assert_int_equal(row->state, KH_APPROVAL_PENDING);
	assert_int_equal(row->kind, KH_APPROVE_PHASE);
	assert_int_equal(row->task, kh_fixture_number(f, KH_ID_TASK, task));
	assert_int_equal(row->context, kh_fixture_number(f, KH_ID_CONTEXT, f->context));
	assert_int_equal(row->requested_at, atomic_load(&f->now));
	assert_int_equal(row->expires_at, row->requested_at + EXPIRY);
	assert_int_equal(row->pages, 1);
	assert_int_equal(row->uses, 1);
	assert_int_equal(row->used, 0);
	assert_memory_equal(row->policy.bytes, f->policy->digest.bytes, KH_DIGEST_SIZE);
	assert_int_equal(kh_fixture_task_row(f, task)->pending, 1);
	/* L5: the event has the subject by its hash. */
	struct kh_view event = kh_fixture_event(f, KH_AUDIT_APPROVAL_REQUESTED);
	assert_true(kh_approving_has(event, "\"kind\":\"phase\""));
	assert_false(kh_approving_has(event, "the plan"));
}

/* A6: at most three wait; a decision makes room. */
static void test_limit_of_pending(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_approving ask = {.task = task, .kind = KH_APPROVE_PHASE, .text = KH_LIT("x")};
	struct kh_view id = kh_approving_ask(f, task, KH_APPROVE_PHASE, "x");

	kh_approving_ask(f, task, KH_APPROVE_PHASE, "x");
	kh_approving_ask(f, task, KH_APPROVE_PHASE, "x");
	must_fail(t, KH_EREFUSED, kh_fixture_own(f, kh_approving_run, &ask));
	assert_code(t, "too_many_pending");
	assert_int_equal(kh_fixture_task_row(f, task)->pending, 3);
	must(t, kh_approving_decide(f, f->reviewer, id, KH_CHOICE_REJECT, NULL));
	assert_int_equal(kh_fixture_task_row(f, task)->pending, 2);
	must(t, kh_fixture_own(f, kh_approving_run, &ask));
	/* Another task has room of its own. */
	ask.task = kh_fixture_task(f, f->controller);
	must(t, kh_fixture_own(f, kh_approving_run, &ask));
}

static void test_text_that_nobody_can_be_shown(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_approving ask = {.task = task, .kind = KH_APPROVE_PHASE, .text = KH_LIT("a\xff")};
	char *longest = kh_arena_alloc(&f->arena, KH_APPROVAL_TEXT + 1);

	must_fail(t, KH_EINPUT, kh_fixture_own(f, kh_approving_run, &ask));
	assert_code(t, "bad_utf8");
	assert_non_null(longest);
	memset(longest, 'x', KH_APPROVAL_TEXT + 1);
	ask.text = kh_view_of(longest, KH_APPROVAL_TEXT + 1);
	must_fail(t, KH_ELIMIT, kh_fixture_own(f, kh_approving_run, &ask));
	assert_code(t, "too_long");
	assert_int_equal(kh_fixture_task_row(f, task)->pending, 0);
}

/* --- using a grant ------------------------------------------------------------------------------------------------ */

struct use {
	struct kh_view approval, task;
	void (*change)(struct kh_grant_call *call);
	enum kh_err result;
	enum kh_granted why;
};

/* As operations do: what is refused is not the end of the transaction. */
static enum kh_err use_run(struct kh_op *op, void *arg)
{
	struct use *use = arg;
	struct kh_approval_row *row;
	enum kh_err e = kh_find_approval(op, use->approval, &row);

	if (e != KH_OK)
		return e;
	struct kh_grant_call call = {
		.context = kh_op_id(op, KH_ID_CONTEXT, row->context),
		.task = kh_op_id(op, KH_ID_TASK, row->task),
		.operation = KH_LIT("comm.fetch"),
		.arguments = kh_canonical_digest(KH_LIT("arguments")),
		.content = kh_canonical_digest(KH_LIT("content")),
		.policy = op->policy->digest,
		.host = KH_LIT("example.org"),
	};
	if (use->change != NULL)
		use->change(&call);
	use->result = kh_approval_use(op, row, &call, &use->why);
	return use->result == KH_EREFUSED ? KH_OK : use->result;
}

static enum kh_granted try_use(struct kh_fixture *f, struct kh_view id, void (*change)(struct kh_grant_call *call))
{
	struct use use = {.approval = id, .change = change};

	must(f->t, kh_fixture_own(f, use_run, &use));
	assert_int_equal(use.result, use.why == KH_GRANTED ? KH_OK : KH_EREFUSED);
	return use.why;
}

static struct kh_view ask_and_approve(struct kh_fixture *f, enum kh_approval_kind kind)
{
	struct kh_view id = kh_approving_ask(f, kh_fixture_task(f, f->controller), kind, "x");

	must(f->t, kh_approving_decide(f, f->reviewer, id, KH_CHOICE_APPROVE, NULL));
	return id;
}

/* A2: one use. */
static void test_use(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view id = ask_and_approve(f, KH_APPROVE_PHASE);

	assert_int_equal(try_use(f, id, NULL), KH_GRANTED);
	assert_int_equal(kh_approving_row(f, id)->state, KH_APPROVAL_USED);
	assert_int_equal(kh_approving_row(f, id)->used, 1);
	assert_true(kh_approving_has(kh_fixture_event(f, KH_AUDIT_APPROVAL_USED), "\"state\":\"used\",\"used\":1"));
	int64_t events = kh_fixture_events(f);
	assert_int_equal(try_use(f, id, NULL), KH_GRANT_USED);
	assert_int_equal(kh_fixture_events(f), events);
	assert_int_equal(kh_approving_row(f, id)->used, 1);
}

static void other_context(struct kh_grant_call *call)
{
	call->context = KH_LIT("c0000000000000000");
}
static void other_task(struct kh_grant_call *call)
{
	call->task = KH_LIT("t0000000000000000");
}
static void other_operation(struct kh_grant_call *call)
{
	call->operation = KH_LIT("comm.read");
}
static void other_arguments(struct kh_grant_call *call)
{
	call->arguments.bytes[31] ^= 1;
}
static void other_content(struct kh_grant_call *call)
{
	call->content.bytes[0] ^= 0x80;
}
static void other_definition(struct kh_grant_call *call)
{
	call->definition.bytes[7] = 1;
}
static void other_policy(struct kh_grant_call *call)
{
	call->policy.bytes[7] ^= 1;
}
static void other_host(struct kh_grant_call *call)
{
	call->host = KH_LIT("evil.example");
}

/* A2: whatever differs is not covered; what has changed for good makes the grant void, what is another call does not.
 */
static void test_use_for_something_else(struct kh_test *t)
{
	static const struct {
		void (*change)(struct kh_grant_call *call);
		enum kh_granted why;
		enum kh_approval state;
	} cases[] = {
		{other_context, KH_GRANT_OTHER_CONTEXT, KH_APPROVAL_APPROVED},
		{other_task, KH_GRANT_OTHER_TASK, KH_APPROVAL_APPROVED},
		{other_operation, KH_GRANT_OTHER_OPERATION, KH_APPROVAL_APPROVED},
		{other_arguments, KH_GRANT_OTHER_ARGUMENTS, KH_APPROVAL_APPROVED},
		{other_content, KH_GRANT_OTHER_CONTENT, KH_APPROVAL_VOID},
		{other_definition, KH_GRANT_OTHER_DEFINITION, KH_APPROVAL_VOID},
		{other_policy, KH_GRANT_OTHER_POLICY, KH_APPROVAL_VOID},
	};
	struct kh_fixture *f = kh_fixture_open(t, NULL);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kh_view id = ask_and_approve(f, KH_APPROVE_PHASE);
		bool is_void = cases[i].state == KH_APPROVAL_VOID;
		assert_int_equal(try_use(f, id, cases[i].change), cases[i].why);
		assert_int_equal(kh_approving_row(f, id)->state, cases[i].state);
		if (is_void)
			assert_true(kh_approving_has(kh_fixture_event(f, KH_AUDIT_APPROVAL_VOID),
						     kh_words_name(&kh_grant_words, cases[i].why)));
		assert_int_equal(try_use(f, id, NULL), is_void ? KH_GRANT_NOT_GIVEN : KH_GRANTED);
	}
}

/* A3: what was not approved cannot be used. */
static void test_use_without_a_grant(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view id = kh_approving_ask(f, kh_fixture_task(f, f->controller), KH_APPROVE_PHASE, "x");

	assert_int_equal(try_use(f, id, NULL), KH_GRANT_NOT_GIVEN);
	assert_int_equal(kh_approving_row(f, id)->state, KH_APPROVAL_PENDING);
	must(t, kh_approving_decide(f, f->reviewer, id, KH_CHOICE_REJECT, NULL));
	assert_int_equal(try_use(f, id, NULL), KH_GRANT_NOT_GIVEN);
	assert_int_equal(kh_approving_row(f, id)->state, KH_APPROVAL_REJECTED);
}

/* A2: a grant has an end, counted from the decision. */
static void test_use_too_late(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view early = ask_and_approve(f, KH_APPROVE_PHASE), late = ask_and_approve(f, KH_APPROVE_PHASE);

	kh_fixture_pass(f, EXPIRY - 1);
	assert_int_equal(try_use(f, early, NULL), KH_GRANTED);
	kh_fixture_pass(f, 1);
	assert_int_equal(try_use(f, late, NULL), KH_GRANT_EXPIRED);
	assert_int_equal(kh_approving_row(f, late)->state, KH_APPROVAL_EXPIRED);
	assert_true(kh_approving_has(kh_fixture_event(f, KH_AUDIT_APPROVAL_EXPIRED), "\"why\":\"expired\""));
	assert_int_equal(try_use(f, late, NULL), KH_GRANT_EXPIRED);
}

/* A2: "this host, this task, n uses, until t". */
static void test_use_of_a_wide_grant(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view id = kh_approving_ask(f, kh_fixture_task(f, f->controller), KH_APPROVE_DECLARATION, "x");
	struct kh_approval_decide decide = {
		.approval = id,
		.choice = KH_CHOICE_APPROVE,
		.shown = kh_approving_show(f, f->reviewer, id),
		.from = KH_LIT("test"),
		.host = KH_LIT("Example.org"),
		.uses = 2,
		.until = atomic_load(&f->now) + 3 * EXPIRY,
	};

	must(t, kh_fixture_call(f, f->reviewer, kh_approval_decide_run, &decide));
	kh_fixture_pass(f, 2 * EXPIRY);
	assert_int_equal(try_use(f, id, other_host), KH_GRANT_OTHER_HOST);
	assert_int_equal(try_use(f, id, other_task), KH_GRANT_OTHER_TASK);
	assert_int_equal(try_use(f, id, other_arguments), KH_GRANTED);
	assert_int_equal(kh_approving_row(f, id)->state, KH_APPROVAL_APPROVED);
	assert_int_equal(try_use(f, id, NULL), KH_GRANTED);
	assert_int_equal(kh_approving_row(f, id)->state, KH_APPROVAL_USED);
	assert_int_equal(try_use(f, id, NULL), KH_GRANT_USED);
}

/* A2: the policy of another day does not know what this human agreed to.  A4: the approval is there after a restart. */
static void test_use_after_a_change_of_policy(struct kh_test *t)
{
	static const char yaml[] = "policy:\n  release: immediate\n  version: one\n";
	static const char other[] = "policy:\n  release: immediate\n  version: one\n  approvals:\n    max_pending: 2\n";
	struct kh_fixture *f = kh_fixture_fresh(t, yaml);
	struct kh_view id = ask_and_approve(f, KH_APPROVE_PHASE), same = ask_and_approve(f, KH_APPROVE_PHASE);

	kh_fixture_restart(f);
	assert_int_equal(try_use(f, same, NULL), KH_GRANTED);
	assert_int_equal(kh_config_policy(&f->lasting, kh_view_str(other), KH_LIT("keyhole.yaml"), &f->policy, NULL),
			 KH_OK);
	f->yaml = other;
	kh_fixture_restart(f);
	assert_int_equal(try_use(f, id, NULL), KH_GRANT_OTHER_POLICY);
	assert_int_equal(kh_approving_row(f, id)->state, KH_APPROVAL_VOID);
}

/* --- ends that nobody decided ------------------------------------------------------------------------------------- */

static enum kh_err due_run(struct kh_op *op, void *arg)
{
	const struct kh_view *id = arg;
	struct kh_approval_row *row;
	enum kh_err e = kh_find_approval(op, *id, &row);

	return e == KH_OK ? kh_approval_due(op, row) : e;
}

/* A3: expiry is not rejection. */
static void test_due(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_view id = kh_approving_ask(f, task, KH_APPROVE_PHASE, "x");

	kh_fixture_pass(f, EXPIRY - 1);
	must(t, kh_fixture_own(f, due_run, &id));
	assert_int_equal(kh_approving_row(f, id)->state, KH_APPROVAL_PENDING);
	assert_int_equal(kh_approval_state(kh_approving_row(f, id), atomic_load(&f->now)), KH_APPROVAL_PENDING);
	kh_fixture_pass(f, 1);
	assert_int_equal(kh_approval_state(kh_approving_row(f, id), atomic_load(&f->now)), KH_APPROVAL_EXPIRED);
	must(t, kh_fixture_own(f, due_run, &id));
	assert_int_equal(kh_approving_row(f, id)->state, KH_APPROVAL_EXPIRED);
	assert_int_equal(kh_fixture_task_row(f, task)->pending, 0);
	assert_true(kh_approving_has(kh_fixture_event(f, KH_AUDIT_APPROVAL_EXPIRED), "\"why\":\"not_decided\""));
	int64_t events = kh_fixture_events(f);
	must(t, kh_fixture_own(f, due_run, &id));
	assert_int_equal(kh_fixture_events(f), events);
}

static enum kh_err void_run(struct kh_op *op, void *arg)
{
	const struct kh_view *id = arg;
	struct kh_task_row *task;
	enum kh_err e = kh_find_task(op, *id, &task);

	return e == KH_OK ? kh_approval_void(op, task, 0) : e;
}

/* What waits for a task that has ended waits for nothing; what was decided stays as it was, and so do other tasks'. */
static void test_void(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller), other = kh_fixture_task(f, f->controller);
	struct kh_view kept = kh_approving_ask(f, other, KH_APPROVE_PHASE, "x");
	struct kh_view decided = kh_approving_ask(f, task, KH_APPROVE_PHASE, "x");
	struct kh_view one = kh_approving_ask(f, task, KH_APPROVE_PHASE, "x");
	struct kh_view two = kh_approving_ask(f, task, KH_APPROVE_PHASE, "x");

	must(t, kh_approving_decide(f, f->reviewer, decided, KH_CHOICE_APPROVE, NULL));
	must(t, kh_fixture_own(f, void_run, &task));
	assert_int_equal(kh_approving_row(f, one)->state, KH_APPROVAL_VOID);
	assert_int_equal(kh_approving_row(f, two)->state, KH_APPROVAL_VOID);
	assert_int_equal(kh_approving_row(f, decided)->state, KH_APPROVAL_APPROVED);
	assert_int_equal(kh_approving_row(f, kept)->state, KH_APPROVAL_PENDING);
	assert_int_equal(kh_fixture_task_row(f, task)->pending, 0);
	assert_int_equal(kh_fixture_task_row(f, other)->pending, 1);
	assert_true(kh_approving_has(kh_fixture_event(f, KH_AUDIT_APPROVAL_VOID), "\"why\":\"task_ended\""));
}

/* Closing the task is such an end. */
static void test_void_by_closing(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_task_close close = {.task = kh_fixture_task(f, f->controller)};
	struct kh_view id = kh_approving_ask(f, close.task, KH_APPROVE_PHASE, "x");

	must(t, kh_fixture_call(f, f->controller, kh_task_close_run, &close));
	assert_int_equal(kh_approving_row(f, id)->state, KH_APPROVAL_VOID);
	must_fail(t, KH_EREFUSED, kh_approving_decide(f, f->reviewer, id, KH_CHOICE_APPROVE, NULL));
	assert_code(t, "already_decided");
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_request),
	KH_TEST(test_limit_of_pending),
	KH_TEST(test_text_that_nobody_can_be_shown),
	KH_TEST(test_use),
	KH_TEST(test_use_for_something_else),
	KH_TEST(test_use_without_a_grant),
	KH_TEST(test_use_too_late),
	KH_TEST(test_use_of_a_wide_grant),
	KH_TEST(test_use_after_a_change_of_policy),
	KH_TEST(test_due),
	KH_TEST(test_void),
	KH_TEST(test_void_by_closing),
};
KH_TEST_MAIN(cases)
