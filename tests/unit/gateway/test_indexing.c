/* E9: a gateway has the search index made by itself, and stops it when it stops. */
#include "../errand/looking.h"

#include "gateway/indexing.h"

#include "driven.h"

static struct kh_view fetched(const struct kh_message *message, unsigned *ret_status, enum kh_fault *ret_fault)
{
	(void)message;
	(void)ret_status;
	*ret_fault = KH_FAULT_CONNECT;
	return KH_LIT("");
}

/* Without anything to index it waits, and ends at once. */
static void test_nothing(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_indexing *indexing = NULL;
	struct kh_error err;

	assert_int_equal(kh_indexing_new(f->engine, &indexing, &err), KH_OK);
	assert_true(kh_indexing_stop(indexing, 30 * SECOND));
	kh_indexing_free(indexing);
}

/* What is in a folder is found without anybody having searched before. */
static void test_by_itself(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_indexing *indexing = NULL;
	struct kh_error err;
	static struct kh_view folder; /* the engine keeps what it was given */
	static struct kh_config config;
	static struct kh_errand_tools tools;
	char path[96];

	looking_new();
	looking_put("a.txt", "apple");
	folder = kh_view_str(looking_docs);
	config = (struct kh_config){.search = {.folders = {&folder, 1}, .refresh_seconds = 3600}};
	tools = looking_tools(t, &config);
	assert_int_equal(kh_engine_reload(f->engine, f->policy, NULL, 0, &tools, &err), KH_OK);
	assert_int_equal(kh_indexing_new(f->engine, &indexing, &err), KH_OK);
	snprintf(path, sizeof(path), "%s/index/search.db", looking_home);
	for (int i = 0; i < 3000 && access(path, F_OK) != 0; i++)
		kh_driven_rest(10000);
	assert_true(kh_indexing_stop(indexing, 30 * SECOND));
	kh_indexing_free(indexing);
	struct kh_errand_result result = looking_run(t, &tools, "{\"query\":\"apple\",\"scope\":\"internal\"}", NULL);
	assert_true(looking_has(&result, "a.txt"));
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_nothing), KH_TEST_ONCE(test_by_itself)};

EXECUTOR_TEST_MAIN(cases)
