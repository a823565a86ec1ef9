/* U5, U6, U7: what a rule of `policy.tools` says of parameters and results. */
#include "core/policy/toolrule.h"

#include "core/policy/config.h"
#include "harness.h"

static enum kh_err policy(struct kh_test *t, const char *text, const struct kh_policy **ret)
{
	return kh_config_policy(&t->arena, kh_view_str(text), KH_LIT("k.yaml"), ret, &t->err);
}

static const struct kh_policy_rule *rule(struct kh_test *t, const struct kh_policy *p, const char *operation)
{
	struct kh_view path;
	const struct kh_policy_rule *r = kh_policy_rule(p, &t->arena, kh_view_str(operation), KH_LIT("agent"), &path);

	must(t, kh_arena_check(&t->arena));
	return r;
}

/* U5, U6: without a rule a tool is of high risk, all its parameters are control, and its results are sealed. */
static void test_default(struct kh_test *t)
{
	const struct kh_policy *p;

	must(t, policy(t, "policy: {}\n", &p));
	const struct kh_policy_rule *r = rule(t, p, "comm.mcp.git.push");
	assert_int_equal(r->risk, KH_RISK_HIGH);
	assert_int_equal(r->effects, KH_EFFECT_CHANGE);
	assert_int_equal(r->content_parameters.n, 0);
	assert_int_equal(r->results, KH_RESULTS_SEALED);
	assert_int_equal(r->elicitation, KH_ELICITATION_DECLINE);
	assert_int_equal(r->fields.n, 0);
	assert_int_equal(rule(t, p, "comm.fetch")->results, KH_RESULTS_SEALED);
}

static void test_rule(struct kh_test *t)
{
	const struct kh_policy *p;

	must(t,
	     policy(t,
		    "policy:\n  fenced: allow\n  tools:\n    - name: git__status\n      risk: low\n      effects: "
		    "none\n"
		    "      control_parameters: [repo]\n      content_parameters: [message]\n      results: typed\n"
		    "      elicitation: ask\n      fields:\n"
		    "        - {name: clean, pointer: /clean, type: boolean}\n"
		    "        - {name: state, pointer: /files/*/state, type: enum, values: [new, changed], most: 20}\n"
		    "        - {name: ahead, pointer: /ahead, type: integer, min: -5, max: 99}\n"
		    "        - {name: files, pointer: /files, type: length, most: 20}\n"
		    "        - {name: at, pointer: /a~1b/at, type: date}\n"
		    "    - {name: git__log, results: fenced}\n    - {name: git__version, results: trusted}\n",
		    &p));
	const struct kh_policy_rule *r = rule(t, p, "comm.mcp.git.status");
	const struct kh_policy_member *m = r->fields.at;
	assert_int_equal(r->results, KH_RESULTS_TYPED);
	assert_int_equal(r->elicitation, KH_ELICITATION_ASK);
	assert_view(r->control_parameters.at[0], "repo");
	assert_int_equal(r->fields.n, 5);
	assert_view(m[1].pointer, "/files/*/state");
	assert_int_equal(m[1].values.n, 2);
	assert_int_equal(m[1].most, 20);
	assert_int_equal(m[2].min, -5);
	assert_int_equal(m[2].max, 99);
	assert_int_equal(m[3].type, KH_POLICY_TYPE_LENGTH);
	assert_int_equal(m[4].type, KH_POLICY_TYPE_DATE);
	assert_int_equal(m[4].line, 16);
	assert_int_equal(rule(t, p, "comm.mcp.git.log")->results, KH_RESULTS_FENCED);
	assert_int_equal(rule(t, p, "git__version")->results, KH_RESULTS_TRUSTED);
}

/* A2: the version of a policy covers every key of a rule. */
static void test_digest(struct kh_test *t)
{
	static const char *const all[] = {
		"results: typed",
		"results: trusted",
		"elicitation: ask",
		"control_parameters: [a]",
		"results: typed, fields: [{name: a, pointer: /a, type: boolean}]",
		"results: typed, fields: [{name: a, pointer: /b, type: boolean}]",
		"results: typed, fields: [{name: a, pointer: /a, type: integer, min: 0, max: 1}]",
		"results: typed, fields: [{name: a, pointer: /a, type: integer, min: 0, max: 2}]",
	};
	const struct kh_policy *p;
	struct kh_digest before[sizeof(all) / sizeof(all[0])];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_view text = kh_arena_printf(&t->arena, "policy:\n  tools: [{name: a__b, %s}]\n", all[i]);
		must(t, kh_arena_check(&t->arena));
		must(t, kh_config_policy(&t->arena, text, KH_LIT("k.yaml"), &p, &t->err));
		before[i] = p->digest;
		for (size_t j = 0; j < i; j++)
			assert_memory_not_equal(&before[i], &before[j], sizeof(before[i]));
	}
}

#define RULE  "policy:\n  tools:\n    - {name: a__b, "
#define HOSTS "policy:\n  tools:\n    - {name: host__Read, "
#define FIELD RULE "results: typed, fields: [{name: x, pointer: /x, "

/* I8: each mistake is an error with its line. */
static void test_refused(struct kh_test *t)
{
	static const char *const all[][2] = {
		{RULE "control_parameters: [to, body], content_parameters: [body]}\n",
		 "k.yaml:3: policy.tools[0]: body in control_parameters and content_parameters: expected it in one "
		 "of "},
		{RULE "results: open}\n",
		 "k.yaml:3: policy.tools[0].results: \"open\": expected sealed, typed, trusted or fenced"},
		{RULE "results: trusted, own: [{parameter: path, to: [/a]}]}\n",
		 "k.yaml:3: policy.tools[0]: own: expected it only for the tools of a host, host__..."},
		{HOSTS "own: [{parameter: path, to: [/a]}]}\n",
		 "k.yaml:3: policy.tools[0]: own: expected results: trusted beside it"},
		{HOSTS "results: typed}\n",
		 "k.yaml:3: policy.tools[0].results: expected trusted or sealed for a host's own tool"},
		{HOSTS "elicitation: ask}\n",
		 "k.yaml:3: policy.tools[0].elicitation: expected it only for upstream tools"},
		{RULE "results: fenced}\n",
		 "k.yaml:3: policy.tools[0].results: fenced: expected fenced: allow in the policy"},
		{RULE "fields: [{name: x, pointer: /x, type: boolean}]}\n",
		 "k.yaml:3: policy.tools[0]: fields: expected them only beside results: typed"},
		{RULE "elicitation: allow}\n",
		 "k.yaml:3: policy.tools[0].elicitation: \"allow\": expected decline or ask"},
		{RULE "ask: {a: date}}\n", "k.yaml:3: policy.tools[0]: unknown key \"ask\": expected "},
		{RULE "handles: true}\n", "k.yaml:3: policy.tools[0]: unknown key \"handles\": expected "},
		{RULE "class: personal}\n", "k.yaml:3: policy.tools[0]: unknown key \"class\": expected "},
		{FIELD "type: text}]}\n",
		 "k.yaml:3: policy.tools[0].fields[0].type: \"text\": expected boolean, enum, integer, "},
		{FIELD "type: short_text}]}\n", "k.yaml:3: policy.tools[0].fields[0].type: "},
		{FIELD "type: enum}]}\n",
		 "k.yaml:3: policy.tools[0].fields[0]: expected the key values in it, with two or more"},
		{FIELD "type: enum, values: [a]}]}\n",
		 "k.yaml:3: policy.tools[0].fields[0]: expected the key values in it"},
		{FIELD "type: enum, values: [a, A]}]}\n",
		 "k.yaml:3: policy.tools[0].fields[0].values: expected each value once"},
		{FIELD "type: enum, values: [a, 'b c']}]}\n",
		 "k.yaml:3: policy.tools[0].fields[0].values[1]: \"b c\": expected "},
		{FIELD "type: boolean, values: [a, b]}]}\n",
		 "k.yaml:3: policy.tools[0].fields[0]: values: expected them only for type enum"},
		{FIELD "type: integer}]}\n",
		 "k.yaml:3: policy.tools[0].fields[0]: expected the keys min and max in it"},
		{FIELD "type: integer, min: 2, max: 1}]}\n",
		 "k.yaml:3: policy.tools[0].fields[0]: expected the keys min and "},
		{FIELD "type: integer, min: 0.5, max: 1}]}\n",
		 "k.yaml:3: policy.tools[0].fields[0].min: \"0.5\": expected an integer"},
		{FIELD "type: integer, min: 0, max: 9007199254740993}]}\n",
		 "k.yaml:3: policy.tools[0].fields[0].max: "},
		{FIELD "type: date, min: 1}]}\n",
		 "k.yaml:3: policy.tools[0].fields[0]: min or max: expected them only for "},
		{FIELD "type: length}]}\n", "k.yaml:3: policy.tools[0].fields[0]: expected the key most in it"},
		{FIELD "type: boolean, most: 3}]}\n",
		 "k.yaml:3: policy.tools[0].fields[0]: most: expected it only for "},
		{RULE "results: typed, fields: [{name: x, pointer: /a/*/x, type: boolean}]}\n",
		 "k.yaml:3: policy.tools[0].fields[0]: expected the key most in it"},
		{RULE "results: typed, fields: [{name: x, pointer: /*/*, type: boolean, most: 2}]}\n",
		 "k.yaml:3: policy.tools[0].fields[0].pointer: \"/*/*\": expected a JSON pointer"},
		{RULE "results: typed, fields: [{name: x, pointer: x, type: boolean}]}\n",
		 "k.yaml:3: policy.tools[0].fields[0].pointer: \"x\": expected a JSON pointer"},
		{RULE "results: typed, fields: [{name: x, pointer: /~2, type: boolean}]}\n",
		 "k.yaml:3: policy.tools[0].fields[0].pointer: \"/~2\": expected a JSON pointer"},
		{RULE "results: typed, fields: [{name: x, pointer: /x, type: boolean}, {name: x, pointer: /y, type: "
		      "date}]}\n",
		 "k.yaml:3: policy.tools[0].fields[1]: the name stands twice: expected each name once"},
		{"policy:\n  operations:\n    - {name: comm.fetch, results: trusted}\n",
		 "k.yaml:3: policy.operations[0]: unknown key \"results\": expected "},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct kh_policy *p = NULL;
		must_fail(t, KH_EINPUT, policy(t, all[i][0], &p));
		assert_string_equal(t->err.code, "policy_invalid");
		if (strncmp(t->err.detail, all[i][1], strlen(all[i][1])) != 0)
			print_error("got  %s\nwant %s\n", t->err.detail, all[i][1]);
		assert_int_equal(strncmp(t->err.detail, all[i][1], strlen(all[i][1])), 0);
	}
}

static void test_server(struct kh_test *t)
{
	struct kh_view server;

	(void)t;
	assert_true(kh_toolrule_server(KH_LIT("git__*"), &server));
	assert_view(server, "git");
	assert_false(kh_toolrule_server(KH_LIT("g*__x"), &server));
	assert_false(kh_toolrule_server(KH_LIT("*"), &server));
}

/* U3: a server is told that a human may answer it if a rule can be of one of its tools, and of no other server. */
static void test_elicits(struct kh_test *t)
{
	static const struct {
		const char *name, *server;
		bool yes;
	} all[] = {
		{"git__push", "git", true},  {"git__push", "gi", false}, {"git__push", "github", false},
		{"git__*", "git", true},     {"*", "git", true},         {"g*", "git", true},
		{"x*", "git", false},        {"git*", "git", true},      {"git_*", "git", true},
		{"github__*", "git", false}, {"*__push", "git", true},
	};
	const struct kh_policy *p;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_view text = kh_arena_printf(
			&t->arena, "policy:\n  tools:\n    - {name: a__b}\n    - {name: '%s', elicitation: ask}\n",
			all[i].name);
		must(t, kh_arena_check(&t->arena));
		must(t, policy(t, text.p, &p));
		assert_int_equal(kh_toolrule_elicits(p, kh_view_str(all[i].server)), all[i].yes);
	}
	must(t, policy(t, "policy:\n  tools:\n    - {name: git__push, elicitation: decline}\n", &p));
	assert_false(kh_toolrule_elicits(p, KH_LIT("git")));
}

static const struct kh_test_case cases[] = {KH_TEST(test_elicits), KH_TEST(test_default), KH_TEST(test_rule),
					    KH_TEST(test_digest),  KH_TEST(test_refused), KH_TEST_ONCE(test_server)};
KH_TEST_MAIN(cases)
