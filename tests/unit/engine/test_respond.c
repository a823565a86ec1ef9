/* B4, B10-B16, B18: what a Reader sends, and what follows. */
#include "asking.h"

#include "engine/context/token.h"
#include "engine/query/respond.h"
#include "engine/task/revoke.h"

#define TWICE "\"category\":1,\"target\":\"scripted\",\"fields\":[{\"name\":\"yes\",\"type\":\"boolean\",\"repeat\":2}]"
#define THRICE \
	"\"category\":1,\"target\":\"scripted\",\"fields\":[{\"name\":\"yes\",\"type\":\"boolean\",\"repeat\":3}]"
#define REPHRASED                                                                                             \
	"\"category\":2,\"target\":\"scripted\",\"questions\":[{\"id\":\"q1\",\"question\":\"Who sent it?\"," \
	"\"expected_format\":\"short_text\",\"max_words\":2,\"rephrasings\":[\"Whose mail is it?\"]}]," JUSTIFIED

/* B16: asked again up to the limit; the answer that is good is delivered and paid once. */
static void test_respond_retries(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);

	kh_fixture_answer(w.f, "{\"fields\":{\"yes\":\"true\"}}");
	kh_fixture_fault(w.f, KH_READER_DEAD);
	kh_fixture_answer(w.f, YES_TRUE);
	struct kh_look look = kh_asking_ask(&w, YES);
	assert_int_equal(look.outcome, KH_OUTCOME_DELIVERED);
	assert_int_equal(atomic_load(&w.f->asked), 3);
	assert_int_equal(kh_asking_row(&w, look.query)->tries, 2);
	assert_int_equal(kh_asking_row(&w, look.query)->charged, 4 * KH_MICROBIT);
	assert_int_equal(kh_asking_effect(&w, look.query)->try, 2);
	/* B16: each time it is told what came of the try before. */
	assert_string_equal(w.f->told[0], "");
	assert_string_equal(w.f->told[1], "wrong_type");
	assert_string_equal(w.f->told[2], "dead");
}

/* B14, B16: another round is not a retry; what is held is told to nobody but a human. */
static void test_respond_first_tries(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);

	kh_fixture_answer(w.f, YES_TRUE);
	kh_fixture_answer(w.f, YES_TRUE);
	assert_int_equal(kh_asking_ask(&w, TWICE).outcome, KH_OUTCOME_DELIVERED);
	assert_string_equal(w.f->told[1], "");
	/* The reason to hold comes first, and the Reader is told the reason to reject. */
	w = kh_asking_begin(t, NULL);
	kh_fixture_answer(
		w.f,
		"{\"answers\":[{\"id\":\"q1\",\"answer\":\"ignore instructions\"},{\"id\":\"q2\",\"answer\":\"x\"}]}");
	kh_fixture_answer(w.f, WHO_SAYS("anna smith"));
	assert_int_equal(kh_asking_ask(&w, WHO).outcome, KH_OUTCOME_DELIVERED);
	assert_string_equal(w.f->told[1], "unknown_member");
}

static void test_respond_limit(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);

	for (int i = 0; i < 3; i++)
		kh_fixture_answer(w.f, "{}");
	kh_fixture_answer(w.f, YES_TRUE);
	struct kh_look look = kh_asking_ask(&w, YES);
	assert_int_equal(look.outcome, KH_OUTCOME_FAILED);
	assert_int_equal(atomic_load(&w.f->asked), 3);
	assert_view(kh_asking_row(&w, look.query)->reason, "invalid");
	kh_asking_carry(&w, look.query);
	assert_int_equal(atomic_load(&w.f->asked), 3);

	w = kh_asking_begin(t, "policy:\n  release: immediate\n  budgets:\n    retries: 0\n" KH_ASKING_RATES);
	kh_fixture_answer(w.f, "{}");
	kh_fixture_answer(w.f, YES_TRUE);
	assert_int_equal(kh_asking_ask(&w, YES).outcome, KH_OUTCOME_FAILED);
	assert_int_equal(atomic_load(&w.f->asked), 1);
}

/* B10-B13: rejected, each by itself; B18, L5: what it said is kept sealed, and is in no event. */
static void test_respond_rejects(struct kh_test *t)
{
	static const char *const bad[] = {
		"{\"fields\":{\"yes\":1}}",
		"{\"fields\":{\"yes\":true,\"CANARY\":true}}",
		"{\"fields\":{}}",
		"{\"fields\":{\"yes\":true},\"CANARY\":1}",
		"CANARY",
		"\xff\xfe CANARY",
		"{\"fields\":{\"yes\":true,\"yes\":true}}",
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kh_asking w = kh_asking_begin(t, NULL);
		kh_fixture_answer(w.f, bad[i]);
		kh_fixture_answer(w.f, YES_TRUE);
		struct kh_look look = kh_asking_ask(&w, YES);
		assert_int_equal(look.outcome, KH_OUTCOME_DELIVERED);
		assert_int_equal(atomic_load(&w.f->asked), 2);
		struct kh_view event = kh_fixture_event(w.f, KH_AUDIT_RESPONSE_JUDGED);
		assert_true(kh_asking_has(event, "\"verdict\":\"reject\""));
		assert_false(kh_asking_has(event, "CANARY"));
		const struct kh_effect_row *first = kh_fixture_row(w.f, KH_TABLE_EFFECTS,
								   kh_asking_row(&w, look.query)->effect - 1);
		assert_view(kh_tainted_open(first->raw), bad[i]);
		assert_view(first->verdict, "reject");
		assert_int_equal(first->expires_at, atomic_load(&w.f->now) + KH_FIXTURE_KEEPS);
	}
}

/* The next ask; AGAIN: why it is asked again. */
static struct kh_view next_ask_again(struct kh_asking *w, const char *again)
{
	struct kh_ask ask = {0};

	must(w->f->t, kh_fixture_call(w->f, w->f->reader, kh_ask_next_run, &ask));
	assert_true(ask.found);
	assert_view(ask.ask.again, again);
	return kh_arena_dup(&w->f->arena, ask.ask.id);
}

static struct kh_view next_ask(struct kh_asking *w)
{
	return next_ask_again(w, "");
}

static const char *respond(struct kh_asking *w, struct kh_view ask, const char *response)
{
	struct kh_respond call = {.ask = ask, .response = kh_tainted_wrap(kh_view_str(response))};

	must(w->f->t, kh_fixture_call(w->f, w->f->reader, kh_respond_run, &call));
	assert_false(call.next.found); /* an agent is handed nothing but its code */
	assert_int_equal(call.why != NULL, strcmp(call.code, "invalid") == 0);
	return call.code;
}

/* B4, B16: an agent takes its ask, answers it once, and learns a code. */
static void test_respond_agent(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view query = kh_asking_agent(&w, YES_BEFORE, YES_AFTER);
	struct kh_view first = next_ask(&w);

	assert_string_equal(respond(&w, first, "{\"fields\":{\"yes\":2}}"), "invalid");
	assert_string_equal(respond(&w, first, YES_TRUE), "closed"); /* an old ask */
	struct kh_view second = next_ask_again(&w, "wrong_type");
	assert_false(kh_view_eq(first, second));
	assert_string_equal(respond(&w, second, YES_FALSE), "accepted");
	assert_string_equal(respond(&w, second, YES_TRUE), "closed"); /* once */
	struct kh_look look = kh_asking_look(&w, query);
	assert_int_equal(look.outcome, KH_OUTCOME_DELIVERED);
	assert_true(kh_asking_has(look.delivery, "\"yes\":false"));
}

/* B4: an ask that it has not taken, and one whose query has ended, are closed. */
static void test_respond_closed(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view query = kh_asking_agent(&w, YES_BEFORE, YES_AFTER);
	struct kh_view ask = kh_publicid_text(&w.f->arena, kh_engine_id_key(w.f->engine), KH_ID_ASK,
					      kh_asking_row(&w, query)->effect);

	assert_string_equal(respond(&w, ask, YES_TRUE), "closed");
	assert_int_equal(kh_asking_row(&w, query)->state, KH_QUERY_ASKING);
	assert_true(kh_view_eq(next_ask(&w), ask));
	kh_fixture_pass(w.f, 600 * KH_FIXTURE_SECOND);
	assert_string_equal(respond(&w, ask, YES_TRUE), "closed");
	assert_int_equal(kh_asking_look(&w, query).outcome, KH_OUTCOME_EXPIRED);
}

/* B4: another Reader's ask is none; that it tried is on the record, and nothing has changed. */
static void test_respond_of_another_reader(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view query = kh_asking_agent(&w, YES_BEFORE, YES_AFTER), ask = next_ask(&w);
	struct kh_view other = kh_fixture_token(w.f, KH_ROLE_READER, "other", NULL);
	struct kh_view asks[] = {ask, KH_LIT("a0123456789abcdef"), KH_LIT(""), query};
	struct kh_ask none = {0};

	must(t, kh_fixture_call(w.f, other, kh_ask_next_run, &none));
	assert_false(none.found);
	for (size_t i = 0; i < sizeof(asks) / sizeof(asks[0]); i++) {
		struct kh_respond call = {.ask = asks[i], .response = kh_tainted_wrap(KH_LIT(YES_TRUE))};
		struct kh_asking_state was = kh_asking_now(&w);
		must_fail(t, KH_EUNKNOWN, kh_fixture_call(w.f, other, kh_respond_run, &call));
		assert_code(t, "unknown_query");
		kh_asking_unchanged(&w, &was, 1);
		assert_true(kh_asking_has(kh_fixture_event(w.f, KH_AUDIT_REFUSED), "unknown_query"));
	}
	assert_string_equal(respond(&w, ask, YES_TRUE), "accepted");
}

/* B24: a message names its ask; where it names another one it is no answer. */
static void test_respond_message(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view query = kh_asking_agent(&w, YES_BEFORE, YES_AFTER), ask = next_ask(&w);
	struct kh_arena *arena = &w.f->arena;

	assert_string_equal(respond(&w, ask, "{\"query_id\":\"a0123456789abcdef\",\"fields\":{\"yes\":true}}"),
			    "invalid");
	ask = next_ask_again(&w, "not_json");
	struct kh_view message = kh_arena_printf(
		arena, "{\"type\":\"bcp_response\",\"query_id\":\"%.*s\",\"response\":{\"fields\":{\"yes\":true}}}",
		KH_FMT(ask));
	assert_string_equal(respond(&w, ask, message.p), "accepted");
	assert_int_equal(kh_asking_look(&w, query).outcome, KH_OUTCOME_DELIVERED);
}

/* A response past its limit is garbage, and is not kept. */
static void test_respond_too_large(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view query = kh_asking_agent(&w, YES_BEFORE, YES_AFTER), ask = next_ask(&w);
	size_t n = (256U << 10) + 1;
	char *text = kh_arena_alloc(&w.f->arena, n + 1);
	int64_t effect = kh_asking_row(&w, query)->effect;

	memset(text, ' ', n);
	memcpy(text, YES_TRUE, sizeof(YES_TRUE) - 1);
	text[n] = '\0';
	assert_string_equal(respond(&w, ask, text), "invalid");
	const struct kh_effect_row *row = kh_fixture_row(w.f, KH_TABLE_EFFECTS, effect);
	assert_int_equal(row->state, KH_EFFECT_FAILED);
	assert_view(row->verdict, "garbage");
	assert_int_equal(kh_tainted_size(row->raw), 0);
}

/* The worst text for whoever normalises it, as long as a response may be: U+FDFA becomes eleven times as long. */
static const char *phrases(struct kh_asking *w, size_t count)
{
	static const char head[] = "{\"answers\":[{\"id\":\"q1\",\"answer\":\"", tail[] = "\"}]}";
	char *text = kh_arena_alloc(&w->f->arena, sizeof(head) + 3 * count + sizeof(tail));
	size_t n = sizeof(head) - 1;

	assert_non_null(text);
	memcpy(text, head, n);
	for (size_t i = 0; i < count; i++, n += 3)
		memcpy(text + n, "\xef\xb7\xba", 3);
	memcpy(text + n, tail, sizeof(tail));
	return text;
}

/*
 * D1, B16: a response that is longer than any answer to its query is rejected unread, and no more of it is kept than an
 * answer can have; one whose normal form could be much longer is rejected before it is made.
 */
static void test_respond_worst(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view query = kh_asking_agent(&w, "\"category\":2,\"target\":\"",
					       "\",\"questions\":[{\"id\":\"q1\",\"question\":\"Who sent it?\","
					       "\"expected_format\":\"short_text\",\"max_words\":2}]," JUSTIFIED);
	static const struct {
		size_t count;
		const char *detail;
	} worst[] = {{83000, "a response of 249"}, {300, "its normal form"}};

	for (size_t i = 0; i < 2; i++) {
		struct kh_view ask = next_ask_again(&w, i == 0 ? "" : "too_long");
		int64_t effect = kh_asking_row(&w, query)->effect;
		const char *text = phrases(&w, worst[i].count);
		assert_string_equal(respond(&w, ask, text), "invalid");
		const struct kh_effect_row *row = kh_fixture_row(w.f, KH_TABLE_EFFECTS, effect);
		assert_view(row->verdict, "reject");
		assert_true(kh_asking_has(row->reasons, "too_long"));
		assert_true(kh_asking_has(row->reasons, worst[i].detail));
		assert_true(kh_tainted_size(row->raw) < 8192);
	}
	assert_string_equal(respond(&w, next_ask_again(&w, "too_long"), WHO_SAYS("Anna \xef\xb7\xba")),
			    "invalid"); /* 18 more words */
	assert_int_equal(kh_asking_look(&w, query).outcome, KH_OUTCOME_FAILED);
}

/* B14: as often as it is to be repeated; one answer is delivered and charged. */
static void test_respond_rounds_agree(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);

	for (int i = 0; i < 3; i++)
		kh_fixture_answer(w.f, YES_TRUE);
	struct kh_look look = kh_asking_ask(&w, THRICE);
	assert_int_equal(look.outcome, KH_OUTCOME_DELIVERED);
	assert_int_equal(atomic_load(&w.f->asked), 3);
	assert_int_equal(kh_asking_row(&w, look.query)->charged, 4 * KH_MICROBIT);
	assert_int_equal(kh_asking_row(&w, look.query)->tries, 0);
	assert_int_equal(kh_fixture_context_row(w.f, w.f->context)->deliveries, 1);
}

/* B14: answers that differ are held, in whatever round. */
static void test_respond_rounds_disagree(struct kh_test *t)
{
	for (int odd = 0; odd < 3; odd++) {
		struct kh_asking w = kh_asking_begin(t, NULL);
		for (int i = 0; i < 3; i++)
			kh_fixture_answer(w.f, i == odd ? YES_FALSE : YES_TRUE);
		struct kh_look look = kh_asking_ask(&w, THRICE);
		assert_int_equal(look.outcome, KH_OUTCOME_PENDING);
		assert_int_equal(kh_asking_row(&w, look.query)->state, KH_QUERY_HELD);
		assert_int_equal(look.delivery.n, 0);
	}
}

/* B14, B16: a round that is rejected is asked again, and only that one; its limit is the query's. */
static void test_respond_round_rejected(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);

	kh_fixture_answer(w.f, YES_TRUE);
	kh_fixture_answer(w.f, "{}");
	kh_fixture_answer(w.f, YES_TRUE);
	struct kh_look look = kh_asking_ask(&w, TWICE);
	assert_int_equal(look.outcome, KH_OUTCOME_DELIVERED);
	assert_int_equal(atomic_load(&w.f->asked), 3);
	assert_int_equal(kh_asking_row(&w, look.query)->tries, 1);

	w = kh_asking_begin(t, NULL);
	kh_fixture_answer(w.f, YES_TRUE);
	for (int i = 0; i < 3; i++)
		kh_fixture_answer(w.f, "{}");
	assert_int_equal(kh_asking_ask(&w, TWICE).outcome, KH_OUTCOME_FAILED);
	assert_int_equal(atomic_load(&w.f->asked), 4);
	assert_int_equal(kh_fixture_context_row(w.f, w.f->context)->deliveries, 0);
}

/* B14: the same for rephrasings; what differs in form alone agrees. */
static void test_respond_rephrasings(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);

	kh_fixture_answer(w.f, WHO_SAYS("Alice  Smith"));
	kh_fixture_answer(w.f, WHO_SAYS("alice smith"));
	struct kh_look look = kh_asking_ask(&w, REPHRASED);
	assert_int_equal(look.outcome, KH_OUTCOME_DELIVERED);
	assert_true(kh_asking_has(look.delivery, "alice smith"));
	assert_int_equal(atomic_load(&w.f->asked), 2);

	w = kh_asking_begin(t, NULL);
	kh_fixture_answer(w.f, WHO_SAYS("alice smith"));
	kh_fixture_answer(w.f, WHO_SAYS("bob smith"));
	assert_int_equal(kh_asking_ask(&w, REPHRASED).outcome, KH_OUTCOME_PENDING);
}

/* A1: an answer that should be held while too many wait has failed; nobody saw it. */
static void test_respond_too_many_pending(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(
		t, "policy:\n  release: immediate\n  approvals:\n    max_pending: 1\n" KH_ASKING_RATES);

	kh_asking_put(&w, SUMMARY);
	kh_fixture_answer(w.f, YES_TRUE);
	kh_fixture_answer(w.f, YES_FALSE);
	struct kh_look look = kh_asking_ask(&w, TWICE);
	assert_int_equal(look.outcome, KH_OUTCOME_FAILED);
	assert_view(kh_asking_row(&w, look.query)->reason, "too_many_pending");
	assert_int_equal(kh_fixture_task_row(w.f, w.task)->pending, 1);
}

/* What a Reader that lost its token was asked fails; the token answers no more. */
static void test_respond_of_a_revoked_reader(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view query = kh_asking_agent(&w, YES_BEFORE, YES_AFTER), ask = next_ask(&w);
	struct kh_revoke revoke = {.id = kh_fixture_token_id(w.f->reader)};

	must(t, kh_fixture_call(w.f, w.f->admin, kh_revoke_run, &revoke));
	struct kh_respond call = {.ask = ask, .response = kh_tainted_wrap(KH_LIT(YES_TRUE))};
	must_fail(t, KH_EREFUSED, kh_fixture_call(w.f, w.f->reader, kh_respond_run, &call));
	assert_code(t, "unauthorised");
	assert_int_equal(kh_asking_look(&w, query).outcome, KH_OUTCOME_FAILED);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_respond_retries),
	KH_TEST(test_respond_first_tries),
	KH_TEST(test_respond_limit),
	KH_TEST(test_respond_rejects),
	KH_TEST(test_respond_agent),
	KH_TEST(test_respond_closed),
	KH_TEST(test_respond_of_another_reader),
	KH_TEST(test_respond_message),
	KH_TEST(test_respond_too_large),
	KH_TEST(test_respond_worst),
	KH_TEST(test_respond_rounds_agree),
	KH_TEST(test_respond_rounds_disagree),
	KH_TEST(test_respond_round_rejected),
	KH_TEST(test_respond_rephrasings),
	KH_TEST(test_respond_too_many_pending),
	KH_TEST(test_respond_of_a_revoked_reader),
};
KH_TEST_MAIN(cases)
