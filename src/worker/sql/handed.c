/* socket() and connect() for this program and its libraries.  Only one thread arms them: the only one of a worker. */
#include "worker/sql/handed.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NONE = -1 };

/* The armed socket, and the copy that was returned for it. */
struct handed {
	_Atomic int armed, copy;
};

static struct handed *handed(void)
{
	static struct handed one = {NONE, NONE};

	return &one;
}

void kh_handed_arm(int fd)
{
	atomic_store(&handed()->armed, fd);
}

void kh_handed_disarm(void)
{
	atomic_store(&handed()->armed, NONE);
	atomic_store(&handed()->copy, NONE);
}

int socket(int domain, int type, int protocol)
{
	int fd = atomic_exchange(&handed()->armed, NONE);

	if (fd == NONE)
		return (int)syscall(SYS_socket, domain, type, protocol);
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	atomic_store(&handed()->copy, copy);
	return copy;
}

int connect(int fd, const struct sockaddr *address, unsigned length)
{
	if (fd != NONE && fd == atomic_load(&handed()->copy))
		return 0;
	return (int)syscall(SYS_connect, fd, address, length);
}
