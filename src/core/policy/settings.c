/* Words of the settings, and functions that find their parts by name. */
#include "core/policy/settings.h"

const struct kh_words kh_policy_role_words =
	KH_WORDS([KH_ROLE_CONTROLLER] = "controller", [KH_ROLE_READER] = "reader", [KH_ROLE_SUPERVISOR] = "supervisor",
		 [KH_ROLE_HOST] = "host", [KH_ROLE_REVIEWER] = "reviewer", [KH_ROLE_ADMIN] = "admin");

const struct kh_words kh_settings_driver_words =
	KH_WORDS([KH_CONFIG_DRIVER_EXTRACT] = "extract", [KH_CONFIG_DRIVER_COMMAND] = "command",
		 [KH_CONFIG_DRIVER_OPENAI] = "openai", [KH_CONFIG_DRIVER_ANTHROPIC] = "anthropic");

const struct kh_words kh_settings_switch_words = KH_WORDS([KH_CONFIG_FALSE] = "false", [KH_CONFIG_TRUE] = "true");

const struct kh_config_database *kh_settings_database(const struct kh_config *config, struct kh_view name)
{
	const struct kh_config_database *databases = config->databases.at;

	for (size_t i = 0; i < config->databases.n; i++) {
		if (kh_view_eq(databases[i].name, name))
			return &databases[i];
	}
	return NULL;
}

const struct kh_config_reader *kh_settings_reader(const struct kh_config *config, struct kh_view name)
{
	const struct kh_config_reader *readers = config->readers.at;

	for (size_t i = 0; i < config->readers.n; i++) {
		if (kh_view_eq(readers[i].name, name))
			return &readers[i];
	}
	return NULL;
}
