#include "core/policy/config.h"
#include "core/policy/decide.h"
#include "harness.h"

static const char text[] = "policy:\n"
			   "  operations:\n"
			   "    - {name: comm.fetch, hosts: [example.com], approval: auto, risk: low}\n"
			   "    - {name: comm.search, permission: deny}\n"
			   "  tools:\n"
			   "    - {name: files__read, risk: low, tier: T1, effects: none}\n"
			   "    - {name: files__write, risk: moderate, tier: T1, approval: auto, rate: 3/minute}\n"
			   "    - {name: pay__*, risk: high, tier: T2, effects: payment}\n"
			   "    - {name: cloud__get, risk: low, tier: T3, effects: none}\n"
			   "    - {name: cloud__put, risk: low, tier: T3, effects: change}\n"
			   "    - {name: admin__x, risk: low, tier: T0, roles: [admin]}\n"
			   "    - {name: remote__put, risk: low, tier: T2, effects: change}\n";

struct run {
	const struct kh_policy *policy;
	struct kh_decide_request request;
	struct kh_decide_state state;
	struct kh_decision decision;
};

/* A request that passes every gate. */
static struct run start(struct kh_test *t)
{
	struct run r = {0};

	must(t, kh_config_policy(&t->arena, kh_view_str(text), KH_LIT("k.yaml"), &r.policy, &t->err));
	must(t, kh_json_read(&t->arena, KH_LIT("{\"url\":\"https://example.com/a\"}"), &r.request.parameters, &t->err));
	r.request.operation = KH_LIT("comm.fetch");
	r.request.phase = KH_LIT("execution");
	r.request.planned = true;
	r.request.declared = KH_DECLARED_OK;
	r.request.reached = KH_TIER_1;
	return r;
}

static void check(struct kh_test *t, struct run *r, enum kh_ruling ruling, enum kh_gate gate, const char *code)
{
	must(t, kh_decide_run(&t->arena, r->policy, &r->request, &r->state, INT64_C(1763173000000000), &r->decision));
	const struct kh_decide_answer *a = r->decision.deciding;
	if (r->decision.ruling != ruling || a->gate != gate || strcmp(a->code, code) != 0)
		print_error("%s at %s: %s, %.*s\n", kh_words_name(&kh_risk_ruling_words, r->decision.ruling),
			    kh_words_name(&kh_decide_gate_words, a->gate), a->code, KH_FMT(a->why));
	assert_int_equal(r->decision.ruling, ruling);
	assert_int_equal(a->gate, gate);
	assert_string_equal(a->code, code);
	assert_true(a->why.n > 0 && a->rule.n > 0);
	/* E4: the gates in order, each once; the first failure is the last gate reached. */
	for (size_t i = 0; i < r->decision.count; i++) {
		assert_int_equal(r->decision.answers[i].gate, i);
		assert_true(r->decision.answers[i].ruling != KH_DENY || i + 1 == r->decision.count);
	}
	assert_int_equal(r->decision.count, ruling == KH_DENY ? gate + 1 : KH_GATE_COUNT);
}

/* E4: everything in order is allowed, and says by which rule. */
static void test_allow(struct kh_test *t)
{
	struct run r = start(t);

	check(t, &r, KH_ALLOW, KH_GATE_APPROVAL, "pass");
	assert_view(r.decision.answers[KH_GATE_PERMISSION].rule, "policy.operations[0]");
	assert_int_equal(r.decision.answers[KH_GATE_PERMISSION].line, 3);
	assert_int_equal(r.decision.egress_bytes, 13);
	assert_int_equal(r.decision.rate.count, 10);     /* E5: 10 a minute for the network */
	assert_int_equal(r.decision.limits.seconds, 30); /* E7: for the network; its tier has more */
}

/* E4: each gate stops what is its own to stop, also where a later one would stop it too. */
static void test_gates(struct kh_test *t)
{
	struct run r = start(t);

	/* From the last gate to the first, each mistake on top of the ones before. */
	r.request.operation = KH_LIT("pay__now");
	r.request.admin = false;
	r.state.pending = 3;
	r.policy = NULL;
	must(t, kh_config_policy(
			&t->arena,
			KH_LIT("policy: {network: on, tools: [{name: pay__*, tier: T1, risk: high, rate: 5/minute}]}"),
			KH_LIT("k.yaml"), &r.policy, &t->err));
	r.request.verified = KH_VERIFIED_PASSED;
	check(t, &r, KH_DENY, KH_GATE_APPROVAL, "approvals_pending"); /* A6 */
	r.request.verified = KH_VERIFIED_FAILED;
	check(t, &r, KH_DENY, KH_GATE_RISK, "verification_failed"); /* K7 */
	r.request.taint = KH_TAINT_HIGH;
	check(t, &r, KH_DENY, KH_GATE_TAINT, "taint_denied"); /* K6 */
	r.state.quota.used[0] = 5;
	check(t, &r, KH_DENY, KH_GATE_RATE, "rate_limited"); /* E5 */
	assert_true(r.decision.retry_after > 0);
	r.state.egress_bytes = 4090;
	check(t, &r, KH_DENY, KH_GATE_QUOTA, "egress_exceeded"); /* E5 */
	r.state.running = 10;
	check(t, &r, KH_DENY, KH_GATE_QUOTA, "concurrent_exceeded"); /* E5 */
	must(t, kh_config_policy(&t->arena, kh_view_str(text), KH_LIT("k.yaml"), &r.policy, &t->err));
	must(t, kh_config_policy(&t->arena,
				 KH_LIT("policy: {network: on, tools: [{name: pay__*, tier: T2, effects: payment}]}"),
				 KH_LIT("k.yaml"), &r.policy, &t->err));
	check(t, &r, KH_DENY, KH_GATE_TRUST_TIER, "tier_effects"); /* E5: no payments in T2 */
	must(t, kh_config_policy(&t->arena, KH_LIT("policy: {tools: [{name: pay__*, permission: deny}]}"),
				 KH_LIT("k.yaml"), &r.policy, &t->err));
	check(t, &r, KH_DENY, KH_GATE_PERMISSION, "OPERATION_NOT_ALLOWED");
	r.request.phase = KH_LIT("planning");
	check(t, &r, KH_DENY, KH_GATE_PHASE, "OUTBOUND_FORBIDDEN_IN_PLANNING"); /* E1 */
	r.request.phase = KH_LIT("Execution");
	check(t, &r, KH_DENY, KH_GATE_PHASE, "phase_unknown"); /* E1: anything else blocks */
	r.request.operation = KH_LIT("comm.pay");
	check(t, &r, KH_DENY, KH_GATE_REGISTRATION, "operation_unknown"); /* E2 */
	r.request.operation = KH_LIT("Comm.Fetch");
	check(t, &r, KH_DENY, KH_GATE_REGISTRATION, "operation_malformed"); /* E2 */
	r.request.declared = KH_DECLARED_BAD;
	r.request.declared_why = KH_LIT("reason: missing");
	check(t, &r, KH_DENY, KH_GATE_DECLARATION, "declaration_invalid"); /* E3 */
	r.request.declared = KH_DECLARED_NOT;
	check(t, &r, KH_DENY, KH_GATE_DECLARATION, "declaration_required");
}

static void test_permission(struct kh_test *t)
{
	struct run r = start(t);

	must(t, kh_json_read(&t->arena, KH_LIT("{\"url\":\"https://evil.org/\"}"), &r.request.parameters, &t->err));
	check(t, &r, KH_DENY, KH_GATE_PERMISSION, "DOMAIN_BLOCKED");
	r.request.operation = KH_LIT("comm.search");
	check(t, &r, KH_DENY, KH_GATE_PERMISSION, "OPERATION_NOT_ALLOWED");
	r.request.operation = KH_LIT("admin__x");
	check(t, &r, KH_DENY, KH_GATE_PERMISSION, "role_not_allowed");
	r.request.role = KH_ROLE_ADMIN;
	check(t, &r, KH_ALLOW, KH_GATE_APPROVAL, "pass");
	/* COMPAT.md section 3: network modes. */
	r = start(t);
	r.request.operation = KH_LIT("remote__put");
	check(t, &r, KH_DENY, KH_GATE_PERMISSION, "NETWORK_MODE_BLOCKED");
	r.request.operation = KH_LIT("comm.fetch");
	must(t, kh_config_policy(&t->arena, KH_LIT("policy: {network: off}"), KH_LIT("k.yaml"), &r.policy, &t->err));
	check(t, &r, KH_DENY, KH_GATE_PERMISSION, "NETWORK_MODE_BLOCKED");
	assert_view(r.decision.deciding->rule, "policy.network");
}

/* E5: tiers: what T3 permits, who approves, and how the tier of a tool is found. */
static void test_tiers(struct kh_test *t)
{
	struct run r = start(t);

	must(t, kh_json_read(&t->arena, KH_LIT("{}"), &r.request.parameters, &t->err));
	r.request.operation = KH_LIT("cloud__get");
	check(t, &r, KH_ASK, KH_GATE_APPROVAL, "APPROVAL_REQUIRED");
	assert_true(r.decision.needs_admin);
	assert_int_equal(r.decision.limits.seconds, 60);
	r.request.granted = true; /* a reviewer's grant is not an admin's */
	check(t, &r, KH_ASK, KH_GATE_APPROVAL, "APPROVAL_REQUIRED");
	r.request.admin = true;
	check(t, &r, KH_ALLOW, KH_GATE_APPROVAL, "REQUEST_APPROVED");
	r.state.running = 2;
	check(t, &r, KH_DENY, KH_GATE_QUOTA, "concurrent_exceeded");
	/* A tool that the policy does not name: high risk, its tier by how it is reached. */
	r = start(t);
	r.request.operation = KH_LIT("comm.mcp.other.tool");
	check(t, &r, KH_VERIFY, KH_GATE_RISK, "verification_required");
	assert_view(r.decision.deciding->rule, "policy.taint_risk.low.high");
	assert_int_equal(r.decision.limits.seconds, 300);
	r.request.reached = KH_TIER_AUTO; /* nobody knows: the narrowest tier, over the network */
	check(t, &r, KH_DENY, KH_GATE_PERMISSION, "NETWORK_MODE_BLOCKED");
}

/* E5: never more than the tier's rate, nor the rule's; the network's 10 a minute; the warning at 80 %. */
static void test_rates(struct kh_test *t)
{
	struct run r = start(t);

	for (uint32_t used = 0; used < 10; used++) {
		r.state.quota.used[0] = used;
		check(t, &r, KH_ALLOW, KH_GATE_APPROVAL, "pass");
		assert_int_equal(r.decision.warn, used + 1 >= 8);
	}
	r.state.quota.used[0] = 10;
	check(t, &r, KH_DENY, KH_GATE_RATE, "rate_limited");
	r.request.operation = KH_LIT("files__write");
	r.state.quota.used[0] = 2;
	check(t, &r, KH_ALLOW, KH_GATE_APPROVAL, "pass");
	r.state.quota.used[0] = 3;
	check(t, &r, KH_DENY, KH_GATE_RATE, "rate_limited");
	must(t, kh_config_policy(&t->arena,
				 KH_LIT("policy: {tools: [{name: '*', risk: low, tier: T1, rate: 900000/second}]}"),
				 KH_LIT("k.yaml"), &r.policy, &t->err));
	r.state.quota.used[0] = 99;
	check(t, &r, KH_ALLOW, KH_GATE_APPROVAL, "pass");
	r.state.quota.used[0] = 100;
	check(t, &r, KH_DENY, KH_GATE_RATE, "rate_limited");
}

/* K6: the table decides what has to be verified; a finding of tier 1 turns an allow into a verify. */
static void test_taint(struct kh_test *t)
{
	static const char *const tools[] = {"files__read", "files__write", "other__x"};
	struct run r = start(t);

	must(t, kh_json_read(&t->arena, KH_LIT("{}"), &r.request.parameters, &t->err));
	for (unsigned taint = 0; taint < 3; taint++) {
		for (unsigned risk = 0; risk < 3; risk++) {
			enum kh_ruling want = kh_risk_decide(&kh_risk_default, taint, risk, false);
			r.request.operation = kh_view_str(tools[risk]);
			r.request.taint = taint;
			r.request.granted = true;
			r.request.verified = KH_VERIFIED_NOT;
			must(t, kh_decide_run(&t->arena, r.policy, &r.request, &r.state, 1, &r.decision));
			assert_int_equal(r.decision.ruling, want);
			r.request.verified = KH_VERIFIED_PASSED;
			must(t, kh_decide_run(&t->arena, r.policy, &r.request, &r.state, 1, &r.decision));
			assert_int_equal(r.decision.ruling, want == KH_DENY ? KH_DENY : KH_ALLOW);
		}
	}
	r = start(t);
	r.request.suspicious = true;
	check(t, &r, KH_VERIFY, KH_GATE_RISK, "verification_required");
}

/* E6: low risk goes without a human, the rest is asked; E1: so is what the plan does not name; E3: and findings. */
static void test_approval(struct kh_test *t)
{
	struct run r = start(t);

	must(t, kh_json_read(&t->arena, KH_LIT("{}"), &r.request.parameters, &t->err));
	r.request.operation = KH_LIT("files__read");
	check(t, &r, KH_ALLOW, KH_GATE_APPROVAL, "pass");
	r.request.planned = false;
	check(t, &r, KH_ASK, KH_GATE_APPROVAL, "OUTBOUND_REQUIRES_APPROVAL");
	r.request.planned = true;
	r.request.declared = KH_DECLARED_SCREENED;
	check(t, &r, KH_ASK, KH_GATE_APPROVAL, "APPROVAL_REQUIRED");
	r.request.granted = true;
	check(t, &r, KH_ALLOW, KH_GATE_APPROVAL, "REQUEST_APPROVED");
	r = start(t);
	must(t, kh_config_policy(&t->arena, KH_LIT(""), KH_LIT(""), &r.policy, &t->err));
	check(t, &r, KH_ASK, KH_GATE_APPROVAL, "APPROVAL_REQUIRED"); /* the default: no page without a human */
	assert_view(r.decision.deciding->rule, "default");
	/* Both are needed: it is verified first, then asked. */
	r.request.taint = KH_TAINT_MEDIUM;
	check(t, &r, KH_VERIFY, KH_GATE_RISK, "verification_required");
	r.request.verified = KH_VERIFIED_PASSED;
	check(t, &r, KH_ASK, KH_GATE_APPROVAL, "APPROVAL_REQUIRED");
}

/* E1: Keyhole's own operations pass in every phase that there is. */
static void test_own(struct kh_test *t)
{
	struct run r = start(t);

	r.request.operation = KH_LIT("BCPQuery");
	r.request.declared = KH_DECLARED_NOT;
	r.request.phase = KH_LIT("planning");
	must(t, kh_decide_run(&t->arena, r.policy, &r.request, &r.state, 1, &r.decision));
	assert_int_equal(r.decision.ruling, KH_ALLOW);
	r.request.phase = KH_LIT("dreaming");
	must(t, kh_decide_run(&t->arena, r.policy, &r.request, &r.state, 1, &r.decision));
	assert_int_equal(r.decision.ruling, KH_DENY);
}

/* A name cannot slip past its rule: not by a NUL, not by its other spelling, not by case. */
static void test_names(struct kh_test *t)
{
	struct run r = start(t);

	r.request.operation = kh_view_of("files__read\0x", 13);
	check(t, &r, KH_DENY, KH_GATE_REGISTRATION, "operation_malformed");
	r.request.operation = KH_LIT("Files__read");
	check(t, &r, KH_DENY, KH_GATE_REGISTRATION, "operation_malformed");
	r.request.operation = KH_LIT("comm.mcp.files.read");
	check(t, &r, KH_ALLOW, KH_GATE_APPROVAL, "pass");
	assert_view(r.decision.deciding->rule, "policy.tools[0]");
	r.request.operation = KH_LIT("");
	check(t, &r, KH_DENY, KH_GATE_REGISTRATION, "operation_unknown");
}

static const struct kh_test_case cases[] = {KH_TEST(test_allow),    KH_TEST(test_gates), KH_TEST(test_permission),
					    KH_TEST(test_tiers),    KH_TEST(test_rates), KH_TEST(test_taint),
					    KH_TEST(test_approval), KH_TEST(test_own),   KH_TEST(test_names)};
KH_TEST_MAIN(cases)
