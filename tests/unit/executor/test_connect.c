/* E8: the address that is connected to is the one that was given, as bytes. */
#include "harness.h"

#include "executor/connect.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* A listening socket on the loopback address of either family. */
static int listen_on(bool is_v6, int *ret_port)
{
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	struct sockaddr *at = is_v6 ? (struct sockaddr *)&v6 : (struct sockaddr *)&v4;
	socklen_t size = is_v6 ? sizeof(v6) : sizeof(v4);
	int fd = socket(is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, at, size) < 0 || listen(fd, 4) < 0) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	assert_int_equal(getsockname(fd, at, &size), 0);
	*ret_port = ntohs(is_v6 ? v6.sin6_port : v4.sin_port);
	return fd;
}

static int connect_and_wait(const struct kh_address *address, int port, int *ret_result)
{
	int fd = kh_connect(address, port, true);

	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	struct pollfd writable = {.fd = fd, .events = POLLOUT};
	assert_int_equal(poll(&writable, 1, 10000), 1);
	*ret_result = kh_connect_result(fd);
	return fd;
}

static void test_both_families(struct kh_test *t)
{
	const struct kh_address loopback[2] = {{.bytes = {127, 0, 0, 1}}, {.is_v6 = true, .bytes = {[15] = 1}}};

	(void)t;
	for (int i = 0; i < 2; i++) {
		int port, result = -1, server = listen_on(i == 1, &port);
		if (server < 0 && i == 1) {
			print_message("no IPv6 here: one half of this test was not run\n");
			continue;
		}
		assert_true(server >= 0);
		int fd = connect_and_wait(&loopback[i], port, &result);
		assert_int_equal(result, 0);
		int other = accept(server, NULL, NULL);
		assert_true(other >= 0);
		assert_int_equal(write(other, "x", 1), 1);
		char byte = 0;
		struct pollfd readable = {.fd = fd, .events = POLLIN};
		assert_int_equal(poll(&readable, 1, 10000), 1);
		assert_int_equal(read(fd, &byte, 1), 1);
		assert_int_equal(byte, 'x');
		close(other);
		close(fd);
		close(server);
	}
}

/* Nobody there: told at once or when it is asked for, never as a connection. */
static void test_refused(struct kh_test *t)
{
	const struct kh_address loopback = {.bytes = {127, 0, 0, 1}};
	int port, result = 0, server = listen_on(false, &port);

	(void)t;
	close(server);
	int fd = kh_connect(&loopback, port, true);
	if (fd < 0) {
		assert_int_equal(errno, ECONNREFUSED);
		return;
	}
	close(fd);
	fd = connect_and_wait(&loopback, port, &result);
	assert_int_equal(result, ECONNREFUSED);
	close(fd);
	assert_int_equal(kh_connect_result(-1), EBADF);
}

/* A datagram socket is connected without a packet. */
static void test_datagram(struct kh_test *t)
{
	const struct kh_address loopback = {.bytes = {127, 0, 0, 1}};
	int type = 0, fd = kh_connect(&loopback, 9, false);
	socklen_t size = sizeof(type);

	(void)t;
	assert_true(fd >= 0);
	assert_int_equal(getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size), 0);
	assert_int_equal(type, SOCK_DGRAM);
	assert_int_equal(kh_connect_result(fd), 0);
	close(fd);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_both_families),
	KH_TEST_ONCE(test_refused),
	KH_TEST_ONCE(test_datagram),
};

KH_TEST_MAIN(cases)
