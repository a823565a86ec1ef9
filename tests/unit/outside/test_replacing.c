/* E7: an executor that dies is replaced: what a gateway has besides test_client.c's. */
#include "player.h"

#include "base/clock.h"

static enum kh_err start_replaced(struct kh_test *t, enum part part, struct kh_client *client)
{
	struct kh_client_settings settings = {.program = program, .pool = (unsigned)part, .replaced = true};

	return kh_client_start(client, &settings, &t->err);
}

static void count_sentence(void *context, const char *sentence)
{
	if (strstr(sentence, "executor") != NULL)
		__atomic_fetch_add((int *)context, 1, __ATOMIC_RELAXED);
}

/* The fault of a request that an executor has taken; until there is one, it is told that nothing was begun. */
static enum kh_fault run_to_end(struct kh_test *t, const struct kh_client *client)
{
	int64_t deadline = kh_clock_ms() + 20000;
	enum kh_fault fault = KH_FAULT_ABSENT;
	char text[4096];

	while (fault == KH_FAULT_ABSENT && kh_clock_ms() < deadline) {
		run(t, client, &exchange);
		assert_true(kh_exchange_feed_end(&exchange));
		fault = finish(&exchange, text, sizeof(text)).fault;
		if (fault == KH_FAULT_ABSENT)
			usleep(2000);
	}
	return fault;
}

/* E7: the request with which an executor died is lost, the next has an executor; nothing is left of all of them. */
static void test_replaced(struct kh_test *t)
{
	size_t before = descriptors();
	struct kh_client client;
	static int told;

	must(t, start_replaced(t, PART_DIES_AT_RUN, &client));
	must(t, kh_client_replace(&client, count_sentence, &told, &t->err));
	/* A request that comes while one is dying can be lost with it. */
	for (int i = 0; i < 40 && kh_client_state(&client).starts < 4; i++) {
		assert_int_equal(run_to_end(t, &client), KH_FAULT_LOST);
		assert_true(kh_client_state(&client).spawner);
	}
	assert_int_equal(kh_client_state(&client).starts, 4);
	kh_client_stop(&client);
	assert_true(told >= 6); /* three of them have ended and were replaced */
	assert_no_child();
	assert_int_equal(descriptors(), before);
	must(t, start_replaced(t, PART_ECHO, &client));
	assert_int_equal(run_to_end(t, &client), KH_FAULT_NONE);
	kh_client_stop(&client); /* also without the thread */
	assert_no_child();
	assert_int_equal(descriptors(), before);
}

/* One that dies at once is not started in a loop: the pause doubles. */
static void test_pause(struct kh_test *t)
{
	struct kh_client client;
	static int told;

	must(t, start_replaced(t, PART_DEAF, &client));
	must(t, kh_client_replace(&client, count_sentence, &told, &t->err));
	usleep(1200000);
	/* At once, after 100, 200, 400 and 800 ms. */
	struct kh_client_state state = kh_client_state(&client);
	assert_in_range(state.starts, 3, 5);
	assert_in_range(state.ends, 3, 5);
	kh_client_stop(&client);
	assert_no_child();
}

/* Through a spawner too, an executor that does not become ready is an error that says why. */
static void test_bad_start_replaced(struct kh_test *t)
{
	static const struct {
		enum part part;
		const char *words;
	} starts[] = {
		{PART_LEAVES, "ended with status 3"},
		{PART_CRASHES, "signal 15"},
		{PART_GARBAGE, "not an executor of this version"},
		{PART_OTHER, "not an executor of this version"},
		{(enum part)257, "too large"},
	};
	size_t before = descriptors();

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		struct kh_client client;
		assert_true(start_replaced(t, starts[i].part, &client) != KH_OK);
		assert_string_equal(t->err.code, "executor_start");
		if (strstr(t->err.detail, starts[i].words) == NULL)
			print_error("\"%s\" lacks \"%s\"\n", t->err.detail, starts[i].words);
		assert_non_null(strstr(t->err.detail, starts[i].words));
		assert_no_child();
		assert_int_equal(descriptors(), before);
		kh_client_stop(&client);
	}
	struct kh_client_settings settings = {.program = "/bin/true", .replaced = true};
	struct kh_client client;
	must_fail(t, KH_EREFUSED, kh_client_start(&client, &settings, &t->err));
	assert_no_child();
}

/* It has a clean start too: nothing of its parent, and not the spawner's descriptors. */
static void test_clean_start_replaced(struct kh_test *t)
{
	struct kh_client client;
	char text[4096];

	must(t, start_replaced(t, PART_REPORT, &client));
	run(t, &client, &exchange);
	assert_true(kh_exchange_feed_end(&exchange));
	assert_int_equal(finish(&exchange, text, sizeof(text)).fault, KH_FAULT_NONE);
	assert_string_equal(text, "argc 2 keyhole executor\n"
				  "environment empty\n"
				  "fd 0\nfd 1\nfd 2\nfd 3\n"
				  "0 is /dev/null\n1 is /dev/null\n"
				  "masked 0 ignored 0\n"
				  "session own\n");
	kh_client_stop(&client);
	assert_no_child();
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_replaced),
	KH_TEST_ONCE(test_pause),
	KH_TEST_ONCE(test_bad_start_replaced),
	KH_TEST_ONCE(test_clean_start_replaced),
};

int main(int argc, char **argv, char **environment)
{
	return play_or_test(__FILE__, cases, sizeof(cases) / sizeof(cases[0]), argc, argv, environment);
}
