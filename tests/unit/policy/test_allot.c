/* E7: limits of external operations are keys of the policy, within fixed bounds. */
#include "core/policy/allot.h"

#include "core/comm/operations.h"
#include "core/policy/config.h"
#include "core/policy/decide.h"
#include "harness.h"

static const struct kh_policy *read_policy(struct kh_test *t, const char *text)
{
	const struct kh_policy *policy = NULL;

	must(t, kh_config_policy(&t->arena, kh_view_str(text), KH_LIT("keyhole.yaml"), &policy, &t->err));
	return policy;
}

static struct kh_errand_limits limits_of(struct kh_test *t, const struct kh_policy *policy, const char *operation,
					 const char *parameters)
{
	struct kh_view path, name = kh_view_str(operation);
	const struct kh_policy_rule *rule = kh_policy_rule(policy, &t->arena, name, KH_LIT(""), &path);
	yyjson_val *val = NULL;

	must(t, kh_json_read(&t->arena, kh_view_str(parameters), &val, &t->err));
	return kh_allot_of(policy, rule, kh_operation_named(&kh_operations_own, name), val);
}

/* The defaults are those of E7. */
static void test_defaults(struct kh_test *t)
{
	static const struct {
		const char *operation;
		uint64_t seconds;
	} cases[] = {
		{"comm.search", 30}, {"comm.fetch", 30}, {"comm.query", 30}, {"comm.read", 10}, {"comm.exec", 300}};
	const struct kh_policy *policy = read_policy(t, "policy: {}");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kh_errand_limits limits = limits_of(t, policy, cases[i].operation, "{}");
		assert_int_equal(limits.seconds, cases[i].seconds);
		assert_int_equal(limits.memory, 1 << 30);
		assert_int_equal(limits.processes, 64);
		assert_int_equal(limits.output, 16 << 20);
		assert_int_equal(limits.disk, 64 << 20);
	}
}

static void test_said(struct kh_test *t)
{
	const struct kh_policy *policy = read_policy(
		t, "policy:\n"
		   "  limits: {network_seconds: 45, file_seconds: 400, total_seconds: 200, memory_bytes: 16777216,\n"
		   "           processes: 3, output_bytes: 4096, disk_bytes: 65536}\n");
	struct kh_errand_limits limits = limits_of(t, policy, "comm.fetch", "{}");

	assert_int_equal(limits.seconds, 45);
	assert_int_equal(limits.memory, 16 << 20);
	assert_int_equal(limits.processes, 3);
	assert_int_equal(limits.output, 4096);
	assert_int_equal(limits.disk, 65536);
	/* No operation has more than all together. */
	assert_int_equal(limits_of(t, policy, "comm.read", "{}").seconds, 200);
	assert_int_equal(limits_of(t, policy, "comm.exec", "{}").seconds, 200);
	assert_int_equal(kh_allot_output(&limits, 1000), 1000);
	assert_int_equal(kh_allot_output(&limits, 5000), 4096);
	assert_int_equal(kh_allot_output(&(struct kh_errand_limits){.seconds = 1}, 5000), 5000);
}

/* The limits of a command stand in place of the policy's; what it leaves out is the policy's. */
static void test_command(struct kh_test *t)
{
	const struct kh_policy *policy = read_policy(
		t, "policy:\n"
		   "  limits: {total_seconds: 200, processes: 3}\n"
		   "  operations:\n"
		   "    - name: comm.exec\n"
		   "      commands:\n"
		   "        - {name: own, argv: [/bin/true], limits: {seconds: 600, memory_bytes: 33554432}}\n"
		   "        - {name: none, argv: [/bin/true]}\n");
	struct kh_errand_limits limits = limits_of(t, policy, "comm.exec", "{\"command\":\"own\"}");
	struct kh_view text;

	assert_int_equal(limits.seconds, 600);
	assert_int_equal(limits.memory, 32 << 20);
	assert_int_equal(limits.processes, 3);
	limits = limits_of(t, policy, "comm.exec", "{\"command\":\"none\"}");
	assert_int_equal(limits.seconds, 200);
	assert_int_equal(limits.memory, 1 << 30);
	/* What is derived is part of the policy that grants are bound to, and is shown. */
	must(t, kh_policy_canonical(&t->arena, policy, &text, &t->err));
	assert_true(kh_view_find(text,
				 KH_LIT("\"limits\":{\"disk_bytes\":67108864,\"memory_bytes\":1073741824,"
					"\"output_bytes\":16777216,\"processes\":3,\"seconds\":200}"),
				 0) != SIZE_MAX);
}

/* A value out of bounds is an error that names the line and the bounds. */
static void test_bounds(struct kh_test *t)
{
	static const struct {
		const char *line, *says;
	} cases[] = {
		{"network_seconds: 0", "policy.limits.network_seconds: \"0\": expected an integer from 1 to 600"},
		{"network_seconds: 601", "from 1 to 600"},
		{"file_seconds: 0", "from 1 to 600"},
		{"file_seconds: 601", "from 1 to 600"},
		{"total_seconds: 0", "from 1 to 600"},
		{"total_seconds: 601", "from 1 to 600"},
		{"memory_bytes: 16777215", "from 16777216 to 68719476736"},
		{"memory_bytes: 68719476737", "from 16777216 to 68719476736"},
		{"processes: 0", "from 1 to 4096"},
		{"processes: 4097", "from 1 to 4096"},
		{"output_bytes: 4095", "from 4096 to 16777216"},
		{"output_bytes: 16777217", "from 4096 to 16777216"},
		{"disk_bytes: 65535", "from 65536 to 68719476736"},
		{"disk_bytes: 68719476737", "from 65536 to 68719476736"},
		{"disk_bytes: -1", "from 65536 to 68719476736"},
		{"seconds: 5", "\"seconds\""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kh_view text = kh_arena_printf(&t->arena, "policy:\n  lint: advice\n  limits:\n    %s\n",
						      cases[i].line);
		const struct kh_policy *policy;
		must(t, kh_arena_check(&t->arena));
		must_fail(t, KH_EINPUT, kh_config_policy(&t->arena, text, KH_LIT("keyhole.yaml"), &policy, &t->err));
		struct kh_view detail = kh_view_str(t->err.detail);
		assert_true(kh_view_starts(detail, KH_LIT("keyhole.yaml:4: ")));
		if (kh_view_find(detail, kh_view_str(cases[i].says), 0) == SIZE_MAX)
			print_error("%s: %s\n", cases[i].line, t->err.detail);
		assert_true(kh_view_find(detail, kh_view_str(cases[i].says), 0) != SIZE_MAX);
	}
}

/* A tier shortens the time, and never makes it longer (E5). */
static void test_tiers(struct kh_test *t)
{
	static const struct {
		const char *tier;
		uint64_t seconds;
	} cases[] = {{"T0", 500}, {"T1", 300}, {"T2", 120}, {"T3", 60}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct kh_view text = kh_arena_printf(&t->arena,
						      "policy:\n  limits: {network_seconds: 500, total_seconds: 600}\n"
						      "  operations:\n    - {name: comm.fetch, tier: %s}\n",
						      cases[i].tier);
		struct kh_decide_request request = {.operation = KH_LIT("comm.fetch"),
						    .phase = KH_LIT("execution"),
						    .planned = true,
						    .declared = KH_DECLARED_ASSUMED};
		struct kh_decide_state state = {.pending = 0};
		struct kh_decision decision;

		must(t, kh_arena_check(&t->arena));
		must(t, kh_json_read(&t->arena, KH_LIT("{\"url\":\"https://example.com/\"}"), &request.parameters,
				     &t->err));
		must(t, kh_decide_run(&t->arena, read_policy(t, text.p), &request, &state, 1000000, &decision));
		assert_int_equal(decision.limits.seconds, cases[i].seconds);
		assert_int_equal(decision.limits.output, 16 << 20);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_defaults), KH_TEST(test_said), KH_TEST(test_command), KH_TEST(test_bounds), KH_TEST(test_tiers),
};
KH_TEST_MAIN(cases)
