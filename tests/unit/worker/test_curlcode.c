#include "worker/http/curlcode.h"

#include "harness.h"

/* Every result of libcurl is a fault but the one that is none, and has a sentence. */
static void test_all(struct kh_test *t)
{
	struct kh_curl curl;
	(void)t;

	assert_int_equal(kh_curl_load(&curl, NULL), KH_OK);
	for (int code = 0; code < CURL_LAST; code++) {
		const char *detail = NULL;
		enum kh_fault fault = kh_curlcode_fault(&curl, code, false, &detail);
		assert_int_equal(fault == KH_FAULT_NONE, code == CURLE_OK);
		assert_non_null(detail);
		assert_in_range(strlen(detail), code == CURLE_OK ? 0 : 1, 199);
	}
}

static void test_some(struct kh_test *t)
{
	struct kh_curl curl;
	const char *detail;
	(void)t;

	assert_int_equal(kh_curl_load(&curl, NULL), KH_OK);
	assert_int_equal(kh_curlcode_fault(&curl, CURLE_PEER_FAILED_VERIFICATION, false, &detail), KH_FAULT_TLS);
	assert_int_equal(kh_curlcode_fault(&curl, CURLE_OPERATION_TIMEDOUT, false, &detail), KH_FAULT_TIME);
	assert_int_equal(kh_curlcode_fault(&curl, CURLE_PARTIAL_FILE, false, &detail), KH_FAULT_HTTP);
	assert_int_equal(kh_curlcode_fault(&curl, CURLE_GOT_NOTHING, false, &detail), KH_FAULT_HTTP);
	assert_int_equal(kh_curlcode_fault(&curl, CURLE_OUT_OF_MEMORY, true, &detail), KH_FAULT_HEADERS);
	assert_int_equal(kh_curlcode_fault(&curl, CURLE_OUT_OF_MEMORY, false, &detail), KH_FAULT_WORKER);
	assert_int_equal(kh_curlcode_fault(&curl, 100, true, &detail), KH_FAULT_HEADERS);
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_all), KH_TEST_ONCE(test_some)};
KH_TEST_MAIN(cases)
