/*
 * Clients' configurations (U8): JSON with comments, or TOML, is read whole or refused; what is taken of a server is an
 * entry of a valid configuration, and none of its secrets is in the entry.
 */
#include "fuzz.h"

#include "cli/upstream/edit.h"
#include "cli/upstream/proposal.h"
#include "core/policy/config.h"

#define SHORT 6 /* bytes: what is shorter may stand in an entry for another reason */

static void check_entry(struct kh_arena *arena, const struct kh_proposal_entry *entry)
{
	const struct kh_proposal_secret *secrets = entry->secrets.at;
	const struct kh_config *config = NULL;
	struct kh_error err = {.offset = SIZE_MAX};
	struct kh_view text, whole;

	HOLDS(kh_proposal_text(arena, entry, KH_LIT("\"file\""), &text) == KH_OK);
	HOLDS(kh_edit_add(arena, KH_LIT("policy: {}\n"), text, &whole, &err) == KH_OK);
	enum kh_err e = kh_config_read(arena, whole, KH_LIT("k.yaml"), &config, &err);
	if (e != KH_OK) {
		kh_fuzz_error(&err); /* a value that YAML has no place for: refused before anything is written */
		return;
	}
	HOLDS(config->upstreams.n == 1 && kh_settings_upstream(config, entry->name) != NULL);
	struct kh_view values = kh_view_from(text, kh_view_find(text, KH_LIT("\n"), 0));
	for (size_t i = 0; i < entry->secrets.n; i++) {
		bool is_elsewhere = kh_view_find(entry->given, secrets[i].value, 0) != SIZE_MAX;
		for (size_t k = 0; k < entry->values.n; k++)
			is_elsewhere |= kh_view_find(entry->values.at[k].text, secrets[i].value, 0) != SIZE_MAX ||
					kh_view_find(entry->values.at[k].name, secrets[i].value, 0) != SIZE_MAX;
		for (size_t k = 0; k < entry->secrets.n; k++)
			is_elsewhere |= kh_view_find(secrets[k].name, secrets[i].value, 0) != SIZE_MAX ||
					kh_view_find(secrets[k].scheme, secrets[i].value, 0) != SIZE_MAX ||
					kh_view_find(secrets[k].file, secrets[i].value, 0) != SIZE_MAX;
		for (size_t k = 0; k < entry->command.n; k++)
			is_elsewhere |= kh_view_find(entry->command.at[k], secrets[i].value, 0) != SIZE_MAX;
		for (size_t k = 0; k < entry->strange.n; k++)
			is_elsewhere |= kh_view_find(entry->strange.at[k], secrets[i].value, 0) != SIZE_MAX;
		is_elsewhere |= kh_view_find(entry->url, secrets[i].value, 0) != SIZE_MAX;
		bool is_word = kh_view_is_word(secrets[i].value, "_-./: #,[]\"");
		if (secrets[i].value.n >= SHORT && !is_elsewhere && !is_word)
			HOLDS(kh_view_find(values, secrets[i].value, 0) == SIZE_MAX);
	}
	HOLDS(kh_edit_remove(arena, whole, entry->name, &whole, &err) == KH_OK);
	HOLDS(kh_config_read(arena, whole, KH_LIT("k.yaml"), &config, &err) == KH_OK && config->upstreams.n == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* No place is looked at: there is no home, no PATH and no folder of a file. */
	struct kh_proposal_options options = {.places = {.home = KH_LIT("/nonexistent")}};
	struct kh_error err = {.offset = SIZE_MAX};
	struct kh_list servers = {NULL, 0};
	struct kh_arena arena;

	kh_fuzz_begin(&arena);
	enum kh_err e = kh_clientfile_read(&arena, kh_fuzz_view(data, size), &servers, &err);
	if (e != KH_OK) {
		HOLDS(servers.n == 0 && err.code != NULL);
		kh_fuzz_error(&err);
	}
	for (size_t i = 0; i < servers.n; i++) {
		struct kh_proposal_entry entry;
		options.keep_arguments = i % 2 == 1;
		HOLDS(kh_proposal_make(&arena, &options, (const struct kh_clientfile_server *)servers.at + i, &entry) ==
		      KH_OK);
		if (entry.problem.n == 0)
			check_entry(&arena, &entry);
	}
	kh_arena_done(&arena);
	return 0;
}
