/*
 * Policies (I8): a YAML text is read whole or refused with its line; what was read has a canonical form, and asking it
 * about any operation gives a rule.
 */
#include "fuzz.h"

#include "core/policy/config.h"

static void check_policy(struct kh_arena *arena, const struct kh_policy *policy, struct kh_view text)
{
	static const struct kh_view operations[] = {KH_LIT_INIT("comm.fetch"), KH_LIT_INIT("comm.exec"),
						    KH_LIT_INIT("files__read_file"), KH_LIT_INIT("comm.mcp.mail.send"),
						    KH_LIT_INIT("")};
	struct kh_view canonical, path;
	const struct kh_rule *rules;
	const struct kh_policy *again;
	yyjson_val *root = NULL;
	size_t count;

	HOLDS(kh_policy_canonical(arena, policy, &canonical, NULL) == KH_OK);
	HOLDS(kh_json_read(arena, canonical, &root, NULL) == KH_OK);
	HOLDS(kh_config_policy(arena, text, KH_LIT("again.yaml"), &again, NULL) == KH_OK);
	HOLDS(memcmp(&policy->digest, &again->digest, sizeof(again->digest)) == 0);
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		HOLDS(kh_policy_rule(policy, arena, operations[i], KH_LIT(""), &path) != NULL);
	for (unsigned category = 1; category <= 3; category++)
		HOLDS(kh_policy_reader_rate(policy, KH_LIT("mail-reader"), category).count <= KH_QUOTA_MAX);
	HOLDS(kh_policy_screen_rules(arena, policy, &rules, &count) == KH_OK);
	for (size_t i = 0; i < count; i++)
		HOLDS(rules[i].name != NULL && rules[i].code != NULL && rules[i].pattern != NULL);
}

/* What stands beside the policy: `extract` is there, names stand once, and a program is an absolute path. */
static void check_config(struct kh_arena *arena, struct kh_view text)
{
	const struct kh_config *config = NULL;

	/* A policy may be good by itself, and name a database that its configuration does not have. */
	if (kh_config_read(arena, text, KH_LIT("keyhole.yaml"), &config, NULL) != KH_OK)
		return;
	const struct kh_config_reader *readers = config->readers.at;
	HOLDS(kh_settings_reader(config, KH_LIT(KH_CONFIG_EXTRACT))->driver == KH_CONFIG_DRIVER_EXTRACT);
	for (size_t i = 0; i < config->readers.n; i++) {
		HOLDS(kh_settings_reader(config, readers[i].name) == &readers[i]);
		if (readers[i].driver == KH_CONFIG_DRIVER_COMMAND)
			HOLDS(readers[i].argv.n > 0 && readers[i].argv.at[0].p[0] == '/' &&
			      readers[i].timeout_seconds > 0);
		else
			HOLDS(readers[i].argv.n == 0 && readers[i].read.n == 0);
	}
	HOLDS(config->audit.checkpoint_events > 0 && config->audit.checkpoint_seconds > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kh_view text = kh_fuzz_view(data, size);
	struct kh_error err = {.offset = SIZE_MAX};
	const struct kh_policy *policy = NULL;
	struct kh_arena arena;

	kh_fuzz_begin(&arena);
	enum kh_err e = kh_config_policy(&arena, text, KH_LIT("keyhole.yaml"), &policy, &err);
	if (e == KH_OK) {
		check_policy(&arena, policy, text);
		check_config(&arena, text);
	} else {
		HOLDS(policy == NULL && err.code != NULL);
		kh_fuzz_error(&err);
	}
	kh_arena_done(&arena);
	return 0;
}
