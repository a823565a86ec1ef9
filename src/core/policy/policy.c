/*
 * Reads a policy, fills in its defaults, and looks things up in it.  The file is the operator's, but it is not trusted
 * to be well-formed.  Once it has passed the checks, what it says is trusted.
 */
#include "core/policy/policy.h"

#include "base/buf.h"
#include "core/comm/operations.h"
#include "core/policy/keys.h"
#include "core/policy/lookup.h"
#include "core/policy/match.h"
#include "core/policy/shadow.h"
#include "core/policy/toolrule.h"

static const struct kh_policy defaults = {
	.budgets = {.task_bits = 16384,
		    .context_bits = 65536,
		    .escalations = 2,
		    .context_escalations = 8,
		    .retries = 2,
		    .task_put_bytes = 32 << 20,
		    .context_put_bytes = 128 << 20,
		    .token_bits = KH_POLICY_FROM_CONTEXT,
		    .token_escalations = KH_POLICY_FROM_CONTEXT,
		    .token_put_bytes = KH_POLICY_FROM_CONTEXT,
		    .alert_percent = 80},
	.rates = {.category_1 = {KH_QUOTA_MINUTE, 60},
		  .category_2 = {KH_QUOTA_MINUTE, 30},
		  .category_3 = {KH_QUOTA_HOUR, 10}},
	.user_messages = KH_VETTED,
	.network = KH_NETWORK_READONLY,
	.egress_bytes = 4096,
	.reader_egress = 64 << 10,
	.limits = {.network_seconds = 30,
		   .file_seconds = 10,
		   .total_seconds = 300,
		   .memory_bytes = 1 << 30,
		   .processes = 64,
		   .output_bytes = 16 << 20,
		   .disk_bytes = 64 << 20},
	.approvals = {.expiry_seconds = 600, .max_pending = 3},
};

/* Reports a value that is well-formed on its own but does not fit the rest. */
static enum kh_err refuse(const struct kh_outline_source *source, unsigned line, struct kh_view what,
			  struct kh_view expected, struct kh_error *err)
{
	return kh_outline_error(source, line, SIZE_MAX, what, expected, err);
}

/* The index of the first item whose name an earlier item has, or N. */
static size_t find_twice(const char *items, size_t n, size_t size, size_t name)
{
	for (size_t i = 1; i < n; i++) {
		for (size_t j = 0; j < i; j++) {
			struct kh_view a, b;
			memcpy(&a, items + i * size + name, sizeof(a));
			memcpy(&b, items + j * size + name, sizeof(b));
			if (kh_view_eq(a, b))
				return i;
		}
	}
	return n;
}

/* Checks that each name appears once in a list of named items. */
static enum kh_err check_names(const struct kh_outline_source *source, const struct kh_list *list, size_t size,
			       size_t name, size_t line, const char *path, struct kh_error *err)
{
	size_t i = list->at != NULL ? find_twice(list->at, list->n, size, name) : list->n;
	unsigned at;

	if (i == list->n)
		return KH_OK;
	memcpy(&at, (const char *)list->at + i * size + line, sizeof(at));
	return refuse(source, at, kh_arena_printf(source->arena, "%s[%zu]: the name stands twice", path, i),
		      KH_LIT("each name once"), err);
}

#define CHECK_NAMES(source, list, S, path, err) \
	check_names(source, list, sizeof(struct S), offsetof(struct S, name), offsetof(struct S, line), path, err)

static enum kh_err check_commands(const struct kh_outline_source *source, const struct kh_policy_rule *rule,
				  struct kh_error *err)
{
	const struct kh_policy_command *commands = rule->commands.at;

	for (size_t i = 0; commands != NULL && i < rule->commands.n; i++) {
		const struct kh_view *both = kh_schema_both(&commands[i].write, &commands[i].read);
		if (both != NULL)
			return refuse(source, commands[i].line,
				      kh_arena_printf(source->arena, "commands[%zu]: %.*s in read and in write", i,
						      KH_FMT(*both)),
				      KH_LIT("it in one of them"), err);
		if (commands[i].argv.n == 0 || !kh_match_is_path(commands[i].argv.at[0]))
			return refuse(source, commands[i].line,
				      kh_arena_printf(source->arena, "commands[%zu].argv: its first argument", i),
				      KH_LIT("the absolute path of a program"), err);
	}
	return CHECK_NAMES(source, &rule->commands, kh_policy_command, "commands", err);
}

/* "comm.search and comm.read": the operations whose rows have KEY. */
static struct kh_view audience_of(struct kh_arena *arena, enum kh_permit_key key)
{
	struct kh_view list = {"", 0};

	for (size_t i = 0; i < kh_operations_own.n; i++) {
		if (kh_operations_own.at[i].permit & key)
			list = kh_arena_printf(arena, "%.*s%s%s", KH_FMT(list), list.n > 0 ? " and " : "",
					       kh_operations_own.at[i].name);
	}
	return list;
}

/* Refuses a key that has no meaning for this operation, because an operator could take it for protection. */
static enum kh_err check_operation(const struct kh_outline_source *source, const struct kh_policy_rule *rule, size_t i,
				   struct kh_error *err)
{
	const struct {
		const char *name;
		enum kh_permit_key key;
		bool said;
	} keys[] = {
		{"hosts", KH_PERMIT_HOSTS, rule->hosts.at != NULL},
		{"paths", KH_PERMIT_PATHS, rule->paths.at != NULL},
		{"scopes", KH_PERMIT_SCOPES, rule->scopes != 0},
		{"databases", KH_PERMIT_DATABASES, rule->databases.at != NULL},
		{"statements", KH_PERMIT_STATEMENTS, rule->statements.at != NULL},
		{"free_sql", KH_PERMIT_STATEMENTS, rule->free_sql != KH_PERMISSION_DENY},
		{"commands", KH_PERMIT_COMMANDS, rule->commands.at != NULL},
	};
	const struct kh_operation *operation = kh_operation_named(&kh_operations_own, rule->name);
	unsigned permit = operation != NULL ? operation->permit : 0;

	for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++) {
		if (keys[k].said && !(permit & keys[k].key))
			return refuse(source, rule->line,
				      kh_arena_printf(source->arena, "policy.operations[%zu]: %s for %.*s", i,
						      keys[k].name, KH_FMT(rule->name)),
				      kh_arena_printf(source->arena, "it only for %.*s",
						      KH_FMT(audience_of(source->arena, keys[k].key))),
				      err);
	}
	enum kh_err e = CHECK_NAMES(source, &rule->statements, kh_policy_statement, "statements", err);
	return e ? e : check_commands(source, rule, err);
}

static enum kh_err check_policy(const struct kh_outline_source *source, const struct kh_policy *policy,
				struct kh_error *err)
{
	const struct kh_policy_rule *rules = policy->operations.at;
	enum kh_err e = kh_shadow_check(source, &policy->operations, "policy.operations", err);

	if (e == KH_OK)
		e = kh_shadow_check(source, &policy->tools, "policy.tools", err);
	if (e == KH_OK)
		e = kh_toolrule_check(source, policy, err);
	if (e == KH_OK)
		e = CHECK_NAMES(source, &policy->screen, kh_policy_screen, "policy.screen", err);
	for (size_t i = 0; e == KH_OK && i < policy->operations.n; i++)
		e = check_operation(source, &rules[i], i, err);
	return e;
}

enum kh_err kh_policy_canonical(struct kh_arena *arena, const struct kh_policy *policy, struct kh_view *ret_text,
				struct kh_error *err)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = doc ? kh_schema_json(doc, arena, &kh_keys_policy, policy) : NULL;

	if (kh_arena_check(arena) != KH_OK)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory for a policy");
	return kh_canonical_mut(arena, root, ret_text, err);
}

enum kh_err kh_policy_json(struct kh_arena *arena, const struct kh_policy *policy, struct kh_view *ret_json,
			   struct kh_error *err)
{
	struct kh_view text;
	enum kh_err e = kh_policy_canonical(arena, policy, &text, err);

	if (e == KH_OK)
		*ret_json = kh_arena_printf(arena, "{\"digest\":\"%.*s\",\"policy\":%.*s}",
					    KH_FMT(kh_canonical_hex(arena, &policy->digest)), KH_FMT(text));
	return e == KH_OK ? kh_arena_check(arena) : e;
}

void kh_policy_start(struct kh_policy *policy)
{
	*policy = defaults;
	policy->taint_risk = kh_risk_default;
}

/* Sets the path of each rule, and makes the index over them. */
static const struct kh_lookup *index_rules(struct kh_arena *arena, const struct kh_list *list, const char *name)
{
	struct kh_policy_rule *rules = list->at;

	for (size_t i = 0; i < list->n; i++)
		rules[i].path = kh_arena_printf(arena, "policy.%s[%zu]", name, i);
	return kh_lookup_new(arena, list);
}

/*
 * The built-in rule of each operation, used if no other rule matches.  It lives as long as the policy, because errands
 * keep a pointer to it.
 */
static struct kh_list make_built_in(struct kh_arena *arena)
{
	struct kh_policy_rule *rules = KH_NEW_N(arena, struct kh_policy_rule, kh_operations_own.n);

	for (size_t i = 0; rules != NULL && i < kh_operations_own.n; i++)
		kh_keys_start(&kh_operations_own.at[i], &rules[i]);
	return (struct kh_list){rules, kh_operations_own.n};
}

static void derive(uint64_t *limit, uint64_t of_context)
{
	if (*limit == KH_POLICY_FROM_CONTEXT)
		*limit = KH_POLICY_CONTEXTS * of_context;
}

/* Several contexts of a token are ordinary; a fresh one each time that the last is spent is not. */
static void derive_budgets(struct kh_policy_budgets *budgets)
{
	derive(&budgets->token_bits, budgets->context_bits);
	derive(&budgets->token_escalations, budgets->context_escalations);
	derive(&budgets->token_put_bytes, budgets->context_put_bytes);
}

static void derive_limit(uint64_t *limit, uint64_t of_policy)
{
	if (*limit == 0)
		*limit = of_policy;
}

/* What a command leaves out of its limits is the policy's. */
static void derive_command(const struct kh_policy_limits *from, struct kh_policy_command_limits *limits)
{
	derive_limit(&limits->seconds, from->total_seconds);
	derive_limit(&limits->memory_bytes, from->memory_bytes);
	derive_limit(&limits->processes, from->processes);
	derive_limit(&limits->output_bytes, from->output_bytes);
	derive_limit(&limits->disk_bytes, from->disk_bytes);
}

static void derive_commands(struct kh_policy *policy)
{
	const struct kh_policy_rule *rules = policy->operations.at;

	for (size_t i = 0; rules != NULL && i < policy->operations.n; i++) {
		struct kh_policy_command *commands = rules[i].commands.at;
		for (size_t k = 0; commands != NULL && k < rules[i].commands.n; k++)
			derive_command(&policy->limits, &commands[k].limits);
	}
}

enum kh_err kh_policy_finish(const struct kh_outline_source *source, struct kh_policy *policy, struct kh_error *err)
{
	struct kh_view text;
	enum kh_err e = check_policy(source, policy, err);

	derive_budgets(&policy->budgets);
	derive_commands(policy);
	if (e == KH_OK)
		e = kh_policy_canonical(source->arena, policy, &text, err);
	if (e != KH_OK)
		return e;
	policy->digest = kh_canonical_digest(text);
	policy->tool_lookup = index_rules(source->arena, &policy->tools, "tools");
	policy->operation_lookup = index_rules(source->arena, &policy->operations, "operations");
	policy->built_in = make_built_in(source->arena);
	policy->file = kh_arena_dup(source->arena, source->file);
	return kh_arena_check(source->arena);
}

/* `comm.mcp.server.tool` as `server__tool`; everything else as it is. */
static struct kh_view tool_name(struct kh_arena *arena, struct kh_view operation)
{
	struct kh_view prefix = KH_LIT("comm.mcp."), rest = kh_view_from(operation, prefix.n);
	size_t dot = kh_view_find(rest, KH_LIT("."), 0);

	if (!kh_view_starts(operation, prefix) || dot == SIZE_MAX)
		return operation;
	struct kh_view name = {NULL, 0};
	struct kh_buf buf;
	/* Not with printf, because a name may hold a NUL and must not be cut there. */
	kh_buf_init(&buf, arena, operation.n);
	kh_buf_add(&buf, kh_view_sub(rest, 0, dot));
	kh_buf_lit(&buf, "__");
	kh_buf_add(&buf, kh_view_from(rest, dot + 1));
	return kh_buf_end(&buf, &name) == KH_OK ? name : (struct kh_view){NULL, 0};
}

static const struct kh_policy_rule *find_built_in(const struct kh_policy *policy, const struct kh_operation *operation)
{
	const struct kh_policy_rule *rules = policy->built_in.at;
	size_t i = 0;

	while (i + 1 < policy->built_in.n && !kh_view_eq(rules[i].name, kh_view_str(operation->name)))
		i++;
	return &rules[i];
}

const struct kh_policy_rule *kh_policy_rule(const struct kh_policy *policy, struct kh_arena *arena,
					    struct kh_view operation, struct kh_view agent, struct kh_view *ret_path)
{
	const struct kh_operation *own = kh_operation_named(&kh_operations_own, operation);
	const struct kh_policy_rule *rules = own ? policy->operations.at : policy->tools.at;
	size_t i = own ? kh_lookup_find(policy->operation_lookup, operation, agent)
		       : kh_lookup_find(policy->tool_lookup, tool_name(arena, operation), agent);
	const struct kh_policy_rule *rule =
		i != SIZE_MAX ? &rules[i]
			      : find_built_in(policy, own ? own : kh_operation_upstream(&kh_operations_own));

	*ret_path = rule->path;
	return rule;
}

enum kh_tier kh_policy_tier(const struct kh_policy *policy, const struct kh_policy_rule *rule, struct kh_view operation,
			    yyjson_val *parameters)
{
	struct kh_view server = kh_operation_server(&kh_operations_own, operation, parameters);
	const struct kh_policy_upstream *upstream = kh_settings_server(policy, server);

	if (rule->tier != KH_TIER_AUTO)
		return rule->tier;
	if (upstream == NULL)
		return KH_TIER_3;
	return upstream->is_url ? KH_TIER_2 : KH_TIER_1;
}

struct kh_rate kh_policy_reader_rate(const struct kh_policy *policy, struct kh_view reader, unsigned category)
{
	const struct kh_policy_rates *named = policy->rates.readers.at, *found = &policy->rates;
	struct kh_rate rate = {0, 0};

	for (size_t i = 0; i <= policy->rates.readers.n && rate.period == 0; i++) {
		const struct kh_policy_rates *r = i < policy->rates.readers.n ? &named[i] : found;
		if (r == found || kh_match_glob(r->reader, reader))
			rate = category == 1 ? r->category_1 : category == 2 ? r->category_2 : r->category_3;
	}
	return rate;
}

static const char *terminated(struct kh_arena *arena, struct kh_view v)
{
	return kh_arena_printf(arena, "%.*s", KH_FMT(v)).p; /* has no NUL inside, because the file had none */
}

enum kh_err kh_policy_screen_rules(struct kh_arena *arena, const struct kh_policy *policy,
				   const struct kh_rule **ret_rules, size_t *ret_count)
{
	const struct kh_policy_screen *from = policy->screen.at;
	struct kh_rule *rules = KH_NEW_N(arena, struct kh_rule, policy->screen.n);

	for (size_t i = 0; rules != NULL && i < policy->screen.n; i++) {
		rules[i] = (struct kh_rule){.name = terminated(arena, from[i].name),
					    .code = terminated(arena, from[i].code),
					    .severity = from[i].severity,
					    .pattern = terminated(arena, from[i].pattern),
					    .positive = terminated(arena, from[i].positive),
					    .negative = terminated(arena, from[i].negative)};
	}
	if (kh_arena_check(arena) != KH_OK)
		return KH_ENOMEM;
	*ret_rules = rules;
	*ret_count = policy->screen.n;
	return KH_OK;
}
