/* E7: a path that is granted is found without following a link that a program may have planted. */
#include "cli/grantpath.h"
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define TURNS    20000
#define EXCHANGE 2 /* RENAME_EXCHANGE */

static char top[PATH_MAX];

static void enter(void)
{
	char name[] = "/tmp/keyhole-test-XXXXXX";

	assert_non_null(mkdtemp(name));
	assert_int_equal(chdir(name), 0);
	assert_non_null(getcwd(top, sizeof(top)));
	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(mkdir("kept", 0700), 0);
	assert_int_equal(symlink("kept", "link"), 0);
	assert_int_equal(symlink("loop", "loop"), 0);
}

static void leave(void)
{
	static const char *const names[] = {"folder", "kept", "link", "loop"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(remove(names[i]), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(top), 0);
}

/* What is found for PATH is END behind the folder of the test, with ERROR as errno, or 0. */
static void look(const char *path, const char *end, int error)
{
	char real[PATH_MAX] = "", expected[PATH_MAX + 16];

	errno = 0;
	assert_int_equal(kh_grantpath_find(path, real), error == 0);
	assert_int_equal(error == 0 ? 0 : errno, error);
	snprintf(expected, sizeof(expected), "%s%s", top, end);
	if (error == 0 || error == ELOOP)
		assert_string_equal(real, expected);
}

static void test_paths(struct kh_test *t)
{
	char real[PATH_MAX], long_path[PATH_MAX + 2];

	(void)t;
	enter();
	look("folder", "/folder", 0);
	look("./folder/../folder/", "/folder", 0);
	look(".", "", 0);
	look("link", "/link", ELOOP);
	look("folder/../link/", "/link", ELOOP);
	look("link/more", "/link", ELOOP);
	look("loop", "/loop", ELOOP);
	look("nothing", "", ENOENT);
	look("", "", ENOENT);
	memset(long_path, 'a', sizeof(long_path));
	long_path[sizeof(long_path) - 1] = '\0';
	look(long_path, "", ENAMETOOLONG);
	/* The system's own: /proc/self is not, because it leads each process elsewhere. */
	assert_true(kh_grantpath_find("/bin/sh", real) && real[0] == '/' && access(real, X_OK) == 0);
	assert_true(!kh_grantpath_find("/proc/self", real) && errno == ELOOP);
	leave();
}

/* A process that swaps the folder with the link, again and again. */
static pid_t swap(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		for (;;)
			syscall(SYS_renameat2, AT_FDCWD, "folder", AT_FDCWD, "link", EXCHANGE);
	return pid;
}

static void test_swapped(struct kh_test *t)
{
	char real[PATH_MAX], folder[PATH_MAX + 16], link[PATH_MAX + 16];
	size_t found = 0, refused = 0;

	(void)t;
	enter();
	snprintf(folder, sizeof(folder), "%s/folder", top);
	snprintf(link, sizeof(link), "%s/link", top);
	pid_t swapping = swap();
	for (int i = 0; i < TURNS; i++) {
		bool is_found = kh_grantpath_find("folder", real);
		/* The folder may have the other name by the time that it is asked for it.  If the link is gone whenever
		 * it is looked for, the path is refused as it was named. */
		assert_true(strcmp(real, folder) == 0 || strcmp(real, is_found ? link : "folder") == 0);
		assert_true(is_found || errno == ELOOP);
		found += is_found;
		refused += !is_found;
	}
	kill(swapping, SIGKILL);
	waitpid(swapping, NULL, 0);
	assert_true(found > 0 && refused > 0);
	leave();
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_paths), KH_TEST_ONCE(test_swapped)};
KH_TEST_MAIN(cases)
