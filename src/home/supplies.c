/* What external operations (errand/) need from this process.  Their secrets are read only here, and wiped here. */
#include "home/supplies.h"

#include "home/secret.h"
#include "home/upstreams.h"
#include "upstream/port.h"

static const char *const folders[] = {KH_FOLDER_WORKSPACE, "cache", "index", KH_PORT_FOLDER};

enum kh_err kh_supplies_folders(const struct kh_folder *folder, struct kh_error *err)
{
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < sizeof(folders) / sizeof(folders[0]); i++)
		e = kh_folder_make(folder, folders[i], err);
	return e;
}

static enum kh_err read_secrets(struct kh_home *home, struct kh_supplies *supplies, struct kh_error *err)
{
	const struct kh_config_database *databases = home->config->databases.at;
	struct kh_secret key = kh_secret_of_search(&home->config->search);
	enum kh_err e = KH_OK;

	for (size_t i = 0; e == KH_OK && i < home->config->databases.n; i++) {
		struct kh_secret password = kh_secret_of_database(&home->arena, &databases[i]);
		e = kh_secret_read(&password, &home->folder, &home->arena, &home->kept, &supplies->passwords[i], err);
	}
	if (e == KH_OK)
		e = kh_secret_read(&key, &home->folder, &home->arena, &home->kept, &supplies->tools.search_key, err);
	return e;
}

enum kh_err kh_supplies_open(struct kh_home *home, struct kh_error *err)
{
	struct kh_supplies *supplies = KH_NEW(&home->arena, struct kh_supplies);
	struct kh_view *passwords = KH_NEW_N(&home->arena, struct kh_view, home->config->databases.n);

	if (supplies == NULL || passwords == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	/* Upstream servers live on when the configuration is replaced. */
	enum kh_err e = home->fleet == NULL ? kh_upstreams_open(home, err) : KH_OK;
	if (e != KH_OK)
		return e;
	*supplies = (struct kh_supplies){
		.tools = {.client = home->client,
			  .config = home->config,
			  .home = home->folder.path,
			  .passwords = passwords,
			  .upstreams = kh_upstreams_of(home)},
		.passwords = passwords,
	};
	e = read_secrets(home, supplies, err);
	if (e != KH_OK) {
		kh_supplies_wipe(supplies);
		return e;
	}
	home->supplies = supplies;
	return KH_OK;
}

void kh_supplies_wipe(struct kh_supplies *supplies)
{
	if (supplies == NULL)
		return;
	for (size_t i = 0; i < supplies->tools.config->databases.n; i++)
		kh_secret_wipe(supplies->passwords[i]);
	kh_secret_wipe(supplies->tools.search_key);
}
