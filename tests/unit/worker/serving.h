/*
 * For the tests of the workers: a worker in a process of its own, under its own filter, and a server of the test's in
 * another.  Their "connected socket" is one end of a socket pair, so that no network is needed.
 */
#ifndef KH_TESTS_SERVING_H
#define KH_TESTS_SERVING_H

#include "worker/worker.h"

#include "harness.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* No exchange of the tests takes as long; one that does is cut here and fails. */
#define TEST_WAIT_MS 60000

struct served {
	int channel;
	enum kh_message_state state;
	pid_t worker, server;
	char buffer[KH_MESSAGE_MAX];
};

typedef void server_fn(int socket, struct kh_view script);

static inline void send_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(fd, p, n, MSG_NOSIGNAL);
		if (sent <= 0)
			return;
		p += sent;
		n -= (size_t)sent;
	}
}

/* Starts WORKER and, over a socket pair of TYPE, SERVER.  The socket that the worker is to be sent is *RET_SOCKET. */
static inline void serving_start(struct served *served, int (*worker)(int channel), enum kh_message_state state,
				 int type, server_fn *server, struct kh_view script, int *ret_socket)
{
	int ends[2], sockets[2];

	assert_int_equal(kh_channel_pair(ends, NULL), KH_OK);
	assert_int_equal(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, sockets), 0);
	fflush(NULL);
	served->server = fork();
	if (served->server == 0) {
		close(ends[0]);
		close(ends[1]);
		close(sockets[0]);
		signal(SIGPIPE, SIG_IGN);
		server(sockets[1], script);
		_exit(0);
	}
	served->worker = fork();
	if (served->worker == 0) {
		close(ends[0]);
		close(sockets[0]);
		close(sockets[1]);
		signal(SIGPIPE, SIG_IGN);
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		_exit(worker(ends[1]));
	}
	assert_true(served->server > 0 && served->worker > 0);
	close(ends[1]);
	close(sockets[1]);
	served->channel = ends[0];
	served->state = state;
	*ret_socket = sockets[0];
}

static inline void serving_send(struct served *served, struct kh_message_out *out, const int *fds, size_t fd_count)
{
	struct kh_view packet;

	assert_int_equal(kh_message_end(out, &packet), KH_OK);
	assert_int_equal(kh_channel_send_wait(served->channel, packet, fds, fd_count, TEST_WAIT_MS), KH_IO_DONE);
}

/* The next message of the worker, which must be one that the table permits. */
static inline void serving_receive(struct served *served, struct kh_message *ret_message)
{
	int fds[KH_MESSAGE_FDS];
	struct kh_view packet;
	struct kh_error err;
	size_t fd_count;

	assert_int_equal(
		kh_channel_receive_wait(served->channel, served->buffer, &packet, fds, &fd_count, TEST_WAIT_MS),
		KH_IO_DONE);
	assert_int_equal(kh_message_read(packet, fd_count, &served->state, ret_message, &err), KH_OK);
}

/* Ends both processes.  The worker has said its last word, and ends well by itself. */
static inline void serving_end(struct served *served)
{
	int status = -1;

	close(served->channel);
	assert_int_equal(waitpid(served->worker, &status, 0), served->worker);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	kill(served->server, SIGKILL);
	assert_int_equal(waitpid(served->server, NULL, 0), served->server);
}

#endif
