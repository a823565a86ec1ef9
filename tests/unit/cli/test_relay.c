/* I9: a relay copies, and can do nothing else.  It locks its process down, so each runs in a child. */
#include "cli/relay.h"
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct ends {
	int in, out, gateway; /* of the client, and of the gateway */
	pid_t pid;
};

/* A relay in a child; its status is how it ended, 99 where it did not begin. */
static void start(struct ends *ends)
{
	int in[2], out[2], pair[2];

	assert_int_equal(pipe(in) | pipe(out) | socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	ends->pid = fork();
	assert_true(ends->pid >= 0);
	if (ends->pid == 0) {
		char token[] = "kh-token";
		enum kh_relay_end end = KH_RELAY_LOST;
		struct kh_error err;

		signal(SIGPIPE, SIG_IGN);
		close(in[1]);
		close(out[0]);
		close(pair[1]);
		enum kh_err e = kh_relay_run(in[0], out[1], pair[0], kh_view_of(token, 8), &end, &err);
		_exit(e != KH_OK || token[0] != '\0' ? 99 : open("/etc/passwd", O_RDONLY) >= 0 ? 98 : (int)end);
	}
	close(in[0]);
	close(out[1]);
	close(pair[0]);
	*ends = (struct ends){.in = in[1], .out = out[0], .gateway = pair[1], .pid = ends->pid};
}

static int end_of(struct ends *ends)
{
	int status;

	assert_int_equal(waitpid(ends->pid, &status, 0), ends->pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Exactly these bytes come. */
static void comes(int fd, const char *want)
{
	char text[256];
	size_t n = 0, all = strlen(want);

	while (n < all) {
		ssize_t got = read(fd, text + n, all - n);
		assert_true(got > 0);
		n += (size_t)got;
	}
	assert_memory_equal(text, want, all);
}

static void send_all(int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void test_copies(struct kh_test *t)
{
	struct ends e;
	char byte;

	(void)t;
	start(&e);
	comes(e.gateway, "kh-token\n");
	send_all(e.in, "{\"id\":1}\n{\"id");
	comes(e.gateway, "{\"id\":1}\n{\"id");
	send_all(e.gateway, "{\"result\":1}\n");
	comes(e.out, "{\"result\":1}\n");
	close(e.in);
	assert_int_equal(read(e.gateway, &byte, 1), 0); /* it is told that no more comes, */
	send_all(e.gateway, "{\"result\":2}\n");        /* and may still answer */
	comes(e.out, "{\"result\":2}\n");
	close(e.gateway);
	assert_int_equal(end_of(&e), KH_RELAY_DONE);
	close(e.out);
}

static void test_ends(struct kh_test *t)
{
	static const struct {
		const char *said; /* by the gateway, before it closes */
		enum kh_relay_end want;
	} all[] = {
		{"", KH_RELAY_REFUSED},
		{"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600}}\n", KH_RELAY_REFUSED},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", KH_RELAY_GONE},
	};
	struct ends e;

	(void)t;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		start(&e);
		comes(e.gateway, "kh-token\n");
		send_all(e.gateway, all[i].said);
		comes(e.out, all[i].said);
		close(e.gateway);
		assert_int_equal(end_of(&e), all[i].want);
		close(e.in);
		close(e.out);
	}
	start(&e);
	comes(e.gateway, "kh-token\n");
	close(e.out); /* the client takes no more */
	send_all(e.gateway, "x\n");
	assert_int_equal(end_of(&e), KH_RELAY_LOST);
	close(e.in);
	close(e.gateway);
}

/* I9: what a gateway said before it closed is read, also where the client goes on talking to it. */
static void test_closed_ahead(struct kh_test *t)
{
	static const struct {
		const char *said;
		enum kh_relay_end want;
	} all[] = {
		{"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600}}\n", KH_RELAY_REFUSED},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n", KH_RELAY_GONE},
	};
	struct ends e;
	int status;

	(void)t;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		start(&e);
		comes(e.gateway, "kh-token\n");
		/* Stopped meanwhile, the relay sees all of it at once, and writes to a socket that is closed already.
		 */
		kill(e.pid, SIGSTOP);
		assert_int_equal(waitpid(e.pid, &status, WUNTRACED), e.pid);
		assert_true(WIFSTOPPED(status));
		send_all(e.gateway, all[i].said);
		close(e.gateway);
		send_all(e.in, "{\"id\":1}\n");
		kill(e.pid, SIGCONT);
		comes(e.out, all[i].said);
		assert_int_equal(end_of(&e), all[i].want);
		close(e.in);
		close(e.out);
	}
}

/* A client that does not read does not keep the relay from taking what it says. */
static void test_pressure(struct kh_test *t)
{
	static char bytes[4096];
	struct ends e;
	size_t sent = 0;

	(void)t;
	memset(bytes, 'x', sizeof(bytes));
	start(&e);
	comes(e.gateway, "kh-token\n");
	assert_int_equal(fcntl(e.gateway, F_SETFL, O_NONBLOCK), 0);
	/* More than pipe, relay and socket hold together: until nothing more is taken for a while. */
	for (struct pollfd fd = {.fd = e.gateway, .events = POLLOUT}; sent < (16U << 20) && poll(&fd, 1, 200) > 0;) {
		ssize_t n = write(e.gateway, bytes, sizeof(bytes));
		sent += n > 0 ? (size_t)n : 0;
	}
	assert_true(sent > 65536 && sent < (16U << 20));
	send_all(e.in, "still heard\n");
	assert_int_equal(fcntl(e.gateway, F_SETFL, 0), 0);
	comes(e.gateway, "still heard\n");
	close(e.in);
	shutdown(e.gateway, SHUT_WR);
	for (ssize_t n; sent > 0 && (n = read(e.out, bytes, sizeof(bytes))) > 0;)
		sent -= (size_t)n;
	assert_int_equal(sent, 0);
	assert_int_equal(end_of(&e), KH_RELAY_DONE);
	close(e.out);
	close(e.gateway);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_copies), KH_TEST_ONCE(test_ends),
					    KH_TEST_ONCE(test_closed_ahead), KH_TEST_ONCE(test_pressure)};
KH_TEST_MAIN(cases)
