/* Words of the settings, and functions that find their parts by name. */
#include "core/policy/settings.h"

const struct kh_words kh_policy_role_words = KH_WORDS(
	[KH_ROLE_CONTROLLER] = "controller", [KH_ROLE_READER] = "reader", [KH_ROLE_SUPERVISOR] = "supervisor",
	[KH_ROLE_HOST] = "host", [KH_ROLE_REVIEWER] = "reviewer", [KH_ROLE_ADMIN] = "admin", [KH_ROLE_HOOK] = "hook");

const struct kh_words kh_settings_driver_words =
	KH_WORDS([KH_CONFIG_DRIVER_EXTRACT] = "extract", [KH_CONFIG_DRIVER_COMMAND] = "command",
		 [KH_CONFIG_DRIVER_OPENAI] = "openai", [KH_CONFIG_DRIVER_ANTHROPIC] = "anthropic");

const struct kh_words kh_settings_switch_words = KH_WORDS([KH_CONFIG_FALSE] = "false", [KH_CONFIG_TRUE] = "true");

const struct kh_words kh_policy_type_words = KH_WORDS(
	[KH_POLICY_TYPE_BOOLEAN] = "boolean", [KH_POLICY_TYPE_ENUM] = "enum", [KH_POLICY_TYPE_INTEGER] = "integer",
	[KH_POLICY_TYPE_LENGTH] = "length", [KH_POLICY_TYPE_DATE] = "date", [KH_POLICY_TYPE_TIME] = "time",
	[KH_POLICY_TYPE_DATETIME] = "datetime", [KH_POLICY_TYPE_PHONE] = "phone", [KH_POLICY_TYPE_NUMBER] = "number",
	[KH_POLICY_TYPE_AMOUNT] = "amount", [KH_POLICY_TYPE_YES_NO] = "yes_no", [KH_POLICY_TYPE_COUNTRY] = "country",
	[KH_POLICY_TYPE_LANGUAGE] = "language");

/* The item of LIST, whose items have SIZE bytes, with NAME at offset AT; NULL if there is none. */
static const void *find(const struct kh_list *list, size_t size, size_t at, struct kh_view name)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *item = (const char *)list->at + i * size;
		struct kh_view own;
		memcpy(&own, item + at, sizeof(own));
		if (kh_view_eq(own, name))
			return item;
	}
	return NULL;
}

#define FIND(list, type, name) find(&(list), sizeof(type), offsetof(type, name), (name))

const struct kh_config_database *kh_settings_database(const struct kh_config *config, struct kh_view name)
{
	return FIND(config->databases, struct kh_config_database, name);
}

const struct kh_config_reader *kh_settings_reader(const struct kh_config *config, struct kh_view name)
{
	return FIND(config->readers, struct kh_config_reader, name);
}

const struct kh_config_upstream *kh_settings_upstream(const struct kh_config *config, struct kh_view name)
{
	return FIND(config->upstreams, struct kh_config_upstream, name);
}

const struct kh_policy_upstream *kh_settings_server(const struct kh_policy *policy, struct kh_view name)
{
	/* K11: it runs beside the agent, and what it does with its arguments is the host's business. */
	static const struct kh_policy_upstream host = {.name = KH_LIT_INIT(KH_CONFIG_HOST), .seconds = 600};
	const struct kh_policy_upstream *all = policy->upstreams.at;

	if (kh_view_eq(name, host.name))
		return &host;
	for (size_t i = 0; i < policy->upstreams.n; i++) {
		if (kh_view_eq(all[i].name, name))
			return &all[i];
	}
	return NULL;
}

bool kh_settings_types_results(const struct kh_config *config)
{
	const struct kh_policy_rule *rules = config->policy.tools.at;
	bool found = false;

	for (size_t i = 0; i < config->policy.tools.n; i++)
		found = found || rules[i].results == KH_RESULTS_TYPED;
	return found && kh_settings_reader(config, KH_LIT("typed")) == NULL;
}
