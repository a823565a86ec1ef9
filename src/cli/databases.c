/* The doctor's check of databases.  What a server says is put into a row quoted, or not at all. */
#include "cli/databases.h"

#include "errand/rights.h"
#include "home/supplies.h"
#include "outside/client.h"

#include <stdio.h>

struct examination {
	struct kh_arena *arena;
	struct kh_diagnosis *rows;
	size_t n;
};

/* Returns a NUL-terminated copy, in the arena. */
static const char *text_of(struct kh_arena *arena, struct kh_view v)
{
	char *text = kh_arena_alloc(arena, v.n + 1);

	if (text != NULL && v.n > 0)
		memcpy(text, v.p, v.n);
	return text != NULL ? text : "";
}

static struct kh_diagnosis *add(struct examination *x, const char *name, bool has, struct kh_view detail)
{
	if (x->n == KH_DATABASES_ROWS)
		return NULL;
	struct kh_diagnosis *row = &x->rows[x->n++];
	*row = (struct kh_diagnosis){.name = name, .has = has, .without = "", .remedy = ""};
	snprintf(row->detail, sizeof(row->detail), "%.*s", KH_FMT(detail));
	return row;
}

static void add_failure(struct examination *x, const char *name, struct kh_view why, const char *to_do)
{
	struct kh_diagnosis *row = add(x, name, false, why);

	if (row == NULL)
		return;
	row->without = "operations cannot ask it";
	row->remedy = to_do;
}

static void add_finding(struct examination *x, const char *name, struct kh_view role,
			const struct kh_rights_finding *finding)
{
	struct kh_view detail = kh_arena_printf(x->arena, "role %.*s may do more than read%s", KH_FMT(role),
						finding->is_grave ? ", past a read-only transaction" : "");
	struct kh_diagnosis *row = add(x, name, false, detail);

	if (row == NULL)
		return;
	row->without = text_of(x->arena, finding->means);
	row->remedy = finding->to_do;
}

static void examine_one(struct examination *x, const struct kh_errand_tools *tools,
			const struct kh_config_database *database)
{
	const char *name = text_of(x->arena, database->name);
	struct kh_rights *rights = KH_NEW(x->arena, struct kh_rights);

	if (rights == NULL || kh_rights_look(tools, database, x->arena, rights) != KH_OK) {
		add_failure(x, name, KH_LIT("out of memory"), "free some memory");
		return;
	}
	if (!rights->looked)
		add_failure(x, name, rights->why,
			    "see that the file or server is there, and that user, password and certificate are right");
	else if (database->file.n > 0)
		add(x, name, true, KH_LIT("can be read"));
	else if (rights->n == 0)
		add(x, name, true,
		    kh_arena_printf(x->arena, "role %.*s reads, and nothing else", KH_FMT(database->user)));
	for (size_t i = 0; i < rights->n; i++)
		add_finding(x, name, database->user, &rights->finding[i]);
}

size_t kh_databases_examine(struct kh_home *home, struct kh_diagnosis ret_rows[KH_DATABASES_ROWS])
{
	const struct kh_config_database *databases = home->config->databases.at;
	struct examination x = {.arena = &home->arena, .rows = ret_rows};
	struct kh_error err = {.detail = ""};
	struct kh_client client;

	if (home->config->databases.n == 0)
		return 0;
	if (kh_client_start(&client, NULL, &err) != KH_OK) {
		add_failure(&x, "executor", kh_view_str(err.detail), "what is missing above comes first");
		return x.n;
	}
	home->client = &client;
	if (kh_supplies_open(home, &err) != KH_OK)
		add_failure(&x, "secrets", kh_view_str(err.detail),
			    "see that the file or variable that the configuration names is there");
	for (size_t i = 0; home->supplies != NULL && i < home->config->databases.n; i++)
		examine_one(&x, &home->supplies->tools, &databases[i]);
	kh_client_stop(&client);
	home->client = NULL;
	return x.n;
}
