/* L2, E7: Readers are asked after the commit; one that has effects only when it is durably begun. */
#include "engine/outbox.h"

#include "other.h"

#include "base/buf.h"

/* What the driver found in the store when it was asked. */
static struct {
	struct kh_fixture *f;
	int64_t effect;
	enum kh_effect_state state;
	unsigned asked;
	enum kh_err result;
} seen;

static enum kh_err look_around(const struct kh_reader *reader, struct kh_arena *arena, const struct kh_reader_ask *ask,
			       struct kh_tainted *ret_response, enum kh_reader_fault *ret_fault,
			       struct kh_view *ret_detail)
{
	const struct kh_effect_row *effect;

	(void)reader;
	(void)arena;
	(void)ret_detail;
	seen.effect = kh_fixture_number(seen.f, KH_ID_ASK, ask->id);
	effect = kh_fixture_row(seen.f, KH_TABLE_EFFECTS, seen.effect); /* by another process's store */
	seen.state = effect->state;
	seen.asked++;
	*ret_response = kh_tainted_wrap(KH_LIT(YES_TRUE));
	*ret_fault = KH_READER_OK;
	return seen.result;
}

static const struct kh_reader_driver pure = {.name = "pure", .pure = true, .ask = look_around};
static const struct kh_reader_driver impure = {.name = "impure", .pure = false, .ask = look_around};
static const struct kh_reader readers[] = {
	{.name = KH_LIT_INIT("pure"), .driver = &pure},
	{.name = KH_LIT_INIT("impure"), .driver = &impure},
};

static struct kh_asking begin(struct kh_test *t, struct kh_other *other, enum kh_err result)
{
	struct kh_asking w = {.f = kh_fixture_fresh(t, NULL)};

	w.task = kh_fixture_task(w.f, w.f->controller);
	w.block = kh_fixture_block(w.f, w.f->controller, w.task, "A mail.");
	memset(&seen, 0, sizeof(seen));
	seen.f = w.f;
	seen.result = result;
	kh_other_open(other, w.f, readers, 2);
	return w;
}

static void test_carry_begins_first(struct kh_test *t)
{
	struct kh_other other;
	struct kh_asking w = begin(t, &other, KH_OK);
	struct kh_ask ask;
	struct kh_error err = {0};
	struct kh_view query = kh_other_put(&other, &w, YES_OF("impure"), &ask);

	assert_int_equal(kh_fixture_carry_ask(other.engine, &ask, &w.f->arena, &err), KH_OK);
	assert_int_equal(seen.state, KH_EFFECT_BEGUN);
	assert_int_equal(kh_asking_effect(&w, query)->state, KH_EFFECT_DONE);
	query = kh_other_put(&other, &w, YES_OF("pure"), &ask);
	assert_int_equal(kh_fixture_carry_ask(other.engine, &ask, &w.f->arena, &err), KH_OK);
	assert_int_equal(seen.state, KH_EFFECT_WAITING); /* asking twice would do no harm */
	assert_int_equal(kh_asking_effect(&w, query)->state, KH_EFFECT_DONE);
	assert_int_equal(kh_asking_look(&w, query).outcome, KH_OUTCOME_DELIVERED);
	/* What was handed out once and has ended since is not asked again where that could do harm. */
	query = kh_other_put(&other, &w, YES_OF("impure"), &ask);
	assert_int_equal(kh_fixture_carry_effect(other.engine, ask.effect, &err), KH_OK);
	unsigned asked = seen.asked;
	assert_int_equal(kh_fixture_carry_ask(other.engine, &ask, &w.f->arena, &err), KH_OK);
	assert_int_equal(kh_fixture_carry_effect(other.engine, ask.effect, &err), KH_OK);
	assert_int_equal(seen.asked, asked);
	kh_other_close(&other);
}

/* A driver that fails by itself: a failed try, up to the limit; no ask stays begun. */
static void test_carry_driver_fails(struct kh_test *t)
{
	static const enum kh_err faults[] = {KH_ENOMEM, KH_EINPUT, KH_ESTORE};
	static const char *const targets[] = {YES_OF("impure"), YES_OF("pure")};

	for (size_t i = 0; i < 6; i++) {
		struct kh_other other;
		struct kh_asking w = begin(t, &other, faults[i / 2]);
		struct kh_ask ask;
		struct kh_error err = {0};
		struct kh_view query = kh_other_put(&other, &w, targets[i % 2], &ask);
		enum kh_err e = kh_fixture_carry_ask(other.engine, &ask, &w.f->arena, &err);
		kh_other_close(&other);
		assert_int_equal(e, KH_OK);
		assert_int_equal(seen.asked, 3);
		assert_int_equal(kh_asking_look(&w, query).outcome, KH_OUTCOME_FAILED);
		assert_view(kh_asking_row(&w, query)->reason, "dead");
		assert_int_equal(kh_asking_effect(&w, query)->state, KH_EFFECT_FAILED);
	}
}

/* Another configuration has no such Reader (SIGHUP), between an ask's beginning and its end: nobody is asked, and what
 * has not begun stays where it is. */
static void test_carry_reader_taken_away(struct kh_test *t)
{
	static const char *const targets[] = {YES_OF("impure"), YES_OF("pure")};

	for (size_t i = 0; i < 2; i++) {
		struct kh_other other;
		struct kh_asking w = begin(t, &other, KH_OK);
		struct kh_ask ask;
		struct kh_error err = {0};
		struct kh_view query = kh_other_put(&other, &w, targets[i], &ask);
		assert_int_equal(kh_engine_reload(other.engine, w.f->policy, readers, 0, NULL, &err), KH_OK);
		assert_int_equal(kh_fixture_carry_ask(other.engine, &ask, &w.f->arena, &err), KH_OK);
		assert_int_equal(seen.asked, 0);
		assert_int_equal(kh_asking_effect(&w, query)->state, KH_EFFECT_WAITING);
		assert_int_equal(kh_engine_reload(other.engine, w.f->policy, readers, 2, NULL, &err), KH_OK);
		assert_int_equal(kh_fixture_carry_effect(other.engine, ask.effect, &err), KH_OK);
		assert_int_equal(kh_asking_look(&w, query).outcome, KH_OUTCOME_DELIVERED);
		kh_other_close(&other);
	}
}

/* An agent's ask is not ours to make. */
static void test_carry_leaves_agents_alone(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view query = kh_asking_agent(&w, YES_BEFORE, YES_AFTER);

	kh_asking_carry(&w, query);
	assert_int_equal(kh_asking_effect(&w, query)->state, KH_EFFECT_WAITING);
	assert_int_equal(kh_asking_effect(&w, query)->holder, 0);
	assert_int_equal(atomic_load(&w.f->asked), 0);
}

/* D4: what was admitted and not asked before a restart is asked after it, once. */
static void test_carry_all(struct kh_test *t)
{
	struct kh_asking w = {.f = kh_fixture_fresh(t, NULL)};

	w.task = kh_fixture_task(w.f, w.f->controller);
	kh_fixture_block(w.f, w.f->controller, w.task, "A mail.");
	struct kh_view first = kh_asking_put(&w, YES), second = kh_asking_put(&w, YES_OF("program"));
	kh_fixture_restart(w.f);
	kh_fixture_answer(w.f, YES_TRUE);
	kh_fixture_answer(w.f, YES_FALSE);
	must(t, kh_outbox_all(w.f->engine, &t->err));
	assert_int_equal(atomic_load(&w.f->asked), 2);
	assert_int_equal(kh_asking_look(&w, first).outcome, KH_OUTCOME_DELIVERED);
	assert_int_equal(kh_asking_look(&w, second).outcome, KH_OUTCOME_DELIVERED);
	must(t, kh_outbox_all(w.f->engine, &t->err));
	assert_int_equal(atomic_load(&w.f->asked), 2);
}

/* Waiting ends with the outcome, or with the time; it does not change either. */
static void test_carry_wait(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_look look = {.query = kh_asking_put(&w, YES)};

	must(t, kh_fixture_wait(w.f->engine, w.f->controller, &look, 20, &t->arena, &t->err));
	assert_int_equal(look.outcome, KH_OUTCOME_NONE);
	must_fail(t, KH_EREFUSED, kh_fixture_wait(w.f->engine, w.f->reader, &look, 20, &t->arena, &t->err));
	assert_code(t, "forbidden");
	kh_fixture_answer(w.f, YES_TRUE);
	kh_asking_carry(&w, look.query);
	must(t, kh_fixture_wait(w.f->engine, w.f->controller, &look, 600000, &t->arena, &t->err));
	assert_int_equal(look.outcome, KH_OUTCOME_DELIVERED);
}

/* A query of about 12 KiB. */
static const char *long_query(struct kh_asking *w)
{
	struct kh_view text = {NULL, 0};
	struct kh_buf buf;

	kh_buf_init(&buf, &w->f->arena, 1U << 16);
	kh_buf_lit(&buf,
		   "\"category\":1,\"target\":\"scripted\",\"fields\":[{\"name\":\"e\",\"type\":\"enum\",\"values\":[");
	for (int i = 0; i < 250; i++)
		kh_buf_printf(&buf, "%s\"a value that is one of a great many: %03d\"", i > 0 ? "," : "", i);
	kh_buf_lit(&buf, "]}]");
	kh_buf_byte(&buf, '\0');
	assert_int_equal(kh_buf_end(&buf, &text), KH_OK);
	return text.p;
}

/* A wait can be long: looking again takes no more memory. */
static void test_carry_wait_takes_no_memory(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_look look = {.query = kh_asking_put(&w, long_query(&w))};
	struct kh_arena arena;
	struct kh_error err = {0};

	kh_arena_init(&arena, &kh_alloc_system, 1U << 30);
	assert_int_equal(kh_fixture_wait(w.f->engine, w.f->controller, &look, 0, &arena, &err), KH_OK);
	size_t once = arena.size;
	assert_int_equal(kh_fixture_wait(w.f->engine, w.f->controller, &look, 750, &arena, &err), KH_OK);
	size_t waited = arena.size - once;
	kh_arena_done(&arena);
	assert_int_equal(look.outcome, KH_OUTCOME_NONE);
	assert_true(once >= 12 * 1024);
	assert_true(waited <= 4 * once);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_carry_begins_first),
	KH_TEST_ONCE(test_carry_driver_fails),
	KH_TEST_ONCE(test_carry_reader_taken_away),
	KH_TEST(test_carry_leaves_agents_alone),
	KH_TEST(test_carry_all),
	KH_TEST(test_carry_wait),
	KH_TEST_ONCE(test_carry_wait_takes_no_memory),
};
KH_TEST_MAIN(cases)
