/* U2: bytes between two sockets: all of them, half-closed ends, slow readers, the limit of what may be sent. */
#include "harness.h"

#include "executor/pump.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

static struct kh_pump pump;
static struct kh_pump_tally tally;
static int client, server; /* the far ends */
static char room[KH_PUMP_PIECE];

static void open_pump(uint64_t most)
{
	int a[2], b[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, a), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, b), 0);
	pump = (struct kh_pump){.fd = {a[0], b[0]}};
	tally = (struct kh_pump_tally){.most = most};
	client = a[1];
	server = b[1];
}

static void close_pump(bool reset)
{
	kh_pump_close(&pump, reset, room);
	assert_int_equal(pump.fd[0], -1);
	assert_int_equal(pump.fd[1], -1);
	close(client);
	close(server);
}

static void test_both_ways(struct kh_test *t)
{
	char buffer[16];
	(void)t;

	open_pump(1000);
	assert_int_equal(write(client, "ask", 3), 3);
	assert_int_equal(kh_pump_move(&pump, KH_PUMP_CLIENT, &tally, room), KH_PUMP_OPEN);
	assert_int_equal(read(server, buffer, sizeof(buffer)), 3);
	assert_int_equal(write(server, "answer", 6), 6);
	assert_int_equal(kh_pump_move(&pump, KH_PUMP_SERVER, &tally, room), KH_PUMP_OPEN);
	assert_int_equal(read(client, buffer, sizeof(buffer)), 6);
	assert_int_equal(tally.moved[KH_PUMP_CLIENT], 3);
	assert_int_equal(tally.moved[KH_PUMP_SERVER], 6);
	/* One way ends, and the other goes on. */
	shutdown(client, SHUT_WR);
	assert_int_equal(kh_pump_move(&pump, KH_PUMP_CLIENT, &tally, room), KH_PUMP_OPEN);
	assert_int_equal(read(server, buffer, sizeof(buffer)), 0);
	assert_false(kh_pump_wants_input(&pump, KH_PUMP_CLIENT));
	assert_int_equal(write(server, "more", 4), 4);
	assert_int_equal(kh_pump_move(&pump, KH_PUMP_SERVER, &tally, room), KH_PUMP_OPEN);
	assert_int_equal(read(client, buffer, sizeof(buffer)), 4);
	shutdown(server, SHUT_WR);
	assert_int_equal(kh_pump_move(&pump, KH_PUMP_SERVER, &tally, room), KH_PUMP_OVER);
	close_pump(false);
}

/* A reader that does not read: one piece is held, and no more is taken from the writer. */
static void test_slow_reader(struct kh_test *t)
{
	static char data[65536], back[65536];
	size_t sent = 0, got = 0;
	ssize_t n;
	(void)t;

	open_pump(UINT64_MAX);
	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (char)(i % 251);
	for (int round = 0; round < 200; round++) {
		while ((n = write(client, data + sent % 251, 20000)) > 0)
			sent += (size_t)n;
		assert_int_equal(kh_pump_move(&pump, KH_PUMP_CLIENT, &tally, room), KH_PUMP_OPEN);
	}
	assert_true(kh_pump_wants_room(&pump, KH_PUMP_CLIENT));
	assert_false(kh_pump_wants_input(&pump, KH_PUMP_CLIENT));
	assert_true(sent < 4U << 20);
	shutdown(client, SHUT_WR);
	while (got < sent) {
		assert_int_equal(kh_pump_move(&pump, KH_PUMP_CLIENT, &tally, room), KH_PUMP_OPEN);
		while ((n = read(server, back, sizeof(back))) > 0) {
			for (ssize_t i = 0; i < n; i++)
				assert_int_equal((unsigned char)back[i], (got + (size_t)i) % 251);
			got += (size_t)n;
		}
	}
	assert_int_equal(kh_pump_move(&pump, KH_PUMP_CLIENT, &tally, room), KH_PUMP_OPEN);
	assert_int_equal(read(server, back, sizeof(back)), 0);
	assert_int_equal(tally.moved[KH_PUMP_CLIENT], sent);
	close_pump(false);
}

/* The limit, to the byte; what comes from the server does not count. */
static void test_limit(struct kh_test *t)
{
	char buffer[64];
	(void)t;

	for (size_t n = 9; n <= 11; n++) {
		open_pump(10);
		assert_int_equal(write(server, "0123456789012345", 16), 16);
		assert_int_equal(kh_pump_move(&pump, KH_PUMP_SERVER, &tally, room), KH_PUMP_OPEN);
		assert_int_equal(write(client, "01234567890", n), n);
		assert_int_equal(kh_pump_move(&pump, KH_PUMP_CLIENT, &tally, room),
				 n > 10 ? KH_PUMP_SPENT : KH_PUMP_OPEN);
		assert_int_equal(read(server, buffer, sizeof(buffer)), n > 10 ? -1 : (ssize_t)n);
		assert_true(tally.moved[KH_PUMP_CLIENT] <= 10);
		close_pump(true);
	}
}

static void test_broken(struct kh_test *t)
{
	(void)t;
	open_pump(1000);
	assert_int_equal(write(client, "x", 1), 1);
	close(server);
	server = -1;
	assert_int_equal(kh_pump_move(&pump, KH_PUMP_CLIENT, &tally, room), KH_PUMP_BROKEN);
	close_pump(true);
}

/* A server that has the end of what its client sent gets all of it, even if the client does not wait for the answer. */
static void test_client_gone(struct kh_test *t)
{
	char buffer[16];
	(void)t;

	open_pump(1000);
	assert_int_equal(write(client, "all", 3), 3);
	shutdown(client, SHUT_WR);
	assert_int_equal(kh_pump_move(&pump, KH_PUMP_CLIENT, &tally, room), KH_PUMP_OPEN);
	assert_int_equal(write(server, "answer", 6), 6);
	close(client);
	client = -1;
	assert_int_equal(kh_pump_move(&pump, KH_PUMP_SERVER, &tally, room), KH_PUMP_BROKEN);
	assert_int_equal(write(server, "more", 4), 4);
	kh_pump_close(&pump, true, room);
	assert_int_equal(read(server, buffer, sizeof(buffer)), 3);
	assert_int_equal(read(server, buffer, sizeof(buffer)), 0);
	close_pump(true);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_both_ways), KH_TEST_ONCE(test_slow_reader), KH_TEST_ONCE(test_limit),
	KH_TEST_ONCE(test_broken),    KH_TEST_ONCE(test_client_gone),
};

KH_TEST_MAIN(cases)
