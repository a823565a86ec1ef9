/* B1-B6, B9, B10, B19-B22: a query is checked whole and paid for, or refused with a record and no other trace. */
#include "asking.h"
#include "operating.h"

#include "engine/context/assemble.h"
#include "engine/context/put.h"
#include "engine/purging.h"
#include "engine/task/reset.h"
#include "engine/task/task.h"

#define SMALL(bits) "policy:\n  release: immediate\n  budgets:\n    task_bits: " bits "\n" KH_ASKING_RATES

/* Refused with CODE: on the record, and nothing else has changed; the Reader was not asked. */
static void must_refuse(struct kh_asking *w, const char *members, enum kh_err want, const char *code)
{
	struct kh_asking_state was = kh_asking_now(w);
	struct kh_admit admit;

	must_fail(w->f->t, want, kh_asking_admit(w, members, &admit));
	assert_code(w->f->t, code);
	kh_asking_unchanged(w, &was, 1);
	struct kh_view event = kh_fixture_event(w->f, KH_AUDIT_QUERY_REFUSED);
	assert_true(kh_asking_has(event, kh_arena_printf(&w->f->arena, "\"what\":{\"code\":\"%s\"}", code).p));
	assert_true(kh_asking_has(event, "\"set\":[]"));
	assert_int_equal(atomic_load(&w->f->asked), 0);
}

/* B1, B3: what is no query. */
static void test_admit_refuses_what_is_no_query(struct kh_test *t)
{
	static const struct {
		const char *members, *code;
	} bad[] = {
		{"\"category\":4,\"target\":\"scripted\"", "bad_category"},
		{"\"category\":1,\"target\":\"scripted\",\"fields\":[]", "empty"},
		{"\"category\":1,\"fields\":[" FIELD_YES "]", "missing"},
		{"\"category\":1,\"target\":\"scripted\",\"fields\":[" FIELD_YES "," FIELD_YES "]", "duplicate_name"},
		{YES ",\"more\":1", "unknown_member"},
		{YES ",\"directive\":\"Say it\"", "unknown_member"},
		{"\"category\":1,\"target\":\"scripted\",\"fields\":[{\"name\":\"n\",\"type\":\"integer\",\"min\":2,"
		 "\"max\":1}]",
		 "range_empty"},
		{"\"category\":2,\"target\":\"scripted\",\"questions\":[{\"id\":\"q\",\"question\":\"Who?\","
		 "\"expected_format\":\"short_text\",\"max_words\":2}],\"justification\":\"too short\"",
		 "justification_short"},
		{SUMMARY ",\"requires_approval\":false", "approval_required"},
	};
	struct kh_asking w = kh_asking_begin(t, NULL);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		must_refuse(&w, bad[i].members, KH_EREFUSED, bad[i].code);
}

/* B1: who reads it and what it is about. */
static void test_admit_refuses_reader_and_blocks(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view other = kh_fixture_task(w.f, w.f->controller);
	struct kh_view there = kh_fixture_block(w.f, w.f->controller, other, "Of another task.");
	struct kh_view theirs = kh_fixture_task(w.f, w.f->hosted);
	struct kh_view foreign = kh_fixture_block(w.f, w.f->hosted, theirs, "Of another context.");
	struct kh_arena *arena = &w.f->arena;

	must_refuse(&w, YES_OF("nobody"), KH_EUNKNOWN, "unknown_reader");
	must_refuse(&w, kh_arena_printf(arena, YES ",\"blocks\":[\"%.*s\"]", KH_FMT(there)).p, KH_EUNKNOWN,
		    "unknown_block");
	must_refuse(&w, kh_arena_printf(arena, YES ",\"blocks\":[\"%.*s\"]", KH_FMT(foreign)).p, KH_EUNKNOWN,
		    "unknown_block");
	must_refuse(&w, YES ",\"blocks\":[\"b0123456789abcdef\"]", KH_EUNKNOWN, "unknown_block");
	kh_fixture_block(w.f, w.f->controller, w.task, "A second one.");
	must_refuse(&w, YES, KH_EREFUSED, "blocks_needed");
	w.task = kh_fixture_task(w.f, w.f->controller);
	must_refuse(&w, YES, KH_EREFUSED, "blocks_needed");
}

/* What was delivered in another task is not asked about in this one. */
static void test_admit_refuses_a_delivery(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);

	kh_fixture_answer(w.f, YES_TRUE);
	struct kh_look look = kh_asking_ask(&w, YES);
	assert_int_equal(look.outcome, KH_OUTCOME_DELIVERED);
	atomic_store(&w.f->asked, 0);
	w.task = kh_fixture_task(w.f, w.f->controller);
	must_refuse(&w, kh_arena_printf(&w.f->arena, YES ",\"blocks\":[\"%.*s\"]", KH_FMT(look.block)).p, KH_EUNKNOWN,
		    "unknown_block");
}

/* B1, B4: a task of one's own, and an open one. */
static void test_admit_refuses_task(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_asking none = w, theirs = w;
	struct kh_admit admit;

	none.task = KH_LIT("t0123456789abcdef");
	theirs.task = kh_fixture_task(w.f, w.f->hosted);
	kh_fixture_block(w.f, w.f->hosted, theirs.task, "Theirs.");
	struct kh_asking_state was = kh_asking_now(&w);
	struct kh_task_row hosted = *kh_fixture_task_row(w.f, theirs.task);
	must_fail(t, KH_EUNKNOWN, kh_asking_admit(&none, YES, &admit));
	assert_code(t, "unknown_task");
	struct kh_view first = kh_arena_dup(&w.f->arena, kh_view_str(t->err.detail));
	must_fail(t, KH_EUNKNOWN, kh_asking_admit(&theirs, YES, &admit));
	assert_code(t, "unknown_task");
	/* Somebody else's is told like one that nobody has. */
	assert_int_equal(first.n, kh_view_str(t->err.detail).n);
	kh_asking_unchanged(&w, &was, 2); /* L1: every query is an event */
	assert_true(kh_asking_has(kh_fixture_event(w.f, KH_AUDIT_REFUSED),
				  "{\"code\":\"unknown_task\",\"operation\":\"query.admit\"}"));
	kh_asking_same_row(KH_TABLE_TASKS, &hosted, kh_fixture_task_row(w.f, theirs.task));

	struct kh_task_close close = {.task = w.task};
	must(t, kh_fixture_call(w.f, w.f->controller, kh_task_close_run, &close));
	must_refuse(&w, YES, KH_EREFUSED, "task_closed");
}

/* B1: the task may be left out where there is one. */
static void test_admit_finds_the_only_task(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_admit admit = {.query = kh_fixture_json(w.f, KH_LIT("{" YES "}"))};

	must(t, kh_fixture_call(w.f, w.f->controller, kh_admit_run, &admit));
	assert_int_equal(admit.row->task, kh_fixture_number(w.f, KH_ID_TASK, w.task));
	kh_fixture_task(w.f, w.f->controller);
	int64_t events = kh_fixture_events(w.f);
	must_fail(t, KH_EREFUSED, kh_fixture_call(w.f, w.f->controller, kh_admit_run, &admit));
	assert_code(t, "task_needed");
	assert_int_equal(kh_fixture_events(w.f), events + 1);
	must_fail(t, KH_EREFUSED, kh_fixture_call(w.f, w.f->hosted, kh_admit_run, &admit));
	assert_code(t, "task_needed");
}

/* B6, B8: content and 3 bits of outcome are reserved from task and context when it is admitted, exactly. */
static void test_admit_reserves(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_context_row before = *kh_fixture_context_row(w.f, w.f->context);
	struct kh_view query = kh_asking_put(&w, "\"category\":1,\"target\":\"scripted\",\"fields\":[" FIELD_YES
						 ",{\"name\":\"n\",\"type\":\"integer\","
						 "\"min\":1,\"max\":60}]");
	const struct kh_query_row *row = kh_asking_row(&w, query);
	/* bcp.txt: log2(60) is 5,906,891 microbits, rounded up; with a boolean 6,906,891 or its neighbour. */
	uint64_t content = kh_bits_log2(60) + KH_MICROBIT;

	assert_int_equal(row->content, content);
	assert_int_equal(row->reserved, content + 3 * KH_MICROBIT);
	assert_int_equal(row->charged, 0);
	const struct kh_task_row *task = kh_fixture_task_row(w.f, w.task);
	assert_int_equal(task->budget.reserved, row->reserved);
	assert_int_equal(task->budget.remaining, task->budget.budget - row->reserved);
	assert_int_equal(task->budget.charged, 0);
	assert_int_equal(task->total_1, row->reserved);
	assert_int_equal(task->queries, 1);
	const struct kh_context_row *context = kh_fixture_context_row(w.f, w.f->context);
	assert_int_equal(context->budget.remaining, before.budget.remaining - row->reserved);
	assert_int_equal(context->total_1, before.total_1 + row->reserved);
	assert_true(kh_asking_has(kh_fixture_event(w.f, KH_AUDIT_QUERY_ADMITTED), "\"outcome\":3000000,\"time\":0"));
}

/* B8, B17: with slots, time is an item: 15 slots in 600 s. */
static void test_admit_counts_time(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, KH_ASKING_SLOTS);
	struct kh_view query = kh_asking_put(&w, YES);

	assert_int_equal(kh_asking_row(&w, query)->reserved, 4 * KH_MICROBIT + kh_bits_log2(15));
	assert_int_equal(kh_asking_row(&w, query)->deadline_at, atomic_load(&w.f->now) + 600 * KH_FIXTURE_SECOND);
}

/* B6: the last query that fits is admitted, the next is an outcome, and the Reader does not see it. */
static void test_admit_budget(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, SMALL("9"));
	struct kh_admit admit;

	kh_asking_put(&w, YES);
	kh_asking_put(&w, YES);
	struct kh_asking_state was = kh_asking_now(&w);
	assert_int_equal(was.task.budget.remaining, KH_MICROBIT);
	must(t, kh_asking_admit(&w, YES, &admit));
	assert_int_equal(admit.refused, KH_OUTCOME_BUDGET);
	assert_false(admit.ask.found);
	assert_null(admit.row);
	assert_int_equal(admit.id.n, 0);
	kh_asking_unchanged(&w, &was, 1);
	assert_true(kh_asking_has(kh_fixture_event(w.f, KH_AUDIT_QUERY_REFUSED),
				  "\"what\":{\"code\":\"budget\",\"limit\":\"task_bits\",\"microbits\":4000000}"));
}

/* B6: the context's budget holds it too, over several tasks. */
static void test_admit_context_budget(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(
		t, "policy:\n  release: immediate\n  budgets:\n    context_bits: 8\n" KH_ASKING_RATES);
	struct kh_admit admit;

	kh_asking_put(&w, YES);
	w.task = kh_fixture_task(w.f, w.f->controller);
	kh_fixture_block(w.f, w.f->controller, w.task, "Another.");
	kh_asking_put(&w, YES);
	struct kh_asking_state was = kh_asking_now(&w);
	assert_int_equal(was.context.budget.remaining, 0);
	must(t, kh_asking_admit(&w, YES, &admit));
	assert_int_equal(admit.refused, KH_OUTCOME_BUDGET);
	kh_asking_unchanged(&w, &was, 1);
}

/* B9: a rate per Reader and category; a refused query takes nothing of it. */
static void test_admit_rates(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, "policy:\n  release: immediate\n  rates:\n    category_1: 2/minute\n"
						"    category_2: 0\n    readers:\n      - reader: program\n"
						"        category_1: 1/second\n");

	/* The rate is the Reader's, whoever asks: the run before this one may have used it. */
	kh_fixture_pass(w.f, 3600 * KH_FIXTURE_SECOND);
	must_refuse(&w, WHO, KH_EREFUSED, "rate_denied");
	kh_asking_put(&w, YES);
	kh_asking_put(&w, YES);
	must_refuse(&w, YES, KH_EREFUSED, "rate_limited");
	kh_asking_put(&w, YES_OF("program"));
	must_refuse(&w, YES_OF("program"), KH_EREFUSED, "rate_limited");
	kh_fixture_pass(w.f, 2 * KH_FIXTURE_SECOND);
	kh_asking_put(&w, YES_OF("program"));
	must_refuse(&w, YES, KH_EREFUSED, "rate_limited");
	kh_fixture_pass(w.f, 70 * KH_FIXTURE_SECOND);
	kh_asking_put(&w, YES);
}

/* B6, B9: totals and rates are the store's, not the process's. */
static void test_admit_rates_survive_a_restart(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(
		t, "policy:\n  release: immediate\n  rates:\n    category_1: 1/hour\n    category_2: 5/hour\n");

	kh_fixture_pass(w.f, 2 * 3600 * KH_FIXTURE_SECOND);
	kh_asking_put(&w, YES);
	kh_fixture_restart(w.f);
	must_refuse(&w, YES, KH_EREFUSED, "rate_limited");
	assert_int_equal(kh_fixture_task_row(w.f, w.task)->total_1, 4 * KH_MICROBIT);
}

/* WHO or YES about BLOCK; whether it counted as an escalation. */
static bool escalates(struct kh_asking *w, const char *members, struct kh_view block)
{
	struct kh_view query = kh_asking_put(
		w, kh_arena_printf(&w->f->arena, "%s,\"blocks\":[\"%.*s\"]", members, KH_FMT(block)).p);

	return kh_asking_row(w, query)->escalation == 1;
}

#define MANY "policy:\n  release: immediate\n  budgets: {escalations: 100, context_escalations: 100}\n" KH_ASKING_RATES

/* B19: a higher category about the same block is an escalation, whatever the query calls it. */
static void test_admit_escalations(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, MANY);

	kh_asking_put(&w, YES ",\"need\":\"sender\"");
	assert_int_equal(kh_fixture_task_row(w.f, w.task)->escalations, 0);
	struct kh_view query = kh_asking_put(&w, WHO ",\"need\":\"date\"");
	assert_int_equal(kh_asking_row(&w, query)->escalation, 1);
	kh_asking_put(&w, WHO ",\"need\":\"place\"");
	kh_asking_put(&w, WHO);
	kh_asking_put(&w, YES);
	assert_int_equal(kh_fixture_task_row(w.f, w.task)->escalations, 3);
	assert_int_equal(kh_fixture_context_row(w.f, w.f->context)->escalations, 3);
	/* Another task of the same context begins anew; the context goes on counting. */
	w.task = kh_fixture_task(w.f, w.f->controller);
	kh_fixture_block(w.f, w.f->controller, w.task, "Something else.");
	kh_asking_put(&w, WHO);
	kh_asking_put(&w, YES);
	kh_asking_put(&w, WHO);
	assert_int_equal(kh_fixture_task_row(w.f, w.task)->escalations, 1);
	assert_int_equal(kh_fixture_context_row(w.f, w.f->context)->escalations, 4);
}

/*
 * B19: the same content of the Controller's own is the same thing, in its normal form; other content is not, unless the
 * Controller calls it the same.
 */
static void test_admit_escalates_by_content(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, MANY);
	struct kh_view first = kh_fixture_block(w.f, w.f->controller, w.task, "A page.");
	struct kh_view other = kh_fixture_block(w.f, w.f->controller, w.task, "Another page.");
	struct kh_view copy = kh_fixture_block(w.f, w.f->controller, w.task, " a PAGE .");

	assert_false(escalates(&w, YES, first));
	assert_false(escalates(&w, WHO, other));
	assert_true(escalates(&w, WHO, copy));
	assert_false(escalates(&w, WHO ",\"need\":\"price\"", other));
	assert_false(escalates(&w, YES ",\"need\":\"hours\"", first));
	assert_true(escalates(&w, WHO ",\"need\":\"hours\"", other));
}

/*
 * B19, I-35: content that the Controller does not know is compared with nothing: neither with what it puts in itself, nor
 * with what it does not know either.  What one giver says is from one source is one thing.
 */
static void test_admit_content_of_others_is_not_compared(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, MANY);
	struct kh_view theirs = kh_fixture_block(w.f, w.f->admin, w.task, "A page.");
	struct kh_view guess = kh_fixture_block(w.f, w.f->controller, w.task, "A page.");
	struct kh_view again = {NULL, 0};
	struct kh_put put = {
		.task = w.task, .source = KH_LIT("another place"), .content = kh_tainted_wrap(KH_LIT("A page."))};

	must(t, kh_fixture_call(w.f, w.f->admin, kh_put_run, &put));
	again = kh_arena_dup(&w.f->arena, put.id);
	assert_false(escalates(&w, YES, theirs));
	assert_false(escalates(&w, WHO, guess));
	assert_false(escalates(&w, WHO, again));
	assert_true(escalates(&w, WHO, kh_fixture_block(w.f, w.f->admin, w.task, "Another page.")));
	assert_true(escalates(&w, WHO, theirs));
}

/* B19: what is fetched again is the same thing, even if the page has changed and the call is spelled otherwise. */
static void test_admit_escalates_by_origin(struct kh_test *t)
{
	static const char *const urls[] = {"https://example.com/trains", "https://EXAMPLE.com:443/trains#now",
					   "https://example.com/buses"};
	struct kh_fixture *f = kh_fixture_open(
		t, MANY "  operations:\n    - {name: comm.fetch, risk: low, approval: auto, rate: 1000000/second}\n");
	struct kh_asking w = {.f = f, .task = kh_operating_task(f)};
	struct kh_view blocks[3];

	for (size_t i = 0; i < 3; i++) {
		struct kh_comm_look look;
		struct kh_comm_call act;
		must(t,
		     kh_operating_call(f, w.task,
				       kh_arena_printf(&f->arena,
						       "{\"operation\":\"comm.fetch\",\"url\":\"%s\",\"reason\":\"the "
						       "page has the price of the train\"}",
						       urls[i])
					       .p,
				       (struct kh_view){NULL, 0}, &act));
		kh_operating_end(f, &act, KH_ERRAND_OK, kh_arena_printf(&f->arena, "Page %zu.", i).p);
		must(t, kh_operating_look(f, act.look.id, &look));
		blocks[i] = kh_arena_dup(&f->arena, look.block);
	}
	assert_false(escalates(&w, YES, blocks[0]));
	assert_false(escalates(&w, WHO, blocks[2]));
	assert_true(escalates(&w, WHO, blocks[1]));
}

/* B19: beyond the context's limit an escalation is refused, in a fresh task too; a human's reset clears it. */
static void test_admit_escalations_of_a_context(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t,
					     "policy:\n  release: immediate\n"
					     "  budgets: {escalations: 9, context_escalations: 1}\n" KH_ASKING_RATES);

	kh_asking_put(&w, YES);
	kh_asking_put(&w, WHO);
	must_refuse(&w, WHO, KH_EREFUSED, "escalations_exceeded");
	kh_asking_put(&w, YES);
	assert_int_equal(kh_fixture_task_row(w.f, w.task)->state, KH_TASK_OPEN);
	w.task = kh_fixture_task(w.f, w.f->controller);
	kh_fixture_block(w.f, w.f->controller, w.task, "Something else.");
	must_refuse(&w, SUMMARY, KH_EREFUSED, "escalations_exceeded");
	struct kh_reset reset = {.context = w.f->context, .reason = KH_LIT("a new conversation begins")};
	must(t, kh_fixture_call(w.f, w.f->admin, kh_reset_run, &reset));
	assert_int_equal(kh_fixture_context_row(w.f, w.f->context)->escalations, 0);
}

#define FIELD_WIDE(n) "{\"name\":\"n" n "\",\"type\":\"integer\",\"min\":-9007199254740992,\"max\":9007199254740991}"
#define FIELD_TEN     "{\"name\":\"ten\",\"type\":\"integer\",\"min\":1,\"max\":1024}"

/* B10: 64 bits of category 1 are none, more are one. */
static void test_admit_wide_query_escalates(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view query = kh_asking_put(
		&w, "\"category\":1,\"target\":\"scripted\",\"fields\":[" FIELD_WIDE("1") "," FIELD_TEN "]");

	assert_int_equal(kh_asking_row(&w, query)->content, 64 * KH_MICROBIT);
	assert_int_equal(kh_asking_row(&w, query)->escalation, 0);
	query = kh_asking_put(&w, "\"category\":1,\"target\":\"scripted\",\"fields\":[" FIELD_WIDE(
					  "1") "," FIELD_TEN "," FIELD_YES "]");
	assert_int_equal(kh_asking_row(&w, query)->escalation, 1);
	assert_int_equal(kh_fixture_task_row(w.f, w.task)->escalations, 1);
}

/* B19: the escalation that is one too many fails the task, its open queries with it; it takes no more. */
static void test_admit_one_escalation_too_many(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_admit admit;
	struct kh_view open = kh_asking_put(&w, YES);

	kh_asking_put(&w, WHO);
	kh_asking_put(&w, WHO);
	assert_int_equal(kh_fixture_task_row(w.f, w.task)->escalations, 2);
	struct kh_budget was = kh_fixture_task_row(w.f, w.task)->budget;
	must(t, kh_asking_admit(&w, SUMMARY, &admit));
	assert_int_equal(admit.refused, KH_OUTCOME_FAILED);
	assert_int_equal(admit.id.n, 0);
	assert_int_equal(admit.approval.n, 0);
	const struct kh_task_row *task = kh_fixture_task_row(w.f, w.task);
	assert_int_equal(task->state, KH_TASK_FAILED);
	assert_view(task->reason, "escalations");
	assert_int_equal(task->budget.charged, was.reserved + was.charged);
	assert_int_equal(task->budget.reserved, 0);
	assert_int_equal(task->pending, 0);
	assert_int_equal(kh_asking_look(&w, open).outcome, KH_OUTCOME_FAILED);
	assert_int_equal(kh_asking_effect(&w, open)->state, KH_EFFECT_FAILED);
	must_refuse(&w, YES, KH_EREFUSED, "task_failed");
	kh_asking_carry(&w, open);
	assert_int_equal(atomic_load(&w.f->asked), 0);
}

/* B20: a summary goes to a human first; no more of them wait than the policy allows. */
static void test_admit_summary(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(
		t, "policy:\n  release: immediate\n  approvals:\n    max_pending: 1\n" KH_ASKING_RATES);
	struct kh_admit admit;

	must(t, kh_asking_admit(&w, SUMMARY, &admit));
	assert_int_equal(admit.row->state, KH_QUERY_APPROVAL);
	assert_true(admit.approval.n > 0);
	assert_false(admit.ask.found);
	assert_int_equal(admit.row->effect, 0);
	must_refuse(&w, SUMMARY, KH_EREFUSED, "too_many_pending");
}

/* B21: a justification in a Reader's words is marked for the reviewer; one in the Controller's own is not. */
static void test_admit_marks_repeats(struct kh_test *t)
{
	static const char echo[] = "\"category\":3,\"target\":\"scripted\",\"directive\":\"Say what it is about\","
				   "\"max_words\":8,\"justification\":\"We need it because alice wants more blue paper "
				   "before noon\"";
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_admit admit;

	kh_fixture_answer(w.f,
			  "{\"answers\":[{\"id\":\"q1\",\"answer\":\"alice wants more blue paper before noon\"}]}");
	struct kh_look look = kh_asking_ask(
		&w,
		"\"category\":2,\"target\":\"scripted\",\"questions\":[{\"id\":\"q1\",\"question\":\"What is wanted?\","
		"\"expected_format\":\"short_text\",\"max_words\":8}]," JUSTIFIED);
	assert_int_equal(look.outcome, KH_OUTCOME_DELIVERED);
	must(t, kh_asking_admit(&w, SUMMARY, &admit));
	assert_false(kh_asking_has(kh_approving_row(w.f, admit.approval)->subject, "repeats_delivery"));
	must(t, kh_asking_admit(&w, echo, &admit));
	assert_true(kh_asking_has(kh_approving_row(w.f, admit.approval)->subject, "repeats_delivery"));
	assert_true(kh_asking_has(kh_fixture_event(w.f, KH_AUDIT_QUERY_ADMITTED), "\"repeats\":true"));
}

#define COUNT_QUESTION                                                                                         \
	"\"category\":2,\"target\":\"scripted\",\"questions\":[{\"id\":\"q1\",\"question\":\"Is it urgent?\"," \
	"\"expected_format\":\"yes_no\"}]," JUSTIFIED

/* B22: advised, or refused by policy. */
static void test_admit_lint(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_admit admit;

	must(t, kh_asking_admit(&w, COUNT_QUESTION, &admit));
	assert_true(yyjson_arr_size(kh_fixture_json(w.f, admit.advice)) > 0);
	must(t, kh_asking_admit(&w, WHO, &admit));
	assert_int_equal(yyjson_arr_size(kh_fixture_json(w.f, admit.advice)), 0);
	w = kh_asking_begin(t, "policy:\n  release: immediate\n  lint: refuse\n" KH_ASKING_RATES);
	must_refuse(&w, COUNT_QUESTION, KH_EREFUSED, "lower_category");
}

/* L5: what was purged is not asked about; a query that was admitted before does not get an answer about nothing. */
static void test_admit_purged(struct kh_test *t)
{
	struct kh_asking w = {.f = kh_fixture_fresh(t, NULL)};
	int64_t purged = 0;

	w.task = kh_fixture_task(w.f, w.f->controller);
	kh_fixture_block(w.f, w.f->controller, w.task, "A mail.");
	kh_fixture_pass(w.f, KH_FIXTURE_KEEPS - 5);
	struct kh_view query = kh_asking_put(&w, YES);
	kh_fixture_pass(w.f, 10);
	must(t, kh_purging_batch(w.f->engine, &t->arena, &purged, &t->err));
	assert_int_equal(purged, 1);
	must_refuse(&w, YES, KH_EREFUSED, "content_purged");
	kh_fixture_answer(w.f, YES_TRUE);
	kh_asking_carry(&w, query);
	assert_int_equal(atomic_load(&w.f->asked), 0);
	assert_int_equal(kh_asking_look(&w, query).outcome, KH_OUTCOME_FAILED);
}

/* B1, K5: blocks are a set: named twice they are given once, and the host can assemble what was delivered. */
static void test_admit_blocks_are_a_set(struct kh_test *t)
{
	struct kh_asking w = {.f = kh_fixture_open(t, NULL)};
	struct kh_look look;

	w.task = kh_fixture_task(w.f, w.f->hosted);
	struct kh_view first = kh_fixture_block(w.f, w.f->hosted, w.task, "One.");
	struct kh_view second = kh_fixture_block(w.f, w.f->hosted, w.task, "Two.");
	struct kh_view members = kh_arena_printf(&w.f->arena, YES ",\"blocks\":[\"%.*s\",\"%.*s\",\"%.*s\"]",
						 KH_FMT(second), KH_FMT(first), KH_FMT(second));
	kh_fixture_answer(w.f, YES_TRUE);
	must(t, kh_fixture_query(w.f, w.f->hosted, w.task, members.p, &look));
	assert_int_equal(look.outcome, KH_OUTCOME_DELIVERED);
	struct kh_view ids = kh_arena_printf(&w.f->arena, "[%lld,%lld]",
					     (long long)kh_fixture_number(w.f, KH_ID_BLOCK, first),
					     (long long)kh_fixture_number(w.f, KH_ID_BLOCK, second));
	kh_test_assert_view(kh_asking_row(&w, look.query)->blocks, ids, __FILE__, __LINE__);
	struct kh_context_assemble assemble = {.context = w.f->hosted_context};
	must(t, kh_fixture_call(w.f, w.f->host, kh_context_assemble_run, &assemble));
	assert_true(kh_asking_has(assemble.text, "bcp:scripted"));
}

/* B23: the Reader's taint is the highest of what it reads; content that comes in is high. */
static void test_admit_reader_taint(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);

	assert_int_equal(kh_asking_row(&w, kh_asking_put(&w, YES))->reader_taint, KH_TAINT_HIGH);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_admit_refuses_what_is_no_query),
	KH_TEST(test_admit_refuses_reader_and_blocks),
	KH_TEST(test_admit_refuses_a_delivery),
	KH_TEST(test_admit_refuses_task),
	KH_TEST(test_admit_finds_the_only_task),
	KH_TEST(test_admit_reserves),
	KH_TEST(test_admit_counts_time),
	KH_TEST(test_admit_budget),
	KH_TEST(test_admit_context_budget),
	KH_TEST(test_admit_rates),
	KH_TEST(test_admit_rates_survive_a_restart),
	KH_TEST(test_admit_escalations),
	KH_TEST(test_admit_escalates_by_content),
	KH_TEST(test_admit_content_of_others_is_not_compared),
	KH_TEST(test_admit_escalates_by_origin),
	KH_TEST(test_admit_escalations_of_a_context),
	KH_TEST(test_admit_wide_query_escalates),
	KH_TEST(test_admit_one_escalation_too_many),
	KH_TEST(test_admit_summary),
	KH_TEST(test_admit_marks_repeats),
	KH_TEST(test_admit_lint),
	KH_TEST(test_admit_purged),
	KH_TEST(test_admit_blocks_are_a_set),
	KH_TEST(test_admit_reader_taint),
};
KH_TEST_MAIN(cases)
