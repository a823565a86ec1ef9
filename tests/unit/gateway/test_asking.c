/* A5, B16, B17: what a Controller is told of its query, and when. */
#include "driven.h"

#include "approving.h"

#define JUSTIFIED "\"justification\":\"The user wants to know whom to answer.\""
#define YES       "\"category\":1,\"target\":\"scripted\",\"fields\":[{\"name\":\"yes\",\"type\":\"boolean\"}]"
#define SLOW      "\"category\":1,\"target\":\"program\",\"fields\":[{\"name\":\"yes\",\"type\":\"boolean\"}]"
#define SUMMARY                                                                        \
	"\"category\":3,\"target\":\"scripted\",\"directive\":\"Say what the mail is " \
	"about\",\"max_words\":8," JUSTIFIED
#define LINTED                                                                                                       \
	"\"category\":2,\"target\":\"scripted\",\"questions\":[{\"id\":\"q1\",\"question\":\"Is the mail urgent?\"," \
	"\"expected_format\":\"yes_no\",\"max_words\":3}]," JUSTIFIED

struct world {
	struct kh_fixture *f;
	struct kh_view task;
	struct kh_gateway *gateway;
};

static struct world begin(struct kh_test *t, int64_t wait)
{
	struct world w = {.f = kh_fixture_open(t, NULL)};

	w.task = kh_fixture_task(w.f, w.f->controller);
	kh_fixture_block(w.f, w.f->controller, w.task, "A mail.");
	w.gateway = kh_driven_gateway(w.f, wait);
	return w;
}

static void test_asking_delivered(struct kh_test *t)
{
	struct world w = begin(t, 0);
	struct driven d = {0};

	kh_fixture_answer(w.f, "{\"fields\":{\"yes\":true}}");
	kh_driven_begin(&d, w.gateway, w.f, w.task, YES);
	assert_true(kh_driven_ends(&d));
	assert_int_equal(d.asking.result, KH_OK);
	assert_int_equal(d.asking.told.outcome, KH_OUTCOME_DELIVERED);
	assert_non_null(strstr(d.asking.told.delivery.p, "\"yes\":true"));
	assert_true(d.asking.id[0] == 'q' && d.asking.told.block.n > 0);
	assert_true(d.asking.told.sources.n > 4 && d.asking.told.sources.p[0] == '[');
	assert_int_equal(kh_gateway_figures(w.gateway).outcomes[KH_OUTCOME_DELIVERED], 1);
	kh_arena_done(&d.arena);
	kh_driven_close(w.gateway);
}

/* A Reader that takes its time is asked beside: the answer comes all the same, and so does the advice (B22). */
static void test_asking_beside(struct kh_test *t)
{
	struct world w = begin(t, 0);
	struct driven d = {0};

	kh_fixture_answer(w.f, "{\"fields\":{\"yes\":false}}");
	kh_driven_begin(&d, w.gateway, w.f, w.task, SLOW);
	assert_true(kh_driven_ends(&d));
	assert_int_equal(d.asking.told.outcome, KH_OUTCOME_DELIVERED);
	assert_non_null(strstr(d.asking.told.delivery.p, "\"yes\":false"));
	kh_arena_done(&d.arena);
	kh_driven_close(w.gateway);
}

static void test_asking_refused(struct kh_test *t)
{
	struct world w = begin(t, 0);
	struct driven d = {0}, unknown = {0};

	kh_driven_begin(&d, w.gateway, w.f, w.task, "\"category\":9");
	assert_true(kh_driven_ends(&d));
	assert_int_equal(d.asking.result, KH_EREFUSED);
	assert_string_equal(d.err.member, "category");
	kh_driven_begin(&unknown, w.gateway, w.f, w.task, NULL);
	assert_true(kh_driven_ends(&unknown));
	assert_int_equal(unknown.asking.result, KH_EUNKNOWN);
	kh_arena_done(&d.arena);
	kh_arena_done(&unknown.arena);
	kh_driven_close(w.gateway);
}

static void approve(struct kh_fixture *f, struct kh_view id)
{
	struct kh_approval_show show = {.approval = id, .page = 1};
	struct kh_arena arena;
	struct kh_error err;

	kh_arena_init(&arena, NULL, (size_t)16 << 20);
	assert_int_equal(kh_engine_call(f->engine, kh_token_read(f->engine, f->reviewer), kh_approval_show_run, &show,
					&arena, &err),
			 KH_OK);
	yyjson_val *root;
	assert_int_equal(kh_json_read(&arena, show.json, &root, &err), KH_OK);
	struct kh_approval_decide decide = {.approval = id,
					    .choice = KH_CHOICE_APPROVE,
					    .shown = kh_json_str(kh_json_get(root, "digest")),
					    .from = KH_LIT("test")};
	assert_int_equal(kh_engine_call(f->engine, kh_token_read(f->engine, f->reviewer), kh_approval_decide_run,
					&decide, &arena, &err),
			 KH_OK);
	kh_arena_done(&arena);
}

/* The bound passes: `pending` with the approval's id, and by that id it goes on where it was. */
static void test_asking_human(struct kh_test *t)
{
	struct world w = begin(t, SECOND / 10);
	struct driven d = {.asking.waiting.human = true}, again = {.asking.waiting.human = true};
	char approval[KH_ASKING_ID];

	kh_fixture_answer(w.f, "{\"summary\":\"a mail about nothing\"}");
	kh_driven_begin(&d, w.gateway, w.f, w.task, SUMMARY);
	assert_true(kh_driven_ends(&d));
	assert_int_equal(d.asking.told.outcome, KH_OUTCOME_PENDING);
	assert_true(d.asking.pending_seen);
	assert_view(d.asking.told.approval, d.asking.waits);
	memcpy(approval, d.asking.waits, sizeof(approval));
	again.asking.waiting.until = kh_works_now() + 30 * SECOND;
	memcpy(again.asking.of, approval, sizeof(approval));
	kh_driven_begin(&again, w.gateway, w.f, w.task, NULL);
	/* Decided by whoever, without a word to the gateway: the record wakes it.  B20: twice. */
	approve(w.f, kh_view_str(approval));
	kh_gateway_look(w.gateway);
	struct kh_view query = kh_view_str(d.asking.id);
	int64_t number = kh_fixture_number(w.f, KH_ID_QUERY, query);
	for (int64_t end = kh_works_now() + 30 * SECOND; kh_works_now() < end; kh_driven_rest(2000)) {
		const struct kh_query_row *row = kh_fixture_row(w.f, KH_TABLE_QUERIES, number);
		if (row->state == KH_QUERY_HELD) {
			struct kh_arena arena;
			kh_arena_init(&arena, NULL, 1 << 20);
			approve(w.f,
				kh_publicid_text(&arena, kh_engine_id_key(w.f->engine), KH_ID_APPROVAL, row->approval));
			kh_arena_done(&arena);
			break;
		}
	}
	assert_true(kh_driven_ends(&again));
	assert_int_equal(again.asking.told.outcome, KH_OUTCOME_DELIVERED);
	assert_non_null(strstr(again.asking.told.delivery.p, "a mail about nothing"));
	kh_arena_done(&d.arena);
	kh_arena_done(&again.arena);
	kh_driven_close(w.gateway);
}

/* B17: who would not wait at all is told at a slot, not when the Reader has ended. */
static void test_asking_slot(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, "policy:\n  release: slots\n");
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_gateway *gateway = kh_driven_gateway(f, 0);
	struct driven d = {.asking.waiting.until = 1};
	int64_t began = kh_works_now();

	kh_fixture_block(f, f->controller, task, "A mail.");
	kh_fixture_answer(f, "{\"fields\":{\"yes\":true}}");
	kh_driven_begin(&d, gateway, f, task, YES);
	assert_true(kh_driven_ends(&d));
	assert_int_equal(d.asking.told.outcome, KH_OUTCOME_NONE); /* the engine's clock stands still */
	assert_true(kh_works_now() - began >= 50000);             /* the first slot */
	kh_arena_done(&d.arena);
	kh_driven_close(gateway);
}

/* A stop ends the wait, and nothing is lost: the query is where it was. */
static void test_asking_stop(struct kh_test *t)
{
	struct world w = begin(t, 600 * SECOND);
	struct driven d = {.asking.waiting.human = true};

	kh_driven_begin(&d, w.gateway, w.f, w.task, SUMMARY);
	for (int64_t end = kh_works_now() + 30 * SECOND; kh_works_now() < end; kh_driven_rest(1000)) {
		if (kh_gateway_figures(w.gateway).calls.parked >= 2) /* it, and the minder */
			break;
	}
	assert_false(d.done);
	kh_driven_close(w.gateway);
	assert_true(d.done);
	assert_int_equal(d.asking.told.outcome, KH_OUTCOME_PENDING);
	kh_arena_done(&d.arena);
}

/* B22: advice is there whether or not the caller had to wait. */
static void test_asking_advice(struct kh_test *t)
{
	struct world w = begin(t, 0);
	struct driven d = {0};

	kh_fixture_answer(w.f, "{\"answers\":[{\"id\":\"q1\",\"answer\":\"yes\"}]}");
	kh_driven_begin(&d, w.gateway, w.f, w.task, LINTED);
	assert_true(kh_driven_ends(&d));
	assert_true(d.asking.told.advice.n > 2);
	kh_arena_done(&d.arena);
	kh_driven_close(w.gateway);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_asking_delivered), KH_TEST_ONCE(test_asking_beside), KH_TEST_ONCE(test_asking_refused),
	KH_TEST_ONCE(test_asking_human),     KH_TEST_ONCE(test_asking_slot),   KH_TEST_ONCE(test_asking_stop),
	KH_TEST_ONCE(test_asking_advice),
};
KH_TEST_MAIN(cases)
