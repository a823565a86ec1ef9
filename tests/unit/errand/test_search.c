/* E9: comm.search says which scope the configuration does not have. */
#include "looking.h"

static struct kh_view fetched(const struct kh_message *message, unsigned *ret_status, enum kh_fault *ret_fault)
{
	(void)message;
	(void)ret_status;
	*ret_fault = KH_FAULT_CONNECT;
	return KH_LIT("");
}

static void test_no_scope(struct kh_test *t)
{
	static const struct {
		const char *parameters, *why, *source;
	} all[] = {
		{"{\"query\":\"x\"}", "the configuration has no search.url", "search:web"},
		{"{\"query\":\"x\",\"scope\":\"web\"}", "the configuration has no search.url", "search:web"},
		{"{\"query\":\"x\",\"scope\":\"internal\"}", "the configuration has no search.folders",
		 "search:internal"},
		{"{\"query\":\"x\",\"scope\":\"database\"}", "the configuration has no search.tables",
		 "search:database"},
	};
	static const struct kh_config empty;
	struct kh_errand_tools tools = looking_tools(t, &empty);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_errand_result result = looking_run(t, &tools, all[i].parameters, NULL);
		assert_int_equal(result.end, KH_ERRAND_FAILED);
		assert_view(result.why, all[i].why);
		assert_view(result.source, all[i].source);
	}
}

static void test_no_executor(struct kh_test *t)
{
	static const struct kh_config empty;
	struct kh_errand_tools tools = {.config = &empty};
	struct kh_errand_result result = looking_run(t, &tools, "{\"query\":\"x\"}", NULL);

	assert_int_equal(result.end, KH_ERRAND_FAILED);
	assert_view(result.why, "there is no executor to carry it out");
}

static const struct kh_test_case cases[] = {KH_TEST(test_no_scope), KH_TEST(test_no_executor)};

EXECUTOR_TEST_MAIN(cases)
