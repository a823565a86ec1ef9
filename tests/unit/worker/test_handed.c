#include "worker/sql/handed.h"

#include "harness.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

/* E8, E9: what was handed in comes out of the next socket() and needs no connecting; all other calls are the system's.
 */
static void test_once(struct kh_test *t)
{
	struct sockaddr nowhere = {.sa_family = AF_UNIX};
	int pair[2];
	char byte = 0;
	(void)t;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	kh_handed_arm(pair[0]);
	int fd = socket(AF_INET6, SOCK_STREAM, 0);
	assert_true(fd >= 0 && fd != pair[0]);
	assert_int_equal(connect(fd, &nowhere, sizeof(nowhere)), 0);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(read(pair[1], &byte, 1), 1);
	assert_int_equal(byte, 'x');

	int other = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_true(other >= 0);
	assert_int_equal(connect(other, &nowhere, sizeof(nowhere)), -1);
	assert_true(errno == ECONNREFUSED || errno == EINVAL);
	assert_int_equal(connect(-1, &nowhere, sizeof(nowhere)), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(socket(-1, 0, 0), -1);

	kh_handed_disarm();
	assert_int_equal(connect(fd, &nowhere, sizeof(nowhere)), -1);
	kh_handed_arm(pair[0]);
	kh_handed_disarm();
	int own = socket(AF_UNIX, SOCK_STREAM, 0);
	assert_int_equal(write(own, "x", 1), -1);
	close(own);
	close(other);
	close(fd);
	close(pair[0]);
	close(pair[1]);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_once)};
KH_TEST_MAIN(cases)
