/* E7: the users of sandboxes that root runs: a range that nobody is in, and a number by the pid. */
#include "harness.h"
#include "sandbox/ids.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SECOND (KH_IDS_FIRST + KH_IDS_COUNT)

/* A file with TEXT; its name in PATH. */
static void make(char path[64], const char *text)
{
	(void)snprintf(path, 64, "/tmp/keyhole-ids-XXXXXX");
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static enum kh_err range(const char *passwd, const char *group, unsigned *ret_first, struct kh_error *err)
{
	char users[64], groups[64];

	make(users, passwd);
	make(groups, group);
	enum kh_err e = kh_ids_range(users, groups, ret_first, err);
	unlink(users);
	unlink(groups);
	return e;
}

static void test_range(struct kh_test *t)
{
	static const struct {
		const char *passwd, *group;
		unsigned first;
	} cases[] = {
		{"root:x:0:0::/:/bin/sh\n", "root:x:0:\n", KH_IDS_FIRST},
		{"", "", KH_IDS_FIRST},
		{"a:x:2099999999:1::/:\n\n::\nnonsense\nb:x:x:\n", "c:x:-1:\n", KH_IDS_FIRST},
		{"a:x:2100000000:1::/:\n", "", SECOND},
		{"", "a:x:2104194303:\n", SECOND},
		{"a:x:2100000000:1::/:\nb:x:2104194304:1::/:", "", SECOND + KH_IDS_COUNT},
		{"a:x:2100000000:1::/:\nb:x:2110000000:1::/:\n", "c:x:2116777215:\n", SECOND},
		{"a:x:99999999999999999999:1::/:\n", "", KH_IDS_FIRST},
	};
	unsigned first;

	if (!kh_ids_has("/proc/self/uid_map", KH_IDS_FIRST) || !kh_ids_has("/proc/self/gid_map", KH_IDS_FIRST)) {
		must(t, range("", "", &first, &t->err)); /* there are no such ids here, and nothing to choose */
		assert_int_equal(first, 0);
		return;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		must(t, range(cases[i].passwd, cases[i].group, &first, &t->err));
		assert_int_equal(first, cases[i].first);
	}
	must(t, kh_ids_range("/no/such/file", "/no/such/file", &first, &t->err));
	assert_int_equal(first, KH_IDS_FIRST);
	/* Somebody in each of them. */
	enum kh_err e = range("a:x:2100000000:1::/:\nb:x:2104194304:1::/:\n", "c:x:2108388608:\nd:x:2112582912:\n",
			      &first, &t->err);
	assert_int_equal(e, KH_EREFUSED);
	assert_int_equal(first, 0);
	assert_non_null(strstr(t->err.detail, "2100000000 to 2116777215"));
}

static void test_own(struct kh_test *t)
{
	int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);

	(void)t;
	assert_int_equal(kh_ids_own(proc, KH_IDS_FIRST), KH_IDS_FIRST + (unsigned)getpid());
	assert_int_equal(kh_ids_own(proc, 0), KH_IDS_NOBODY);
	assert_int_equal(kh_ids_own(-1, KH_IDS_FIRST), 0);
	close(proc);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_range), KH_TEST_ONCE(test_own)};

KH_TEST_MAIN(cases)
