/* U3: the worker behind an upstream's output: lines in any pieces, bounds on size and rate, and the reason of its end. */
#include "worker/mcp/mcp.h"

#include "base/clock.h"
#include "harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define ONE  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"
#define NEXT "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n"

static const struct kh_worker_job_kind kind = {KH_PROFILE_MCP, KH_FILTER_TEXT, NULL, kh_worker_mcp_run};

static char out_text[65536], err_text[4096];

static void read_out(int fd, char *text, size_t room)
{
	ssize_t n = read(fd, text, room - 1);

	text[n > 0 ? n : 0] = '\0';
	close(fd);
}

/* Has the worker read PIECES, each written by itself; the exit status, and in out_text and err_text what it wrote. */
static int follow(const char *job, const char *const *pieces, size_t count)
{
	int in[2], out[2], errors[2], stream[2];

	assert_true(pipe(in) == 0 && pipe(out) == 0 && pipe(errors) == 0 && pipe2(stream, O_NONBLOCK) == 0);
	assert_int_equal(write(in[1], job, strlen(job)), strlen(job));
	close(in[1]);
	int child = fork();
	if (child == 0) {
		for (size_t i = 0; i < count; i++) {
			if (write(stream[1], pieces[i], strlen(pieces[i])) < 0)
				_exit(1);
			usleep(2000);
		}
		_exit(0);
	}
	close(stream[1]);
	int status = kh_worker_job_do(&kind, in[0], out[1], errors[1], stream[0], -1);
	close(in[0]);
	close(out[1]);
	close(errors[1]);
	close(stream[0]);
	read_out(out[0], out_text, sizeof(out_text));
	read_out(errors[0], err_text, sizeof(err_text));
	return status;
}

#define FOLLOW(job, ...) \
	follow(job, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static const char plain[] = "{\"message_bytes\":1000,\"a_second\":1000}";

static void test_pieces(struct kh_test *t)
{
	(void)t;
	assert_int_equal(FOLLOW(plain, ONE NEXT, "\r\n \n", ONE), 0);
	assert_string_equal(out_text, ONE NEXT ONE);
	assert_int_equal(FOLLOW(plain, "{\"jsonrpc\":\"2", ".0\",\"id\":1,", "\"result\":{}}\n{",
				"\"jsonrpc\":\"2.0\",", "\"method\":\"notifications/x\"}\n"),
			 0);
	assert_string_equal(out_text, ONE NEXT);
	assert_string_equal(err_text, "");
}

/* What came before a fault has been passed on; nothing after it is. */
static void test_ends(struct kh_test *t)
{
	char large[2200];

	(void)t;
	assert_int_equal(FOLLOW(plain, ONE "Server ready\n" ONE), 1);
	assert_string_equal(out_text, ONE);
	assert_non_null(strstr(err_text, "\"fault\":\"json_syntax\""));
	assert_int_equal(FOLLOW(plain, ONE "{\"jsonrpc\":\"2.0\""), 1);
	assert_string_equal(out_text, ONE);
	assert_non_null(strstr(err_text, "in the middle of a message"));
	snprintf(large, sizeof(large), "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"%02000d\"}\n", 0);
	assert_int_equal(FOLLOW(plain, ONE, large), 1);
	assert_string_equal(out_text, ONE);
	assert_non_null(strstr(err_text, "more than 1000 bytes"));
	/* Without a newline, too: it is not read for ever. */
	large[strlen(large) - 1] = ' ';
	assert_int_equal(FOLLOW(plain, large), 1);
	assert_non_null(strstr(err_text, "more than 1000 bytes"));
}

/* Lines before the first message that are not JSON are dropped, up to a bound; what is JSON, and what comes later, not. */
static void test_greeting(struct kh_test *t)
{
	static char words[66000];

	(void)t;
	assert_int_equal(FOLLOW(plain, "Time server running\n[info] {\n", "\xff\xfe \x1b[1m\n\r\n", ONE NEXT), 0);
	assert_string_equal(out_text, ONE NEXT);
	assert_int_equal(FOLLOW(plain, "hello\n" ONE "hello\n" ONE), 1);
	assert_string_equal(out_text, ONE);
	assert_non_null(strstr(err_text, "\"fault\":\"json_syntax\""));
	/* JSON that is no message. */
	assert_int_equal(FOLLOW(plain, "hello\n", "{\"level\":30}\n" ONE), 1);
	assert_string_equal(out_text, "");
	assert_non_null(strstr(err_text, "\"fault\":\"bad_message\""));
	assert_int_equal(FOLLOW(plain, "{\"jsonrpc\":\"2.0\",\"jsonrpc\":\"2.0\"}\n" ONE), 1);
	assert_non_null(strstr(err_text, "json_duplicate"));
	/* Nothing else came. */
	assert_int_equal(FOLLOW(plain, "usage: \x1b[1mserver\n", "try --help\n"), 1);
	assert_non_null(strstr(err_text, "ended without a message"));
	assert_non_null(strstr(err_text, "usage: "));
	assert_null(strchr(err_text, '\x1b'));
	assert_int_equal(FOLLOW(plain, "hello\n", "{\"jsonrpc\""), 1);
	assert_non_null(strstr(err_text, "in the middle of a message"));
	/* One byte less than the bound, and the bound: lines of 64 bytes. */
	for (size_t i = 0; i < (size_t)1024 * 64; i++)
		words[i] = i % 64 == 63 ? '\n' : 'w';
	assert_int_equal(FOLLOW(plain, words + 64, ONE), 0);
	assert_string_equal(out_text, ONE);
	assert_int_equal(FOLLOW(plain, words, "w\n", ONE), 1);
	assert_string_equal(out_text, "");
}

static void test_rate(struct kh_test *t)
{
	int64_t began = kh_clock_us();

	(void)t;
	/* One second's share can come at once; the three messages after it take their time. */
	assert_int_equal(
		FOLLOW("{\"message_bytes\":1000,\"a_second\":10}", ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE ONE),
		0);
	assert_int_equal(strlen(out_text), 13 * strlen(ONE));
	assert_true(kh_clock_us() - began >= 290000);
}

static void test_jobs(struct kh_test *t)
{
	static const char *const bad[] = {
		"{}", "{\"message_bytes\":0,\"a_second\":1}", "{\"message_bytes\":1,\"a_second\":0}",
		"{\"message_bytes\":67108865,\"a_second\":1}", "{\"message_bytes\":1,\"a_second\":100001}"};

	(void)t;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(FOLLOW(bad[i], ONE), 1);
		assert_non_null(strstr(err_text, "job_refused"));
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_pieces), KH_TEST(test_ends), KH_TEST(test_greeting), KH_TEST(test_rate), KH_TEST(test_jobs),
};
KH_TEST_MAIN(cases)
