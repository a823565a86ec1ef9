/* Limits: takes more and more of one thing until it is refused, and says how much that was: `ok NAME` or what came. */
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (1L << 20)

/* ARGUMENT: the most that there may be. */
static long most(const struct hostile *h)
{
	return h->argc > 0 ? strtol(h->argv[0], NULL, 10) : 0;
}

static const char *bounded(const struct hostile *h, const char *what, long got)
{
	if (got > most(h))
		return came_through("%ld %s", got, what);
	return got <= 0 ? came_through("not one %s", what) : NULL;
}

/* --- processes ---------------------------------------------------------------------------------------------------- */

static const char *forks(struct hostile *h)
{
	long got = 0;

	while (got < 100000) {
		pid_t pid = fork();

		if (pid == 0)
			for (;;)
				pause();
		if (pid < 0)
			break;
		got++;
	}
	(void)kill(-1, SIGKILL);
	return bounded(h, "processes", got);
}

/* Every process forks, without end. */
static const char *fork_bomb(struct hostile *h)
{
	(void)h;
	for (;;)
		(void)fork();
	return NULL;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* The parent counts what its child could touch before it ended, by whatever. */
static long touch(int flags, bool many)
{
	volatile long *got = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	got[0] = 0;
	pid = fork();
	if (pid == 0) {
		for (int i = 0; many && i < 3; i++)
			(void)fork();
		for (;;) {
			char *p = mmap(NULL, MIB, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);

			if (p == MAP_FAILED)
				break;
			memset(p, 1, MIB);
			__atomic_add_fetch(&got[0], 1, __ATOMIC_RELAXED);
		}
		while (wait(NULL) > 0)
			continue;
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return got[0];
}

static const char *private_memory(struct hostile *h)
{
	return bounded(h, "MiB of memory", touch(MAP_PRIVATE, false));
}

static const char *shared_memory(struct hostile *h)
{
	return bounded(h, "MiB of shared memory", touch(MAP_SHARED, false));
}

/* Eight processes: together as much as one where there is a cgroup, else eight times that. */
static const char *memory_of_many(struct hostile *h)
{
	return bounded(h, "MiB of memory of eight processes", touch(MAP_PRIVATE, true));
}

/* Waits until it is looked at seldom, and then takes memory in 32 processes, at 640 MiB in a second. */
static const char *late_memory(struct hostile *h)
{
	volatile long *got = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *p;

	got[0] = 0;
	usleep(5400000);
	if (fork() == 0) {
		for (int i = 0; i < 5; i++)
			(void)fork();
		while (got[0] <= most(h) && (p = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
						      -1, 0)) != MAP_FAILED) {
			memset(p, 1, MIB);
			__atomic_add_fetch(&got[0], 1, __ATOMIC_RELAXED);
			usleep(50000);
		}
		while (wait(NULL) > 0)
			continue;
		_exit(0);
	}
	while (wait(NULL) > 0)
		continue;
	return bounded(h, "MiB of memory after a pause", got[0]);
}

/* Page tables, of memory that is read and so is nowhere: 4 KiB of them for each 2 MiB of addresses.  How many MiB. */
static const char *page_tables(struct hostile *h)
{
	volatile long *got = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	got[0] = 0;
	pid = fork();
	if (pid == 0) {
		for (;;) {
			volatile char *p = mmap(NULL, 512 * MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
						-1, 0);

			if (p == MAP_FAILED)
				_exit(0);
			(void)madvise((void *)(uintptr_t)p, 512 * MIB, MADV_NOHUGEPAGE);
			for (long at = 0; at < 512 * MIB; at += 2 * MIB)
				(void)p[at];
			got[0]++;
		}
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return got[0] > most(h) ? came_through("%ld MiB of page tables", got[0]) : NULL;
}

static const char *heap(struct hostile *h)
{
	long got = 0;

	for (;;) {
		char *p = malloc(MIB);

		if (p == NULL)
			break;
		memset(p, 1, MIB);
		got++;
	}
	return bounded(h, "MiB of heap", got);
}

static void raise_limit(int resource)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

	(void)setrlimit((__rlimit_resource_t)resource, &limit);
}

/* Kernel memory by pipes: how many bytes are in them when no more can be had. */
static const char *pipes(struct hostile *h)
{
	static char bytes[65536];
	long got = 0;

	raise_limit(RLIMIT_NOFILE);
	for (;;) {
		int ends[2];
		ssize_t n;

		if (pipe2(ends, O_NONBLOCK) != 0)
			break;
		(void)fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
		while ((n = write(ends[1], bytes, sizeof(bytes))) > 0)
			got += n;
	}
	return bounded(h, "MiB in pipes", got / MIB + 1);
}

static const char *unix_sockets(struct hostile *h)
{
	static char bytes[65536];
	long got = 0;

	raise_limit(RLIMIT_NOFILE);
	for (;;) {
		int ends[2], size = 1 << 30;
		ssize_t n;

		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0)
			break;
		(void)setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
		while ((n = send(ends[0], bytes, sizeof(bytes), MSG_NOSIGNAL)) > 0)
			got += n;
	}
	return bounded(h, "MiB in sockets", got / MIB + 1);
}

/* --- files -------------------------------------------------------------------------------------------------------- */

static const char *open_files(struct hostile *h)
{
	long got = 0;

	raise_limit(RLIMIT_NOFILE);
	while (got < 1000000 && open("/", O_RDONLY | O_CLOEXEC) >= 0)
		got++;
	return bounded(h, "open files", got);
}

/* All of /tmp, in many files so that no file's size stands in the way; also where else a program may write. */
static const char *disk(struct hostile *h)
{
	static char bytes[MIB];
	long got = 0;

	(void)signal(SIGXFSZ, SIG_IGN);
	for (int file = 0; file < 1000; file++) {
		char path[64];
		int fd;

		(void)snprintf(path, sizeof(path), "%s/fill%d", file % 2 ? "/tmp" : "/work", file);
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0)
			break;
		for (int i = 0; i < 4 && write(fd, bytes, sizeof(bytes)) == (ssize_t)sizeof(bytes); i++)
			got++;
		close(fd);
	}
	return bounded(h, "MiB on disk", got);
}

static const char *inodes(struct hostile *h)
{
	long got = 0;

	for (; got < 10000000; got++) {
		char path[64];

		(void)snprintf(path, sizeof(path), "/tmp/%ld", got);
		if (mkdir(path, 0700) != 0)
			break;
	}
	return bounded(h, "files", got);
}

/* One file that is larger than the limit, by its end, by its allocation, by its writing. */
static const char *file_size(struct hostile *h)
{
	int fd = open("/tmp/large", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct stat st;

	(void)signal(SIGXFSZ, SIG_IGN);
	raise_limit(RLIMIT_FSIZE);
	if (fd < 0)
		return came_through("no file in /tmp");
	(void)ftruncate(fd, 1L << 40);
	(void)fallocate(fd, 0, 0, 1L << 40);
	(void)pwrite(fd, "x", 1, 1L << 40);
	if (fstat(fd, &st) != 0 || st.st_size > most(h) * MIB)
		return came_through("a file of %ld MiB", (long)(st.st_size / MIB));
	return NULL;
}

/* Limits only ever go down. */
static const char *raising(struct hostile *h)
{
	(void)h;
	for (int resource = 0; resource < RLIM_NLIMITS; resource++) {
		struct rlimit now, up;

		if (getrlimit((__rlimit_resource_t)resource, &now) != 0 || now.rlim_max == RLIM_INFINITY)
			continue;
		up = (struct rlimit){now.rlim_cur, now.rlim_max + 1};
		struct rlimit then = now;
		/* One of them answers success, and stays as it is. */
		if (setrlimit((__rlimit_resource_t)resource, &up) == 0 &&
		    (getrlimit((__rlimit_resource_t)resource, &then) != 0 || then.rlim_max != now.rlim_max))
			return came_through("limit %d was raised", resource);
	}
	return NULL;
}

/* --- output and time ---------------------------------------------------------------------------------------------- */

static const char *output(struct hostile *h)
{
	static char line[4096];

	(void)h;
	memset(line, 'x', sizeof(line));
	for (;;)
		if (write(1, line, sizeof(line)) < 0 && errno == EPIPE)
			_exit(9);
}

static const char *errors(struct hostile *h)
{
	static char line[4096];

	(void)h;
	memset(line, 'x', sizeof(line));
	for (;;)
		if (write(2, line, sizeof(line)) < 0 && errno == EPIPE)
			_exit(9);
}

static const char *spin(struct hostile *h)
{
	(void)h;
	for (volatile unsigned long i = 0;; i++)
		continue;
	return NULL;
}

const struct attack limit_attacks[] = {
	{"forks", forks},
	{"fork_bomb", fork_bomb},
	{"private_memory", private_memory},
	{"shared_memory", shared_memory},
	{"memory_of_many", memory_of_many},
	{"late_memory", late_memory},
	{"page_tables", page_tables},
	{"heap", heap},
	{"pipes", pipes},
	{"unix_sockets", unix_sockets},
	{"open_files", open_files},
	{"disk", disk},
	{"inodes", inodes},
	{"file_size", file_size},
	{"raising", raising},
	{"output", output},
	{"errors", errors},
	{"spin", spin},
	{NULL, NULL},
};
