/* Sockets: of every family, the host's own, and the loopback of others. */
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static char zeros[1];

static const char *sockets(struct hostile *h)
{
	for (int family = 0; family <= 50; family++)
		for (int type = 1; type <= 10; type++) {
			int fd = socket(family, type, 0), pair[2];

			bool is_tcp = (family == AF_INET || family == AF_INET6) && type == SOCK_STREAM;

			if (fd >= 0 && (h->is_server ? !is_tcp : family != AF_UNIX || !h->has_children))
				return came_through("socket(%d, %d) is %d", family, type, fd);
			if (family != AF_UNIX && socketpair(family, type, 0, pair) == 0)
				return came_through("socketpair(%d, %d)", family, type);
			if (fd >= 0)
				close(fd);
		}
	for (int protocol = 0; protocol < 256; protocol++)
		if (socket(AF_INET, SOCK_RAW, protocol) >= 0 || socket(AF_NETLINK, SOCK_RAW, protocol) >= 0)
			return came_through("a raw socket of protocol %d", protocol);
	return NULL;
}

/* Tries to connect to ADDRESS, which is IPv4. */
static bool connects(unsigned address, int port)
{
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(address)}};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool good = connect(fd, (struct sockaddr *)&at, sizeof(at)) == 0;

	close(fd);
	return good;
}

/* A server that others must not reach: it listens until its input ends.  ARGUMENT: the port. */
static const char *listens(struct hostile *h)
{
	int port = h->argc > 0 ? (int)strtol(h->argv[0], NULL, 10) : 0,
	    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	char byte;

	if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(fd, 8) != 0 || !connects(INADDR_LOOPBACK, port))
		return came_through("it does not reach itself: %s", strerror(errno));
	say(h, "ready", "listens", "");
	while (read(0, &byte, 1) > 0)
		continue;
	(void)fcntl(fd, F_SETFL, O_NONBLOCK);
	int own = accept(fd, NULL, NULL);
	return own >= 0 && accept(fd, NULL, NULL) >= 0 ? came_through("somebody else has connected") : NULL;
}

/* Somebody else's loopback, the machine's, and the network.  ARGUMENT: the port. */
static const char *others_loopback(struct hostile *h)
{
	static const unsigned addresses[] = {INADDR_LOOPBACK,
					     127U << 24 | 2,
					     127U << 24 | 107U << 16 | 1,
					     INADDR_ANY,
					     10U << 24 | 1,
					     192U << 24 | 168U << 16 | 1,
					     169U << 24 | 254U << 16 | 169U << 8 | 254,
					     93U << 24 | 184U << 16 | 216U << 8 | 34};
	int port = h->argc > 0 ? (int)strtol(h->argv[0], NULL, 10) : 0;

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		for (int k = 0; k < 5; k++)
			if (connects(addresses[i], (const int[]){port, 22, 53, 80, 443}[k]))
				return came_through("address %x was reached", addresses[i]);
	return NULL;
}

static bool reaches(const char *name, bool is_abstract, int type)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name) + 1);
	struct iovec data = {.iov_base = zeros, .iov_len = 1};
	struct msghdr message = {.msg_name = &at, .msg_namelen = size, .msg_iov = &data, .msg_iovlen = 1};
	int pair[2] = {-1, -1}, fd = socket(AF_UNIX, type, 0);
	bool good;

	memcpy(at.sun_path + is_abstract, name, strlen(name));
	if (fd < 0 && socketpair(AF_UNIX, type, 0, pair) == 0)
		fd = pair[0];
	good = connect(fd, (struct sockaddr *)&at, size) == 0 || sendmsg(fd, &message, MSG_NOSIGNAL) == 1 ||
	       sendto(fd, zeros, 1, MSG_NOSIGNAL, (struct sockaddr *)&at, size) == 1;
	/* One end of a pair ignores the address: what it sent is at its own other end. */
	if (good && pair[1] >= 0)
		good = recv(pair[1], zeros, 1, MSG_DONTWAIT) != 1;
	close(fd);
	close(pair[1]);
	return good;
}

/* ARGUMENT: name of an abstract socket of the host's; paths of others, which may have been granted. */
static const char *host_sockets(struct hostile *h)
{
	for (int i = 0; i < h->argc; i++)
		for (int type = SOCK_STREAM; type <= SOCK_SEQPACKET; type++)
			if (strlen(h->argv[i]) + 1 < sizeof(((struct sockaddr_un *)NULL)->sun_path) &&
			    reaches(h->argv[i], i == 0, type))
				return came_through("the host's socket %s, type %d", h->argv[i], type);
	return NULL;
}

const struct attack socket_attacks[] = {
	{"sockets", sockets}, {"host_sockets", host_sockets},
	{"listens", listens}, {"others_loopback", others_loopback},
	{NULL, NULL},
};
