/* E7: whole packets with their descriptors, and none of a hostile peer's is left open. */
#include "harness.h"

#include "wire/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static char buffer[KH_MESSAGE_MAX];

/* How many descriptors this process has. */
static size_t descriptors(void)
{
	size_t count = 0;

	for (int fd = 0; fd < 256; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

static void make_pair(struct kh_test *t, int fds[2])
{
	must(t, kh_channel_pair(fds, &t->err));
	for (size_t i = 0; i < 2; i++) {
		assert_true(fcntl(fds[i], F_GETFD) & FD_CLOEXEC);
		assert_true(fcntl(fds[i], F_GETFL) & O_NONBLOCK);
	}
}

static void close_pair(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

/* Sends as a hostile peer would: any number of descriptors, any length. */
static void send_raw(int fd, size_t bytes, size_t fd_count)
{
	static char filling[2 * KH_MESSAGE_MAX];
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(64 * sizeof(int))];
	} control = {.header = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS}};
	struct iovec part = {.iov_base = filling, .iov_len = bytes};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	if (fd_count > 0) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
		control.header.cmsg_len = CMSG_LEN(fd_count * sizeof(int));
		for (size_t i = 0; i < fd_count; i++)
			memcpy(control.room + CMSG_LEN(i * sizeof(int)), &fd, sizeof(int));
	}
	assert_int_equal(sendmsg(fd, &message, MSG_NOSIGNAL), bytes);
}

static enum kh_io receive(int fd, struct kh_view *ret_packet, int fds[KH_MESSAGE_FDS], size_t *ret_count)
{
	return kh_channel_receive(fd, buffer, ret_packet, fds, ret_count);
}

/* Packets keep their borders and their order, up to the largest. */
static void test_packets(struct kh_test *t)
{
	static const char large[KH_MESSAGE_MAX] = "large";
	struct kh_view packet;
	int pair[2], fds[KH_MESSAGE_FDS];
	size_t count = 99;

	make_pair(t, pair);
	assert_false(kh_channel_closed(pair[1]));
	assert_int_equal(receive(pair[1], &packet, fds, &count), KH_IO_AGAIN);
	assert_int_equal(kh_channel_send(pair[0], KH_LIT("one"), NULL, 0), KH_IO_DONE);
	assert_int_equal(kh_channel_send(pair[0], KH_LIT("three"), NULL, 0), KH_IO_DONE);
	assert_int_equal(kh_channel_send(pair[0], kh_view_of(large, sizeof(large)), NULL, 0), KH_IO_DONE);
	assert_int_equal(receive(pair[1], &packet, fds, &count), KH_IO_DONE);
	assert_view(packet, "one");
	assert_int_equal(count, 0);
	assert_int_equal(receive(pair[1], &packet, fds, &count), KH_IO_DONE);
	assert_view(packet, "three");
	assert_int_equal(receive(pair[1], &packet, fds, &count), KH_IO_DONE);
	assert_int_equal(packet.n, KH_MESSAGE_MAX);
	assert_memory_equal(packet.p, large, sizeof(large));
	close_pair(pair);
}

/* What comes in is the caller's, closed on exec, and the same file that was sent. */
static void test_descriptors(struct kh_test *t)
{
	struct kh_view packet;
	int pair[2], pipe_fds[2], fds[KH_MESSAGE_FDS];
	size_t count = 0, before = descriptors();

	make_pair(t, pair);
	assert_int_equal(pipe(pipe_fds), 0);
	int four[KH_MESSAGE_FDS] = {pipe_fds[1], pipe_fds[1], pipe_fds[1], pipe_fds[1]};
	for (size_t n = 0; n <= KH_MESSAGE_FDS; n++) {
		assert_int_equal(kh_channel_send(pair[0], KH_LIT("x"), four, n), KH_IO_DONE);
		assert_int_equal(receive(pair[1], &packet, fds, &count), KH_IO_DONE);
		assert_int_equal(count, n);
		for (size_t i = 0; i < n; i++) {
			char c = 0;
			assert_true(fcntl(fds[i], F_GETFD) & FD_CLOEXEC);
			assert_int_equal(write(fds[i], "y", 1), 1);
			assert_int_equal(read(pipe_fds[0], &c, 1), 1);
			close(fds[i]);
		}
	}
	int five[KH_MESSAGE_FDS + 1] = {0};
	assert_int_equal(kh_channel_send(pair[0], KH_LIT("x"), five, KH_MESSAGE_FDS + 1), KH_IO_BROKEN);
	close_pair(pair);
	close_pair(pipe_fds);
	assert_int_equal(descriptors(), before);
}

/* Too many descriptors, too many bytes, none at all: broken or closed, and nothing is left open. */
static void test_hostile(struct kh_test *t)
{
	static const struct {
		size_t bytes, fds;
		enum kh_io io;
	} packets[] = {
		{1, 5, KH_IO_BROKEN},
		{1, 64, KH_IO_BROKEN},
		{KH_MESSAGE_MAX + 1, 0, KH_IO_BROKEN},
		{KH_MESSAGE_MAX + 1, 4, KH_IO_BROKEN},
		{KH_MESSAGE_MAX + 1, 5, KH_IO_BROKEN},
		{2 * KH_MESSAGE_MAX, 1, KH_IO_BROKEN},
		{0, 0, KH_IO_CLOSED},
		{0, 4, KH_IO_CLOSED},
		{0, 5, KH_IO_BROKEN},
	};
	size_t before = descriptors();

	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++) {
		struct kh_view packet = {0};
		int pair[2], fds[KH_MESSAGE_FDS] = {-7, -7, -7, -7};
		size_t count = 99;
		make_pair(t, pair);
		send_raw(pair[0], packets[i].bytes, packets[i].fds);
		assert_int_equal(receive(pair[1], &packet, fds, &count), packets[i].io);
		assert_int_equal(descriptors(), before + 2);
		/* Written only on success. */
		assert_null(packet.p);
		assert_int_equal(count, 99);
		assert_int_equal(fds[0], -7);
		close_pair(pair);
	}
}

/* A peer that is gone: what it sent before is still heard, also where it left something unread; then it is closed. */
static void test_last_words(struct kh_test *t)
{
	for (int unread = 0; unread < 2; unread++) {
		struct kh_view packet;
		int pair[2], fds[KH_MESSAGE_FDS];
		size_t count = 0;
		make_pair(t, pair);
		if (unread)
			assert_int_equal(kh_channel_send(pair[1], KH_LIT("unread"), NULL, 0), KH_IO_DONE);
		assert_int_equal(kh_channel_send(pair[0], KH_LIT("last"), NULL, 0), KH_IO_DONE);
		assert_int_equal(kh_channel_send(pair[0], KH_LIT("words"), NULL, 0), KH_IO_DONE);
		assert_false(kh_channel_closed(pair[1]));
		close(pair[0]);
		assert_true(kh_channel_closed(pair[1]));
		assert_int_equal(kh_channel_receive_wait(pair[1], buffer, &packet, fds, &count, -1), KH_IO_DONE);
		assert_view(packet, "last");
		assert_int_equal(receive(pair[1], &packet, fds, &count), KH_IO_DONE);
		assert_view(packet, "words");
		assert_int_equal(receive(pair[1], &packet, fds, &count), KH_IO_CLOSED);
		assert_int_equal(kh_channel_receive_wait(pair[1], buffer, &packet, fds, &count, -1), KH_IO_CLOSED);
		/* No SIGPIPE either. */
		assert_int_equal(kh_channel_send(pair[1], KH_LIT("x"), NULL, 0), KH_IO_CLOSED);
		assert_int_equal(kh_channel_send_wait(pair[1], KH_LIT("x"), NULL, 0, -1), KH_IO_CLOSED);
		close(pair[1]);
	}
}

/* Says one thing and closes, as soon as it is told which channel. */
static void *say_and_close(void *arg)
{
	_Atomic int *channel = arg;

	for (int fd; (fd = atomic_load(channel)) != -2;) {
		if (fd < 0)
			continue;
		(void)!kh_channel_send(fd, KH_LIT("last"), NULL, 0);
		close(fd);
		atomic_store(channel, -1);
	}
	return NULL;
}

/* The last packet of a peer that closes at once comes before the end, whenever one looks. */
static void test_closing(struct kh_test *t)
{
	_Atomic int channel = -1;
	pthread_t peer;
	size_t lost = 0;

	assert_int_equal(pthread_create(&peer, NULL, say_and_close, &channel), 0);
	for (int i = 0; i < 20000; i++) {
		int fds[2], none[KH_MESSAGE_FDS];
		size_t count = 0;
		struct kh_view packet;
		enum kh_io io;
		make_pair(t, fds);
		atomic_store(&channel, fds[1]);
		while ((io = kh_channel_receive(fds[0], buffer, &packet, none, &count)) == KH_IO_AGAIN)
			;
		lost += io != KH_IO_DONE;
		while (atomic_load(&channel) >= 0)
			;
		close(fds[0]);
	}
	atomic_store(&channel, -2);
	assert_int_equal(pthread_join(peer, NULL), 0);
	assert_int_equal(lost, 0);
}

/* A sender that is not read from has to wait, and can go on when it is; nothing is lost or cut. */
static void test_full(struct kh_test *t)
{
	static char large[KH_MESSAGE_MAX];
	struct kh_view packet, bulk = {large, sizeof(large)};
	int pair[2], fds[KH_MESSAGE_FDS];
	size_t sent = 0, count = 0;

	make_pair(t, pair);
	while (sent < 1000 && kh_channel_send(pair[0], bulk, NULL, 0) == KH_IO_DONE)
		sent++;
	assert_in_range(sent, 1, 100);
	assert_int_equal(kh_channel_send(pair[0], bulk, NULL, 0), KH_IO_AGAIN);
	assert_int_equal(kh_channel_send_wait(pair[0], bulk, NULL, 0, 1), KH_IO_AGAIN);
	for (size_t i = 0; i < sent; i++) {
		assert_int_equal(receive(pair[1], &packet, fds, &count), KH_IO_DONE);
		assert_int_equal(packet.n, sizeof(large));
	}
	assert_int_equal(receive(pair[1], &packet, fds, &count), KH_IO_AGAIN);
	assert_int_equal(kh_channel_receive_wait(pair[1], buffer, &packet, fds, &count, 1), KH_IO_AGAIN);
	assert_int_equal(kh_channel_send_wait(pair[0], bulk, NULL, 0, 0), KH_IO_DONE);
	close_pair(pair);
}

static void on_signal(int number)
{
	(void)number;
}

/* Both ways of waiting, against another process, with signals in between. */
static void test_waiting(struct kh_test *t)
{
	enum { PACKETS = 40 };
	static char large[KH_MESSAGE_MAX];
	struct sigaction action = {.sa_handler = on_signal}, before; /* no SA_RESTART: calls are interrupted */
	struct kh_view packet;
	int pair[2], fds[KH_MESSAGE_FDS], status = 0;
	size_t count = 0;

	make_pair(t, pair);
	assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
	int parent = getpid(), pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(pair[0]);
		for (int i = 0; i < PACKETS; i++) {
			large[0] = (char)i;
			kill(parent, SIGUSR1);
			if (kh_channel_send_wait(pair[1], kh_view_of(large, sizeof(large)), NULL, 0, -1) != KH_IO_DONE)
				_exit(1);
			kill(parent, SIGUSR1);
		}
		_exit(0);
	}
	close(pair[1]);
	for (int i = 0; i < PACKETS; i++) {
		assert_int_equal(kh_channel_receive_wait(pair[0], buffer, &packet, fds, &count, -1), KH_IO_DONE);
		assert_int_equal(packet.n, sizeof(large));
		assert_int_equal(packet.p[0], i);
	}
	assert_int_equal(kh_channel_receive_wait(pair[0], buffer, &packet, fds, &count, -1), KH_IO_CLOSED);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	assert_int_equal(status, 0);
	assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
	close(pair[0]);
}

/* What is no channel is broken, and says so at once. */
static void test_no_channel(struct kh_test *t)
{
	struct kh_view packet;
	int fds[KH_MESSAGE_FDS];
	size_t count = 0;

	(void)t;
	assert_int_equal(receive(-1, &packet, fds, &count), KH_IO_BROKEN);
	assert_int_equal(kh_channel_send(-1, KH_LIT("x"), NULL, 0), KH_IO_BROKEN);
	assert_int_equal(kh_channel_receive_wait(-1, buffer, &packet, fds, &count, -1), KH_IO_BROKEN);
}

/* A message is ended and sent in one; what is none is not sent. */
static void test_say(struct kh_test *t)
{
	struct kh_message_out out;
	struct kh_view packet;
	size_t count = 0;
	int pair[2], fds[KH_MESSAGE_FDS];
	char small[KH_MESSAGE_HEADER];

	make_pair(t, pair);
	kh_message_begin(&out, small, sizeof(small), KH_MESSAGE_INPUT_END);
	assert_int_equal(kh_channel_say(pair[0], &out, NULL, 0), KH_IO_DONE);
	assert_int_equal(kh_channel_receive(pair[1], buffer, &packet, fds, &count), KH_IO_DONE);
	assert_int_equal(packet.n, KH_MESSAGE_HEADER);
	kh_message_begin(&out, small, sizeof(small), KH_MESSAGE_INPUT);
	kh_message_bulk(&out, KH_LIT("no room for this"));
	assert_int_equal(kh_channel_say(pair[0], &out, NULL, 0), KH_IO_BROKEN);
	assert_int_equal(kh_channel_receive(pair[1], buffer, &packet, fds, &count), KH_IO_AGAIN);
	close_pair(pair);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_say),     KH_TEST_ONCE(test_packets),    KH_TEST_ONCE(test_descriptors),
	KH_TEST_ONCE(test_hostile), KH_TEST_ONCE(test_last_words), KH_TEST_ONCE(test_full),
	KH_TEST_ONCE(test_waiting), KH_TEST_ONCE(test_no_channel), KH_TEST_ONCE(test_closing),
};

KH_TEST_MAIN(cases)
