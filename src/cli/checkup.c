/* The checkup.  Paths come from the operator and were checked when the configuration was read.  What is at a path
 * may be anything, so it is only opened.  What a server says is put into a row quoted, or not at all. */
#include "cli/checkup.h"

#include "core/policy/upstreams.h"
#include "errand/rights.h"
#include "home/secret.h"
#include "home/supplies.h"
#include "outside/client.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct checkup {
	struct kh_home *home;
	struct kh_arena *arena;
	struct kh_diagnosis *rows;
	size_t count, room;
};

enum kind { FOLDER, PLAIN_FILE, EITHER, PROGRAM };

/* Adds a row; returns a spare one if there is no memory, which the arena remembers. */
static struct kh_diagnosis *add(struct checkup *c, struct kh_diagnosis row)
{
	static struct kh_diagnosis spare;

	c->rows = kh_arena_more(c->arena, c->rows, c->count, &c->room, sizeof(*c->rows));
	if (c->rows == NULL || row.name == NULL || row.without == NULL || row.remedy == NULL)
		return &spare;
	c->rows[c->count] = row;
	return &c->rows[c->count++];
}

static const char *text_of(struct checkup *c, struct kh_view text)
{
	return kh_arena_printf(c->arena, "%.*s", KH_FMT(text)).p;
}

/* --- what is on this machine -------------------------------------------------------------------------------------- */

static struct kh_diagnosis *add_named(struct checkup *c, struct kh_view name, unsigned line, const char *without)
{
	struct kh_view todo = kh_arena_printf(c->arena,
					      KH_FOLDER_CONFIG
					      ":%u names it: put it there, or let the gateway's user read "
					      "it (and the folders above it), or change the line",
					      line);

	return add(c, (struct kh_diagnosis){
			      .name = text_of(c, name), .is_required = true, .without = without, .remedy = todo.p});
}

static const char *opened_as(int fd, enum kind kind)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return strerror(errno);
	if (kind == FOLDER && !S_ISDIR(st.st_mode))
		return "it is not a folder";
	if ((kind == PLAIN_FILE || kind == PROGRAM) && !S_ISREG(st.st_mode))
		return "it is not a plain file";
	if (kind == PROGRAM && (st.st_mode & 0111) == 0)
		return "it is not a program";
	return NULL;
}

/* Opens what PATH names.  O_NONBLOCK, because a pipe of that name must not block the doctor. */
static void check_path(struct checkup *c, struct kh_view name, struct kh_view path, enum kind kind, unsigned line,
		       const char *without)
{
	struct kh_diagnosis *row = add_named(c, name, line, without);
	struct kh_view text = kh_arena_printf(c->arena, "%.*s", KH_FMT(path)), quoted = kh_arena_quote(c->arena, path);

	if (text.p == NULL || quoted.p == NULL)
		return;
	int fd = open(text.p, (kind == PROGRAM ? O_PATH : O_RDONLY) | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	const char *why = fd < 0 ? strerror(errno) : opened_as(fd, kind);
	if (fd >= 0)
		close(fd);
	row->has = why == NULL;
	snprintf(row->detail, sizeof(row->detail), "%.*s%s%s", KH_FMT(quoted), why != NULL ? ": " : "",
		 why != NULL ? why : "");
}

static void check_authority(struct checkup *c, struct kh_view of, struct kh_view path, unsigned line)
{
	if (path.n > 0)
		check_path(c, kh_arena_printf(c->arena, "authority of %.*s", KH_FMT(of)), path, PLAIN_FILE, line,
			   "no connection that needs it is made");
}

/* Checks that the secret can be read; its text is not used. */
static void check_secret(struct checkup *c, const struct kh_secret *secret)
{
	struct kh_secret_kept *kept = NULL;
	struct kh_error err = {.offset = SIZE_MAX};
	struct kh_view text = {NULL, 0};

	if (secret->file.n == 0 && secret->environment.n == 0)
		return;
	struct kh_diagnosis *row = add_named(
		c, kh_arena_printf(c->arena, "%s of %.*s", secret->word, KH_FMT(secret->owner)), secret->line,
		"the gateway does not start");
	enum kh_err e = kh_secret_read(secret, &c->home->folder, c->arena, &kept, &text, &err);
	kh_secret_wipe(text);
	kh_secret_forget(kept);
	row->has = e == KH_OK;
	/* The variable belongs to the gateway's environment, which may differ from that of this process. */
	if (secret->file.n == 0 && e != KH_OK) {
		row->is_required = false;
		row->without = "it is not in this environment; the gateway needs it in its own";
	}
	snprintf(row->detail, sizeof(row->detail), "%s",
		 e != KH_OK           ? err.detail
		 : secret->file.n > 0 ? "a file of its owner's alone"
				      : "in this environment");
}

/* Checks what a connection to another machine needs. */
static void check_remote(struct checkup *c, const struct kh_secret *secret, struct kh_view authority)
{
	check_secret(c, secret);
	check_authority(c, secret->owner, authority, secret->line);
}

static void check_reader(struct checkup *c, const struct kh_config_reader *reader)
{
	struct kh_secret secret = kh_secret_of_reader(c->arena, reader);

	if (reader->argv.n > 0)
		check_path(c, secret.owner, reader->argv.at[0], PROGRAM, reader->line, "the Reader cannot be asked");
	for (size_t i = 0; i < reader->read.n; i++)
		check_path(c, secret.owner, reader->read.at[i], EITHER, reader->line, "the Reader cannot be asked");
	check_remote(c, &secret, reader->authority);
}

/* Checks a database's password and authority; databases.h checks whether it answers. */
static void check_database(struct checkup *c, const struct kh_config_database *database)
{
	struct kh_secret secret = kh_secret_of_database(c->arena, database);

	if (database->file.n > 0)
		check_path(c, secret.owner, database->file, PLAIN_FILE, database->line, "nothing can be asked of it");
	check_remote(c, &secret, database->authority);
}

static void check_search(struct checkup *c, const struct kh_config_search *search)
{
	struct kh_secret secret = kh_secret_of_search(search);

	for (size_t i = 0; i < search->folders.n; i++)
		check_path(c, KH_LIT("search folder"), search->folders.at[i], FOLDER, search->line,
			   "nothing in it is found");
	check_remote(c, &secret, search->authority);
}

/* The file of a secret, as the executor will look for it: not empty, and for its owner alone. */
static void check_upstream_secret(struct checkup *c, const struct kh_config_upstream *up, const struct kh_pair *pair)
{
	struct kh_view scheme, file = pair->text, owner = kh_arena_printf(c->arena, "upstream %.*s", KH_FMT(up->name));

	if (!kh_upstreams_secret(pair->text, &scheme, &file) || owner.p == NULL)
		return;
	struct kh_view path = kh_arena_printf(c->arena, "%.*s%s%.*s",
					      KH_FMT(file.p[0] == '/' ? KH_LIT("") : c->home->folder.path),
					      file.p[0] == '/' ? "" : "/", KH_FMT(file));
	struct kh_diagnosis *row = add_named(
		c, kh_arena_printf(c->arena, "%.*s of %.*s", KH_FMT(pair->name), KH_FMT(owner)), pair->line,
		"the server is not started");
	struct stat st = {0};
	const char *why = path.p == NULL || stat(path.p, &st) != 0   ? strerror(errno)
			  : !S_ISREG(st.st_mode)                     ? "it is not a plain file"
			  : st.st_uid != geteuid() && st.st_uid != 0 ? "it belongs to somebody else"
			  : (st.st_mode & 077) != 0                  ? "others may use it: chmod 600 it"
			  : st.st_size == 0                          ? "it is empty"
								     : NULL;
	row->has = why == NULL;
	snprintf(row->detail, sizeof(row->detail), "%s", why != NULL ? why : "a file of its owner's alone");
}

static void check_upstream(struct checkup *c, const struct kh_config_upstream *up)
{
	struct kh_view owner = kh_arena_printf(c->arena, "upstream %.*s", KH_FMT(up->name));

	if (up->command.n > 0)
		check_path(c, owner, up->command.at[0], PROGRAM, up->line, "the server is not started");
	if (up->program.n > 0)
		check_path(c, owner, up->program, FOLDER, up->line, "the server is not started");
	for (size_t i = 0; i < up->read.n; i++)
		check_path(c, owner, up->read.at[i], EITHER, up->line, "the server is not started");
	for (size_t i = 0; i < up->write.n; i++)
		check_path(c, owner, up->write.at[i], EITHER, up->line, "the server is not started");
	for (size_t i = 0; i < up->secrets.n; i++)
		check_upstream_secret(c, up, &up->secrets.at[i]);
	check_authority(c, owner, up->authority, up->line);
}

static void check_rule(struct checkup *c, const struct kh_policy_rule *rule)
{
	const struct kh_policy_command *commands = rule->commands.at;

	for (size_t i = 0; i < rule->paths.n; i++)
		check_path(c, rule->name, rule->paths.at[i], EITHER, rule->line, "nothing in it can be read");
	for (size_t i = 0; i < rule->commands.n; i++)
		check_path(c, kh_arena_printf(c->arena, "command %.*s", KH_FMT(commands[i].name)),
			   commands[i].argv.at[0], PROGRAM, commands[i].line, "the command cannot be run");
}

struct kh_diagnosis *kh_checkup_run(struct kh_home *home, size_t *ret_count)
{
	const struct kh_config *config = home->config;
	const struct kh_config_reader *readers = config->readers.at;
	const struct kh_config_database *databases = config->databases.at;
	const struct kh_policy_rule *rules = config->policy.operations.at;
	const struct kh_config_upstream *upstreams = config->upstreams.at;
	struct checkup c = {.home = home, .arena = &home->arena};

	for (size_t i = 0; i < config->readers.n; i++)
		check_reader(&c, &readers[i]);
	for (size_t i = 0; i < config->databases.n; i++)
		check_database(&c, &databases[i]);
	check_search(&c, &config->search);
	check_authority(&c, KH_LIT("comm.fetch"), config->network.authority, config->network.line);
	for (size_t i = 0; i < config->policy.operations.n; i++)
		check_rule(&c, &rules[i]);
	for (size_t i = 0; i < config->upstreams.n; i++)
		check_upstream(&c, &upstreams[i]);
	*ret_count = kh_arena_check(&home->arena) == KH_OK ? c.count : 0;
	return c.rows;
}

/* --- databases ---------------------------------------------------------------------------------------------------- */

static void add_asked(struct checkup *c, struct kh_diagnosis row, struct kh_view detail)
{
	struct kh_diagnosis *added = add(c, row);

	snprintf(added->detail, sizeof(added->detail), "%.*s", KH_FMT(detail));
}

static void add_failure(struct checkup *c, const char *name, struct kh_view why, const char *to_do)
{
	add_asked(c, (struct kh_diagnosis){.name = name, .without = "operations cannot ask it", .remedy = to_do}, why);
}

static void add_finding(struct checkup *c, const char *name, struct kh_view role,
			const struct kh_rights_finding *finding)
{
	struct kh_view detail = kh_arena_printf(c->arena, "role %.*s may do more than read%s", KH_FMT(role),
						finding->is_grave ? ", past a read-only transaction" : "");

	add_asked(c,
		  (struct kh_diagnosis){.name = name, .without = text_of(c, finding->means), .remedy = finding->to_do},
		  detail);
}

static void ask_database(struct checkup *c, const struct kh_errand_tools *tools,
			 const struct kh_config_database *database)
{
	const char *name = text_of(c, database->name);
	struct kh_diagnosis good = {.name = name, .has = true, .without = "", .remedy = ""};
	struct kh_rights *rights = KH_NEW(c->arena, struct kh_rights);

	if (rights == NULL || kh_rights_look(tools, database, c->arena, rights) != KH_OK)
		return; /* the arena remembers it */
	if (!rights->looked)
		add_failure(c, name, rights->why,
			    "see that the file or server is there, and that user, password and certificate are right");
	else if (database->file.n > 0)
		add_asked(c, good, KH_LIT("can be read"));
	else if (rights->n == 0)
		add_asked(c, good,
			  kh_arena_printf(c->arena, "role %.*s reads, and nothing else", KH_FMT(database->user)));
	for (size_t i = 0; i < rights->n; i++)
		add_finding(c, name, database->user, &rights->finding[i]);
}

static void ask_databases(struct checkup *c)
{
	const struct kh_config_database *databases = c->home->config->databases.at;
	struct kh_error err = {.detail = ""};
	struct kh_client client;

	if (kh_client_start(&client, NULL, &err) != KH_OK) {
		add_failure(c, "executor", kh_view_str(err.detail), "what is missing above comes first");
		return;
	}
	c->home->client = &client;
	if (kh_supplies_open(c->home, &err) != KH_OK)
		add_failure(c, "secrets", kh_view_str(err.detail),
			    "see that the file or variable that the configuration names is there");
	for (size_t i = 0; c->home->supplies != NULL && i < c->home->config->databases.n; i++)
		ask_database(c, &c->home->supplies->tools, &databases[i]);
	kh_client_stop(&client);
	c->home->client = NULL;
}

struct kh_diagnosis *kh_checkup_databases(struct kh_home *home, size_t *ret_count)
{
	struct checkup c = {.home = home, .arena = &home->arena};

	if (home->config->databases.n > 0)
		ask_databases(&c);
	if (kh_arena_check(c.arena) != KH_OK)
		add_failure(&c, "databases", KH_LIT("out of memory"), "free some memory");
	*ret_count = c.rows != NULL ? c.count : 0;
	return c.rows;
}
