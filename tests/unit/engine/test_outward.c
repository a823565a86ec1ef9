#include "engine/query/outward.h"

#include "asking.h"
#include "engine/deciding.h"
#include "operating.h"

/* A task in execution whose agent was told something about a mail. */
#define MAIL "The board has decided to sell the northern branch before the end of June."
#define SMALL_WORDS                                                                               \
	"policy:\n  release: immediate\n  reader_egress: 300\n" KH_ASKING_RATES "  operations:\n" \
	"    - {name: comm.read, paths: [/srv]}\n"

#define MANY_WORDS                                                                                                 \
	"policy:\n  release: immediate\n  budgets: {escalations: 100, context_escalations: 100}\n" KH_ASKING_RATES \
	"  operations:\n    - {name: comm.read, paths: [/srv]}\n"

static struct kh_asking begin(struct kh_test *t, const char *yaml)
{
	struct kh_asking w = {.f = kh_fixture_open(t, yaml)};

	w.task = kh_operating_task(w.f);
	kh_operating_influence(w.f, w.task, MAIL);
	return w;
}

static enum kh_err admit(struct kh_asking *w, const char *question, struct kh_admit *ret_admit)
{
	struct kh_fixture *f = w->f;
	struct kh_view text = kh_arena_printf(&f->arena,
					      "{\"task\":\"%.*s\",\"category\":2,\"target\":\"abroad\",\"questions\":["
					      "{\"id\":\"q1\",\"question\":\"%s\",\"expected_format\":\"short_text\","
					      "\"max_words\":2}]," JUSTIFIED "}",
					      KH_FMT(w->task), question);

	*ret_admit = (struct kh_admit){.query = kh_fixture_json(f, text)};
	return kh_engine_call(f->engine, kh_token_read(f->engine, f->controller), kh_admit_run, ret_admit, &f->t->arena,
			      &f->t->err);
}

/* E1: not in planning.  Nothing is charged, and the Reader is not asked. */
static void test_outward_planning(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_asking_state was = kh_asking_now(&w);
	struct kh_admit call;

	must_fail(t, KH_EREFUSED, admit(&w, "Who sent it?", &call));
	assert_code(t, "OUTBOUND_FORBIDDEN_IN_PLANNING");
	kh_asking_unchanged(&w, &was, 1);
	kh_asking_put(&w, YES_OF("program"));
}

/* E5: the bytes of the words are counted, and what does not fit is refused. */
static void test_outward_counts(struct kh_test *t)
{
	struct kh_asking w = begin(t, SMALL_WORDS);
	struct kh_admit call;

	must(t, admit(&w, "Who sent it?", &call));
	assert_int_equal(call.row->state, KH_QUERY_ASKING);
	assert_true(call.row->egress > 150 && call.row->egress < 300);
	assert_int_equal(kh_fixture_task_row(w.f, w.task)->reader_egress, call.row->egress);
	struct kh_asking_state was = kh_asking_now(&w);
	must_fail(t, KH_EREFUSED, admit(&w, "Who sent it?", &call));
	assert_code(t, "reader_egress_exceeded");
	kh_asking_unchanged(&w, &was, 1);
}

/* K7: words of sealed content wait for a human, at the same price; then the Reader is asked, once. */
static void test_outward_held(struct kh_test *t)
{
	struct kh_asking w = begin(t, KH_OPERATING_POLICY);
	struct kh_admit clean, call;

	must(t, admit(&w, "Who wrote it to whom?", &clean));
	assert_int_equal(clean.row->state, KH_QUERY_ASKING);
	uint64_t price = clean.row->reserved;
	must(t, admit(&w, "Will they sell the northern branch?", &call));
	assert_int_equal(call.row->state, KH_QUERY_APPROVAL);
	assert_int_equal(call.row->reserved, price);
	assert_false(call.ask.found);
	struct kh_view query = kh_arena_dup(&w.f->arena, call.id), approval = kh_arena_dup(&w.f->arena, call.approval);
	assert_int_equal(kh_asking_look(&w, query).outcome, KH_OUTCOME_PENDING);
	assert_true(kh_asking_has(kh_fixture_event(w.f, KH_AUDIT_QUERY_ADMITTED), "\"findings\":[\"shared_run\""));
	assert_true(kh_asking_has(kh_approving_row(w.f, approval)->subject, "northern branch"));
	size_t asked = atomic_load(&w.f->asked);
	kh_fixture_answer(w.f, WHO_SAYS("Anna"));
	must(t, kh_approving_decide(w.f, w.f->reviewer, approval, KH_CHOICE_APPROVE, NULL));
	kh_asking_carry(&w, query);
	assert_int_equal(atomic_load(&w.f->asked), asked + 1);
	assert_int_equal(kh_asking_look(&w, query).outcome, KH_OUTCOME_DELIVERED);
}

/* K7: one that is rejected never reaches the Reader. */
static void test_outward_rejected(struct kh_test *t)
{
	struct kh_asking w = begin(t, KH_OPERATING_POLICY);
	struct kh_admit call;

	must(t, admit(&w, "Will they sell the northern branch?", &call));
	struct kh_view query = kh_arena_dup(&w.f->arena, call.id), approval = kh_arena_dup(&w.f->arena, call.approval);
	size_t asked = atomic_load(&w.f->asked);
	must(t, kh_approving_decide(w.f, w.f->reviewer, approval, KH_CHOICE_REJECT, NULL));
	assert_int_equal(kh_asking_look(&w, query).outcome, KH_OUTCOME_REJECTED);
	assert_int_equal(atomic_load(&w.f->asked), asked);
}

/* K7: in pieces, over queries that each have too little to be found. */
static void test_outward_pieces(struct kh_test *t)
{
	static const char *const pieces[] = {"What of sell", "What of then", "What of orth", "What of ernb"};
	struct kh_asking w = begin(t, MANY_WORDS);
	struct kh_admit call;
	size_t i = 0;

	do {
		must(t, admit(&w, pieces[i], &call));
	} while (call.row->state == KH_QUERY_ASKING && ++i < sizeof(pieces) / sizeof(pieces[0]));
	assert_int_equal(call.row->state, KH_QUERY_APPROVAL);
	assert_true(i > 0);
}

static const struct kh_test_case cases[] = {KH_TEST(test_outward_planning), KH_TEST(test_outward_counts),
					    KH_TEST_ONCE(test_outward_held), KH_TEST_ONCE(test_outward_rejected),
					    KH_TEST_ONCE(test_outward_pieces)};
KH_TEST_MAIN(cases)
