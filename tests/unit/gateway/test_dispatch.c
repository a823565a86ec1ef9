/* I3, E7: Readers that take their time are asked beside the callers, no more at once than each is configured for. */
#include "gateway/dispatch.h"

#include "driven.h"

#define OF(name) "\"category\":1,\"target\":\"" name "\",\"fields\":[{\"name\":\"yes\",\"type\":\"boolean\"}]"
#define QUERIES  6

static atomic_int running, most, asked;

/* Stays a while, and remembers how many were there at once. */
static enum kh_err linger(const struct kh_reader *reader, struct kh_arena *arena, const struct kh_reader_ask *ask,
			  struct kh_tainted *ret_response, enum kh_reader_fault *ret_fault, struct kh_view *ret_detail)
{
	(void)reader;
	(void)arena;
	(void)ask;
	(void)ret_detail;
	int now = atomic_fetch_add(&running, 1) + 1;
	if (now > atomic_load(&most))
		atomic_store(&most, now);
	kh_driven_rest(SECOND / 20);
	atomic_fetch_sub(&running, 1);
	atomic_fetch_add(&asked, 1);
	*ret_response = kh_tainted_wrap(KH_LIT("{\"fields\":{\"yes\":true}}"));
	*ret_fault = KH_READER_OK;
	return KH_OK;
}

static const struct kh_reader_driver lingering = {.name = "lingering", .ask = linger};
static const struct kh_reader readers[] = {
	{.name = KH_LIT_INIT("narrow"), .driver = &lingering, .concurrency = 2},
	{.name = KH_LIT_INIT("wide"), .driver = &lingering},
};

/* Six queries of the Reader at once; how many of them it was asked at once.  ASKS: at once in all; 0: 64. */
static int ask_all(struct kh_test *t, const char *members, unsigned asks)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct driven d[QUERIES] = {0};
	struct kh_error err;

	kh_fixture_block(f, f->controller, task, "A mail.");
	assert_int_equal(kh_engine_reload(f->engine, f->policy, readers, 2, NULL, &err), KH_OK);
	struct kh_gateway *gateway = NULL;
	assert_int_equal(
		kh_gateway_new(&(struct kh_gateway_settings){.engine = f->engine, .asks = asks}, &gateway, &err),
		KH_OK);
	atomic_store(&most, 0);
	atomic_store(&asked, 0);
	for (int i = 0; i < QUERIES; i++)
		kh_driven_begin(&d[i], gateway, f, task, members);
	for (int i = 0; i < QUERIES; i++) {
		assert_true(kh_driven_ends(&d[i]));
		assert_int_equal(d[i].asking.told.outcome, KH_OUTCOME_DELIVERED);
		kh_arena_done(&d[i].arena);
	}
	assert_int_equal(asked, QUERIES); /* each once, though the outbox was looked through meanwhile */
	kh_driven_close(gateway);
	return atomic_load(&most);
}

static void test_asks_limit(struct kh_test *t)
{
	assert_true(ask_all(t, OF("narrow"), 0) <= 2);
}

static void test_asks_wide(struct kh_test *t)
{
	assert_true(ask_all(t, OF("wide"), 0) > 2);
}

/* Whoever finds no place gets the next one that is left: all are asked, one after the other. */
static void test_asks_in_turn(struct kh_test *t)
{
	assert_int_equal(ask_all(t, OF("wide"), 1), 1);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_asks_limit), KH_TEST_ONCE(test_asks_wide),
					    KH_TEST_ONCE(test_asks_in_turn)};
KH_TEST_MAIN(cases)
