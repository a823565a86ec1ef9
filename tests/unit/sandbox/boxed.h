/* For the tests of sandboxes, their pool and jobs: a kit, pipes, and waiting with an end. */
#ifndef KH_TESTS_BOXED_H
#define KH_TESTS_BOXED_H

#include "executor/workers.h"
#include "sandbox/sandbox.h"
#include "wire/channel.h"

#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define BOXED_MS 30000 /* nothing of the tests takes as long */

static inline void kit_init(struct kh_test *t, struct kh_sandbox_kit *kit)
{
	must(t, kh_sandbox_kit_init(kit, kh_workers_serve, &t->alloc, &t->err));
}

/* Everything that was started has ended and was waited for. */
static inline void assert_no_children(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static inline bool wait_readable(int fd)
{
	struct pollfd readable = {.fd = fd, .events = POLLIN};

	return poll(&readable, 1, BOXED_MS) == 1;
}

/* All that comes out of FD, until its end. */
static inline struct kh_view read_all(int fd, char *buffer, size_t size)
{
	size_t n = 0;

	while (n < size && wait_readable(fd)) {
		ssize_t got = read(fd, buffer + n, size - n);
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	return kh_view_of(buffer, n);
}

static inline size_t open_descriptors(void)
{
	size_t count = 0;

	for (int fd = 0; fd < 512; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

#endif
