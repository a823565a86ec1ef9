#include "core/policy/config.h"
#include "core/policy/keys.h"
#include "core/policy/policy.h"
#include "harness.h"

#include <stdio.h>

static enum kh_err policy(struct kh_test *t, const char *text, const struct kh_policy **ret_policy)
{
	return kh_config_policy(&t->arena, kh_view_str(text), KH_LIT("keyhole.yaml"), ret_policy, &t->err);
}

/* I8: every value has a default, and they are these. */
static void test_default(struct kh_test *t)
{
	const struct kh_policy *p;

	must(t, kh_config_policy(&t->arena, KH_LIT(""), KH_LIT(""), &p, &t->err));
	assert_int_equal(p->budgets.task_bits, 16384);      /* B7 */
	assert_int_equal(p->budgets.context_bits, 65536);   /* B7 */
	assert_int_equal(p->budgets.escalations, 2);        /* B19 */
	assert_int_equal(p->budgets.retries, 2);            /* B16 */
	assert_int_equal(p->budgets.alert_percent, 80);     /* B9 */
	assert_int_equal(p->approvals.expiry_seconds, 600); /* A3 */
	assert_int_equal(p->approvals.max_pending, 3);      /* A6 */
	assert_int_equal(p->release, KH_RELEASE_SLOTS);     /* B17 */
	assert_int_equal(p->lint, KH_LINT_ADVICE);
	assert_int_equal(p->fenced, KH_FENCED_NEVER); /* E12 */
	assert_int_equal(p->network, KH_NETWORK_READONLY);
	assert_memory_equal(&p->taint_risk, &kh_risk_default, sizeof(kh_risk_default)); /* K6 */
	for (unsigned i = 0; i < 3; i++)
		assert_true(kh_policy_reader_rate(p, KH_LIT("any"), i + 1).count > 0);
}

/* A2: the version is the digest of what the policy means, not of how it is written. */
static void test_version(struct kh_test *t)
{
	const struct kh_policy *a, *b, *c, *d;

	must(t, policy(t, "", &a));
	must(t, policy(t, "# the same\npolicy:\n  lint: advice\n  budgets: {retries: 2, task_bits: 16384}\n", &b));
	must(t, policy(t, "policy:\n  budgets: {retries: 3}\n", &c));
	must(t, policy(t, "policy:\n  version: '2'\n", &d));
	assert_memory_equal(&a->digest, &b->digest, sizeof(a->digest));
	assert_memory_not_equal(&a->digest, &c->digest, sizeof(a->digest));
	assert_memory_not_equal(&a->digest, &d->digest, sizeof(a->digest));
}

/* K6: cells of the table can be changed one by one. */
static void test_table(struct kh_test *t)
{
	const struct kh_policy *p;

	must(t, policy(t, "policy:\n  taint_risk:\n    medium: {low: verify, high: deny}\n", &p));
	assert_int_equal(p->taint_risk.at[KH_TAINT_MEDIUM][KH_RISK_LOW], KH_VERIFY);
	assert_int_equal(p->taint_risk.at[KH_TAINT_MEDIUM][KH_RISK_MODERATE], KH_VERIFY);
	assert_int_equal(p->taint_risk.at[KH_TAINT_MEDIUM][KH_RISK_HIGH], KH_DENY);
	assert_int_equal(p->taint_risk.at[KH_TAINT_LOW][KH_RISK_LOW], KH_ALLOW);
	assert_int_equal(p->taint_risk.line, 2);
}

/* The first rule that matches counts; both names of a tool mean the same. */
static void test_rules(struct kh_test *t)
{
	static const struct {
		const char *operation, *path;
		enum kh_risk risk;
		unsigned line;
	} all[] = {
		{"files__read_file", "policy.tools[0]", KH_RISK_LOW, 3},
		{"comm.mcp.files.read_file", "policy.tools[0]", KH_RISK_LOW, 3},
		{"files__write", "policy.tools[1]", KH_RISK_MODERATE, 4},
		{"mail__send", "default", KH_RISK_HIGH, 0}, /* I2: high unless the policy says more */
		{"comm.fetch", "policy.operations[0]", KH_RISK_MODERATE, 6},
		{"comm.exec", "policy.operations[1]", KH_RISK_HIGH, 7},
		{"comm.search", "default", KH_RISK_MODERATE, 0},
		{"comm.fetchx", "default", KH_RISK_HIGH, 0},
	};
	const struct kh_policy *p;

	must(t, policy(t,
		       "policy:\n  tools:\n    - {name: 'files__read*', risk: low}\n    - {name: 'files__*', risk: "
		       "moderate}\n"
		       "  operations:\n    - {name: comm.fetch, hosts: ['*.example.com']}\n    - {approval: ask, name: "
		       "comm.exec}\n",
		       &p));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_view path;
		const struct kh_policy_rule *rule = kh_policy_rule(p, &t->arena, kh_view_str(all[i].operation),
								   KH_LIT(""), &path);
		must(t, kh_arena_check(&t->arena));
		assert_view(path, all[i].path);
		assert_int_equal(rule->risk, all[i].risk);
		assert_int_equal(rule->line, all[i].line);
		assert_int_equal(rule->roles, 1U << KH_ROLE_CONTROLLER);
	}
}

/* E4: rules for one operation may differ by agents: the first that names the caller, or that names nobody, counts. */
static void test_agents(struct kh_test *t)
{
	static const struct {
		const char *operation, *agent, *path;
	} all[] = {
		{"comm.read", "planner", "policy.operations[0]"}, {"comm.read", "desk-1", "policy.operations[1]"},
		{"comm.read", "desk-", "policy.operations[1]"},   {"comm.read", "desk", "policy.operations[2]"},
		{"comm.read", "", "policy.operations[2]"},        {"comm.read", "Planner", "policy.operations[2]"},
		{"mail__send", "planner", "policy.tools[0]"},     {"comm.mcp.mail.send", "planner", "policy.tools[0]"},
		{"mail__send", "other", "policy.tools[1]"},       {"mail__list", "planner", "policy.tools[1]"},
		{"cal__list", "planner", "policy.tools[2]"},      {"cal__list", "", "default"},
	};
	const struct kh_policy *p;

	must(t,
	     policy(t,
		    "policy:\n  operations:\n    - {name: comm.read, agents: [planner]}\n"
		    "    - {name: comm.read, agents: [planner, 'desk-*']}\n    - {name: comm.read, permission: deny}\n"
		    "  tools:\n    - {name: mail__send, agents: [planner]}\n    - {name: 'mail__*'}\n"
		    "    - {name: '*', agents: ['p*']}\n",
		    &p));
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_view path;
		kh_policy_rule(p, &t->arena, kh_view_str(all[i].operation), kh_view_str(all[i].agent), &path);
		must(t, kh_arena_check(&t->arena));
		assert_view(path, all[i].path);
	}
}

/* E9: a policy that is read alone may name databases of a configuration that is not there. */
static void test_statements_alone(struct kh_test *t)
{
	static const char text[] = "policy:\n  operations:\n    - name: comm.query\n      statements:\n"
				   "        - {name: a, database: shop, sql: SELECT 1}\n";
	struct kh_view whole = kh_arena_printf(&t->arena, "%sdatabases: []\n", text);
	const struct kh_policy *p = NULL;

	must(t, kh_arena_check(&t->arena));
	must(t, policy(t, text, &p));
	assert_int_equal(((const struct kh_policy_rule *)p->operations.at)->statements.n, 1);
	must_fail(t, KH_EINPUT, policy(t, whole.p, &p));
}

/* B9: rates for each Reader and category; what a Reader's entry leaves out is the general rate. */
static void test_reader_rates(struct kh_test *t)
{
	const struct kh_policy *p;

	must(t, policy(t,
		       "policy:\n  rates:\n    category_1: 5/second\n    category_3: 0\n    readers:\n"
		       "      - {reader: mail, category_2: 7}\n      - {reader: 'm*', category_2: 9/minute, "
		       "category_3: 1}\n",
		       &p));
	assert_int_equal(kh_policy_reader_rate(p, KH_LIT("mail"), 1).count, 5);
	assert_int_equal(kh_policy_reader_rate(p, KH_LIT("mail"), 2).count, 7);
	assert_int_equal(kh_policy_reader_rate(p, KH_LIT("mail"), 2).period, KH_QUOTA_HOUR);
	assert_int_equal(kh_policy_reader_rate(p, KH_LIT("mail"), 3).count, 1);
	assert_int_equal(kh_policy_reader_rate(p, KH_LIT("max"), 2).count, 9);
	assert_int_equal(kh_policy_reader_rate(p, KH_LIT("other"), 3).count, 0);
}

/* S3: extra rules for the screen. */
static void test_screen(struct kh_test *t)
{
	const struct kh_policy *p;
	const struct kh_rule *rules;
	size_t n;

	must(t, policy(t,
		       "policy:\n  screen:\n    - {name: code_word, code: house, pattern: 'blue\\s+heron', positive: "
		       "the blue heron, negative: a heron}\n",
		       &p));
	must(t, kh_policy_screen_rules(&t->arena, p, &rules, &n));
	assert_int_equal(n, 1);
	assert_string_equal(rules[0].name, "code_word");
	assert_string_equal(rules[0].pattern, "blue\\s+heron");
	assert_int_equal(rules[0].severity, KH_SEVERITY_MEDIUM);
}

/* I8: mistakes that a user makes, with file, line and what was expected. */
static void test_errors(struct kh_test *t)
{
	static const char *const all[][2] = {
		{"polcy: {}\n", "keyhole.yaml:1: unknown key \"polcy\": expected policy"},
		{"policy:\n", "keyhole.yaml:1: policy: an empty value: expected a map of "},
		{"policy: 5\n", "keyhole.yaml:1: policy: \"5\": expected a map of "},
		{"- a\n", "keyhole.yaml:1: a list: expected a map of policy"},
		{"policy: {}\npolicy: {}\n",
		 "keyhole.yaml:2: the key stands twice: \"policy\": expected each key once"},
		{"policy:\n  budget: {}\n",
		 "keyhole.yaml:2: policy: unknown key \"budget\": expected budgets? The keys are version, budgets, "},
		{"policy:\n  budgets:\n    task_bits: -1\n",
		 "keyhole.yaml:3: policy.budgets.task_bits: \"-1\": expected an integer from 0 to 1000000000"},
		{"policy:\n  budgets:\n    task_bits: 1.5\n",
		 "keyhole.yaml:3: policy.budgets.task_bits: \"1.5\": expected "},
		{"policy:\n  budgets:\n    alert_percent: 101\n",
		 "keyhole.yaml:3: policy.budgets.alert_percent: \"101\": expected an integer from 1 to 100"},
		{"policy:\n  taint_risk:\n    high:\n      high: ask\n",
		 "keyhole.yaml:4: policy.taint_risk.high.high: \"ask\": expected allow, verify or deny"},
		{"policy:\n  taint_risk:\n    huge: {}\n",
		 "keyhole.yaml:3: policy.taint_risk: unknown key \"huge\": expected low, medium or high"},
		{"policy:\n  tools:\n    - risk: low\n",
		 "keyhole.yaml:3: policy.tools[0]: a map: expected the key name in it"},
		{"policy:\n  tools:\n    - name: a b\n",
		 "keyhole.yaml:3: policy.tools[0].name: \"a b\": expected a tool as "},
		{"policy:\n  tools:\n    - name: a\n      hosts: [a.com]\n",
		 "keyhole.yaml:4: policy.tools[0]: unknown key \"hosts\": expected name, "},
		{"policy:\n  tools:\n    - name: a\n    - name: a\n",
		 "keyhole.yaml:4: policy.tools[1]: it can never be reached: policy.tools[0] on line 3 is for all that "
		 "it is for: expected "},
		{"policy:\n  operations:\n    - {name: comm.read, agents: [a]}\n    - name: comm.read\n    - name: "
		 "comm.read\n",
		 "keyhole.yaml:5: policy.operations[2]: it can never be reached: policy.operations[1] on line 4 "},
		{"policy:\n  operations:\n    - {name: comm.read, agents: []}\n",
		 "keyhole.yaml:3: policy.operations[0].agents: a list: expected a list of 1 to 256"},
		{"policy:\n  operations:\n    - {name: comm.read, agents: [a b]}\n",
		 "keyhole.yaml:3: policy.operations[0].agents[0]: \"a b\": expected a token's name, where * "},
		{"policy:\n  tools:\n    - {name: a, arguments: [{parameter: to}]}\n",
		 "keyhole.yaml:3: policy.tools[0].arguments[0]: a map: expected the key to in it"},
		{"policy:\n  tools:\n    - {name: a, arguments: [{to: [x]}]}\n",
		 "keyhole.yaml:3: policy.tools[0].arguments[0]: a map: expected the key parameter in it"},
		{"policy:\n  tools:\n    - {name: a, arguments: [{parameter: to, to: []}]}\n",
		 "keyhole.yaml:3: policy.tools[0].arguments[0].to: a list: expected a list of 1 to 1024"},
		{"policy:\n  operations:\n    - {name: comm.search, scopes: [everywhere]}\n",
		 "keyhole.yaml:3: policy.operations[0].scopes: \"everywhere\": expected web, internal or database"},
		{"policy:\n  operations:\n    - {name: comm.fetch, scopes: [web]}\n",
		 "keyhole.yaml:3: policy.operations[0]: scopes for comm.fetch: expected it only for comm.search"},
		{"policy:\n  operations:\n    - {name: comm.read, databases: [a]}\n",
		 "keyhole.yaml:3: policy.operations[0]: databases for comm.read: expected it only for comm.search and "
		 "comm.query"},
		{"policy:\n  operations:\n    - {name: comm.exec, paths: [/a]}\n",
		 "keyhole.yaml:3: policy.operations[0]: paths for comm.exec: expected it only for comm.search and "
		 "comm.read"},
		{"policy:\n  operations:\n    - {name: comm.fetch, hosts: ['a.com:0']}\n",
		 "keyhole.yaml:3: policy.operations[0].hosts[0]: \"a.com:0\": expected a host such as "},
		{"policy:\n  tools:\n    - name: a\n      tier: T4\n",
		 "keyhole.yaml:4: policy.tools[0].tier: \"T4\": expected T0, T1, T2, T3 or auto"},
		{"policy:\n  tools:\n    - name: a\n      roles: [root]\n",
		 "keyhole.yaml:4: policy.tools[0].roles: \"root\": expected controller, reader, supervisor, host, "
		 "reviewer, admin or hook"},
		{"policy:\n  operations:\n    - name: comm.Fetch\n",
		 "keyhole.yaml:3: policy.operations[0].name: \"comm.Fetch\": expected comm.search, comm.fetch, "
		 "comm.query, comm.read, comm.exec or comm.resource"},
		{"policy:\n  operations:\n    - name: comm.read\n      hosts: [a.com]\n",
		 "keyhole.yaml:3: policy.operations[0]: hosts for comm.read: expected it only for comm.fetch"},
		{"policy:\n  operations:\n    - name: comm.fetch\n      free_sql: allow\n",
		 "keyhole.yaml:3: policy.operations[0]: free_sql for comm.fetch: expected it only for comm.query"},
		{"policy:\n  operations:\n    - name: comm.fetch\n      hosts:\n        - a.com\n        - '*'\n",
		 "keyhole.yaml:6: policy.operations[0].hosts[1]: \"*\": expected a host such as example.com, or "
		 "*.example.com "},
		{"policy:\n  operations:\n    - name: comm.read\n      paths: [/srv/../etc]\n",
		 "keyhole.yaml:4: policy.operations[0].paths[0]: \"/srv/../etc\": expected an absolute path "},
		{"policy:\n  operations:\n    - name: comm.exec\n      commands:\n        - {name: a, argv: [git]}\n",
		 "keyhole.yaml:5: commands[0].argv: its first argument: expected the absolute path of a program"},
		{"policy:\n  rates:\n    category_1: lots\n",
		 "keyhole.yaml:3: policy.rates.category_1: \"lots\": expected 0 (denied), "},
		{"policy:\n  network: yes\n", "keyhole.yaml:2: policy.network: \"yes\": expected off, readonly or on"},
		{"policy:\n  user_messages: root\n",
		 "keyhole.yaml:2: policy.user_messages: \"root\": expected trusted, vetted or untrusted"},
		{"policy:\n  screen:\n    - {name: a, code: b, severity: none, pattern: a, positive: a, negative: b}\n",
		 "keyhole.yaml:3: policy.screen[0].severity: \"none\": expected low, medium or high"},
		{"policy: &a {lint: advice}\nx: *a\n", "keyhole.yaml:1: an anchor: expected "},
	};
	const struct kh_policy *p = NULL;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		must_fail(t, KH_EINPUT, policy(t, all[i][0], &p));
		assert_null(p);
		assert_string_equal(t->err.code, "policy_invalid");
		if (strncmp(t->err.detail, all[i][1], strlen(all[i][1])) != 0)
			print_error("got  %s\nwant %s\n", t->err.detail, all[i][1]);
		assert_int_equal(strncmp(t->err.detail, all[i][1], strlen(all[i][1])), 0);
		assert_non_null(strstr(t->err.detail, ": expected "));
	}
}

/* A file of the project, whole; the tests run beside it. */
static struct kh_view slurp(struct kh_test *t, const char *name)
{
	struct kh_view path = kh_arena_printf(&t->arena, "%s/%s", KH_SOURCE, name);
	char *text = kh_arena_alloc(&t->arena, 256U << 10);

	must(t, kh_arena_check(&t->arena));
	FILE *f = fopen(path.p, "re");
	assert_non_null(f);
	size_t n = fread(text, 1, 256U << 10, f);
	fclose(f);
	return kh_view_of(text, n);
}

/* I8: the example in the documentation is a policy. */
static void test_example(struct kh_test *t)
{
	struct kh_view text = slurp(t, "docs/examples/policy.yaml");
	const struct kh_policy *p;

	must(t, kh_config_policy(&t->arena, text, KH_LIT("policy.yaml"), &p, &t->err));
	assert_true(p->tools.n > 0 && p->operations.n > 0);
}

static void assert_documented(struct kh_test *t, struct kh_view text, struct kh_view example,
			      const struct kh_shape *shape)
{
	for (size_t i = 0; i < shape->count; i++) {
		struct kh_view mark = kh_arena_printf(&t->arena, "`%s`", shape->fields[i].key);
		struct kh_view line = kh_arena_printf(&t->arena, "%s:", shape->fields[i].key);
		must(t, kh_arena_check(&t->arena));
		if (kh_view_find(text, mark, 0) == SIZE_MAX || kh_view_find(example, line, 0) == SIZE_MAX)
			print_error("%s is not documented\n", shape->fields[i].key);
		assert_true(kh_view_find(text, mark, 0) != SIZE_MAX);
		assert_true(kh_view_find(example, line, 0) != SIZE_MAX);
		if (shape->fields[i].shape != NULL)
			assert_documented(t, text, example, shape->fields[i].shape);
	}
}

/* I8: docs/use/POLICY.md names every key, and the example uses every one. */
static void test_documentation(struct kh_test *t)
{
	assert_documented(t, slurp(t, "docs/use/POLICY.md"), slurp(t, "docs/examples/policy.yaml"), &kh_keys_policy);
}

/* The words of trust are those of blocks. */
static void test_trust(struct kh_test *t)
{
	for (unsigned i = 0; i < 3; i++) {
		struct kh_view text = kh_arena_printf(&t->arena, "policy: {user_messages: %s}",
						      kh_words_name(&kh_label_trust_words, i));
		const struct kh_policy *p;
		must(t, kh_arena_check(&t->arena));
		must(t, kh_config_policy(&t->arena, text, KH_LIT(""), &p, &t->err));
		assert_int_equal(p->user_messages, i);
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_default),
					    KH_TEST(test_version),
					    KH_TEST(test_table),
					    KH_TEST(test_rules),
					    KH_TEST(test_agents),
					    KH_TEST(test_statements_alone),
					    KH_TEST(test_reader_rates),
					    KH_TEST(test_screen),
					    KH_TEST(test_errors),
					    KH_TEST(test_example),
					    KH_TEST_ONCE(test_documentation),
					    KH_TEST(test_trust)};
KH_TEST_MAIN(cases)
