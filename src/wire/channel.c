/*
 * Moves whole packets with their descriptors over SOCK_SEQPACKET sockets.
 *
 * The peer is not trusted: whatever it sends, at most KH_MESSAGE_MAX bytes are taken and no descriptor is leaked.
 * message.c gives the bytes their meaning.
 */
#include "wire/channel.h"

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for a few packets in flight.  After that the sender waits; there is no other flow control. */
#define SEND_BUFFER (2 * KH_MESSAGE_MAX)

enum kh_err kh_channel_pair(int ret_fds[2], struct kh_error *err)
{
	int size = SEND_BUFFER, fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) < 0)
		return kh_error_set(err, KH_EREFUSED, "channel", "no socket pair can be made: %m");
	/* If the machine's default is smaller than a message, that message could never be sent. */
	for (size_t i = 0; i < 2; i++)
		(void)setsockopt(fds[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	ret_fds[0] = fds[0];
	ret_fds[1] = fds[1];
	return KH_OK;
}

/* Maps the errno of sendmsg and recvmsg; not for EINTR. */
static enum kh_io failure(void)
{
	switch (errno) {
	case EAGAIN:
		return KH_IO_AGAIN;
	case EPIPE:
	case ECONNRESET:
	case ENOTCONN:
		return KH_IO_CLOSED;
	default:
		return KH_IO_BROKEN;
	}
}

/* Room for a control message, aligned as CMSG_FIRSTHDR() needs it.  Four descriptors fill it exactly, so that the
 * kernel reports truncation if there was a fifth. */
union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(KH_MESSAGE_FDS * sizeof(int))];
};

_Static_assert(CMSG_SPACE(KH_MESSAGE_FDS * sizeof(int)) == CMSG_LEN(KH_MESSAGE_FDS * sizeof(int)), "no room to spare");

enum kh_io kh_channel_send(int fd, struct kh_view packet, const int *fds, size_t fd_count)
{
	union control control;
	/* sendmsg only reads, but its struct has no const. */
	union {
		const char *in;
		void *out;
	} bytes = {.in = packet.p};
	struct iovec part = {.iov_base = bytes.out, .iov_len = packet.n};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t sent;

	if (fd_count > KH_MESSAGE_FDS)
		return KH_IO_BROKEN;
	if (fd_count > 0) {
		memset(&control, 0, sizeof(control));
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
		struct cmsghdr *header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
		memcpy(CMSG_DATA(header), fds, fd_count * sizeof(int));
	}
	/* Without descriptors, use send: workers have no sendmsg, because it could name an address. */
	do
		sent = fd_count > 0 ? sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT)
				    : send(fd, packet.p, packet.n, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? failure() : KH_IO_DONE;
}

/*
 * Takes the descriptors out of MESSAGE and returns how many.  RET_FDS has room for all that the control room can hold.
 */
static size_t take_descriptors(struct msghdr *message, int ret_fds[KH_MESSAGE_FDS])
{
	size_t count = 0;

	for (struct cmsghdr *h = CMSG_FIRSTHDR(message); h != NULL; h = CMSG_NXTHDR(message, h)) {
		if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS)
			continue;
		size_t n = (h->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		if (n > KH_MESSAGE_FDS - count)
			n = KH_MESSAGE_FDS - count;
		memcpy(ret_fds + count, CMSG_DATA(h), n * sizeof(int));
		count += n;
	}
	return count;
}

enum kh_io kh_channel_say(int fd, struct kh_message_out *out, const int *fds, size_t fd_count)
{
	struct kh_view packet;

	return kh_message_end(out, &packet) == KH_OK ? kh_channel_send(fd, packet, fds, fd_count) : KH_IO_BROKEN;
}

static ssize_t take_packet(int fd, struct msghdr *message, union control *control)
{
	ssize_t got;

	/*
	 * If a peer closed with something unread, the kernel reports ECONNRESET once, before what that peer had sent.
	 * Its last packets can still be read: try again.
	 */
	do {
		message->msg_control = control;
		message->msg_controllen = sizeof(*control);
		got = recvmsg(fd, message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	} while (got < 0 && (errno == EINTR || errno == ECONNRESET));
	return got;
}

enum kh_io kh_channel_receive(int fd, char *buffer, struct kh_view *ret_packet, int ret_fds[KH_MESSAGE_FDS],
			      size_t *ret_fd_count)
{
	union control control;
	struct iovec part = {.iov_base = buffer, .iov_len = KH_MESSAGE_MAX};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	int fds[KH_MESSAGE_FDS];
	ssize_t got = take_packet(fd, &message, &control);

	/*
	 * The kernel looks for a packet first, and for the end afterwards.  If the peer sent its last packet and closed
	 * in between, it says that this is the end, and the packet is still there.
	 */
	if (got == 0 && message.msg_controllen == 0 && (got = take_packet(fd, &message, &control)) < 0)
		return KH_IO_CLOSED;
	if (got < 0)
		return failure();

	size_t count = take_descriptors(&message, fds);
	bool cut = (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
	/* No bytes: the end, or an empty packet, which no honest peer sends. */
	if (got == 0 || cut) {
		while (count > 0)
			close(fds[--count]);
		return cut ? KH_IO_BROKEN : KH_IO_CLOSED;
	}
	*ret_packet = kh_view_of(buffer, (size_t)got);
	*ret_fd_count = count;
	memcpy(ret_fds, fds, count * sizeof(int));
	return KH_IO_DONE;
}

bool kh_channel_closed(int fd)
{
	struct pollfd poll_fd = {.fd = fd}; /* a hang-up is reported in any case */

	return poll(&poll_fd, 1, 0) > 0;
}

/* When TIMEOUT_MS from now is; -1: never. */
static int64_t deadline_of(int timeout_ms)
{
	return timeout_ms < 0 ? -1 : kh_clock_ms() + timeout_ms;
}

/* Waits for EVENTS on FD until DEADLINE.  False if the time ran out. */
static bool wait_for(int fd, short events, int64_t deadline)
{
	struct pollfd poll_fd = {.fd = fd, .events = events};

	for (;;) {
		int64_t left = deadline < 0 ? -1 : deadline - kh_clock_ms();
		if (deadline >= 0 && left <= 0)
			return false;
		int ready = poll(&poll_fd, 1, (int)left);
		/* If poll failed other than by a signal, the call that follows fails too and says why. */
		if (ready > 0 || (ready < 0 && errno != EINTR))
			return true;
	}
}

enum kh_io kh_channel_send_wait(int fd, struct kh_view packet, const int *fds, size_t fd_count, int timeout_ms)
{
	int64_t deadline = deadline_of(timeout_ms);
	enum kh_io io;

	do
		io = kh_channel_send(fd, packet, fds, fd_count);
	while (io == KH_IO_AGAIN && wait_for(fd, POLLOUT, deadline));
	return io;
}

enum kh_io kh_channel_receive_wait(int fd, char *buffer, struct kh_view *ret_packet, int ret_fds[KH_MESSAGE_FDS],
				   size_t *ret_fd_count, int timeout_ms)
{
	int64_t deadline = deadline_of(timeout_ms);
	enum kh_io io;

	do
		io = kh_channel_receive(fd, buffer, ret_packet, ret_fds, ret_fd_count);
	while (io == KH_IO_AGAIN && wait_for(fd, POLLIN, deadline));
	return io;
}

enum kh_io kh_channel_hear(int fd, char *buffer, enum kh_message_state *state, int timeout_ms,
			   struct kh_message *ret_message, struct kh_error *err)
{
	int fds[KH_MESSAGE_FDS];
	size_t fd_count = 0;
	struct kh_view packet;
	enum kh_io io = kh_channel_receive_wait(fd, buffer, &packet, fds, &fd_count, timeout_ms);

	if (io != KH_IO_DONE)
		return io;
	enum kh_err e = kh_message_read(packet, fd_count, state, ret_message, err);
	while (fd_count > 0)
		close(fds[--fd_count]);
	return e == KH_OK ? KH_IO_DONE : KH_IO_BROKEN;
}
