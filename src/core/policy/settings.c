/* Words of the settings, and functions that find their parts by name. */
#include "core/policy/settings.h"

const struct kh_words kh_policy_role_words =
	KH_WORDS([KH_ROLE_CONTROLLER] = "controller", [KH_ROLE_READER] = "reader", [KH_ROLE_SUPERVISOR] = "supervisor",
		 [KH_ROLE_HOST] = "host", [KH_ROLE_REVIEWER] = "reviewer", [KH_ROLE_ADMIN] = "admin");

const struct kh_words kh_settings_driver_words =
	KH_WORDS([KH_CONFIG_DRIVER_EXTRACT] = "extract", [KH_CONFIG_DRIVER_COMMAND] = "command",
		 [KH_CONFIG_DRIVER_OPENAI] = "openai", [KH_CONFIG_DRIVER_ANTHROPIC] = "anthropic");

const struct kh_words kh_settings_switch_words = KH_WORDS([KH_CONFIG_FALSE] = "false", [KH_CONFIG_TRUE] = "true");

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
