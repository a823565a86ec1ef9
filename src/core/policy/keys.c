/*
 * The keys of keyhole.yaml as data: the member that each value is stored in, what it may be, and the message if it is
 * something else.  docs/design/ARCHITECTURE.md says what else a new key needs.
 */
#include "core/policy/keys.h"

#include "core/comm/operations.h"
#include "core/policy/field.h"
#include "core/policy/match.h"
#include "core/policy/reach.h"
#include "core/policy/sources.h"
#include "core/policy/toolrule.h"
#include "core/policy/upstreams.h"
#include "operations.inc"

static const struct kh_words permission_words =
	KH_WORDS([KH_PERMISSION_ALLOW] = "allow", [KH_PERMISSION_DENY] = "deny");
static const struct kh_words approval_words =
	KH_WORDS([KH_APPROVAL_BY_RISK] = "by_risk", [KH_APPROVAL_AUTO] = "auto", [KH_APPROVAL_ASK] = "ask");
static const struct kh_words network_words =
	KH_WORDS([KH_NETWORK_OFF] = "off", [KH_NETWORK_READONLY] = "readonly", [KH_NETWORK_ON] = "on");
static const struct kh_words lint_words = KH_WORDS([KH_LINT_ADVICE] = "advice", [KH_LINT_REFUSE] = "refuse");
static const struct kh_words release_words =
	KH_WORDS([KH_RELEASE_SLOTS] = "slots", [KH_RELEASE_IMMEDIATE] = "immediate");
static const struct kh_words plan_words =
	KH_WORDS([KH_PLAN_FREE] = "free", [KH_PLAN_NAMED] = "named", [KH_PLAN_ASK] = "ask");
static const struct kh_words fenced_words = KH_WORDS([KH_FENCED_NEVER] = "never", [KH_FENCED_ALLOW] = "allow");
static const struct kh_words cell_words = KH_WORDS([KH_ALLOW] = "allow", [KH_VERIFY] = "verify", [KH_DENY] = "deny");
static const struct kh_words severity_words =
	KH_WORDS([KH_SEVERITY_LOW] = "low", [KH_SEVERITY_MEDIUM] = "medium", [KH_SEVERITY_HIGH] = "high");

_Static_assert(sizeof(enum kh_ruling) == sizeof(unsigned), "the schema stores an enum as an unsigned");

#define IS_GLOB      "a tool as server__tool, where * stands for anything"
#define IS_AGENT     "a token's name, where * stands for anything"
#define IS_DATABASE  "a database's name, where * stands for anything"
#define IS_PATTERN   "a value of at most 256 bytes, where * stands for part of a word and ** for anything"
#define IS_HOST      "a host such as example.com, or *.example.com for those below it, either with :port"
#define IS_LISTEN    "an address and a port such as 127.0.0.1:7433 or [::1]:7433"
#define IS_HOST_PORT "a host such as gateway.example.com, or with its port"
#define IS_ORIGIN    "an origin such as https://console.example.com"
#define IS_OWN_URL   "a URL such as https://gateway.example.com/"
#define IS_URL       "a URL such as https://api.example.com/v1/chat/completions"
#define IS_MODEL     "a model's name, without blanks"

void kh_keys_start(const struct kh_operation *operation, struct kh_policy_rule *ret_rule)
{
	*ret_rule = (struct kh_policy_rule){
		.name = kh_view_str(operation->name),
		.risk = operation->risk,
		.effects = operation->effects,
		.tier = operation->outbound == KH_OUTBOUND_BY_TIER ? KH_TIER_AUTO : KH_TIER_0,
		.scopes = (operation->permit & KH_PERMIT_SCOPES) ? (1U << KH_SCOPE_COUNT) - 1 : 0,
		.free_sql = KH_PERMISSION_DENY,
		.roles = 1U << KH_ROLE_CONTROLLER,
		.path = KH_LIT("default"),
	};
}

static bool is_operation(struct kh_view name)
{
	return kh_operation_named(&kh_operations_own, name) != NULL;
}

static void start_tool(const struct kh_outline *node, void *item)
{
	(void)node;
	kh_keys_start(kh_operation_upstream(&kh_operations_own), item);
}

/* An operation's rule starts with its built-in values, so its name has to be found first. */
static void start_operation(const struct kh_outline *node, void *item)
{
	const struct kh_operation *operation = NULL;

	for (const struct kh_outline *child = node->first; child != NULL; child = child->next) {
		if (kh_view_eq(child->key, KH_LIT("name")))
			operation = kh_operation_named(&kh_operations_own, child->text);
	}
	if (operation != NULL)
		kh_keys_start(operation, item);
	else
		start_tool(node, item);
}

/* The name of a model: "vendor/model:7b-q4". */
static bool is_model(struct kh_view text)
{
	bool good = text.n > 0;

	for (size_t i = 0; i < text.n && good; i++)
		good = text.p[i] > ' ' && text.p[i] < 0x7f;
	return good;
}

static const struct kh_schema_field budget_fields[] = {
	NUMBER(kh_policy_budgets, task_bits, 0, UINT64_C(1000000000)),
	NUMBER(kh_policy_budgets, context_bits, 0, UINT64_C(1000000000)),
	NUMBER(kh_policy_budgets, escalations, 0, 1000),
	NUMBER(kh_policy_budgets, context_escalations, 0, 1000),
	NUMBER(kh_policy_budgets, task_put_bytes, 0, UINT64_C(1000000000000)),
	NUMBER(kh_policy_budgets, context_put_bytes, 0, UINT64_C(1000000000000)),
	NUMBER(kh_policy_budgets, token_bits, 0, UINT64_C(4000000000)),
	NUMBER(kh_policy_budgets, token_escalations, 0, 4000),
	NUMBER(kh_policy_budgets, token_put_bytes, 0, UINT64_C(4000000000000)),
	NUMBER(kh_policy_budgets, retries, 0, 10),
	NUMBER(kh_policy_budgets, alert_percent, 1, 100),
};
static const struct kh_shape budget_shape = SHAPE(budget_fields, kh_policy_budgets);

static const struct kh_schema_field reader_rate_fields[] = {
	TEXT(kh_policy_rates, reader, true, 1, 128, kh_match_is_glob, "a Reader's name, where * stands for anything"),
	RATE(kh_policy_rates, category_1),
	RATE(kh_policy_rates, category_2),
	RATE(kh_policy_rates, category_3),
};
static const struct kh_shape reader_rate_shape = SHAPE(reader_rate_fields, kh_policy_rates);

static const struct kh_schema_field rate_fields[] = {
	RATE(kh_policy_rates, category_1),
	RATE(kh_policy_rates, category_2),
	RATE(kh_policy_rates, category_3),
	LIST(kh_policy_rates, readers, 256, reader_rate_shape),
};
static const struct kh_shape rate_shape = SHAPE(rate_fields, kh_policy_rates);

/* A row of the table is an array; this struct names its elements as fields. */
struct row {
	enum kh_ruling at[3];
};

#define CELL(key, risk)                                                                                              \
	{                                                                                                            \
		key, KH_FIELD_WORD, offsetof(struct row, at) + (risk) * sizeof(enum kh_ruling), .words = &cell_words \
	}
static const struct kh_schema_field row_fields[] = {CELL("low", KH_RISK_LOW), CELL("moderate", KH_RISK_MODERATE),
						    CELL("high", KH_RISK_HIGH)};
static const struct kh_shape row_shape = SHAPE(row_fields, row);

#define ROW(key, taint)                                                                               \
	{                                                                                             \
		key, KH_FIELD_MAP, offsetof(struct kh_risk_table, at) + (taint) * sizeof(struct row), \
			.shape = &row_shape                                                           \
	}
static const struct kh_schema_field table_fields[] = {ROW("low", KH_TAINT_LOW), ROW("medium", KH_TAINT_MEDIUM),
						      ROW("high", KH_TAINT_HIGH)};
static const struct kh_shape table_shape = LINED(table_fields, kh_risk_table, NULL);

/* A glob of hosts and operations, or what was given by somebody in one of three roles. */
static bool is_origin(struct kh_view text)
{
	static const enum kh_role roles[] = {KH_ROLE_CONTROLLER, KH_ROLE_HOST, KH_ROLE_ADMIN};
	struct kh_view role = kh_view_from(text, kh_view_starts(text, KH_LIT(KH_POLICY_GIVEN)) ? strlen(KH_POLICY_GIVEN)
											       : text.n);

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		if (kh_view_eq(role, kh_view_str(kh_words_name(&kh_policy_role_words, roles[i]))))
			return true;
	}
	return kh_match_is_glob(text);
}

static const struct kh_schema_field destination_fields[] = {
	TEXT(kh_policy_destination, origin, true, 1, 128, is_origin,
	     "an origin: a host or operation, * for any of these; given:controller, given:host or given:admin"),
	TEXT(kh_policy_destination, parameter, false, 1, 64, kh_match_is_name, IS_NAME),
	TEXTS(kh_policy_destination, to, false, 64, kh_match_is_pattern, IS_PATTERN),
};
static const struct kh_shape destination_shape = SHAPE(destination_fields, kh_policy_destination);

static const struct kh_schema_field statement_fields[] = {
	TEXT(kh_policy_statement, name, true, 1, 64, kh_match_is_name, IS_NAME),
	TEXT(kh_policy_statement, database, true, 1, 64, kh_match_is_name, IS_NAME),
	TEXT(kh_policy_statement, sql, true, 1, 8192, NULL, "a statement in SQL"),
};
static const struct kh_shape statement_shape = LINED(statement_fields, kh_policy_statement, NULL);

/* The bounds of limits (E7).  No tier permits more time; the executor takes no larger numbers than the others. */
#define SECONDS_MOST   600
#define MEMORY_LEAST   (UINT64_C(16) << 20)
#define MEMORY_MOST    (UINT64_C(64) << 30)
#define PROCESSES_MOST 4096
#define OUTPUT_LEAST   4096
#define OUTPUT_MOST    (UINT64_C(16) << 20) /* what the worker that makes text of it reads */
#define DISK_LEAST     65536
#define DISK_MOST      (UINT64_C(64) << 30)

#define SIZES(S)                                                                                     \
	NUMBER(S, memory_bytes, MEMORY_LEAST, MEMORY_MOST), NUMBER(S, processes, 1, PROCESSES_MOST), \
		NUMBER(S, output_bytes, OUTPUT_LEAST, OUTPUT_MOST), NUMBER(S, disk_bytes, DISK_LEAST, DISK_MOST)

static const struct kh_schema_field limit_fields[] = {
	NUMBER(kh_policy_limits, network_seconds, 1, SECONDS_MOST),
	NUMBER(kh_policy_limits, file_seconds, 1, SECONDS_MOST),
	NUMBER(kh_policy_limits, total_seconds, 1, SECONDS_MOST),
	SIZES(kh_policy_limits),
};
static const struct kh_shape limit_shape = SHAPE(limit_fields, kh_policy_limits);

static const struct kh_schema_field command_limit_fields[] = {
	NUMBER(kh_policy_command_limits, seconds, 1, SECONDS_MOST),
	SIZES(kh_policy_command_limits),
};
static const struct kh_shape command_limit_shape = SHAPE(command_limit_fields, kh_policy_command_limits);

static const struct kh_schema_field command_fields[] = {
	TEXT(kh_policy_command, name, true, 1, 64, kh_match_is_name, IS_NAME),
	TEXTS(kh_policy_command, argv, true, 64, NULL, "an argument, {1} for the first of the call's args"),
	TEXTS(kh_policy_command, read, false, 31, kh_match_is_path, IS_PATH), /* the program is one more */
	TEXTS(kh_policy_command, write, false, 32, kh_match_is_path, IS_PATH),
	MAP(kh_policy_command, limits, command_limit_shape),
};
static const struct kh_shape command_shape = LINED(command_fields, kh_policy_command, NULL);

static const struct kh_schema_field argument_fields[] = {
	TEXT(kh_policy_argument, parameter, true, 1, 64, kh_match_is_name, IS_NAME),
	TEXTS_SOME(kh_policy_argument, to, true, 1024, kh_match_is_pattern, IS_PATTERN),
};
static const struct kh_shape argument_shape = LINED(argument_fields, kh_policy_argument, NULL);

/* The fields that operations and tools have in common. */
#define RULE_FIELDS                                                                                                 \
	WORD(kh_policy_rule, permission, permission_words), WORD(kh_policy_rule, risk, kh_risk_words),              \
		WORD(kh_policy_rule, tier, kh_tier_words), WORD(kh_policy_rule, effects, kh_tier_effect_words),     \
		WORD(kh_policy_rule, approval, approval_words), WORDS(kh_policy_rule, roles, kh_policy_role_words), \
		TEXTS_SOME(kh_policy_rule, agents, false, 256, kh_match_is_glob, IS_AGENT),                         \
		LIST(kh_policy_rule, arguments, 64, argument_shape), RATE(kh_policy_rule, rate),                    \
		TEXTS(kh_policy_rule, content_parameters, false, 64, kh_match_is_name, IS_NAME),                    \
		LIST(kh_policy_rule, destinations, 64, destination_shape)

static const struct kh_schema_field tool_fields[] = {
	TEXT(kh_policy_rule, name, true, 1, 128, kh_match_is_glob, IS_GLOB),
	RULE_FIELDS,
	TEXTS(kh_policy_rule, control_parameters, false, 64, kh_match_is_name, IS_NAME),
	WORD(kh_policy_rule, results, kh_toolrule_results_words),
	LIST(kh_policy_rule, own, 64, argument_shape),
	LIST(kh_policy_rule, fields, 64, kh_toolrule_member),
	WORD(kh_policy_rule, elicitation, kh_toolrule_elicitation_words),
};
static const struct kh_shape tool_shape = LINED(tool_fields, kh_policy_rule, start_tool);

static const struct kh_schema_field operation_fields[] = {
	TEXT(kh_policy_rule, name, true, 1, 64, is_operation, OPERATION_NAMES),
	RULE_FIELDS,
	TEXTS(kh_policy_rule, hosts, false, 1024, kh_match_is_host_port, IS_HOST),
	TEXTS(kh_policy_rule, paths, false, 256, kh_match_is_path, IS_PATH),
	WORDS(kh_policy_rule, scopes, kh_operation_scope_words),
	TEXTS_SOME(kh_policy_rule, databases, false, 256, kh_match_is_glob, IS_DATABASE),
	LIST(kh_policy_rule, statements, 256, statement_shape),
	WORD(kh_policy_rule, free_sql, permission_words),
	LIST(kh_policy_rule, commands, 256, command_shape),
};
static const struct kh_shape operation_shape = LINED(operation_fields, kh_policy_rule, start_operation);

static const struct kh_schema_field screen_fields[] = {
	TEXT(kh_policy_screen, name, true, 1, 64, kh_match_is_name, IS_NAME),
	TEXT(kh_policy_screen, code, true, 1, 64, kh_match_is_name, IS_NAME),
	WORD(kh_policy_screen, severity, severity_words),
	TEXT(kh_policy_screen, pattern, true, 1, 1024, NULL, "a regular expression over lower-case text"),
	TEXT(kh_policy_screen, positive, true, 1, 1024, NULL, "a text that the pattern finds"),
	TEXT(kh_policy_screen, negative, true, 1, 1024, NULL, "a text that the pattern does not find"),
};

static void start_screen(const struct kh_outline *node, void *item)
{
	(void)node;
	*(struct kh_policy_screen *)item = (struct kh_policy_screen){.severity = KH_SEVERITY_MEDIUM};
}

static const struct kh_shape screen_shape = LINED(screen_fields, kh_policy_screen, start_screen);

static const struct kh_schema_field approval_fields[] = {
	NUMBER(kh_policy_approvals, expiry_seconds, 1, 604800),
	NUMBER(kh_policy_approvals, max_pending, 1, 100),
};
static const struct kh_shape approval_shape = SHAPE(approval_fields, kh_policy_approvals);

static const struct kh_schema_field policy_fields[] = {
	TEXT(kh_policy, version, false, 1, 64, NULL, "a name for this version of the policy"),
	MAP(kh_policy, budgets, budget_shape),
	MAP(kh_policy, rates, rate_shape),
	WORD(kh_policy, lint, lint_words),
	WORD(kh_policy, release, release_words),
	WORD(kh_policy, plan, plan_words),
	WORD(kh_policy, fenced, fenced_words),
	WORD(kh_policy, user_messages, kh_label_trust_words),
	MAP(kh_policy, taint_risk, table_shape),
	LIST(kh_policy, tools, 1024, tool_shape),
	LIST(kh_policy, operations, 1024, operation_shape),
	WORD(kh_policy, network, network_words),
	NUMBER(kh_policy, egress_bytes, 0, UINT64_C(1000000000000)),
	NUMBER(kh_policy, reader_egress, 0, UINT64_C(1000000000000)),
	MAP(kh_policy, limits, limit_shape),
	LIST(kh_policy, screen, 256, screen_shape),
	MAP(kh_policy, approvals, approval_shape),
};
const struct kh_shape kh_keys_policy = LINED(policy_fields, kh_policy, NULL);

static const struct kh_schema_field reader_fields[] = {
	TEXT(kh_config_reader, name, true, 1, 64, kh_match_is_name, IS_NAME),
	{FIELD(kh_config_reader, driver, WORD), .needed = true, .words = &kh_settings_driver_words},
	TEXTS(kh_config_reader, argv, false, 64, kh_match_is_argument, IS_ARGUMENT),
	TEXTS(kh_config_reader, read, false, 31, kh_match_is_path, IS_PATH), /* the program is one more */
	TEXT(kh_config_reader, url, false, 1, 2048, kh_match_is_web, IS_URL),
	TEXT(kh_config_reader, model, false, 1, 256, is_model, IS_MODEL),
	TEXT(kh_config_reader, key_file, false, 1, 4095, kh_match_is_key_file, IS_KEY_FILE),
	TEXT(kh_config_reader, key_environment, false, 1, 128, kh_match_is_variable, IS_VARIABLE),
	TEXT(kh_config_reader, authority, false, 1, 4095, kh_match_is_path, IS_PATH),
	WORD(kh_config_reader, local, kh_settings_switch_words),
	WORD(kh_config_reader, internal, kh_settings_switch_words),
	WORD(kh_config_reader, schema, kh_settings_switch_words),
	NUMBER(kh_config_reader, max_tokens, 1, 1000000),
	NUMBER(kh_config_reader, retries, 0, 10),
	NUMBER(kh_config_reader, timeout_seconds, 1, 600),
	NUMBER(kh_config_reader, concurrency, 1, 1024),
};

/* Makes keys that are left out recognisable, because a key that has no meaning for the driver is refused. */
static void start_reader(const struct kh_outline *node, void *item)
{
	(void)node;
	*(struct kh_config_reader *)item = (struct kh_config_reader){.local = KH_CONFIG_UNSAID,
								     .internal = KH_CONFIG_UNSAID,
								     .schema = KH_CONFIG_UNSAID,
								     .retries = KH_CONFIG_NOT_SAID};
}

static const struct kh_shape reader_shape = LINED(reader_fields, kh_config_reader, start_reader);

static const struct kh_schema_field audit_fields[] = {
	TEXT(kh_config_audit, witness_file, false, 1, 4095, kh_match_is_path, IS_PATH),
	WORD(kh_config_audit, witness_syslog, kh_settings_switch_words),
	TEXTS(kh_config_audit, witness_command, false, 64, kh_match_is_argument, IS_ARGUMENT),
	NUMBER(kh_config_audit, checkpoint_events, 1, UINT64_C(1000000000)),
	NUMBER(kh_config_audit, checkpoint_seconds, 1, 86400),
	NUMBER(kh_config_audit, retention_days, 0, 36500),
};
static const struct kh_shape audit_shape = LINED(audit_fields, kh_config_audit, NULL);

static const struct kh_schema_field gateway_fields[] = {
	TEXTS(kh_config_gateway, listen, false, 16, kh_reach_is_listen, IS_LISTEN),
	TEXT(kh_config_gateway, socket, false, 1, 107, kh_reach_is_file,
	     IS_FILE), /* the longest path that fits into a Unix socket's address */
	TEXT(kh_config_gateway, tls_certificate, false, 1, 1023, kh_reach_is_file, IS_FILE),
	TEXT(kh_config_gateway, tls_key, false, 1, 1023, kh_reach_is_file, IS_FILE),
	WORD(kh_config_gateway, plain, kh_settings_switch_words),
	TEXTS(kh_config_gateway, hosts, false, 64, kh_reach_is_host, IS_HOST_PORT),
	TEXTS(kh_config_gateway, origins, false, 64, kh_reach_is_origin, IS_ORIGIN),
	TEXT(kh_config_gateway, url, false, 1, 1023, kh_reach_is_url, IS_OWN_URL),
	NUMBER(kh_config_gateway, connections, 1, 100000),
	NUMBER(kh_config_gateway, wait_seconds, 1, 600),
	NUMBER(kh_config_gateway, stop_seconds, 0, 600),
	NUMBER(kh_config_gateway, pool, 0, 8),
};
static const struct kh_shape gateway_shape = LINED(gateway_fields, kh_config_gateway, NULL);

static const struct kh_schema_field config_fields[] = {
	MAP(kh_config, policy, kh_keys_policy),
	LIST(kh_config, readers, 256, reader_shape),
	MAP(kh_config, audit, audit_shape),
	MAP(kh_config, gateway, gateway_shape),
	LIST(kh_config, databases, 64, kh_sources_database),
	MAP(kh_config, search, kh_sources_search),
	MAP(kh_config, network, kh_sources_network),
	MAP(kh_config, verification, kh_sources_verification),
	LIST(kh_config, upstreams, 64, kh_upstreams_shape),
};
const struct kh_shape kh_keys_config = SHAPE(config_fields, kh_config);
