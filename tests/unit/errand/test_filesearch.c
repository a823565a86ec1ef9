/* E9: comm.search of the configured folders: current, ranked, bounded by what the policy leaves of them. */
#include "looking.h"

static struct kh_view folder;
static struct kh_config config;

static struct kh_view fetched(const struct kh_message *message, unsigned *ret_status, enum kh_fault *ret_fault)
{
	(void)message;
	(void)ret_status;
	*ret_fault = KH_FAULT_CONNECT;
	return KH_LIT("");
}

static struct kh_errand_tools begin(struct kh_test *t, uint64_t refresh_seconds)
{
	looking_new();
	folder = kh_view_str(looking_docs);
	config = (struct kh_config){.search = {.folders = {&folder, 1}, .refresh_seconds = refresh_seconds}};
	return looking_tools(t, &config);
}

/* The first search finds no index, and has it made. */
static void test_first(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t, 30);

	looking_put("harbour.txt", "Harbour dues\nThe harbour office raised the dues of small boats.");
	looking_put("garden.txt", "The garden\nNobody sees the harbour from here.");
	struct kh_errand_result result = looking_run(t, &tools, "{\"query\":\"harbour\",\"scope\":\"internal\"}", NULL);
	assert_int_equal(result.end, KH_ERRAND_OK);
	assert_view(result.source, "search:internal");
	assert_true(looking_has(&result, "harbour.txt\",\"title\":\"Harbour dues\""));
	assert_true(looking_has(&result, "garden.txt"));
	assert_true(kh_view_starts(kh_tainted_open(result.content), KH_LIT("{\"results\":[{\"path\":\"/tmp/")));
	assert_true(looking_says(&result, "\"index_age_ms\":"));
	assert_true(looking_says(&result, "\"matched\":\"all\""));
}

/* A change is found refresh_seconds later at the latest, whoever asks; not necessarily before. */
static void test_current(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t, 1);

	looking_put("a.txt", "apple");
	struct kh_errand_result result = looking_run(t, &tools, "{\"query\":\"apple\",\"scope\":\"internal\"}", NULL);
	assert_true(looking_has(&result, "a.txt"));
	looking_put("a.txt", "banana");
	looking_put("b.txt", "banana");
	nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 50000000}, NULL);
	result = looking_run(t, &tools, "{\"query\":\"banana\",\"scope\":\"internal\"}", NULL);
	assert_true(looking_has(&result, "a.txt") && looking_has(&result, "b.txt"));
	nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 50000000}, NULL);
	result = looking_run(t, &tools, "{\"query\":\"apple\",\"scope\":\"internal\"}", NULL);
	assert_int_equal(result.end, KH_ERRAND_OK);
	assert_view(kh_tainted_open(result.content), "{\"results\":[]}");
}

/* The rule that permitted the call may leave a part of the folders. */
static void test_paths(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t, 30);
	struct kh_view path;
	struct kh_policy_rule rule = {.paths = {&path, 1}};
	char open[64];

	snprintf(open, sizeof(open), "%s/open", looking_docs);
	path = kh_view_str(open);
	assert_int_equal(mkdir(open, 0755), 0);
	looking_put("open/a.txt", "apple");
	looking_put("b.txt", "apple");
	struct kh_errand_result result = looking_run(t, &tools, "{\"query\":\"apple\",\"scope\":\"internal\"}", &rule);
	assert_true(looking_has(&result, "open/a.txt"));
	assert_false(looking_has(&result, "b.txt"));
}

static void test_limit(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t, 30);
	char name[16];

	for (unsigned i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "%u.txt", i);
		looking_put(name, "apple");
	}
	struct kh_errand_result result = looking_run(t, &tools,
						     "{\"query\":\"apple\",\"scope\":\"internal\",\"limit\":3}", NULL);
	assert_true(looking_has(&result, "\"rank\":3"));
	assert_false(looking_has(&result, "\"rank\":4"));
	assert_true(looking_says(&result, "\"more\":true"));
	result = looking_run(t, &tools, "{\"query\":\"apple\",\"scope\":\"internal\"}", NULL);
	assert_true(looking_has(&result, "\"rank\":10"));
	assert_false(looking_has(&result, "\"rank\":11"));
}

/* An index that was damaged is made anew, and the search goes on. */
static void test_damaged(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t, 3600);
	char path[96], noise[4096];

	looking_put("a.txt", "apple");
	(void)looking_run(t, &tools, "{\"query\":\"apple\",\"scope\":\"internal\"}", NULL);
	snprintf(path, sizeof(path), "%s/index/search.db", looking_home);
	memset(noise, 0x5a, sizeof(noise));
	int fd = open(path, O_WRONLY);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, noise, sizeof(noise), 0), sizeof(noise));
	close(fd);
	struct kh_errand_result result = looking_run(t, &tools, "{\"query\":\"apple\",\"scope\":\"internal\"}", NULL);
	assert_int_equal(result.end, KH_ERRAND_OK);
	assert_true(looking_has(&result, "a.txt"));
}

/* A home in which no index can be made: an end with a sentence. */
static void test_no_place(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t, 30);

	tools.home = KH_LIT("/nowhere/at/all");
	struct kh_errand_result result = looking_run(t, &tools, "{\"query\":\"apple\",\"scope\":\"internal\"}", NULL);
	assert_int_equal(result.end, KH_ERRAND_FAILED);
	assert_non_null(strstr(result.why.p, "the folder of the index cannot be made: No such file or directory"));
}

static void test_out_of_memory(struct kh_test *t)
{
	struct kh_errand_tools tools = begin(t, 30);

	looking_put("a.txt", "apple");
	struct kh_errand_result result = looking_run(t, &tools, "{\"query\":\"apple\",\"scope\":\"internal\"}", NULL);
	assert_int_equal(result.end, KH_ERRAND_OK);
	assert_true(looking_has(&result, "a.txt"));
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_first),   KH_TEST_ONCE(test_current),  KH_TEST_ONCE(test_paths),    KH_TEST_ONCE(test_limit),
	KH_TEST_ONCE(test_damaged), KH_TEST_ONCE(test_no_place), KH_TEST(test_out_of_memory),
};

EXECUTOR_TEST_MAIN(cases)
