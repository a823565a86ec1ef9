/*
 * E7, I6: a parent starts an executor that has nothing of it but a channel, and hears of every request what came of it.
 *
 * The executor here is this test program itself, started as the client starts `keyhole executor`; which part it plays
 * is told by the pool that it is asked for.
 */
#include "player.h"

static struct kh_exchange other;

static enum kh_err start(struct kh_test *t, enum part part, struct kh_client *client)
{
	struct kh_client_settings settings = {.program = program, .pool = (unsigned)part};

	return kh_client_start(client, &settings, &t->err);
}

static void test_run(struct kh_test *t)
{
	size_t before = descriptors();
	struct kh_client client;
	char text[256];

	must(t, start(t, PART_ECHO, &client));
	run(t, &client, &exchange);
	assert_int_equal(kh_exchange_feed(&exchange, KH_LIT("one ")), 4);
	assert_int_equal(kh_exchange_feed(&exchange, KH_LIT("two")), 3);
	assert_true(kh_exchange_feed_end(&exchange));
	assert_int_equal(finish(&exchange, text, sizeof(text)).fault, KH_FAULT_NONE);
	assert_string_equal(text, "one two");
	kh_client_stop(&client);
	assert_int_equal(client.control, -1);
	kh_client_stop(&client);
	assert_no_child();
	assert_int_equal(descriptors(), before);
}

static void test_fetch(struct kh_test *t)
{
	struct kh_fetch fetch = {.url = KH_LIT_INIT("https://example.org/"), .method = KH_METHOD_GET};
	struct kh_client client;
	char text[256];

	must(t, start(t, PART_ECHO, &client));
	/* A GET takes no input, and sends none. */
	must(t, kh_client_fetch(&client, &fetch, &exchange, &t->err));
	assert_int_equal(kh_exchange_feed(&exchange, KH_LIT("body")), 4);
	assert_true(kh_exchange_feed_end(&exchange));
	assert_int_equal(finish(&exchange, text, sizeof(text)).fault, KH_FAULT_NONE);
	assert_string_equal(text, "https://example.org/");
	fetch.method = KH_METHOD_POST;
	must(t, kh_client_fetch(&client, &fetch, &exchange, &t->err));
	assert_int_equal(kh_exchange_feed(&exchange, KH_LIT("#body")), 5);
	assert_true(kh_exchange_feed_end(&exchange));
	assert_int_equal(finish(&exchange, text, sizeof(text)).fault, KH_FAULT_NONE);
	assert_string_equal(text, "https://example.org/#body");
	kh_client_stop(&client);
}

/* The executor has its channel, standard error, and nothing else of its parent. */
static void test_clean_start(struct kh_test *t)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	sigset_t usual, odd;
	struct kh_client client;
	char text[4096];
	int pipe_fds[2];

	/* Things that must not get through: descriptors without the flag, a blocked and an ignored signal, a variable.
	 */
	assert_int_equal(pipe(pipe_fds), 0);
	assert_int_equal(sigaction(SIGPIPE, &ignore, &before), 0);
	sigemptyset(&odd);
	sigaddset(&odd, SIGTERM);
	sigaddset(&odd, SIGCHLD);
	assert_int_equal(sigprocmask(SIG_BLOCK, &odd, &usual), 0);
	assert_int_equal(setenv("KH_SECRET", "token", 1), 0);
	must(t, start(t, PART_REPORT, &client));
	run(t, &client, &exchange);
	assert_true(kh_exchange_feed_end(&exchange));
	assert_int_equal(finish(&exchange, text, sizeof(text)).fault, KH_FAULT_NONE);
	assert_string_equal(text, "argc 2 keyhole executor\n"
				  "environment empty\n"
				  "fd 0\nfd 1\nfd 2\nfd 3\n"
				  "0 is /dev/null\n1 is /dev/null\n"
				  "masked 0 ignored 0\n"
				  "session own\n");
	/* And this process is as it was. */
	sigset_t now;
	assert_int_equal(sigprocmask(SIG_SETMASK, &usual, &now), 0);
	assert_int_equal(sigismember(&now, SIGTERM), 1);
	assert_int_equal(sigismember(&now, SIGUSR1), 0);
	assert_int_equal(sigaction(SIGPIPE, &before, NULL), 0);
	kh_client_stop(&client);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

/* In a child of its own, because the harness needs its streams: a run without those of MASK.  How it went. */
static int run_without(int mask, struct kh_error *err)
{
	struct kh_client client;
	char text[4096];
	struct kh_run request = {.argv = {KH_LIT_INIT("/bin/cat")}, .argc = 1};
	struct kh_client_settings settings = {.program = program, .pool = PART_REPORT};

	for (int fd = 0; fd < 3; fd++)
		if (mask & 1 << fd)
			close(fd);
	if (kh_client_start(&client, &settings, err) != KH_OK)
		return 10;
	if (kh_client_run(&client, &request, &exchange, err) != KH_OK || !kh_exchange_feed_end(&exchange))
		return 11;
	if (finish(&exchange, text, sizeof(text)).fault != KH_FAULT_NONE)
		return 12;
	kh_client_stop(&client);
	if (strstr(text, "fd 0\nfd 1\nfd 2\nfd 3\n0 is /dev/null\n1 is /dev/null\n") == NULL)
		return 13;
	return (mask & 4) != 0 && strstr(text, "2 is a socket") != NULL ? 14 : 0;
}

/* A parent without some or all standard streams: its channel then has one of their numbers, and must not stay there. */
static void test_no_streams(struct kh_test *t)
{
	for (int mask = 1; mask < 8; mask++) {
		int status = 0, pid;
		fflush(NULL);
		assert_true((pid = fork()) >= 0);
		if (pid == 0)
			_exit(run_without(mask, &t->err));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

/* Each way for an executor not to become ready: an error that says which, and no child or descriptor left. */
static void test_bad_start(struct kh_test *t)
{
	static const struct {
		enum part part;
		const char *words;
	} starts[] = {
		{PART_LEAVES, "ended with status 3"},
		{PART_CRASHES, "signal 15"},
		{PART_GARBAGE, "not an executor of this version"},
		{PART_OTHER, "not an executor of this version"},
		{PART_OFFERS, "not an executor of this version"},
		{(enum part)257, "too large"},
	};
	size_t before = descriptors();

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		struct kh_client client;
		enum kh_err e = start(t, starts[i].part, &client);
		assert_int_equal(e, starts[i].part < PARTS ? KH_EREFUSED : KH_ELIMIT);
		assert_string_equal(t->err.code, "executor_start");
		if (strstr(t->err.detail, starts[i].words) == NULL)
			print_error("\"%s\" lacks \"%s\"\n", t->err.detail, starts[i].words);
		assert_non_null(strstr(t->err.detail, starts[i].words));
		assert_no_child();
		assert_int_equal(descriptors(), before);
		kh_client_stop(&client); /* is fine after a start that failed */
	}
}

static void test_no_program(struct kh_test *t)
{
	static const char *const programs[] = {"/nonexistent/keyhole", "/dev/null", "/"};
	struct kh_client client;

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct kh_client_settings settings = {.program = programs[i]};
		must_fail(t, KH_EREFUSED, kh_client_start(&client, &settings, &t->err));
		assert_string_equal(t->err.code, "executor_start");
		assert_non_null(strstr(t->err.detail, "could not be executed"));
		assert_no_child();
	}
	/* A program that ends well and says nothing is none either. */
	struct kh_client_settings settings = {.program = "/bin/true"};
	must_fail(t, KH_EREFUSED, kh_client_start(&client, &settings, &t->err));
	assert_non_null(strstr(t->err.detail, "ended with status 0"));
	assert_no_child();
}

/* A parent that ignores SIGCHLD cannot be told how its child ended, and still gets an error and no harm. */
static void test_no_status(struct kh_test *t)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	struct kh_client_settings settings = {.program = "/nonexistent/keyhole"};
	struct kh_client client;
	char text[256];

	assert_int_equal(sigaction(SIGCHLD, &ignore, &before), 0);
	must_fail(t, KH_EREFUSED, kh_client_start(&client, &settings, &t->err));
	assert_non_null(strstr(t->err.detail, "ended before it was ready"));
	must(t, start(t, PART_ECHO, &client));
	run(t, &client, &exchange);
	assert_true(kh_exchange_feed_end(&exchange));
	assert_int_equal(finish(&exchange, text, sizeof(text)).fault, KH_FAULT_NONE);
	kh_client_stop(&client);
	assert_no_child();
	assert_int_equal(sigaction(SIGCHLD, &before, NULL), 0);
}

/* An executor that dies with a request, before or after it said something: one END, and it is gone for the next too. */
static void test_dies(struct kh_test *t)
{
	static const enum part parts[] = {PART_DIES_AT_RUN, PART_DIES_LATER, PART_DEAF};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct kh_client client;
		char text[256];
		must(t, start(t, parts[i], &client));
		for (int again = 0; again < 3; again++) {
			run(t, &client, &exchange);
			/* One that was gone before took nothing, and begun was nothing. */
			enum kh_fault fault = finish(&exchange, text, sizeof(text)).fault;
			assert_true(fault == KH_FAULT_LOST ||
				    (fault == KH_FAULT_ABSENT && (again > 0 || parts[i] == PART_DEAF)));
			assert_string_equal(text, "");
		}
		assert_false(kh_client_state(&client).executor);
		kh_client_stop(&client);
		assert_no_child();
		/* Also after it was stopped: one path for callers. */
		run(t, &client, &exchange);
		assert_int_equal(finish(&exchange, text, sizeof(text)).fault, KH_FAULT_ABSENT);
	}
}

/* Killed in the middle of two requests, each hears of it once. */
static void test_killed(struct kh_test *t)
{
	struct kh_client client;
	char text[256];

	must(t, start(t, PART_ECHO, &client));
	run(t, &client, &exchange);
	run(t, &client, &other);
	assert_int_equal(kh_exchange_feed(&exchange, KH_LIT("x")), 1);
	struct kh_event event = {0};
	while (event.kind != KH_EVENT_OUTPUT)
		kh_exchange_next(&exchange, -1, &event);
	assert_int_equal(kill(client.pid, SIGKILL), 0);
	assert_int_equal(finish(&exchange, text, sizeof(text)).fault, KH_FAULT_LOST);
	assert_int_equal(finish(&other, text, sizeof(text)).fault, KH_FAULT_LOST);
	kh_client_stop(&client);
	assert_no_child();
}

/* Cancelled: the executor goes on with the next. */
static void test_cancel(struct kh_test *t)
{
	struct kh_client client;
	char text[256];

	must(t, start(t, PART_ECHO, &client));
	run(t, &client, &exchange);
	kh_exchange_close(&exchange);
	run(t, &client, &other);
	assert_int_equal(kh_exchange_feed(&other, KH_LIT("next")), 4);
	assert_true(kh_exchange_feed_end(&other));
	assert_int_equal(finish(&other, text, sizeof(text)).fault, KH_FAULT_NONE);
	assert_string_equal(text, "next");
	kh_client_stop(&client);
}

/* A request that cannot be written is told of at once, and costs no descriptor. */
static void test_bad_request(struct kh_test *t)
{
	size_t before = descriptors();
	struct kh_client client = {.control = -1, .pid = -1};
	struct kh_run nothing = {0};
	struct kh_fetch nowhere = {0};

	must_fail(t, KH_EINPUT, kh_client_run(&client, &nothing, &exchange, &t->err));
	assert_string_equal(t->err.code, "bad_request");
	must_fail(t, KH_EINPUT, kh_client_fetch(&client, &nowhere, &exchange, &t->err));
	assert_string_equal(t->err.code, "bad_request");
	assert_int_equal(descriptors(), before);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_run),        KH_TEST_ONCE(test_fetch),       KH_TEST_ONCE(test_clean_start),
	KH_TEST_ONCE(test_no_streams), KH_TEST_ONCE(test_bad_start),   KH_TEST_ONCE(test_no_program),
	KH_TEST_ONCE(test_no_status),  KH_TEST_ONCE(test_dies),        KH_TEST_ONCE(test_killed),
	KH_TEST_ONCE(test_cancel),     KH_TEST_ONCE(test_bad_request),
};

int main(int argc, char **argv, char **environment)
{
	return play_or_test(__FILE__, cases, sizeof(cases) / sizeof(cases[0]), argc, argv, environment);
}
