/* E7: Landlock, tried for real: each case restricts a child process and has it do what must and must not work. */
#include "harness.h"
#include "sandbox/landlock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* A folder of the test's own: `in` and `out`, with a file, a folder and a program in each. */
struct place {
	char top[64];
	pid_t outside; /* a process that is not restricted */
};

static void path_of(const struct place *place, const char *name, char *ret_path, size_t size)
{
	assert_true((size_t)snprintf(ret_path, size, "%s/%s", place->top, name) < size);
}

static void put(const struct place *place, const char *name, mode_t mode)
{
	char path[256];
	int fd;

	path_of(place, name, path, sizeof(path));
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, mode);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "#!/bin/sh\nexit 0\n", 17), 17);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void folder(const struct place *place, const char *name)
{
	char path[256];

	path_of(place, name, path, sizeof(path));
	assert_int_equal(mkdir(path, 0700), 0);
}

static void place_init(struct place *place)
{
	(void)snprintf(place->top, sizeof(place->top), "/tmp/keyhole-landlock-XXXXXX");
	assert_non_null(mkdtemp(place->top));
	folder(place, "in");
	folder(place, "in/folder");
	folder(place, "out");
	put(place, "in/file", 0600);
	put(place, "in/program", 0700);
	put(place, "out/file", 0600);
	place->outside = fork();
	assert_true(place->outside >= 0);
	if (place->outside == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		for (;;)
			pause();
	}
}

static void place_done(const struct place *place)
{
	static const char *const names[] = {
		"in/file", "in/program", "in/new",  "in/folder/new", "in/folder", "out/file", "out/new",
		"in/made", "in/link",    "in/fifo", "in/socket",     "in/device", "in",       "out"};
	char path[256];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		path_of(place, names[i], path, sizeof(path));
		(void)remove(path);
	}
	assert_int_equal(rmdir(place->top), 0);
	kill(place->outside, SIGKILL);
	waitpid(place->outside, NULL, 0);
}

/* What a child finds, one bit each. */
enum {
	READ_IN = 1 << 0,
	LIST_IN = 1 << 1,
	WRITE_IN = 1 << 2,
	TRUNCATE_IN = 1 << 3,
	CREATE_IN = 1 << 4,
	MAKE_FOLDER_IN = 1 << 5,
	MOVE_IN = 1 << 6, /* from one folder to another */
	LINK_IN = 1 << 7,
	FIFO_IN = 1 << 8,
	REMOVE_IN = 1 << 9,
	RUN_IN = 1 << 10,
	READ_OUT = 1 << 11,
	LIST_OUT = 1 << 12,
	WRITE_OUT = 1 << 13,
	CREATE_OUT = 1 << 14,
	DEVICE_IN = 1 << 15,
	MOVE_OUT = 1 << 16,
	TCP = 1 << 17,
	SIGNAL_OUT = 1 << 18,
	SIGNAL_SELF = 1 << 19,
	TRAVERSE = 1 << 20, /* from inside by .. */
};

static int opens(const struct place *place, const char *name, int flags)
{
	char path[256];
	int fd;

	path_of(place, name, path, sizeof(path));
	fd = open(path, flags | O_CLOEXEC, 0600);
	if (fd < 0)
		return 0;
	close(fd);
	return 1;
}

static int moves(const struct place *place, const char *from, const char *to)
{
	char source[256], target[256];

	path_of(place, from, source, sizeof(source));
	path_of(place, to, target, sizeof(target));
	return rename(source, target) == 0;
}

static int runs(const struct place *place)
{
	char path[256];
	int status;
	pid_t pid;

	path_of(place, "in/program", path, sizeof(path));
	pid = fork();
	if (pid == 0) {
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid && status == 0;
}

static int uses_tcp(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int good = fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0;

	close(fd);
	return good;
}

static unsigned changes(const struct place *place)
{
	unsigned found = 0;
	char path[256], target[256];

	path_of(place, "in/made", path, sizeof(path));
	found |= mkdir(path, 0700) == 0 ? MAKE_FOLDER_IN : 0;
	path_of(place, "in/link", path, sizeof(path));
	found |= symlink("file", path) == 0 ? LINK_IN : 0;
	path_of(place, "in/fifo", path, sizeof(path));
	found |= mkfifo(path, 0600) == 0 ? FIFO_IN : 0;
	path_of(place, "in/device", path, sizeof(path));
	/* 0:0 would be no device but a whiteout, which newer kernels take for an ordinary file. */
	found |= mknod(path, S_IFCHR | 0600, makedev(1, 3)) == 0 ? DEVICE_IN : 0;
	found |= moves(place, "in/new", "in/folder/new") ? MOVE_IN : 0;
	path_of(place, "in/folder/new", path, sizeof(path));
	path_of(place, "out/new", target, sizeof(target));
	found |= rename(path, target) == 0 ? MOVE_OUT : 0;
	found |= unlink(path) == 0 ? REMOVE_IN : 0;
	return found;
}

static unsigned look(const struct place *place)
{
	unsigned found = 0;
	char path[256];

	found |= opens(place, "in/file", O_RDONLY) ? READ_IN : 0;
	found |= opens(place, "in", O_RDONLY | O_DIRECTORY) ? LIST_IN : 0;
	found |= opens(place, "in/file", O_WRONLY) ? WRITE_IN : 0;
	path_of(place, "in/file", path, sizeof(path));
	found |= truncate(path, 20) == 0 ? TRUNCATE_IN : 0;
	found |= opens(place, "in/new", O_WRONLY | O_CREAT) ? CREATE_IN : 0;
	found |= runs(place) ? RUN_IN : 0;
	found |= opens(place, "out/file", O_RDONLY) ? READ_OUT : 0;
	found |= opens(place, "out", O_RDONLY | O_DIRECTORY) ? LIST_OUT : 0;
	found |= opens(place, "out/file", O_WRONLY) ? WRITE_OUT : 0;
	found |= opens(place, "out/new", O_WRONLY | O_CREAT) ? CREATE_OUT : 0;
	found |= opens(place, "in/../out/file", O_RDONLY) ? TRAVERSE : 0;
	found |= uses_tcp() ? TCP : 0;
	found |= kill(place->outside, 0) == 0 ? SIGNAL_OUT : 0;
	found |= kill(getpid(), 0) == 0 ? SIGNAL_SELF : 0;
	return found | changes(place);
}

/* What a child finds under RULES. */
static unsigned found_under(const struct place *place, const struct kh_landlock_rule *rules, size_t count)
{
	int pipes[2], status;
	unsigned found = 0;
	pid_t pid;

	assert_int_equal(pipe(pipes), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || kh_landlock_restrict(rules, count) != 0)
			_exit(1);
		found = look(place);
		_exit(write(pipes[1], &found, sizeof(found)) != sizeof(found));
	}
	close(pipes[1]);
	assert_int_equal(read(pipes[0], &found, sizeof(found)), sizeof(found));
	close(pipes[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	return found;
}

/* What the kernel's ABI has no word for stays allowed. */
static unsigned beyond(unsigned found)
{
	int abi = kh_landlock_abi();

	if (abi < 2)
		found &= ~(unsigned)MOVE_IN;
	if (abi < 3)
		found |= TRUNCATE_IN;
	if (abi < 4)
		found |= TCP;
	if (abi < 6)
		found |= SIGNAL_OUT;
	return found | SIGNAL_SELF;
}

/* The folder `in` with RIGHT, and what a script's interpreter needs. */
static unsigned with_right(enum kh_landlock_right right)
{
	struct place place = {.outside = 0};
	char in[256];
	unsigned found;

	place_init(&place);
	path_of(&place, "in", in, sizeof(in));
	{
		const struct kh_landlock_rule rules[] = {
			{in, right, -1},
			{"/usr", KH_LANDLOCK_RUN, -1},
			{"/bin", KH_LANDLOCK_RUN, -1},
			{"/lib", KH_LANDLOCK_RUN, -1},
			{"/lib64", KH_LANDLOCK_RUN, -1},
			{"/no/such/path", KH_LANDLOCK_RUN, -1},
			{"/dev/null/none", KH_LANDLOCK_ALL, -1},
		};

		found = found_under(&place, rules, sizeof(rules) / sizeof(rules[0]));
	}
	place_done(&place);
	return found;
}

#define CHANGES_IN (WRITE_IN | TRUNCATE_IN | CREATE_IN | MAKE_FOLDER_IN | MOVE_IN | LINK_IN | FIFO_IN | REMOVE_IN)

static void test_rights(struct kh_test *t)
{
	(void)t;
	assert_int_equal(with_right(KH_LANDLOCK_READ), beyond(READ_IN | LIST_IN));
	assert_int_equal(with_right(KH_LANDLOCK_RUN), beyond(READ_IN | LIST_IN | RUN_IN));
	assert_int_equal(with_right(KH_LANDLOCK_WRITE), beyond(READ_IN | LIST_IN | CHANGES_IN));
	assert_int_equal(with_right(KH_LANDLOCK_ALL), beyond(READ_IN | LIST_IN | CHANGES_IN | RUN_IN));
}

static void test_no_rule(struct kh_test *t)
{
	struct place place = {.outside = 0};

	(void)t;
	place_init(&place);
	assert_int_equal(found_under(&place, NULL, 0), beyond(0));
	place_done(&place);
}

/* A rule on a file has no right of folders, which the kernel would refuse, and gives nothing beside it. */
static void test_file(struct kh_test *t)
{
	struct place place = {.outside = 0};
	char file[256];

	(void)t;
	place_init(&place);
	path_of(&place, "in/file", file, sizeof(file));
	{
		const struct kh_landlock_rule all = {file, KH_LANDLOCK_ALL, -1}, read = {file, KH_LANDLOCK_READ, -1};

		assert_int_equal(found_under(&place, &all, 1), beyond(READ_IN | WRITE_IN | TRUNCATE_IN));
		assert_int_equal(found_under(&place, &read, 1), beyond(READ_IN));
	}
	place_done(&place);
}

/* A rule can name what a descriptor is open on; the descriptor stays open. */
static void test_descriptor(struct kh_test *t)
{
	struct place place = {.outside = 0};
	char file[256];
	int fd;

	(void)t;
	place_init(&place);
	path_of(&place, "in/file", file, sizeof(file));
	fd = open(file, O_PATH | O_CLOEXEC);
	assert_true(fd >= 0);
	{
		const struct kh_landlock_rule rule = {NULL, KH_LANDLOCK_READ, fd};

		assert_int_equal(found_under(&place, &rule, 1), beyond(READ_IN));
	}
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	close(fd);
	place_done(&place);
}

/* A device that may be opened still takes no ioctl, where the kernel can tell. */
static void test_device(struct kh_test *t)
{
	int status;
	pid_t pid = fork();

	(void)t;
	assert_true(pid >= 0);
	if (pid == 0) {
		const struct kh_landlock_rule rule = {"/dev/zero", KH_LANDLOCK_WRITE, -1};
		char byte = 1;
		int fd, size;

		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || kh_landlock_restrict(&rule, 1) != 0)
			_exit(1);
		fd = open("/dev/zero", O_RDWR | O_CLOEXEC);
		if (fd < 0 || read(fd, &byte, 1) != 1 || byte != 0 || write(fd, &byte, 1) != 1)
			_exit(2);
		if (kh_landlock_abi() >= 5 && (ioctl(fd, TIOCGWINSZ, &size) != -1 || errno != EACCES))
			_exit(3);
		_exit(open("/dev/null", O_RDWR | O_CLOEXEC) >= 0 ? 4 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Abstract sockets have no file; ABI 6 keeps those of others out of reach. */
static void test_abstract_socket(struct kh_test *t)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), status;
	socklen_t size;
	pid_t pid;

	(void)t;
	size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1, "keyhole-%d", (int)getpid()));
	assert_true(listening >= 0);
	assert_int_equal(bind(listening, (struct sockaddr *)&at, size), 0);
	assert_int_equal(listen(listening, 1), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), r;

		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || kh_landlock_restrict(NULL, 0) != 0)
			_exit(1);
		r = connect(fd, (struct sockaddr *)&at, size);
		if (kh_landlock_abi() < 6)
			_exit(r != 0);
		_exit(r == -1 && errno == EPERM ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(listening);
}

/* Without no_new_privs the kernel refuses, but for who may do more anyway. */
static void test_needs_no_new_privs(struct kh_test *t)
{
	int status;
	pid_t pid = fork();

	(void)t;
	assert_true(pid >= 0);
	if (pid == 0) {
		if (getuid() == 0 && setresuid(65533, 65533, 65533) != 0)
			_exit(1);
		_exit(kh_landlock_restrict(NULL, 0) == EPERM ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_abi(struct kh_test *t)
{
	(void)t;
	assert_true(kh_landlock_abi() >= 1);
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_abi),
	KH_TEST_ONCE(test_rights),
	KH_TEST_ONCE(test_no_rule),
	KH_TEST_ONCE(test_file),
	KH_TEST_ONCE(test_descriptor),
	KH_TEST_ONCE(test_device),
	KH_TEST_ONCE(test_abstract_socket),
	KH_TEST_ONCE(test_needs_no_new_privs),
};

KH_TEST_MAIN(cases)
