#include "engine/task/task.h"

#include "engine/context/context.h"
#include "engine/context/put.h"
#include "engine/query/admit.h"
#include "engine/task/show.h"
#include "fixture.h"

#include <stdio.h>

/* A yes or no to a Reader that is an agent, and so does not answer by itself: 1 bit and 3 of the outcome. */
#define ASK_AGENT "\"category\":1,\"target\":\"%.*s\",\"fields\":[{\"name\":\"yes\",\"type\":\"boolean\"}]"
#define ASK       "\"category\":1,\"target\":\"scripted\",\"fields\":[{\"name\":\"yes\",\"type\":\"boolean\"}]"
#define SUMMARY                                                                                        \
	"\"category\":3,\"target\":\"scripted\",\"directive\":\"What does it say?\",\"max_words\":20," \
	"\"justification\":\"the user wants to know what the letter is about\""

static yyjson_val *what_of(struct kh_fixture *f, enum kh_audit_kind kind)
{
	return kh_json_get(kh_fixture_json(f, kh_fixture_event(f, kind)), "what");
}

static struct kh_view show(struct kh_fixture *f, struct kh_view token, struct kh_view task)
{
	struct kh_task_show show = {.task = task};

	must(f->t, kh_fixture_call(f, token, kh_task_show_run, &show));
	return show.json;
}

/* Leaves a query with the Reader that is an agent. */
static struct kh_view ask_agent(struct kh_fixture *f, struct kh_view token, struct kh_view task)
{
	struct kh_view text = kh_arena_printf(&f->arena, "{\"task\":\"%.*s\"," ASK_AGENT "}", KH_FMT(task),
					      KH_FMT(f->reader_name));
	struct kh_admit admit = {.query = kh_fixture_json(f, text)};

	must(f->t, kh_fixture_call(f, token, kh_admit_run, &admit));
	assert_int_equal(admit.refused, KH_OUTCOME_NONE);
	return admit.id;
}

/* B6, E1, L1, L3: a task begins in planning with the policy's budget, and stands in both chains. */
static void test_open(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_task_open open = {.title = KH_LIT("Reise nach Köln")};

	must(t, kh_fixture_call(f, f->controller, kh_task_open_run, &open));
	const struct kh_task_row *task = kh_fixture_task_row(f, open.id);
	assert_view(task->title, "Reise nach Köln");
	assert_int_equal(task->state, KH_TASK_OPEN);
	assert_int_equal(task->phase, KH_PHASE_PLANNING);
	assert_int_equal(task->budget.budget, 16384 * KH_MICROBIT);
	assert_int_equal(task->budget.remaining, 16384 * KH_MICROBIT);
	assert_int_equal(task->escalation_limit, 2);
	assert_memory_equal(&task->policy, &f->policy->digest, sizeof(task->policy));
	assert_int_equal(task->chain.n, 1);

	yyjson_val *listed = kh_fixture_json(f, kh_fixture_event(f, KH_AUDIT_TASK_LISTED));
	yyjson_val *opened = kh_fixture_json(f, kh_fixture_event(f, KH_AUDIT_TASK_OPENED));
	assert_int_equal(yyjson_get_sint(kh_json_get(listed, "chain")), 0);
	assert_int_equal(yyjson_get_sint(kh_json_get(kh_json_get(listed, "what"), "task")), task->id);
	assert_int_equal(yyjson_get_sint(kh_json_get(opened, "chain")), task->id);
	assert_int_equal(yyjson_get_sint(kh_json_get(opened, "n")), 1);
	assert_int_equal(yyjson_get_sint(kh_json_get(kh_json_get(opened, "what"), "budget")), 16384 * KH_MICROBIT);
}

/* B6: a controller may ask for less than the policy gives, not for more. */
static void test_open_with_less(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_task_open less = {.bits = 10}, more = {.bits = UINT64_MAX};

	must(t, kh_fixture_call(f, f->controller, kh_task_open_run, &less));
	assert_int_equal(kh_fixture_task_row(f, less.id)->budget.budget, 10 * KH_MICROBIT);
	must(t, kh_fixture_call(f, f->controller, kh_task_open_run, &more));
	assert_int_equal(kh_fixture_task_row(f, more.id)->budget.budget, 16384 * KH_MICROBIT);
}

static void test_bad_titles(struct kh_test *t)
{
	static const char *const bad[] = {"two\nlines", "\x1b[31mred", "zero\xe2\x80\x8bwidth", "\xff", "\xe2\x80\xae"};
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	int64_t events = kh_fixture_events(f);
	char many[202];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kh_task_open open = {.title = kh_view_str(bad[i])};
		must_fail(t, KH_EINPUT, kh_fixture_call(f, f->controller, kh_task_open_run, &open));
		assert_code(t, "bad_title");
	}
	memset(many, 'x', sizeof(many));
	struct kh_task_open open = {.title = kh_view_of(many, 201)};
	must_fail(t, KH_ELIMIT, kh_fixture_call(f, f->controller, kh_task_open_run, &open));
	assert_code(t, "too_long");
	assert_int_equal(kh_fixture_events(f), events);
	open.title.n = 200;
	must(t, kh_fixture_call(f, f->controller, kh_task_open_run, &open));
}

/* Another's task is no task: the answer is that of an id which nobody has. */
static void test_whose(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view mine = kh_fixture_task(f, f->controller), hosted = kh_fixture_task(f, f->hosted);
	struct kh_task_show other = {.task = hosted}, none = {.task = KH_LIT("t0123456789abcdef")};
	struct kh_task_close close = {.task = mine};

	must_fail(t, KH_EUNKNOWN, kh_fixture_call(f, f->controller, kh_task_show_run, &other));
	assert_code(t, "unknown_task");
	must_fail(t, KH_EUNKNOWN, kh_fixture_call(f, f->controller, kh_task_show_run, &none));
	assert_code(t, "unknown_task");
	must_fail(t, KH_EUNKNOWN, kh_fixture_call(f, f->hosted, kh_task_close_run, &close));
	must_fail(t, KH_EUNKNOWN, kh_fixture_call(f, f->host, kh_task_close_run, &close));
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->reader, kh_task_close_run, &close));
	assert_code(t, "forbidden");
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->reviewer, kh_task_close_run, &close));
	assert_int_equal(kh_fixture_task_row(f, mine)->state, KH_TASK_OPEN);
	close.task = hosted;
	must(t, kh_fixture_call(f, f->host, kh_task_close_run, &close));
	assert_int_equal(kh_fixture_task_row(f, hosted)->state, KH_TASK_CLOSED);
}

/* B6, L3: what was open fails and stays charged; the system's chain keeps the head of the task's. */
static void test_close(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_task_close close = {.task = task};

	kh_fixture_block(f, f->controller, task, "a mail");
	struct kh_look look = {.query = ask_agent(f, f->controller, task)};
	must(t, kh_fixture_call(f, f->controller, kh_look_run, &look));
	assert_int_equal(look.outcome, KH_OUTCOME_NONE);
	must(t, kh_fixture_call(f, f->controller, kh_task_close_run, &close));

	const struct kh_task_row *row = kh_fixture_task_row(f, task);
	assert_int_equal(row->state, KH_TASK_CLOSED);
	assert_int_equal(row->budget.reserved, 0);
	assert_int_equal(row->budget.charged, 4 * KH_MICROBIT);
	assert_true(kh_budget_valid(&row->budget));
	must(t, kh_fixture_call(f, f->controller, kh_look_run, &look));
	assert_int_equal(look.outcome, KH_OUTCOME_FAILED);
	assert_view(look.row->reason, "task_closed");

	yyjson_val *unlisted = what_of(f, KH_AUDIT_TASK_UNLISTED);
	struct kh_view head = kh_canonical_hex(&f->arena, &row->chain.head);
	assert_int_equal(yyjson_get_sint(kh_json_get(unlisted, "task")), row->id);
	assert_int_equal(yyjson_get_sint(kh_json_get(unlisted, "n")), row->chain.n);
	assert_true(kh_view_eq(kh_json_str(kh_json_get(unlisted, "head")), head));
	assert_view(kh_json_str(kh_json_get(unlisted, "state")), "closed");
}

/* A task that has ended takes nothing any more. */
static void test_closed_is_closed(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_task_close close = {.task = task};
	struct kh_put put = {.task = task, .source = KH_LIT("x"), .content = kh_tainted_wrap(KH_LIT("y"))};
	struct kh_look look;

	must(t, kh_fixture_call(f, f->controller, kh_task_close_run, &close));
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->controller, kh_task_close_run, &close));
	assert_code(t, "task_closed");
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->controller, kh_put_run, &put));
	assert_code(t, "task_closed");
	must_fail(t, KH_EREFUSED, kh_fixture_query(f, f->controller, task, ASK, &look));
	assert_code(t, "task_closed");
	assert_int_equal(kh_fixture_task_row(f, task)->blocks, 0);
}

/* B19: one escalation too many fails the task, and its open queries with it. */
static void test_fail(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, "policy:\n  release: immediate\n  budgets:\n    escalations: 0\n");
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_look look;

	kh_fixture_block(f, f->controller, task, "a mail");
	struct kh_look open = {.query = ask_agent(f, f->controller, task)};
	must(t, kh_fixture_query(f, f->controller, task, SUMMARY, &look));
	assert_int_equal(look.outcome, KH_OUTCOME_FAILED);
	const struct kh_task_row *row = kh_fixture_task_row(f, task);
	assert_int_equal(row->state, KH_TASK_FAILED);
	assert_true(row->reason.n > 0);
	assert_int_equal(row->budget.reserved, 0);
	must(t, kh_fixture_call(f, f->controller, kh_look_run, &open));
	assert_int_equal(open.outcome, KH_OUTCOME_FAILED);
	assert_view(kh_json_str(kh_json_get(what_of(f, KH_AUDIT_TASK_UNLISTED), "state")), "failed");
	must_fail(t, KH_EREFUSED, kh_fixture_query(f, f->controller, task, ASK, &look));
	assert_code(t, "task_failed");
	assert_int_equal(atomic_load(&f->asked), 0);
}

/* Closing voids what waits for a human: nobody is asked about what can no longer happen. */
static void test_close_voids(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_task_close close = {.task = task};
	struct kh_look look;

	kh_fixture_block(f, f->controller, task, "a mail");
	must(t, kh_fixture_query(f, f->controller, task, SUMMARY, &look));
	assert_int_equal(look.outcome, KH_OUTCOME_PENDING);
	assert_int_equal(kh_fixture_task_row(f, task)->pending, 1);
	must(t, kh_fixture_call(f, f->controller, kh_task_close_run, &close));
	assert_int_equal(kh_fixture_task_row(f, task)->pending, 0);
	const struct kh_approval_row *approval = kh_fixture_row(f, KH_TABLE_APPROVALS,
								kh_fixture_number(f, KH_ID_APPROVAL, look.waits));
	assert_int_equal(approval->state, KH_APPROVAL_VOID);
}

static bool has(yyjson_val *obj, const char *key)
{
	return kh_json_get(obj, key) != NULL;
}

/* COMPAT 1: a budget in bits, exactly, and in words; for humans with all its parts. */
static void test_show_humans(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_look look;

	kh_fixture_block(f, f->controller, task, "a mail");
	kh_fixture_answer(f, "{\"fields\":{\"mood\":\"b\"}}");
	must(t, kh_fixture_query(f, f->controller, task,
				 "\"category\":1,\"target\":\"scripted\",\"fields\":[{\"name\":\"mood\",\"type\":"
				 "\"enum\",\"values\":[\"a\",\"b\",\"c\"]}]",
				 &look));
	ask_agent(f, f->controller, task);
	yyjson_val *json = kh_fixture_json(f, show(f, f->reviewer, task));
	yyjson_val *budget = kh_json_get(json, "budget"), *exact = kh_json_get(budget, "microbits");
	assert_true(yyjson_get_num(kh_json_get(budget, "bits")) == 16384.0);
	assert_true(yyjson_get_num(kh_json_get(budget, "charged")) == 4.584963);
	assert_true(yyjson_get_num(kh_json_get(budget, "reserved")) == 4.0);
	assert_int_equal(yyjson_get_uint(kh_json_get(exact, "charged")), 4584963);
	assert_int_equal(yyjson_get_uint(kh_json_get(exact, "remaining")), 16384000000 - 8584963);
	assert_view(kh_json_str(kh_json_get(json, "words")), "about 34 short answers left");
	assert_view(kh_json_str(kh_json_get(json, "taint")), "medium");
	assert_view(kh_json_str(kh_json_get(json, "phase")), "planning");
	assert_int_equal(yyjson_get_uint(kh_json_get(kh_json_get(json, "totals"), "1")), 8584963);
	assert_int_equal(yyjson_get_sint(kh_json_get(json, "queries")), 2);
	yyjson_val *block = yyjson_arr_get_first(kh_json_get(json, "blocks"));
	assert_view(kh_json_str(kh_json_get(block, "taint")), "high");
	assert_view(kh_json_str(kh_json_get(block, "source")), "mail.txt");
	assert_true(has(block, "content_hash"));
}

/* B8, B16, E12: a controller is shown nothing but what follows from its own calls and deliveries. */
static void test_show_controllers(struct kh_test *t)
{
	static const char *const hidden[] = {"pending", "totals", "approvals", "reason"};
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);

	kh_fixture_block(f, f->controller, task, "a mail");
	yyjson_val *json = kh_fixture_json(f, show(f, f->controller, task));
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		assert_false(has(json, hidden[i]));
	assert_int_equal(yyjson_obj_size(kh_json_get(json, "budget")), 3); /* bits, remaining, microbits */
	assert_int_equal(yyjson_obj_size(kh_json_get(kh_json_get(json, "budget"), "microbits")), 2);
	yyjson_val *block = yyjson_arr_get_first(kh_json_get(json, "blocks"));
	assert_int_equal(yyjson_obj_size(block), 3);
	assert_view(kh_json_str(kh_json_get(block, "kind")), "sealed");
	assert_view(kh_json_str(kh_json_get(block, "source")), "mail.txt");
}

/* B6, B16: a controller cannot see by its balance that a Reader failed: the bytes are the same before and after. */
static void test_show_is_silent(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, "policy:\n  release: slots\n");
	struct kh_view task = kh_fixture_task(f, f->controller);

	kh_fixture_block(f, f->controller, task, "a mail");
	struct kh_view query = ask_agent(f, f->controller, task);
	struct kh_view before = kh_arena_dup(&f->arena, show(f, f->controller, task));
	struct kh_look look;
	/* The scripted Reader fails at once: the outcome is known here, and waits for its slot. */
	must(t, kh_fixture_query(f, f->controller, task, ASK, &look));
	struct kh_view open = kh_arena_dup(&f->arena, show(f, f->controller, task));
	assert_int_equal(look.outcome, KH_OUTCOME_NONE);
	kh_fixture_pass(f, 600 * KH_FIXTURE_SECOND);
	look = (struct kh_look){.query = look.row != NULL ? kh_publicid_text(&f->arena, kh_engine_id_key(f->engine),
									     KH_ID_QUERY, look.row->id)
							  : query};
	must(t, kh_fixture_call(f, f->controller, kh_look_run, &look));
	assert_int_equal(look.outcome, KH_OUTCOME_FAILED);
	assert_true(kh_view_eq(show(f, f->controller, task), open));
	assert_false(kh_view_eq(before, open)); /* its own query is to be seen */
}

/* E12: what a host gave as a source may be the world's words. */
static void test_show_sources(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->hosted);

	kh_fixture_block(f, f->host, task, "a mail");
	kh_fixture_block(f, f->hosted, task, "another");
	yyjson_val *blocks = kh_json_get(kh_fixture_json(f, show(f, f->hosted, task)), "blocks");
	assert_int_equal(yyjson_arr_size(blocks), 2);
	assert_false(has(yyjson_arr_get(blocks, 0), "source"));
	assert_true(has(yyjson_arr_get(blocks, 1), "source"));
}

/* What a list has: its ids. */
static size_t list(struct kh_fixture *f, struct kh_view token, bool all, struct kh_view find, bool *ret_found)
{
	struct kh_page list = {.all = all};
	yyjson_val *item;
	size_t i, n;

	must(f->t, kh_fixture_call(f, token, kh_task_list_run, &list));
	yyjson_val *json = kh_fixture_json(f, list.json);
	*ret_found = false;
	yyjson_arr_foreach (json, i, n, item) {
		*ret_found |= kh_view_eq(kh_json_str(kh_json_get(item, "id")), find);
	}
	return yyjson_arr_size(json);
}

static void test_list(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view a = kh_fixture_task(f, f->controller), b = kh_fixture_task(f, f->hosted);
	struct kh_task_close close = {.task = a};
	bool found;

	assert_int_equal(list(f, f->controller, false, a, &found), 1);
	assert_true(found);
	assert_int_equal(list(f, f->host, false, b, &found), 1);
	assert_true(found);
	assert_true(list(f, f->reviewer, false, a, &found) >= 2);
	assert_true(found);
	must(t, kh_fixture_call(f, f->admin, kh_task_close_run, &close));
	assert_int_equal(list(f, f->controller, false, a, &found), 0);
	assert_int_equal(list(f, f->controller, true, a, &found), 1);
	list(f, f->admin, false, a, &found);
	assert_false(found);
	list(f, f->admin, true, a, &found);
	assert_true(found);
}

/* A controller cannot fill the store with open tasks, and a list comes in pieces. */
static void test_many(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_fresh(t, NULL);
	struct kh_task_open open = {.title = KH_LIT("one too many")};
	struct kh_page rest = {.all = true};

	for (int i = 0; i < KH_CONTEXT_TASKS_MAX; i++)
		rest.after = kh_fixture_task(f, f->controller);
	must_fail(t, KH_EREFUSED, kh_fixture_call(f, f->controller, kh_task_open_run, &open));
	assert_code(t, "too_many_tasks");
	kh_fixture_task(f, f->hosted);
	struct kh_page first = {.all = false};
	must(t, kh_fixture_call(f, f->admin, kh_task_list_run, &first));
	assert_true(first.next.n > 0);
	assert_int_equal(yyjson_arr_size(kh_fixture_json(f, first.json)), KH_TASK_LIST);
	must(t, kh_fixture_call(f, f->admin, kh_task_list_run, &rest));
	assert_int_equal(rest.next.n, 0);
	assert_int_equal(yyjson_arr_size(kh_fixture_json(f, rest.json)), 1);
}

/* SPEC 1: nothing hangs on a process: another one sees the same. */
static void test_restart(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);

	kh_fixture_block(f, f->controller, task, "a mail");
	ask_agent(f, f->controller, task);
	struct kh_view before = kh_arena_dup(&f->arena, show(f, f->reviewer, task));
	kh_fixture_restart(f);
	assert_true(kh_view_eq(show(f, f->reviewer, task), before));
}

/* Blocks come in pages: each once, in their order; a block of somebody else is none to go on from. */
static void test_show_pages(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller), last = {NULL, 0};
	size_t want = KH_TASK_SHOW_BLOCKS + 3;

	for (size_t i = 0; i < want; i++)
		last = kh_fixture_block(f, f->controller, task, "a mail");
	struct kh_task_show first = {.task = task}, second = {.task = task};
	must(t, kh_fixture_call(f, f->controller, kh_task_show_run, &first));
	yyjson_val *blocks = kh_json_get(kh_fixture_json(f, first.json), "blocks");
	assert_int_equal(yyjson_arr_size(blocks), KH_TASK_SHOW_BLOCKS);
	assert_true(kh_view_eq(first.next, kh_json_str(kh_json_get(yyjson_arr_get_last(blocks), "id"))));
	second.after = first.next;
	must(t, kh_fixture_call(f, f->controller, kh_task_show_run, &second));
	blocks = kh_json_get(kh_fixture_json(f, second.json), "blocks");
	assert_int_equal(yyjson_arr_size(blocks), 3);
	assert_true(kh_view_eq(last, kh_json_str(kh_json_get(yyjson_arr_get_last(blocks), "id"))));
	assert_int_equal(second.next.n, 0);
	struct kh_view hosted = kh_fixture_task(f, f->hosted);
	struct kh_task_show others = {.task = hosted, .after = last};
	must_fail(t, KH_EUNKNOWN, kh_fixture_call(f, f->hosted, kh_task_show_run, &others));
	assert_code(t, "unknown_block");
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_show_pages),  KH_TEST(test_open),         KH_TEST(test_open_with_less),
	KH_TEST(test_bad_titles),       KH_TEST(test_whose),        KH_TEST(test_close),
	KH_TEST(test_closed_is_closed), KH_TEST(test_close_voids),  KH_TEST(test_show_humans),
	KH_TEST(test_show_controllers), KH_TEST(test_show_sources), KH_TEST(test_list),
	KH_TEST(test_restart),          KH_TEST(test_fail),         KH_TEST(test_show_is_silent),
	KH_TEST_ONCE(test_many),
};
KH_TEST_MAIN(cases)
