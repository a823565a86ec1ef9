#include "worker/resolve/hosts.h"

#include "harness.h"

static const char file[] = "# the machine itself\n"
			   "127.0.0.1\tlocalhost  loop # home\n"
			   "::1 localhost ip6-localhost\n"
			   "192.0.2.7 One.Example.com one\r\n"
			   "not-an-address two\n"
			   "192.0.2.8 # commented\n"
			   "192.0.2.9\n"
			   "\n"
			   "192.0.2.10 last";

static size_t find(const char *name, struct kh_address *list)
{
	return kh_hosts_find(kh_view_str(file), kh_view_str(name), 2, list);
}

static void test_find(struct kh_test *t)
{
	struct kh_address list[2];
	(void)t;

	assert_int_equal(find("localhost", list), 2);
	assert_memory_equal(list[0].bytes, "\x7f\x00\x00\x01", 4);
	assert_true(!list[0].is_v6 && list[1].is_v6);
	assert_int_equal(find("ONE.example.COM", list), 1);
	assert_memory_equal(list[0].bytes, "\xc0\x00\x02\x07", 4);
	assert_int_equal(find("one", list), 1);
	assert_int_equal(find("last", list), 1);
	assert_memory_equal(list[0].bytes, "\xc0\x00\x02\x0a", 4);
}

static void test_none(struct kh_test *t)
{
	static const char *const names[] = {"two", "commented", "home", "192.0.2.7", "example.com", "local", ""};
	struct kh_address list[2];
	(void)t;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(find(names[i], list), 0);
	assert_int_equal(kh_hosts_find(KH_LIT(""), KH_LIT("localhost"), 2, list), 0);
	/* No more than there is room for. */
	assert_int_equal(kh_hosts_find(kh_view_str(file), KH_LIT("localhost"), 1, list), 1);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_find), KH_TEST_ONCE(test_none)};
KH_TEST_MAIN(cases)
