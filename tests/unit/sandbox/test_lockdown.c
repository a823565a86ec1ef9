/* E8: a process that has locked itself down, tried from inside. */
#include "harness.h"
#include "sandbox/lockdown.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

struct place {
	char folder[64];
	int listening; /* a socket that it had before */
	char socket[96];
};

static void place_init(struct place *place)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};

	(void)snprintf(place->folder, sizeof(place->folder), "/tmp/keyhole-lockdown-XXXXXX");
	assert_non_null(mkdtemp(place->folder));
	(void)snprintf(place->socket, sizeof(place->socket), "%s/socket", place->folder);
	memcpy(at.sun_path, place->socket, strlen(place->socket) + 1);
	place->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(place->listening, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(place->listening, 4), 0);
}

static void place_done(const struct place *place)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/file", place->folder);
	(void)unlink(path);
	(void)unlink(place->socket);
	close(place->listening);
	assert_int_equal(rmdir(place->folder), 0);
}

typedef int attempt_fn(const struct place *place);

/* The wait status of a child that locks itself down to FOLDER and then makes the attempt. */
static int attempt(const struct place *place, const char *folder, attempt_fn *fn)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		struct kh_error err;

		if (kh_lockdown(folder, &err) != KH_OK)
			_exit(99);
		_exit(fn(place));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 99);
	return status;
}

static int killed(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}

/* --- what is left ------------------------------------------------------------------------------------------------- */

/* As a store does it: create, write, map, rename, sync, remove. */
static int uses_store(const struct place *place)
{
	char path[128], other[128];
	int fd;
	char *map;

	(void)snprintf(path, sizeof(path), "%s/file", place->folder);
	(void)snprintf(other, sizeof(other), "%s/other", place->folder);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, 4096) != 0 || pwrite(fd, "abc", 3, 0) != 3 || fdatasync(fd) != 0)
		return 1;
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED || map[1] != 'b')
		return 2;
	return rename(path, other) != 0 || unlink(other) != 0 ? 3 : 0;
}

static int accepts(const struct place *place)
{
	char byte = 'x';
	int fd = accept4(place->listening, NULL, NULL, SOCK_CLOEXEC);

	return fd >= 0 && send(fd, &byte, 1, MSG_NOSIGNAL) == 1 ? 0 : 1;
}

static void *thread_body(void *arg)
{
	return arg;
}

static int starts_threads(const struct place *place)
{
	pthread_t thread;
	void *back = NULL;

	(void)place;
	return pthread_create(&thread, NULL, thread_body, &back) == 0 && pthread_join(thread, &back) == 0 &&
			       back == &back
		       ? 0
		       : 1;
}

static void test_what_is_left(struct kh_test *t)
{
	struct place place = {.listening = -1};
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char byte = 0;

	(void)t;
	place_init(&place);
	assert_int_equal(attempt(&place, place.folder, uses_store), 0);
	memcpy(at.sun_path, place.socket, strlen(place.socket) + 1);
	assert_int_equal(connect(client, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(attempt(&place, NULL, accepts), 0);
	assert_int_equal(recv(client, &byte, 1, 0), 1);
	assert_int_equal(byte, 'x');
	assert_int_equal(attempt(&place, NULL, starts_threads), 0);
	close(client);
	place_done(&place);
}

/* --- what is gone ------------------------------------------------------------------------------------------------- */

static int opens(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	return fd >= 0 ? 0 : errno;
}

/* 0 where everything is refused. */
static int opens_others(const struct place *place)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/../keyhole-lockdown", place->folder);
	if (opens("/etc/passwd", O_RDONLY) != EACCES || opens("/", O_RDONLY) != EACCES)
		return 1;
	if (opens("/proc/self/environ", O_RDONLY) != EACCES || opens("/proc/self/mem", O_RDWR) != EACCES)
		return 2;
	return opens(path, O_RDWR | O_CREAT) == EACCES ? 0 : 3;
}

static int opens_store(const struct place *place)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/file", place->folder);
	return opens(path, O_RDWR | O_CREAT) == EACCES ? 0 : 1;
}

static int runs_program(const struct place *place)
{
	(void)place;
	execl("/bin/true", "true", (char *)NULL);
	return 0;
}

static int forks(const struct place *place)
{
	(void)place;
	return fork() == 0;
}

static int makes_socket(const struct place *place)
{
	(void)place;
	for (int family = 0; family < 50; family++)
		for (int type = 1; type < 7; type++)
			if (socket(family, type, 0) != -1 || errno != EAFNOSUPPORT)
				return 1;
	return 0;
}

static int connects(const struct place *place)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int pair[2];

	memcpy(at.sun_path, place->socket, strlen(place->socket) + 1);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return 1;
	return connect(pair[0], (struct sockaddr *)&at, sizeof(at));
}

static int makes_code(const struct place *place)
{
	(void)place;
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED &&
			       errno == EACCES
		       ? 0
		       : 1;
}

static int signals(const struct place *place)
{
	(void)place;
	return kill(getppid(), 0) == -1 && errno == EPERM ? 0 : 1;
}

static int has_capabilities(const struct place *place)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	(void)place;
	if (syscall(SYS_capget, &header, data) != 0)
		return 1;
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		if (data[i].effective != 0 || data[i].permitted != 0 || data[i].inheritable != 0)
			return 2;
	return 0;
}

static int traces(const struct place *place)
{
	(void)place;
	return (int)syscall(SYS_ptrace, 16, (long)getppid(), 0L, 0L);
}

static void test_what_is_gone(struct kh_test *t)
{
	struct place place = {.listening = -1};

	(void)t;
	place_init(&place);
	assert_int_equal(attempt(&place, place.folder, opens_others), 0);
	assert_int_equal(attempt(&place, NULL, opens_others), 0);
	assert_int_equal(attempt(&place, NULL, opens_store), 0);
	assert_int_equal(attempt(&place, place.folder, makes_socket), 0);
	assert_int_equal(attempt(&place, place.folder, makes_code), 0);
	assert_int_equal(attempt(&place, place.folder, has_capabilities), 0);
	assert_true(killed(attempt(&place, place.folder, runs_program)));
	assert_true(killed(attempt(&place, place.folder, forks)));
	assert_true(killed(attempt(&place, place.folder, connects)));
	assert_int_equal(attempt(&place, place.folder, signals), 0);
	assert_true(killed(attempt(&place, place.folder, traces)));
	place_done(&place);
}

/* Seen from outside: the parent reads the child's status while it waits in accept. */
static void test_status(struct kh_test *t)
{
	struct place place = {.listening = -1};
	char path[64], text[8192];
	int ready[2], fd;
	ssize_t n;
	pid_t pid;

	(void)t;
	place_init(&place);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (kh_lockdown(place.folder, NULL) != KH_OK || write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], text, 1), 1);
	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = read(fd, text, sizeof(text) - 1);
	assert_true(n > 0);
	text[n] = '\0';
	assert_non_null(strstr(text, "\nNoNewPrivs:\t1\n"));
	assert_non_null(strstr(text, "\nSeccomp:\t2\n"));
	assert_non_null(strstr(text, "\nCapPrm:\t0000000000000000\n"));
	assert_non_null(strstr(text, "\nCapEff:\t0000000000000000\n"));
	assert_non_null(strstr(text, "\nCapAmb:\t0000000000000000\n"));
	if (getuid() == 0)
		assert_non_null(strstr(text, "\nCapBnd:\t0000000000000000\n"));
	close(fd);
	close(ready[0]);
	close(ready[1]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	place_done(&place);
}

/* --- paths beside the folder -------------------------------------------------------------------------------------- */

/* Reads one, keeps files in the other, and can do nothing else with either or beside them. */
static int uses_others(const char *readable, const char *kept)
{
	char path[160];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/config", readable);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 1;
	if (opens(path, O_WRONLY) != EACCES || unlink(path) == 0)
		return 2;
	(void)snprintf(path, sizeof(path), "%s/new", readable);
	if (opens(path, O_RDWR | O_CREAT) != EACCES)
		return 3;
	/* The file that is there, and one in place of a file that was renamed. */
	for (int i = 0; i < 2; i++) {
		(void)snprintf(path, sizeof(path), "%s/witness%d", kept, i);
		fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0 || write(fd, "x", 1) != 1 || fsync(fd) != 0)
			return 4;
	}
	if (unlink(path) == 0 || rename(path, "/tmp/elsewhere") == 0 || opens(path, O_WRONLY | O_TRUNC) != EACCES ||
	    opens(kept, O_RDONLY | O_DIRECTORY) != EACCES || mkdir(path, 0700) == 0)
		return 6;
	return opens("/etc/passwd", O_RDONLY) == EACCES ? 0 : 5;
}

/* E8, L3: a configuration that is kept elsewhere can be read, witness files can be kept in a folder, and that is all. */
static void test_beside(struct kh_test *t)
{
	struct place place = {.listening = -1};
	char config[64] = "/tmp/keyhole-lockdown-c-XXXXXX", kept[64] = "/tmp/keyhole-lockdown-w-XXXXXX";
	char file[2][96], path[96];
	int status, fd;

	(void)t;
	place_init(&place);
	assert_non_null(mkdtemp(config));
	assert_non_null(mkdtemp(kept));
	(void)snprintf(path, sizeof(path), "%s/config", config);
	for (int i = 0; i < 2; i++)
		(void)snprintf(file[i], sizeof(file[i]), "%s/witness%d", kept, i);
	for (int i = 0; i < 2; i++) {
		fd = open(i == 0 ? path : file[0], O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		assert_true(fd >= 0);
		close(fd);
	}
	pid_t pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		const struct kh_lockdown_path others[] = {{.path = config}, {.path = kept, .keeps = true}};
		struct kh_error err;

		_exit(kh_lockdown_beside(place.folder, others, 2, &err) == KH_OK ? uses_others(config, kept) : 99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		const struct kh_lockdown_path missing = {.path = "/no/such/file"};
		struct kh_error err = {.code = NULL};
		enum kh_err e = kh_lockdown_beside(place.folder, &missing, 1, &err);

		_exit(e == KH_EREFUSED && strcmp(err.code, "lockdown") == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(unlink(path) | unlink(file[0]) | unlink(file[1]) | rmdir(config) | rmdir(kept), 0);
	place_done(&place);
}

/* --- refusals ----------------------------------------------------------------------------------------------------- */

static void *wait_for_end(void *arg)
{
	char byte;

	(void)read(*(int *)arg, &byte, 1);
	return NULL;
}

/* Runs in a child, so that this process stays as it is where a refusal should fail to come. */
static void refused_with(const char *folder, bool threads, const char *part)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		struct kh_error err = {.code = NULL};
		pthread_t thread;
		int ends[2];

		if (pipe(ends) != 0 || (threads && pthread_create(&thread, NULL, wait_for_end, &ends[0]) != 0))
			_exit(1);
		if (kh_lockdown(folder, &err) != KH_EREFUSED)
			_exit(2);
		if (strcmp(err.code, "lockdown") != 0 || strncmp(err.detail, part, strlen(part)) != 0)
			_exit(3);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_refusals(struct kh_test *t)
{
	(void)t;
	refused_with("/no/such/folder", false, "the folder: ");
	refused_with("/etc/passwd", false, "the folder: ");
	refused_with(NULL, true, "threads: this process has 2");
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_what_is_left), KH_TEST_ONCE(test_what_is_gone), KH_TEST_ONCE(test_status),
	KH_TEST_ONCE(test_beside),       KH_TEST_ONCE(test_refusals),
};

KH_TEST_MAIN(cases)
