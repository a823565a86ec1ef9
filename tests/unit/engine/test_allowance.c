#include "engine/state/allowance.h"

#include "asking.h"
#include "engine/context/put.h"
#include "engine/task/reset.h"

#define HOUR (3600 * KH_FIXTURE_SECOND)

/* A query YES takes 4 bits: two a context, and eight a token and 24 hours. */
#define SMALL                                                                                                  \
	"policy:\n  release: immediate\n  budgets: {context_bits: 8, context_put_bytes: 10, token_put_bytes: " \
	"47}\n" KH_ASKING_RATES

static void reset(struct kh_asking *w)
{
	struct kh_reset call = {.context = w->f->context, .reason = KH_LIT("a new conversation begins")};

	must(w->f->t, kh_fixture_call(w->f, w->f->reviewer, kh_reset_run, &call));
	w->task = kh_fixture_task(w->f, w->f->controller);
	kh_fixture_block(w->f, w->f->controller, w->task, "");
}

static struct kh_token_row *token_row(struct kh_asking *w)
{
	return kh_fixture_row(w->f, KH_TABLE_TOKENS, kh_fixture_context_row(w->f, w->f->context)->token);
}

static void must_be_spent(struct kh_asking *w, const char *limit)
{
	struct kh_asking_state was = kh_asking_now(w);
	struct kh_token_row token = *token_row(w);
	struct kh_admit admit;

	must(w->f->t, kh_asking_admit(w, YES, &admit));
	assert_int_equal(admit.refused, KH_OUTCOME_BUDGET);
	if (!kh_asking_has(admit.why, limit))
		fail_msg("%.*s lacks %s", KH_FMT(admit.why), limit);
	kh_asking_unchanged(w, &was, 1);
	kh_asking_same_row(KH_TABLE_TOKENS, &token, token_row(w));
}

/* G4, B6: a fresh context has fresh bits four times in 24 hours, also over a restart; then time gives them back. */
static void test_allowance_bits(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, SMALL);

	for (int i = 0; i < 4; i++) {
		reset(&w);
		kh_asking_put(&w, YES);
		kh_asking_put(&w, YES);
		must_be_spent(&w, "`context_bits` has 0 left of 8; a human can reset the context");
	}
	reset(&w);
	must_be_spent(&w, "this takes 4 bits; `token_bits` has 0 left of 32 in any 24 hours");
	kh_fixture_restart(w.f);
	kh_fixture_pass(w.f, 23 * HOUR);
	must_be_spent(&w, "`token_bits` has 0 left of 32 in any 24 hours");
	kh_fixture_pass(w.f, 2 * HOUR);
	kh_asking_put(&w, YES);
	assert_int_equal(token_row(&w)->day.bits, 4 * KH_MICROBIT);
}

/* G4: a host's account has what its agents took; an agent is not told how much that is. */
static void test_allowance_host(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, SMALL);
	int64_t host = kh_fixture_number(w.f, KH_ID_TOKEN, kh_fixture_token_id(w.f->host));
	const char *secret = "`token_bits` of the host that made this token has less left in any 24 hours";

	for (int i = 0; i < 5; i++) {
		struct kh_token_create made = {.name = kh_arena_printf(&w.f->arena, "agent-%d", i), .secret = {1}};
		made.secret[1] = (unsigned char)i;
		must(t, kh_fixture_call(w.f, w.f->host, kh_token_create_run, &made));
		w.f->controller = kh_arena_dup(&w.f->arena, made.text);
		w.f->context = kh_arena_dup(&w.f->arena, made.context);
		w.task = kh_fixture_task(w.f, w.f->controller);
		kh_fixture_block(w.f, w.f->controller, w.task, "A mail.");
		if (i == 4)
			break;
		kh_asking_put(&w, YES);
		kh_asking_put(&w, YES);
	}
	must_be_spent(&w, secret);
	const struct kh_token_row *row = kh_fixture_row(w.f, KH_TABLE_TOKENS, host);
	assert_int_equal(row->day.bits, 32 * KH_MICROBIT);
	assert_int_equal(row->day.put, 35);
	assert_int_equal(token_row(&w)->day.bits, 0);
}

static enum kh_err put(struct kh_asking *w, const char *text, struct kh_put *ret_put)
{
	*ret_put = (struct kh_put){
		.task = w->task, .source = KH_LIT("mail"), .content = kh_tainted_wrap(kh_view_str(text))};
	return kh_fixture_call(w->f, w->f->controller, kh_put_run, ret_put);
}

/* G4: content over the quota of a context or a token is refused, and nothing of it is stored. */
static void test_allowance_content(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, SMALL);
	struct kh_put one;

	for (int i = 0; i < 4; i++) {
		reset(&w);
		must(t, put(&w, "ten bytes!", &one));
		struct kh_asking_state was = kh_asking_now(&w);
		must_fail(t, KH_EREFUSED, put(&w, "x", &one));
		assert_code(t, "content_exceeded");
		kh_asking_unchanged(&w, &was, 1);
		if (i < 3)
			assert_true(kh_asking_has(kh_view_str(t->err.detail), "`context_put_bytes` has 0 left of 10"));
	}
	reset(&w);
	struct kh_asking_state was = kh_asking_now(&w);
	must_fail(t, KH_EREFUSED, put(&w, "ten bytes!", &one));
	assert_code(t, "content_exceeded");
	assert_true(
		kh_asking_has(kh_view_str(t->err.detail), "this takes 10 bytes; `token_put_bytes` has 0 left of 47"));
	kh_asking_unchanged(&w, &was, 1);
	must(t, put(&w, "", &one));
	kh_fixture_pass(w.f, 25 * HOUR);
	must(t, put(&w, "ten bytes!", &one));
	assert_int_equal(kh_fixture_context_row(w.f, w.f->context)->put, 10);
}

/* What a refusal of content leaves on the record: which limit, and not a word of the content. */
static void test_allowance_record(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, SMALL);
	struct kh_put one;

	must_fail(t, KH_EREFUSED, put(&w, "more than ten bytes", &one));
	assert_true(kh_asking_has(kh_fixture_event(w.f, KH_AUDIT_REFUSED),
				  "\"what\":{\"code\":\"content_exceeded\",\"limit\":\"context_put_bytes\","
				  "\"operation\":\"content.put\"}"));
}

static const struct kh_test_case cases[] = {KH_TEST(test_allowance_bits), KH_TEST(test_allowance_host),
					    KH_TEST(test_allowance_content), KH_TEST(test_allowance_record)};
KH_TEST_MAIN(cases)
