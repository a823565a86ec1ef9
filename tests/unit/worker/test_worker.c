#include "worker/worker.h"

#include "base/clock.h"
#include "harness.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int file_of(const char *path, size_t n)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)n), 0);
	return fd;
}

/* E8: what is read before the filter is bounded, to the byte, and may be absent. */
static void test_read(struct kh_test *t)
{
	static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 200000};
	char folder[] = "/tmp/keyhole-test-XXXXXX", path[100];
	struct kh_view bytes;
	(void)t;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/file", folder);
	assert_int_equal(kh_worker_load(path, 10).n, 0);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		int fd = file_of(path, sizes[i]);
		assert_true(kh_worker_read(fd, sizes[i], &bytes));
		assert_int_equal(bytes.n, sizes[i]);
		free((void *)(uintptr_t)bytes.p);
		lseek(fd, 0, SEEK_SET);
		if (sizes[i] > 0) {
			assert_false(kh_worker_read(fd, sizes[i] - 1, &bytes));
			assert_int_equal(kh_worker_load(path, sizes[i] - 1).n, 0);
			bytes = kh_worker_load(path, sizes[i]);
			assert_int_equal(bytes.n, sizes[i]);
			free((void *)(uintptr_t)bytes.p);
		}
		close(fd);
	}
	assert_false(kh_worker_read(-1, 10, &bytes));
	/* A folder can be opened, and not be read. */
	assert_int_equal(kh_worker_load(folder, 10).n, 0);
	unlink(path);
	rmdir(folder);
}

static void test_clock(struct kh_test *t)
{
	int64_t now = kh_clock_ms();
	(void)t;

	assert_int_equal(kh_worker_left(-1), -1);
	assert_int_equal(kh_worker_left(now), 0);
	assert_int_equal(kh_worker_left(0), 0);
	assert_in_range(kh_worker_left(now + 100000), 1, 100000);
	assert_int_equal(kh_worker_left(INT64_MAX), INT32_MAX);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_read), KH_TEST_ONCE(test_clock)};
KH_TEST_MAIN(cases)
