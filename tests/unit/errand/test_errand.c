/* E7, E9: comm.fetch, comm.read and comm.exec, each over an executor without sandboxes; tests/system/errands has the
 * rest.
 */
#include "core/comm/operations.h"
#include "looking.h"

#include "errand/get.h"

static struct kh_view fetched(const struct kh_message *message, unsigned *ret_status, enum kh_fault *ret_fault)
{
	struct kh_view url = message->text[KH_FIELD_URL];

	if (kh_view_ends(url, KH_LIT("/missing")))
		*ret_status = 404;
	if (kh_view_ends(url, KH_LIT("/refused")))
		*ret_fault = KH_FAULT_ADDRESS;
	/* GET, https alone, redirects bounded: whatever the errand says. */
	if (message->number[KH_FIELD_METHOD] != KH_METHOD_GET || message->number[KH_FIELD_PLAIN] != 0 ||
	    message->number[KH_FIELD_REDIRECTS] != 5)
		*ret_fault = KH_FAULT_REQUEST;
	return KH_LIT("some text");
}

static struct kh_policy_rule rule;

static struct kh_errand_result carry(struct kh_test *t, const char *operation, const char *parameters)
{
	static const struct kh_config config;
	struct kh_errand_tools tools = looking_tools(t, &config);
	struct kh_errand errand = {
		.operation = kh_view_str(operation), .rule = &rule, .task = KH_LIT("t123"), .wall_ms = 60000};
	struct kh_errand_result result;

	must(t, kh_json_read(&t->arena, kh_view_str(parameters), &errand.parameters, &t->err));
	must(t, kh_errand_run(&tools, &errand, &t->arena, &result));
	assert_true(result.end == KH_ERRAND_OK || (result.why.n > 0 && kh_tainted_size(result.content) == 0));
	return result;
}

static void test_fetch(struct kh_test *t)
{
	looking_new();
	struct kh_errand_result result = carry(t, "comm.fetch", "{\"url\":\"https://x.example/page\"}");
	assert_int_equal(result.end, KH_ERRAND_OK);
	assert_view(kh_tainted_open(result.content), "some text");
	assert_view(result.source, "https://x.example/page");
	assert_view(kh_tainted_open(result.details), "{\"status\":200,\"length\":9}");
	result = carry(t, "comm.fetch", "{\"url\":\"https://x.example/missing\"}");
	assert_int_equal(result.end, KH_ERRAND_FAILED);
	assert_view(result.why, "the server answered with status 404");
	result = carry(t, "comm.fetch", "{\"url\":\"https://x.example/refused\"}");
	assert_int_equal(result.end, KH_ERRAND_FAILED);
	assert_true(kh_view_starts(result.why, KH_LIT("address_refused")));
	assert_view(kh_tainted_open(result.details), "{\"length\":0,\"fault\":\"address_refused\"}");
}

static void test_read(struct kh_test *t)
{
	char parameters[200];

	looking_new();
	looking_put("a.txt", "alpha");
	struct kh_view folders[] = {kh_view_str(looking_docs)};
	rule = (struct kh_policy_rule){.paths = {folders, 1}};
	snprintf(parameters, sizeof(parameters), "{\"path\":\"%s/a.txt\"}", looking_docs);
	struct kh_errand_result result = carry(t, "comm.read", parameters);
	assert_int_equal(result.end, KH_ERRAND_OK);
	assert_view(kh_tainted_open(result.content), "alpha");
	assert_view(kh_tainted_open(result.details), "{\"size\":5}");
	snprintf(parameters, sizeof(parameters), "{\"path\":\"%s/b.txt\"}", looking_docs);
	result = carry(t, "comm.read", parameters);
	assert_int_equal(result.end, KH_ERRAND_FAILED);
	assert_view(result.why, "there is no such file");
	result = carry(t, "comm.read", "{\"path\":\"/etc/passwd\"}");
	assert_int_equal(result.end, KH_ERRAND_FAILED);
	assert_view(result.why, "the path is not below any that the policy names");
}

static void test_exec(struct kh_test *t)
{
	struct kh_view say[] = {KH_LIT("/usr/bin/printf"), KH_LIT("%s|"), KH_LIT("--"), KH_LIT("{1}")};
	struct kh_view stop[] = {KH_LIT("/bin/sh"), KH_LIT("-c"), KH_LIT("echo out; exit 3")};
	struct kh_view die[] = {KH_LIT("/bin/sh"), KH_LIT("-c"), KH_LIT("kill -9 $$")};
	struct kh_policy_command commands[] = {{.name = KH_LIT("say"), .argv = {say, 4}},
					       {.name = KH_LIT("stop"), .argv = {stop, 3}},
					       {.name = KH_LIT("die"), .argv = {die, 3}}};

	looking_new();
	rule = (struct kh_policy_rule){.commands = {commands, 3}};
	struct kh_errand_result result = carry(t, "comm.exec", "{\"command\":\"say\",\"args\":[\"a b;$(x)\"]}");
	assert_int_equal(result.end, KH_ERRAND_OK);
	assert_true(kh_view_ends(kh_tainted_open(result.content), KH_LIT("a b;$(x)|")));
	assert_view(result.source, "say");
	result = carry(t, "comm.exec", "{\"command\":\"say\"}");
	assert_int_equal(result.end, KH_ERRAND_FAILED);
	assert_view(result.why, "the command takes 1 arguments, and 0 came");
	result = carry(t, "comm.exec", "{\"command\":\"stop\",\"args\":[]}");
	assert_int_equal(result.end, KH_ERRAND_FAILED);
	assert_view(kh_tainted_open(result.details), "{\"status\":3,\"length\":4,\"stdout\":\"out\\n\"}");
	result = carry(t, "comm.exec", "{\"command\":\"die\",\"args\":[]}");
	assert_int_equal(result.end, KH_ERRAND_UNKNOWN);
	result = carry(t, "comm.exec", "{\"command\":\"other\",\"args\":[]}");
	assert_int_equal(result.end, KH_ERRAND_FAILED);
}

/* E2: what has a row of rules has one that carries it out, and nothing else has. */
static void test_rows(struct kh_test *t)
{
	(void)t;
	assert_int_equal(kh_errand_row_count, kh_operations_own.n);
	for (size_t i = 0; i < kh_operations_own.n; i++) {
		const struct kh_errand_kind *kind = kh_errand_find(kh_view_str(kh_operations_own.at[i].name));
		assert_non_null(kind);
		assert_non_null(kind->run);
	}
	assert_ptr_equal(kh_errand_find(KH_LIT("comm.mcp.files.read")), kh_errand_find(KH_LIT("comm.mcp")));
}

/* An operation without an entry, or without an executor, has failed and says so. */
static void test_none(struct kh_test *t)
{
	struct kh_errand errand = {.operation = KH_LIT("comm.other")};
	struct kh_errand_tools tools = {.client = NULL};
	struct kh_errand_result result;

	assert_null(kh_errand_find(KH_LIT("comm.other")));
	assert_non_null(kh_errand_find(KH_LIT("comm.read")));
	must(t, kh_errand_run(&tools, &errand, &t->arena, &result));
	assert_int_equal(result.end, KH_ERRAND_FAILED);
	errand.operation = KH_LIT("comm.read");
	must(t, kh_errand_run(&tools, &errand, &t->arena, &result));
	assert_view(result.why, "there is no executor to carry it out");
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_fetch), KH_TEST_ONCE(test_read), KH_TEST_ONCE(test_exec),
	KH_TEST_ONCE(test_rows),  KH_TEST_ONCE(test_none),
};

EXECUTOR_TEST_MAIN(cases)
