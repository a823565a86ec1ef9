/* E7: how much a workspace takes is counted, within bounds, and what cannot be counted is too much. */
#include "harness.h"

#include "errand/usage.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void begin(void)
{
	snprintf(folder, sizeof(folder), "/tmp/kh-usage-XXXXXX");
	assert_non_null(mkdtemp(folder));
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
	(void)st;
	(void)kind;
	(void)walk;
	return remove(path);
}

static void end(void)
{
	assert_int_equal(nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void write_file(const char *name, size_t n)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(posix_fallocate(fd, 0, (off_t)n), 0);
	close(fd);
}

static const char *look(uint64_t most)
{
	struct kh_usage usage = {.path = folder, .most = most};

	return kh_usage_look(&usage) ? NULL : usage.over;
}

static void test_size(struct kh_test *t)
{
	char path[160];

	(void)t;
	begin();
	assert_null(look(1 << 20));
	snprintf(path, sizeof(path), "%s/below", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	write_file("one", 400 << 10);
	write_file("below/two", 400 << 10);
	assert_null(look(1 << 20));
	assert_string_equal(look(700 << 10), "the workspace is larger than it may be");
	/* A link is not followed, and a file without blocks takes none. */
	snprintf(path, sizeof(path), "%s/link", folder);
	assert_int_equal(symlink("/", path), 0);
	snprintf(path, sizeof(path), "%s/sparse", folder);
	assert_int_equal(close(open(path, O_WRONLY | O_CREAT, 0600)), 0);
	assert_int_equal(truncate(path, 1 << 30), 0);
	assert_null(look(1 << 20));
	end();
}

static void test_bounds(struct kh_test *t)
{
	char path[4096];
	size_t n;

	(void)t;
	begin();
	n = (size_t)snprintf(path, sizeof(path), "%s", folder);
	for (int i = 0; i <= KH_USAGE_DEPTH + 1; i++) {
		n += (size_t)snprintf(path + n, sizeof(path) - n, "/d");
		assert_int_equal(mkdir(path, 0700), 0);
	}
	assert_string_equal(look(1 << 20), "the workspace has folders that are too deep to be counted");
	end();
	begin();
	snprintf(path, sizeof(path), "%s/dark", folder);
	assert_int_equal(mkdir(path, 0), 0);
	if (geteuid() != 0)
		assert_string_equal(look(1 << 20), "the workspace has a folder that cannot be counted");
	assert_int_equal(chmod(path, 0700), 0);
	end();
}

/* It is not counted at every look, and a folder that is not there is no fault of this. */
static void test_pause(struct kh_test *t)
{
	(void)t;
	begin();
	struct kh_usage usage = {.path = folder, .most = 100 << 10};
	assert_true(kh_usage_look(&usage));
	write_file("one", 400 << 10);
	assert_true(kh_usage_look(&usage));
	usleep(150000);
	assert_false(kh_usage_look(&usage));
	end();
	usage = (struct kh_usage){.path = "/nonexistent/folder"};
	assert_true(kh_usage_look(&usage));
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_size), KH_TEST_ONCE(test_bounds),
					    KH_TEST_ONCE(test_pause)};
KH_TEST_MAIN(cases)
