/* E7: a folder of cgroup v2 that passes controllers on.  On folders with the kernel's names in them but not its rules,
 * so that it is the same on every machine; test_cgroup.c has what there is on this one. */
#include "harness.h"

#include "sandbox/delegate.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
	char path[64];
	int above, own;
};

static void put(int folder, const char *name, const char *text)
{
	int fd = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static const char *get(int folder, const char *name)
{
	static char text[256];
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static bool there(int folder, const char *name)
{
	return faccessat(folder, name, F_OK, 0) == 0;
}

/* A folder that could pass on CONTROLLERS and has PROCS in it; one without a subtree_control stands for one that the
 * kernel does not let do so. */
static void fill(int folder, const char *controllers, const char *procs, bool lends)
{
	put(folder, "cgroup.controllers", controllers);
	put(folder, "cgroup.procs", procs);
	if (lends)
		put(folder, "cgroup.subtree_control", "");
}

static void open_place(struct place *p, const char *own)
{
	snprintf(p->path, sizeof(p->path), "/tmp/keyhole-delegate-XXXXXX");
	assert_non_null(mkdtemp(p->path));
	p->above = open(p->path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	assert_int_equal(mkdirat(p->above, own, 0755), 0);
	p->own = openat(p->above, own, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	assert_true(p->own >= 0);
}

static void close_place(struct place *p, const char *own)
{
	static const char *const files[] = {"cgroup.controllers", "cgroup.procs", "cgroup.subtree_control"};

	for (size_t i = 0; i < 3; i++) {
		unlinkat(p->own, files[i], 0);
		unlinkat(p->above, files[i], 0);
	}
	assert_int_equal(unlinkat(p->above, own, AT_REMOVEDIR), 0); /* nothing was left in it */
	assert_int_equal(rmdir(p->path), 0);
	close(p->own);
	close(p->above);
}

static void test_own(struct kh_test *t)
{
	struct place p;

	(void)t;
	open_place(&p, "service");
	fill(p.above, "cpu memory pids\n", "", true);
	fill(p.own, "cpu memory pids\n", "", true);
	assert_int_equal(kh_delegate_find(p.own, p.above), p.own);
	assert_string_equal(get(p.own, "cgroup.subtree_control"), "+memory +pids");
	assert_string_equal(get(p.above, "cgroup.subtree_control"), "");
	/* Passed on already: nothing is written. */
	put(p.own, "cgroup.subtree_control", "memory pids\n");
	assert_int_equal(kh_delegate_find(p.own, -1), p.own);
	assert_string_equal(get(p.own, "cgroup.subtree_control"), "memory pids\n");
	/* One controller is not enough, and then nothing is touched. */
	put(p.own, "cgroup.controllers", "cpu memory\n");
	put(p.own, "cgroup.subtree_control", "");
	assert_int_equal(kh_delegate_find(p.own, p.above), -1);
	assert_string_equal(get(p.own, "cgroup.subtree_control"), "");
	assert_int_equal(kh_delegate_find(-1, -1), -1);
	close_place(&p, "service");
}

/* The folder above is another's unless it is marked, or Keyhole itself has left it. */
static void test_above(struct kh_test *t)
{
	struct place p;

	(void)t;
	open_place(&p, "service");
	fill(p.above, "memory pids\n", "", true);
	fill(p.own, "memory pids\n", "1\n", false);
	assert_int_equal(kh_delegate_find(p.own, p.above), -1);
	assert_false(kh_delegate_expected(p.own, p.above));
	assert_string_equal(get(p.above, "cgroup.subtree_control"), "");
	close_place(&p, "service");
	open_place(&p, "keyhole-own");
	fill(p.above, "memory pids\n", "", true);
	fill(p.own, "memory pids\n", "1\n", false);
	assert_int_equal(kh_delegate_find(p.own, p.above), p.above);
	assert_true(kh_delegate_expected(p.own, p.above));
	assert_string_equal(get(p.above, "cgroup.subtree_control"), "+memory +pids");
	assert_false(there(p.own, "keyhole-own"));
	close_place(&p, "keyhole-own");
}

/* A folder is left only by Keyhole's own processes, and where that is of no use it is as before. */
static void test_not_left(struct kh_test *t)
{
	const int others[] = {1, 0, 2147483647};
	struct place p;
	char procs[64];

	(void)t;
	for (size_t i = 0; i < 3; i++) {
		open_place(&p, "service");
		snprintf(procs, sizeof(procs), "%d\n%d\n", getpid(), others[i]);
		fill(p.own, "memory pids\n", procs, false);
		assert_int_equal(kh_delegate_find(p.own, p.above), -1);
		assert_false(there(p.own, "keyhole-own"));
		assert_string_equal(get(p.own, "cgroup.procs"), procs);
		close_place(&p, "service");
	}
	open_place(&p, "service");
	snprintf(procs, sizeof(procs), "%d\n%d\n", getpid(), getppid());
	fill(p.own, "memory pids\n", procs, false);
	assert_int_equal(kh_delegate_find(p.own, p.above), -1); /* here nothing can be moved */
	assert_false(there(p.own, "keyhole-own"));
	close_place(&p, "service");
}

/* What was left is taken again: the controllers are no longer passed on, the processes are back. */
static void test_undo(struct kh_test *t)
{
	struct place p;

	(void)t;
	open_place(&p, "keyhole-own");
	fill(p.above, "memory pids\n", "", true);
	put(p.above, "cgroup.subtree_control", "memory pids\n");
	put(p.own, "cgroup.procs", "4711\n");
	kh_delegate_undo(p.above);
	assert_string_equal(get(p.above, "cgroup.subtree_control"), "-memory -pids");
	assert_non_null(strstr(get(p.above, "cgroup.procs"), "4711"));
	kh_delegate_undo(-1);
	close_place(&p, "keyhole-own");
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_own),
	KH_TEST_ONCE(test_above),
	KH_TEST_ONCE(test_not_left),
	KH_TEST_ONCE(test_undo),
};

KH_TEST_MAIN(cases)
