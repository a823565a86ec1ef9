#include "harness.h"

#include "gateway/works.h"
#include "http/watch.h"

#include <poll.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

/* An owner that counts: the watch does not look into it. */
struct kh_http_request {
	atomic_int held, gone;
};

static void hold(struct kh_http_request *owner)
{
	atomic_fetch_add(&owner->held, 1);
}

static void drop(struct kh_http_request *owner)
{
	atomic_fetch_sub(&owner->held, 1);
}

static void gone(struct kh_http_request *owner)
{
	atomic_fetch_add(&owner->gone, 1);
}

static struct kh_http_watch *make(struct kh_test *t, int64_t within)
{
	struct kh_http_watch_settings settings = {
		.alloc = &kh_alloc_system,
		.connections = 100,
		.headers = within,
		.idle = within,
		.body = within,
		.answer = within,
		.gone = gone,
		.hold = hold,
		.drop = drop,
	};
	struct kh_http_watch *watch = NULL;

	must(t, kh_http_watch_new(&settings, &watch, &t->err));
	return watch;
}

/* Whether the other end is told the end within some seconds. */
static bool ends(int fd, int milliseconds)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	char c;

	return poll(&poll_fd, 1, milliseconds) == 1 && read(fd, &c, 1) == 0;
}

static bool happens(atomic_int *what, int want)
{
	for (int i = 0; i < 500; i++) {
		if (atomic_load(what) == want)
			return true;
		poll(NULL, 0, 20);
	}
	return false;
}

/* A client that goes away while it waits is told of, once; one that was not armed, or no more, is not. */
static void test_gone(struct kh_test *t)
{
	struct kh_http_watch *watch = make(t, INT64_C(60000000));
	struct kh_http_request owners[3] = {0};
	int pairs[3][2];

	for (int i = 0; i < 3; i++) {
		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[i]), 0);
		assert_true(kh_http_watch_enter(watch, pairs[i][0]));
		kh_http_watch_own(watch, pairs[i][0], &owners[i]);
		kh_http_watch_does(watch, pairs[i][0], KH_HTTP_WORKS, 0);
	}
	assert_int_equal(kh_http_watch_count(watch), 3);
	assert_int_equal(kh_http_watch_busy(watch), 3);
	kh_http_watch_arm(watch, pairs[0][0]);
	kh_http_watch_arm(watch, pairs[1][0]);
	kh_http_watch_disarm(watch, pairs[1][0]);
	for (int i = 0; i < 3; i++)
		close(pairs[i][1]);
	assert_true(happens(&owners[0].gone, 1));
	poll(NULL, 0, 50);
	assert_int_equal(atomic_load(&owners[0].gone), 1);
	assert_int_equal(atomic_load(&owners[1].gone) + atomic_load(&owners[2].gone), 0);
	kh_http_watch_own(watch, pairs[2][0], NULL);
	assert_int_equal(kh_http_watch_busy(watch), 2);
	for (int i = 0; i < 3; i++) {
		kh_http_watch_leave(watch, pairs[i][0]);
		close(pairs[i][0]);
	}
	assert_int_equal(kh_http_watch_count(watch), 0);
	kh_http_watch_free(watch);
	for (int i = 0; i < 3; i++)
		assert_int_equal(atomic_load(&owners[i].held), 0);
}

/* Whoever takes too long is shut down; one whose request is worked on is not. */
static void test_late(struct kh_test *t)
{
	struct kh_http_watch *watch = make(t, INT64_C(300000));
	int opened[2], reads[2], works[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, opened) + socketpair(AF_UNIX, SOCK_STREAM, 0, reads) +
				 socketpair(AF_UNIX, SOCK_STREAM, 0, works),
			 0);
	assert_true(kh_http_watch_enter(watch, opened[0]) && kh_http_watch_enter(watch, reads[0]) &&
		    kh_http_watch_enter(watch, works[0]));
	kh_http_watch_does(watch, reads[0], KH_HTTP_READS, 65536);
	kh_http_watch_does(watch, works[0], KH_HTTP_WORKS, 0);
	assert_true(ends(opened[1], 20000));
	assert_true(ends(reads[1], 20000));
	assert_false(ends(works[1], 1500));
	kh_http_watch_free(watch);
	for (int i = 0; i < 2; i++) {
		close(opened[i]);
		close(reads[i]);
		close(works[i]);
	}
}

/* A client that ended in the middle of its request is shut down long before its time is over. */
static void test_half(struct kh_test *t)
{
	struct kh_http_watch *watch = make(t, INT64_C(600000000));
	int half[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, half), 0);
	assert_true(kh_http_watch_enter(watch, half[0]));
	assert_int_equal(shutdown(half[1], SHUT_WR), 0);
	assert_true(ends(half[1], 20000));
	kh_http_watch_free(watch);
	close(half[0]);
	close(half[1]);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_gone), KH_TEST_ONCE(test_late), KH_TEST_ONCE(test_half)};
KH_TEST_MAIN(cases)
