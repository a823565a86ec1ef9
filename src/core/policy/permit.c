/*
 * Checks a call's arguments against a rule.  The arguments are an agent's and may come from untrusted text.  Anything
 * that is not recognised is refused.  An empty list permits nothing, except `hosts` and `databases`, as their
 * documentation says.
 */
#include "core/policy/permit.h"

#include "core/comm/url.h"
#include "core/policy/keys.h"
#include "core/policy/match.h"

/* The parameter of this kind, as text; {NULL, 0} if there is none. */
static struct kh_view text_of(const struct kh_permit_call *call, enum kh_parameter_kind kind)
{
	const struct kh_parameter_spec *spec = kh_operation_of_kind(call->operation, kind);

	return spec != NULL ? kh_json_str(kh_json_get(call->parameters, spec->name)) : (struct kh_view){NULL, 0};
}

/* --- what a rule allows by name ----------------------------------------------------------------------------------- */

/* The check of one argument. */
struct look {
	struct kh_arena *arena;
	const struct kh_policy_rule *rule;
	const struct kh_permit_call *call;
	struct kh_view text;
	struct kh_error *err;
};

static enum kh_err refuse(const struct look *l, struct kh_view text, const char *code, const char *before,
			  const char *after)
{
	struct kh_view quoted = kh_arena_quote(l->arena, text);

	return kh_error_set(l->err, KH_EREFUSED, code, "%s %.*s%s", before, KH_FMT(quoted), after);
}

static enum kh_err look_at_host(const struct look *l)
{
	struct kh_url url;
	enum kh_err e = kh_url_read(l->text, &url, l->err);

	if (e != KH_OK)
		return e == KH_ENOMEM ? e : KH_EREFUSED;
	for (size_t i = 0; i < l->rule->hosts.n; i++) {
		if (kh_match_host_port(l->rule->hosts.at[i], url.host, url.port))
			return KH_OK;
	}
	if (l->rule->hosts.n == 0)
		return KH_OK;
	return refuse(l, url.host, "DOMAIN_BLOCKED", "the host", " is not among the allowed ones");
}

static enum kh_err look_at_path(const struct look *l)
{
	for (size_t i = 0; i < l->rule->paths.n; i++) {
		if (kh_match_path(l->rule->paths.at[i], l->text))
			return KH_OK;
	}
	return refuse(l, l->text, "path_not_allowed", "the path", " is not below an allowed one");
}

bool kh_permit_database(const struct kh_policy_rule *rule, struct kh_view name)
{
	for (size_t i = 0; i < rule->databases.n; i++) {
		if (kh_match_glob(rule->databases.at[i], name))
			return true;
	}
	return rule->databases.n == 0;
}

static enum kh_err look_at_database(const struct look *l)
{
	if (kh_permit_database(l->rule, l->text))
		return KH_OK;
	return refuse(l, l->text, "database_not_allowed", "the database", " is not among the allowed ones");
}

static enum kh_err look_at_statement(const struct look *l)
{
	const struct kh_policy_statement *statements = l->rule->statements.at;
	struct kh_view database = text_of(l->call, KH_PARAMETER_NAME);

	for (size_t i = 0; i < l->rule->statements.n; i++) {
		if (kh_view_eq(statements[i].name, l->text) && kh_view_eq(statements[i].database, database))
			return KH_OK;
	}
	if (l->rule->free_sql == KH_PERMISSION_ALLOW)
		return KH_OK;
	return refuse(l, l->text, "statement_not_allowed", "the policy names no statement", " for this database");
}

static const struct kh_policy_command *find_command(const struct kh_policy_rule *rule, struct kh_view name)
{
	const struct kh_policy_command *commands = rule->commands.at;

	for (size_t i = 0; i < rule->commands.n; i++) {
		if (kh_view_eq(commands[i].name, name))
			return &commands[i];
	}
	return NULL;
}

const struct kh_policy_command *kh_permit_command(const struct kh_policy_rule *rule,
						  const struct kh_operation *operation, yyjson_val *parameters)
{
	const struct kh_parameter_spec *spec = operation != NULL ? kh_operation_of_kind(operation, KH_PARAMETER_COMMAND)
								 : NULL;

	return spec != NULL ? find_command(rule, kh_json_str(kh_json_get(parameters, spec->name))) : NULL;
}

static enum kh_err look_at_command(const struct look *l)
{
	if (find_command(l->rule, l->text) != NULL)
		return KH_OK;
	return refuse(l, l->text, "command_not_allowed", "the policy names no command", "");
}

/* The scope of a search.  A missing or unknown one counts as the web, because that leaves this machine. */
static enum kh_scope scope_of(const struct kh_permit_call *call)
{
	unsigned scope = KH_SCOPE_WEB;

	(void)kh_words_parse(&kh_operation_scope_words, text_of(call, KH_PARAMETER_SCOPE), &scope);
	return scope;
}

static enum kh_err look_at_scope(const struct look *l)
{
	enum kh_scope scope = scope_of(l->call);

	if (l->rule->scopes & 1U << scope)
		return KH_OK;
	return kh_error_set(l->err, KH_EREFUSED, "scope_not_allowed", "the scope %s is not among the allowed ones",
			    kh_words_name(&kh_operation_scope_words, scope));
}

/* Which argument each key of a rule is checked against. */
static const struct {
	enum kh_permit_key key;
	enum kh_parameter_kind kind;
	enum kh_err (*look)(const struct look *l);
} looks[] = {
	{KH_PERMIT_HOSTS, KH_PARAMETER_URL, look_at_host},
	{KH_PERMIT_PATHS, KH_PARAMETER_PATH, look_at_path},
	{KH_PERMIT_SCOPES, KH_PARAMETER_SCOPE, look_at_scope},
	{KH_PERMIT_DATABASES, KH_PARAMETER_NAME, look_at_database},
	{KH_PERMIT_STATEMENTS, KH_PARAMETER_STATEMENT, look_at_statement},
	{KH_PERMIT_COMMANDS, KH_PARAMETER_COMMAND, look_at_command},
};

static enum kh_err unsaid(struct kh_error *err)
{
	return kh_error_set(err, KH_EREFUSED, "OPERATION_NOT_ALLOWED",
			    "nothing says what of this operation's arguments a rule allows");
}

/*
 * Checks one parameter.  If its kind can be checked, it must be: if the row gives rules no key for it, the call is
 * refused.
 */
static enum kh_err check_parameter(struct kh_arena *arena, const struct kh_policy_rule *rule,
				   const struct kh_permit_call *call, const struct kh_parameter_spec *spec,
				   bool *ret_looked, struct kh_error *err)
{
	yyjson_val *val = kh_json_get(call->parameters, spec->name);
	const struct look look = {arena, rule, call, kh_json_str(val), err};
	size_t i = 0;

	while (i < sizeof(looks) / sizeof(looks[0]) && looks[i].kind != spec->kind)
		i++;
	if (i == sizeof(looks) / sizeof(looks[0]))
		return KH_OK;
	if (!(call->operation->permit & looks[i].key))
		return unsaid(err);
	if (val == NULL && !spec->required && spec->kind != KH_PARAMETER_SCOPE) /* a missing scope means the web */
		return KH_OK;
	*ret_looked = true;
	if (look.text.p == NULL && spec->kind != KH_PARAMETER_SCOPE)
		return kh_error_set(err, KH_EREFUSED, "parameter_missing", "the call has no text %s", spec->name);
	return looks[i].look(&look);
}

/*
 * Checks everything that the operation's row lets a rule allow.  A key that is about no argument of the call is checked
 * by the code that runs it: the folders and databases of a search.  A call in which nothing was checked is refused.
 */
static enum kh_err check_named(struct kh_arena *arena, const struct kh_policy_rule *rule,
			       const struct kh_permit_call *call, struct kh_error *err)
{
	const struct kh_operation *operation = call->operation;
	bool looked = operation != NULL && (operation->permit & KH_PERMIT_PATTERNS);
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && operation != NULL && i < operation->parameter_count; i++)
		e = check_parameter(arena, rule, call, &operation->parameters[i], &looked, err);
	return e == KH_OK && !looked ? unsaid(err) : e;
}

/* --- sealed content by reference, and patterns -------------------------------------------------------------------- */

/* True if there is a reference to sealed content anywhere in VAL.  JSON is at most 64 deep: base/json.h. */
static bool holds_reference(yyjson_val *val)
{
	yyjson_val *item;

	if (yyjson_is_obj(val)) {
		yyjson_obj_iter iter = yyjson_obj_iter_with(val);
		while ((item = yyjson_obj_iter_next(&iter)) != NULL) {
			if (kh_view_eq(kh_json_str(item), KH_LIT("$block")) ||
			    holds_reference(yyjson_obj_iter_get_val(item)))
				return true;
		}
	} else if (yyjson_is_arr(val)) {
		yyjson_arr_iter iter = yyjson_arr_iter_with(val);
		while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
			if (holds_reference(item))
				return true;
		}
	}
	return false;
}

static bool matches_one(const struct kh_texts *to, yyjson_val *val)
{
	struct kh_view text = kh_json_str(val);

	for (size_t i = 0; text.n > 0 && i < to->n; i++) {
		if (kh_match_value(to->at[i], text))
			return true;
	}
	return false;
}

/*
 * True if VAL is a text that matches one of TO, or a list of such texts that is not empty.  Anything else does not
 * match.
 */
static bool matches_all(const struct kh_texts *to, yyjson_val *val)
{
	yyjson_val *item;

	if (!yyjson_is_arr(val))
		return matches_one(to, val);
	yyjson_arr_iter iter = yyjson_arr_iter_with(val);
	while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
		if (!matches_one(to, item))
			return false;
	}
	return yyjson_arr_size(val) > 0;
}

/* Whether a call goes to this destination. */
static bool goes_to(const struct kh_policy_destination *destination, const struct kh_permit_call *call)
{
	struct kh_view name = destination->parameter;

	return name.n == 0 || matches_all(&destination->to, yyjson_obj_getn(call->parameters, name.p, name.n));
}

/*
 * Looks NAME up in OBJ: as a member, and if it has a dot, as a member of the object named before the dot.  An agent
 * chooses the names of members, so if both exist, both have to match.  *RET_FOUND counts those that exist.
 */
static bool holds(const struct kh_texts *to, yyjson_val *obj, struct kh_view name, size_t *ret_found)
{
	yyjson_val *val = yyjson_obj_getn(obj, name.p, name.n);
	size_t dot = kh_view_find(name, KH_LIT("."), 0);

	if (val != NULL) {
		++*ret_found;
		if (!matches_all(to, val))
			return false;
	}
	if (dot == SIZE_MAX || dot == 0)
		return true;
	yyjson_val *inner = yyjson_obj_getn(obj, name.p, dot);
	return !yyjson_is_obj(inner) || holds(to, inner, kh_view_from(name, dot + 1), ret_found);
}

static enum kh_err check_patterns(struct kh_arena *arena, const struct kh_policy_rule *rule,
				  const struct kh_permit_call *call, struct kh_error *err)
{
	const struct kh_policy_argument *arguments = rule->arguments.at;

	for (size_t i = 0; i < rule->arguments.n; i++) {
		size_t found = 0;
		if (holds(&arguments[i].to, call->parameters, arguments[i].parameter, &found) && found > 0)
			continue;
		struct kh_view quoted = kh_arena_quote(arena, arguments[i].parameter);
		return kh_error_set(err, KH_EREFUSED, "argument_not_allowed", "%s %.*s: the rule says what it may be",
				    found > 0 ? "the argument" : "the call has no argument", KH_FMT(quoted));
	}
	return KH_OK;
}

/* Whether VAL, or each item of it, is a text without a part that leads out of a folder. */
static bool is_plain(yyjson_val *val)
{
	struct kh_view rest = kh_json_str(val), part;
	yyjson_val *item;

	if (yyjson_is_arr(val)) {
		yyjson_arr_iter iter = yyjson_arr_iter_with(val);
		while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
			if (!is_plain(item))
				return false;
		}
		return true;
	}
	while (kh_view_split(&rest, '/', &part)) {
		if (kh_view_eq(part, KH_LIT("..")))
			return false;
	}
	return true;
}

bool kh_permit_is_own(const struct kh_policy_rule *rule, yyjson_val *parameters)
{
	const struct kh_policy_argument *own = rule->own.at;

	for (size_t i = 0; i < rule->own.n; i++) {
		struct kh_view name = own[i].parameter;
		yyjson_val *val = yyjson_obj_getn(parameters, name.p, name.n);
		if (!matches_all(&own[i].to, val) || !is_plain(val))
			return false;
	}
	return true;
}

/* A glob has no colon, so it cannot be written for what was put in; but `*` would match that too. */
static bool is_from(struct kh_view pattern, struct kh_view origin)
{
	return kh_view_starts(origin, KH_LIT(KH_POLICY_GIVEN)) ? kh_view_eq(pattern, origin)
							       : kh_match_glob(pattern, origin);
}

static bool may_carry(const struct kh_policy_rule *rule, const struct kh_permit_call *call, struct kh_view parameter,
		      yyjson_val *val)
{
	const struct kh_policy_destination *destinations = rule->destinations.at;
	struct kh_view block = kh_json_str(kh_json_get(val, "$block")), origin = {NULL, 0};
	bool marked = false;

	for (size_t i = 0; i < rule->content_parameters.n; i++)
		marked = marked || kh_view_eq(rule->content_parameters.at[i], parameter);
	for (size_t i = 0; i < call->origin_count; i++) {
		if (kh_view_eq(call->origins[i].block, block))
			origin = call->origins[i].origin;
	}
	if (!marked || block.n == 0 || origin.n == 0 || yyjson_obj_size(val) != 1)
		return false;
	for (size_t i = 0; i < rule->destinations.n; i++) {
		if (is_from(destinations[i].origin, origin) && goes_to(&destinations[i], call))
			return true;
	}
	return false;
}

/*
 * A reference may replace a parameter's value or an item of it.  Deeper ones are refused, because no rule covers them.
 */
static bool may_carry_all(const struct kh_policy_rule *rule, const struct kh_permit_call *call,
			  struct kh_view parameter, yyjson_val *val)
{
	size_t i, max;
	yyjson_val *key, *item;

	if (kh_json_get(val, "$block") != NULL)
		return may_carry(rule, call, parameter, val);
	if (yyjson_is_obj(val)) {
		yyjson_obj_foreach (val, i, max, key, item) {
			if (holds_reference(item) && !may_carry(rule, call, parameter, item))
				return false;
		}
	} else {
		yyjson_arr_foreach (val, i, max, item) {
			if (holds_reference(item) && !may_carry(rule, call, parameter, item))
				return false;
		}
	}
	return true;
}

/* K8: by default sealed content must not be sent anywhere. */
static enum kh_err check_content(struct kh_arena *arena, const struct kh_policy_rule *rule,
				 const struct kh_permit_call *call, struct kh_error *err)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(call->parameters);
	yyjson_val *key;

	while ((key = yyjson_obj_iter_next(&iter)) != NULL) {
		yyjson_val *val = yyjson_obj_iter_get_val(key);
		if (!holds_reference(val) || may_carry_all(rule, call, kh_json_str(key), val))
			continue;
		struct kh_view quoted = kh_arena_quote(arena, kh_json_str(key));
		return kh_error_set(err, KH_EREFUSED, "content_not_allowed",
				    "the policy lets no sealed content of that origin go there in %.*s",
				    KH_FMT(quoted));
	}
	return KH_OK;
}

enum kh_err kh_permit_arguments(struct kh_arena *arena, const struct kh_policy_rule *rule,
				const struct kh_permit_call *call, struct kh_error *err)
{
	enum kh_err e = check_content(arena, rule, call, err);

	if (e == KH_OK)
		e = check_named(arena, rule, call, err);
	if (e == KH_OK)
		e = check_patterns(arena, rule, call, err);
	return kh_arena_check(arena) == KH_OK ? e : KH_ENOMEM;
}

/* --- what goes out ------------------------------------------------------------------------------------------------ */

bool kh_permit_is_remote(const struct kh_policy *policy, const struct kh_permit_call *call)
{
	enum kh_outbound outbound = call->operation != NULL ? call->operation->outbound : KH_OUTBOUND_ALWAYS;

	if (outbound == KH_OUTBOUND_BY_SCOPE)
		return policy->is_search_remote && scope_of(call) == KH_SCOPE_DATABASE;
	for (size_t i = 0; outbound == KH_OUTBOUND_BY_DATABASE && i < policy->remote_databases.n; i++) {
		if (kh_view_eq(policy->remote_databases.at[i], text_of(call, KH_PARAMETER_NAME)))
			return true;
	}
	return false;
}

bool kh_permit_is_network(const struct kh_permit_call *call, enum kh_tier tier)
{
	switch (call->operation != NULL ? call->operation->outbound : KH_OUTBOUND_ALWAYS) {
	case KH_OUTBOUND_BY_SCOPE:
		return call->is_remote || scope_of(call) == KH_SCOPE_WEB;
	case KH_OUTBOUND_BY_DATABASE:
		return call->is_remote;
	case KH_OUTBOUND_BY_TIER:
		return tier >= KH_TIER_2 || (call->upstream != NULL && call->upstream->is_remote);
	case KH_OUTBOUND_NEVER:
		return false;
	case KH_OUTBOUND_ALWAYS:
		break;
	}
	return true;
}

/* The bytes of information in VAL: texts and names by their bytes, numbers and booleans as eight and one. */
static uint64_t bytes_of(yyjson_val *val)
{
	uint64_t n = 0;
	yyjson_val *item;

	if (yyjson_is_obj(val)) {
		yyjson_obj_iter iter = yyjson_obj_iter_with(val);
		while ((item = yyjson_obj_iter_next(&iter)) != NULL)
			n += kh_json_str(item).n + bytes_of(yyjson_obj_iter_get_val(item));
		return n;
	}
	if (yyjson_is_arr(val)) {
		yyjson_arr_iter iter = yyjson_arr_iter_with(val);
		while ((item = yyjson_arr_iter_next(&iter)) != NULL)
			n += 1 + bytes_of(item);
		return n;
	}
	return yyjson_is_str(val) ? kh_json_str(val).n : yyjson_is_num(val) ? 8 : 1;
}

/* The bytes of a parameter that is sent out: for a URL the part after its scheme.  References are counted apart. */
static uint64_t bytes_sent(const struct kh_parameter_spec *spec, yyjson_val *val)
{
	struct kh_view scheme = KH_LIT("https://"), text = kh_json_str(val);

	if (spec->kind == KH_PARAMETER_URL)
		return text.n > scheme.n ? text.n - scheme.n : 0;
	if (spec->kind == KH_PARAMETER_VALUES || spec->kind == KH_PARAMETER_ARGS)
		return val != NULL ? bytes_of(val) : 0;
	return text.n;
}

/* The bytes of what is referred to, as far as an agent chose them; what the world sent is not the agent's choice. */
static uint64_t bytes_referred(const struct kh_permit_call *call)
{
	uint64_t n = 0;

	for (size_t i = 0; i < call->origin_count; i++)
		n += call->origins[i].chosen;
	return n;
}

uint64_t kh_permit_egress(const struct kh_permit_call *call)
{
	const struct kh_operation *operation = call->operation;
	uint64_t n = bytes_referred(call);

	if (call->upstream != NULL && !call->upstream->is_keeping)
		return 0; /* U5: it has neither network nor a folder to write */
	if (operation == NULL || operation->is_upstream)
		return n + bytes_of(call->parameters);
	if (!kh_permit_is_network(call, KH_TIER_3))
		return 0;
	for (size_t i = 0; i < operation->parameter_count; i++) {
		const struct kh_parameter_spec *spec = &operation->parameters[i];
		if (!spec->stays)
			n += bytes_sent(spec, kh_json_get(call->parameters, spec->name));
	}
	return n;
}
