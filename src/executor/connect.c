/* Outgoing sockets. */
#include "executor/connect.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int kh_connect(const struct kh_address *address, int port, bool tcp)
{
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int fd = socket(address->is_v6 ? AF_INET6 : AF_INET,
			(tcp ? SOCK_STREAM : SOCK_DGRAM) | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	memcpy(&v6.sin6_addr, address->bytes, sizeof(v6.sin6_addr));
	memcpy(&v4.sin_addr, address->bytes, sizeof(v4.sin_addr));
	const struct sockaddr *to = address->is_v6 ? (const struct sockaddr *)&v6 : (const struct sockaddr *)&v4;
	if (connect(fd, to, address->is_v6 ? sizeof(v6) : sizeof(v4)) == 0 || errno == EINPROGRESS)
		return fd;
	int e = errno;
	close(fd);
	errno = e;
	return -1;
}

int kh_connect_unix(struct kh_view path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};

	if (path.n == 0 || path.n >= sizeof(to.sun_path) || path.p[0] != '/') {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(to.sun_path, path.p, path.n);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	int e = errno;
	close(fd);
	errno = e;
	return -1;
}

int kh_connect_result(int fd)
{
	int error = 0;
	socklen_t size = sizeof(error);

	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 ? errno : error;
}
