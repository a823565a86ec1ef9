/* From what a server offers, which is hostile, to the engine's record of it.  Nothing is read here. */
#include "home/upstreams.h"

#include "engine/upstream/seen.h"
#include "upstream/fleet.h"

enum kh_err kh_upstreams_note(struct kh_engine *engine, const struct kh_running_found *found, struct kh_view about,
			      struct kh_arena *arena, struct kh_error *err)
{
	struct kh_seen_tool *tools = KH_NEW_N(arena, struct kh_seen_tool, found->list->count + 1);
	struct kh_upstream_seen seen = {.name = found->server,
					.program = found->program,
					.about = about,
					.tools = tools,
					.count = found->list->count};

	if (tools == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "not enough memory");
	for (size_t i = 0; i < seen.count; i++) {
		const struct kh_inventory_tool *tool = &found->list->tools[i];
		tools[i] = (struct kh_seen_tool){kh_tainted_open(tool->name), kh_tainted_open(tool->text),
						 tool->digest};
	}
	return kh_engine_own(engine, kh_upstream_seen_run, &seen, arena, err);
}

static enum kh_err seen(void *context, const struct kh_running_found *found, struct kh_view about,
			struct kh_arena *arena, struct kh_error *err)
{
	const struct kh_home *home = context;

	return kh_upstreams_note(home->engine, found, about, arena, err);
}

enum kh_err kh_upstreams_open(struct kh_home *home, struct kh_error *err)
{
	struct kh_fleet_settings settings = {.alloc = &kh_alloc_system,
					     .client = home->client,
					     .config = home->config,
					     .folder = home->folder.path,
					     .tells = home->use == KH_HOME_SERVE,
					     .context = home,
					     .seen = seen};

	return kh_fleet_new(&settings, &home->fleet, err);
}

struct kh_errand_upstreams kh_upstreams_of(const struct kh_home *home)
{
	return (struct kh_errand_upstreams){home->fleet, kh_fleet_call};
}
