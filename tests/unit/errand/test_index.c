/* E9: the index is kept current in bounded runs, one process at a time, and stops when it is told to. */
#include "looking.h"

#include "errand/index.h"

#include <sys/file.h>

static struct kh_view folders[2];
static struct kh_config config;

static struct kh_view fetched(const struct kh_message *message, unsigned *ret_status, enum kh_fault *ret_fault)
{
	(void)message;
	(void)ret_status;
	*ret_fault = KH_FAULT_CONNECT;
	return KH_LIT("");
}

static struct kh_errand_tools begin(struct kh_test *t, size_t count)
{
	looking_new();
	folders[0] = kh_view_str(looking_docs);
	folders[1] = KH_LIT("/nowhere/at/all");
	config = (struct kh_config){.search = {.folders = {folders, count}, .refresh_seconds = 30}};
	return looking_tools(t, &config);
}

static void test_refresh(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t, 2);
	struct kh_index_refresh refresh = {.wall_ms = 30000};

	looking_put("a.txt", "apple");
	looking_put("b.bin", "\x01\x02\x03\x04\x05\x06");
	must(t, kh_index_refresh(&tools, &t->arena, &refresh));
	assert_true(refresh.current); /* a folder that is not there has nothing to be looked through */
	assert_int_equal(refresh.indexed, 1);
	assert_int_equal(refresh.skipped, 1);
	assert_int_equal(refresh.why.n, 0);
	/* Not again so soon. */
	looking_put("c.txt", "cherry");
	refresh = (struct kh_index_refresh){.wall_ms = 30000, .fresh_ms = 3600000};
	must(t, kh_index_refresh(&tools, &t->arena, &refresh));
	assert_true(refresh.current);
	assert_int_equal(refresh.indexed, 0);
}

static bool stops(void *ctx)
{
	unsigned *count = ctx;

	return ++*count > 1;
}

static void test_stopped(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t, 2);
	unsigned count = 0;
	struct kh_index_refresh refresh = {.wall_ms = 30000, .is_stopped = stops, .ctx = &count};

	must(t, kh_index_refresh(&tools, &t->arena, &refresh));
	assert_false(refresh.current); /* the second folder's turn did not come */
	assert_int_equal(count, 2);
}

static void test_busy(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t, 1);
	struct kh_index_refresh refresh = {.wall_ms = 30000};
	char path[64];

	must(t, kh_index_refresh(&tools, &t->arena, &refresh));
	snprintf(path, sizeof(path), "%s/index/lock", looking_home);
	int fd = open(path, O_RDWR);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	must(t, kh_index_refresh(&tools, &t->arena, &refresh));
	assert_true(refresh.busy);
	assert_false(refresh.current);
	close(fd);
}

/* One folder that fails is told of, and does not keep the others from being indexed. */
static void test_one_fails(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t, 2);
	struct kh_index_refresh refresh = {.wall_ms = 30000};
	struct kh_view link = KH_LIT("/proc/self/exe");

	folders[0] = link;
	folders[1] = kh_view_str(looking_docs);
	looking_put("a.txt", "apple");
	must(t, kh_index_refresh(&tools, &t->arena, &refresh));
	assert_false(refresh.current);
	assert_int_equal(refresh.indexed, 1);
	assert_true(kh_view_find(refresh.why, KH_LIT("a folder of search.folders cannot be read"), 0) != SIZE_MAX);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_refresh),
	KH_TEST_ONCE(test_stopped),
	KH_TEST_ONCE(test_busy),
	KH_TEST_ONCE(test_one_fails),
};

EXECUTOR_TEST_MAIN(cases)
