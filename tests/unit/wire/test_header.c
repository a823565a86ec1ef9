#include "wire/header.h"

#include "harness.h"

static void test_find(struct kh_test *t)
{
	struct kh_view block = KH_LIT("HTTP/1.1 200 OK\r\nX-A:  1 \r\nx-b: 2\r\nX-A: 3\r\n\r\n"), value;
	(void)t;

	assert_true(kh_header_find(block, KH_LIT("x-a"), &value));
	assert_view(value, "1");
	assert_true(kh_header_find(block, KH_LIT("X-B"), &value));
	assert_view(value, "2");
	assert_false(kh_header_find(block, KH_LIT("X"), &value));
	assert_false(kh_header_find(block, KH_LIT("X-AA"), &value));
	assert_true(kh_header_is(KH_LIT("X-A:1"), KH_LIT("x-a"), &value));
	assert_view(value, "1");
	assert_false(kh_header_is(KH_LIT("X-A"), KH_LIT("X-A"), &value));
	assert_false(kh_header_find(KH_LIT(""), KH_LIT("X-A"), &value));
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_find)};

KH_TEST_MAIN(cases)
