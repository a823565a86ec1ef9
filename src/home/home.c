/* Opening and closing a user's own Keyhole.  The folder is trusted once folder.c has accepted it; the configuration
 * is checked whole; a token is a secret and is wiped. */
#include "home/home.h"

#include "base/clock.h"
#include "engine/due.h"
#include "engine/outbox.h"
#include "engine/purging.h"
#include "engine/query/settle.h"
#include "engine/recover.h"
#include "errand/errand.h"
#include "home/secret.h"
#include "home/supplies.h"
#include "outside/client.h"
#include "reader/model.h"
#include "store/sqlite/sqlite.h"
#include "upstream/fleet.h"
#include "upstream/launch.h"

#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DAY         (INT64_C(24) * 3600 * 1000000) /* microseconds */
#define MEMORY      ((size_t)64 << 20)             /* bytes for the configuration and similar */
#define CALL_MEMORY ((size_t)256 << 20)            /* bytes for operations that Keyhole itself runs */
#define SIGN_MEMORY ((size_t)1 << 30)              /* bytes for a checkpoint, which names every chain that has grown */

/* --- tokens ------------------------------------------------------------------------------------------------------- */

const char *kh_home_token_name(enum kh_role role)
{
	static const char *const names[] = {/* in the order of enum kh_role */
					    "controller.token", "reader.token", "supervisor.token", "host.token",
					    "reviewer.token",   "admin.token",  "hook.token"};

	return names[role];
}

static enum kh_err default_token(struct kh_home *home, enum kh_role role, struct kh_view *ret_token,
				 struct kh_error *err)
{
	const char *name = kh_home_token_name(role);

	if (home->folder.fd < 0)
		return kh_error_set(err, KH_EUNKNOWN, "token_missing",
				    "there is no home folder with a token: name one with --token-file FILE or "
				    "KEYHOLE_TOKEN_FILE");
	enum kh_err e = kh_folder_secret(&home->folder, &home->arena, name, ret_token, err);

	if (e != KH_EUNKNOWN)
		return e;
	return kh_error_set(err, e, "token_missing",
			    "the home folder has no %s: name a token with --token-file FILE or KEYHOLE_TOKEN_FILE "
			    "(`keyhole token create` makes one)",
			    name);
}

enum kh_err kh_home_token(struct kh_home *home, enum kh_role role, struct kh_view *ret_token, struct kh_error *err)
{
	const char *file = home->token_file != NULL ? home->token_file : secure_getenv("KEYHOLE_TOKEN_FILE");
	const char *given = secure_getenv("KEYHOLE_TOKEN");
	struct kh_view token;
	enum kh_err e;

	if (home->preloaded.n > 0) {
		token = home->preloaded;
		home->preloaded = (struct kh_view){NULL, 0};
		e = KH_OK;
	} else if (file != NULL && file[0] != '\0')
		e = kh_folder_secret_at(&home->arena, file, &token, err);
	else if (given != NULL && given[0] != '\0')
		e = (token = kh_arena_dup(&home->arena, kh_view_str(given))).p != NULL ? KH_OK : KH_ENOMEM;
	else
		e = default_token(home, role, &token, err);
	if (e == KH_OK && home->token_count == KH_HOME_TOKENS)
		e = kh_error_set(err, KH_ELIMIT, "too_many", "more tokens were named than one command can use");
	if (e == KH_ENOMEM)
		return kh_error_set(err, e, "out_of_memory", "out of memory");
	if (e != KH_OK)
		return e;
	home->tokens[home->token_count++] = *ret_token = token;
	return KH_OK;
}

static void wipe_tokens(struct kh_home *home)
{
	for (size_t i = 0; i < home->token_count; i++)
		explicit_bzero((void *)(uintptr_t)home->tokens[i].p, home->tokens[i].n);
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static enum kh_err read_config(struct kh_home *home, struct kh_error *err)
{
	struct kh_view text, path = kh_folder_file(&home->folder, &home->arena, KH_FOLDER_CONFIG);
	enum kh_err e = kh_folder_read(&home->folder, &home->arena, KH_FOLDER_CONFIG, &text, err);

	if (e == KH_OK)
		e = kh_config_read(&home->arena, text, path, &home->config, err);
	if (e != KH_OK)
		return e;
	home->policy = &home->config->policy;
	if (home->config->audit.witness_command.n > 0)
		return kh_error_set(err, KH_EREFUSED, "not_here",
				    KH_FOLDER_CONFIG ":%u: audit.witness_command is not in this version: use "
						     "witness_file or witness_syslog",
				    home->config->audit.line);
	return kh_launch_check(&(struct kh_launch){.folder = home->folder.path, .file = path}, home->config, err);
}

static enum kh_err read_key(struct kh_home *home, struct kh_error *err)
{
	unsigned char seed[32];
	struct kh_view hex;
	size_t n;
	enum kh_err e = kh_folder_secret(&home->folder, &home->arena, KH_FOLDER_KEY, &hex, err);

	if (e == KH_EUNKNOWN)
		return kh_error_set(err, e, "home_incomplete",
				    "the home folder has no " KH_FOLDER_KEY
				    ", so that the record could not be signed: put it back from where you keep it");
	if (e != KH_OK)
		return e;
	bool good = sodium_hex2bin(seed, sizeof(seed), hex.p, hex.n, NULL, &n, NULL) == 0 && n == sizeof(seed) &&
		    hex.n == 2 * sizeof(seed);
	explicit_bzero((void *)(uintptr_t)hex.p, hex.n);
	if (!good)
		return kh_error_set(err, KH_EINPUT, "secret_invalid",
				    KH_FOLDER_KEY " does not hold a key: 64 hexadecimal digits");
	kh_checkpoint_key(seed, &home->key);
	explicit_bzero(seed, sizeof(seed));
	home->has_key = true;
	return KH_OK;
}

static void wipe_readers(const struct kh_reader *readers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		kh_secret_wipe(readers[i].settings->key);
}

/* A Reader may also verify calls (K7). */
static struct kh_reader describe_reader(struct kh_arena *arena, const struct kh_config_reader *from,
					const struct kh_config_verification *by,
					struct kh_reader_settings *ret_settings)
{
	static const struct kh_reader_driver *const drivers[] = {
		[KH_CONFIG_DRIVER_EXTRACT] = &kh_reader_extract,
		[KH_CONFIG_DRIVER_COMMAND] = &kh_reader_command,
		[KH_CONFIG_DRIVER_OPENAI] = &kh_reader_openai,
		[KH_CONFIG_DRIVER_ANTHROPIC] = &kh_reader_anthropic,
	};

	*ret_settings = (struct kh_reader_settings){
		.argv = from->argv.at,
		.argc = from->argv.n,
		.read = from->read.at,
		.reads = from->read.n,
		.url = from->url,
		.model = from->model,
		.authority = from->authority,
		.local = from->local == KH_CONFIG_TRUE,
		.schema = from->schema == KH_CONFIG_TRUE,
		.max_tokens = from->max_tokens,
		.retries = from->retries,
		.timeout_ms = from->timeout_seconds * 1000,
	};
	return (struct kh_reader){
		.name = from->name,
		.driver = drivers[from->driver],
		.settings = ret_settings,
		.concurrency = from->concurrency,
		.outside = kh_config_is_outside(arena, from),
		.triages = kh_view_eq(from->name, by->triage),
		.supervises = kh_view_eq(from->name, by->supervisor),
	};
}

/* True if this process asks Readers and carries out operations. */
static bool acts(const struct kh_home *home)
{
	return home->use == KH_HOME_ASK || home->use == KH_HOME_SERVE;
}

/* Lists the configured Readers; reads their keys if this process may ask them. */
static enum kh_err list_readers(struct kh_home *home, struct kh_error *err)
{
	const struct kh_config_reader *from = home->config->readers.at;
	size_t n = home->config->readers.n;
	enum kh_err e = KH_OK;

	home->readers = KH_NEW_N(&home->arena, struct kh_reader, n + 1);
	home->reader_settings = KH_NEW_N(&home->arena, struct kh_reader_settings, n + 1);
	if (home->readers == NULL || home->reader_settings == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	home->reader_count = n + kh_settings_types_results(home->config);
	if (home->reader_count > n)
		home->readers[n] = (struct kh_reader){
			.name = KH_LIT("typed"), .driver = &kh_reader_typed, .settings = &home->reader_settings[n]};
	for (size_t i = 0; i < n; i++)
		home->readers[i] = describe_reader(&home->arena, &from[i], &home->config->verification,
						   &home->reader_settings[i]);
	for (size_t i = 0; e == KH_OK && acts(home) && i < n; i++) {
		struct kh_secret secret = kh_secret_of_reader(&home->arena, &from[i]);
		e = kh_secret_read(&secret, &home->folder, &home->arena, &home->kept, &home->reader_settings[i].key,
				   err);
	}
	return e;
}

/* Called before there is any thread.  A gateway keeps sandboxes ready; a command that ends soon has no use for them. */
static enum kh_err start_executor(struct kh_home *home, struct kh_error *err)
{
	struct kh_client_settings settings = {0};
	struct kh_client *client = KH_NEW(&home->arena, struct kh_client);

	if (client == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	/* The pool keeps sandboxes of the kinds that are used; an executor without requests keeps none. */
	if (home->use == KH_HOME_SERVE) {
		settings.pool = (unsigned)home->config->gateway.pool;
		settings.replaced = true; /* it lives long, and starts no process after its lockdown */
	}
	enum kh_err e = kh_client_start(client, &settings, err);
	if (e == KH_OK)
		home->client = client;
	return e;
}

static void connect_readers(struct kh_home *home)
{
	for (size_t i = 0; i < home->reader_count; i++)
		home->reader_settings[i].client = home->client;
}

enum kh_err kh_home_open_store(const struct kh_folder *folder, struct kh_arena *arena, enum kh_store_mode mode,
			       struct kh_store **ret_store, struct kh_error *err)
{
	struct kh_view path = kh_folder_file(folder, arena, KH_FOLDER_STORE);

	if (path.p == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	return kh_store_open(&kh_sqlite_backend, path.p, mode, ret_store, err);
}

static enum kh_err open_store(struct kh_home *home, enum kh_home_use use, struct kh_error *err)
{
	if (!kh_folder_has(&home->folder, KH_FOLDER_STORE))
		return kh_error_set(err, KH_EUNKNOWN, "home_incomplete",
				    "the home folder has no " KH_FOLDER_STORE ": `keyhole init` makes one");
	return kh_home_open_store(&home->folder, &home->arena, use == KH_HOME_READ ? KH_STORE_READ : KH_STORE_EXISTING,
				  &home->store, err);
}

static bool is_low(void *room)
{
	return kh_diskroom_was_low(room);
}

static enum kh_err open_engine(struct kh_home *home, struct kh_error *err)
{
	home->room.path = home->folder.path.p;
	return kh_engine_new(
		&(struct kh_engine_settings){
			.alloc = &kh_alloc_system,
			.store = home->store,
			.policy = home->policy,
			.readers = home->readers,
			.reader_count = home->reader_count,
			.errands = &kh_errand_table,
			.tools = home->supplies != NULL ? &home->supplies->tools : NULL,
			.is_low = is_low,
			.room = &home->room,
			.retention = (int64_t)home->config->audit.retention_days * DAY,
			.version = kh_view_str(kh_version()),
		},
		&home->engine, err);
}

/* --- what earlier processes left ---------------------------------------------------------------------------------- */

struct kh_home_taken {
	struct kh_engine *engine;
	pthread_t thread;
	atomic_bool done;
	enum kh_err result;
	struct kh_error err;
};

static void *finish_taken(void *arg)
{
	struct kh_home_taken *taken = arg;

	taken->result = kh_outbox_all(taken->engine, &taken->err);
	atomic_store(&taken->done, true);
	return NULL;
}

static enum kh_err finish_beside(struct kh_home *home, struct kh_error *err)
{
	struct kh_home_taken *taken = KH_NEW(&home->arena, struct kh_home_taken);

	if (taken == NULL)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	taken->engine = home->engine;
	if (pthread_create(&taken->thread, NULL, finish_taken, taken) != 0)
		return kh_error_set(err, KH_ENOMEM, "out_of_memory", "cannot start a thread");
	home->taken = taken;
	return KH_OK;
}

/* Removes content past its retention (L5). */
static enum kh_err purge(struct kh_home *home, struct kh_arena *arena, struct kh_error *err)
{
	int64_t count = 0;
	enum kh_err e;

	do {
		e = kh_purging_batch(home->engine, arena, &count, err);
		kh_arena_clear(arena);
	} while (e == KH_OK && count > 0);
	return e;
}

/* Ends what is due.  If this command may ask Readers, also takes over the work of processes that died. */
static enum kh_err catch_up(struct kh_home *home, enum kh_home_use use, struct kh_error *err)
{
	struct kh_arena arena;
	struct kh_due settle = {0};
	struct kh_recover recover = {0};
	enum kh_err e = KH_OK;

	kh_arena_init(&arena, NULL, CALL_MEMORY);
	if (use == KH_HOME_ASK)
		e = kh_engine_own(home->engine, kh_recover_run, &recover, &arena, err);
	do {
		settle = (struct kh_due){0};
		if (e == KH_OK)
			e = kh_engine_own(home->engine, kh_due_run, &settle, &arena, err);
	} while (e == KH_OK && settle.more);
	if (e == KH_OK)
		e = purge(home, &arena, err);
	if (e == KH_OK && recover.count > 0)
		e = finish_beside(home, err);
	kh_arena_done(&arena);
	return e;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

/* If root opens the home of another user, becomes that user: see home.h. */
static enum kh_err become_owner(struct kh_home *home, struct kh_view path, struct kh_error *err)
{
	const char *file = home->token_file != NULL ? home->token_file : secure_getenv("KEYHOLE_TOKEN_FILE");
	enum kh_err e = KH_OK;
	struct stat st;

	if (geteuid() != 0 || stat(path.p, &st) != 0 || st.st_uid == 0)
		return KH_OK;
	if (file != NULL && file[0] != '\0')
		e = kh_folder_secret_at(&home->arena, file, &home->preloaded, err);
	if (e != KH_OK)
		return e;
	if (setgroups(0, NULL) != 0 || setresgid(st.st_gid, st.st_gid, st.st_gid) != 0 ||
	    setresuid(st.st_uid, st.st_uid, st.st_uid) != 0)
		return kh_error_set(err, KH_EREFUSED, "home_unsafe", "cannot become user %u, whose home this is: %s",
				    (unsigned)st.st_uid, strerror(errno));
	return KH_OK;
}

static enum kh_err open_folder(struct kh_home *home, const char *named, struct kh_error *err)
{
	struct kh_view path;
	enum kh_err e = kh_folder_path(&home->arena, named, &path, err);

	if (e == KH_OK)
		e = become_owner(home, path, err);
	if (e == KH_OK)
		e = kh_folder_open(&home->arena, path, &home->folder, err);
	return e;
}

/* Reads the secrets and opens the folders that external operations need, while they can be reached. */
static enum kh_err open_supplies(struct kh_home *home, struct kh_error *err)
{
	enum kh_err e = kh_supplies_folders(&home->folder, err);

	return e == KH_OK ? kh_supplies_open(home, err) : e;
}

/* Prepares all that must be there before there is a thread. */
static enum kh_err prepare(struct kh_home *home, const struct kh_home_options *options, struct kh_error *err)
{
	enum kh_err e = KH_OK;

	if (home->use != KH_HOME_READ || kh_folder_has(&home->folder, KH_FOLDER_KEY))
		e = read_key(home, err);
	if (e == KH_OK)
		e = list_readers(home, err);
	if (e == KH_OK && acts(home))
		e = start_executor(home, err);
	if (e == KH_OK)
		connect_readers(home);
	if (e == KH_OK && acts(home))
		e = open_supplies(home, err);
	if (e == KH_OK && home->use == KH_HOME_SERVE && options->before_store != NULL)
		e = options->before_store(home, options->ctx, err);
	return e;
}

static enum kh_err open_all(struct kh_home *home, enum kh_home_use use, const struct kh_home_options *options,
			    struct kh_error *err)
{
	enum kh_err e = open_folder(home, options->home, err);

	if (e == KH_OK)
		e = read_config(home, err);
	if (e != KH_OK || use == KH_HOME_LOOK)
		return e;
	e = prepare(home, options, err);
	if (e == KH_OK)
		e = open_store(home, use, err);
	if (e == KH_OK)
		e = kh_checkpoints_init(&home->checkpoints, home->store, &home->key, &home->config->audit, &home->arena,
					err);
	if (e == KH_OK)
		e = kh_checkpoints_compare(&home->checkpoints, err);
	if (e == KH_OK && use != KH_HOME_READ)
		e = open_engine(home, err);
	if (e == KH_OK && (use == KH_HOME_CALL || use == KH_HOME_ASK))
		e = catch_up(home, use, err);
	return e;
}

/* A configuration that was in force before a reload.  It lives in the arena of the configuration that replaced it. */
struct kh_home_past {
	struct kh_arena arena;
	struct kh_reader *readers;
	size_t reader_count;
	struct kh_supplies *supplies;
	struct kh_home_past *next;
};

static void forget_past(struct kh_home *home)
{
	for (const struct kh_home_past *past = home->past; past != NULL; past = past->next) {
		wipe_readers(past->readers, past->reader_count);
		kh_supplies_wipe(past->supplies);
	}
	while (home->past != NULL) {
		struct kh_arena arena = home->past->arena;
		home->past = home->past->next;
		kh_arena_done(&arena);
	}
}

static void close_all(struct kh_home *home)
{
	kh_fleet_free(home->fleet);
	kh_store_close(home->store);
	if (home->client != NULL)
		kh_client_stop(home->client);
	if (home->has_key)
		kh_checkpoint_forget(&home->key);
	wipe_tokens(home);
	wipe_readers(home->readers, home->reader_count);
	kh_supplies_wipe(home->supplies);
	kh_secret_forget(home->kept);
	kh_folder_close(&home->folder);
	forget_past(home);
	kh_arena_done(&home->arena);
	*home = (struct kh_home){.folder.fd = -1};
}

enum kh_err kh_home_open(struct kh_home *home, enum kh_home_use use, const struct kh_home_options *options,
			 struct kh_error *err)
{
	*home = (struct kh_home){.use = use, .folder.fd = -1, .token_file = options->token_file};
	umask(077); /* for the files that the store makes beside itself */
	kh_arena_init(&home->arena, NULL, MEMORY);
	enum kh_err e = open_all(home, use, options, err);
	if (e != KH_OK) {
		if (home->engine != NULL)
			kh_engine_free(home->engine);
		close_all(home);
	}
	return e;
}

bool kh_home_is_missing(const struct kh_error *err)
{
	return err->code != NULL && (strcmp(err->code, "home_missing") == 0 || strcmp(err->code, "home_unknown") == 0);
}

/* --- another configuration ---------------------------------------------------------------------------------------- */

/* A witness file elsewhere cannot be reached since the lockdown. */
static enum kh_err check_witness(const struct kh_home *home, const struct kh_home *next, struct kh_error *err)
{
	if (kh_view_eq(home->config->audit.witness_file, next->config->audit.witness_file) &&
	    home->config->audit.witness_syslog == next->config->audit.witness_syslog)
		return KH_OK;
	return kh_error_set(err, KH_EREFUSED, "needs_restart",
			    KH_FOLDER_CONFIG ":%u: another witness_file or witness_syslog needs a start, not a reload",
			    next->config->audit.line);
}

/* The first configuration stays in the home's own arena.  Each later one has an arena of its own; they are kept in a
 * list whose nodes live in these arenas. */
enum kh_err kh_home_reload(struct kh_home *home, struct kh_error *err)
{
	struct kh_home next = *home;

	next.reader_count = 0;
	next.supplies = NULL;
	kh_arena_init(&next.arena, NULL, MEMORY);
	struct kh_home_past *node = KH_NEW(&next.arena, struct kh_home_past);
	enum kh_err e = node != NULL ? read_config(&next, err)
				     : kh_error_set(err, KH_ENOMEM, "out_of_memory", "out of memory");
	if (e == KH_OK)
		e = check_witness(home, &next, err);
	if (e == KH_OK)
		e = list_readers(&next, err);
	if (e == KH_OK) {
		connect_readers(&next);
		e = kh_supplies_open(&next, err);
	}
	if (e == KH_OK)
		e = kh_engine_reload(home->engine, next.policy, next.readers, next.reader_count, &next.supplies->tools,
				     err);
	if (e != KH_OK) {
		wipe_readers(next.readers, next.reader_count);
		kh_supplies_wipe(next.supplies);
		kh_arena_done(&next.arena);
		return e;
	}
	*node = (struct kh_home_past){.arena = next.arena,
				      .readers = home->readers,
				      .reader_count = home->reader_count,
				      .supplies = home->supplies,
				      .next = home->past};
	home->past = node;
	home->config = next.config;
	home->policy = next.policy;
	home->readers = next.readers;
	home->reader_count = next.reader_count;
	home->supplies = next.supplies;
	home->kept = next.kept;
	kh_fleet_reload(home->fleet, home->config);
	return KH_OK;
}

/* --- closing ------------------------------------------------------------------------------------------------------ */

bool kh_home_is_busy(const struct kh_home *home)
{
	return home->taken != NULL && !atomic_load(&home->taken->done);
}

/* A clean stop leaves no event that a checkpoint does not cover (L3). */
static enum kh_err cover(struct kh_home *home, struct kh_error *err)
{
	struct kh_arena arena;
	struct kh_view line;

	kh_arena_init(&arena, NULL, SIGN_MEMORY);
	enum kh_err e = kh_checkpoints_make(&home->checkpoints, kh_clock_wall_us(), &arena, &line, err);
	kh_arena_done(&arena);
	return e;
}

bool kh_home_close(struct kh_home *home, struct kh_error *err)
{
	enum kh_err e = KH_OK;

	if (home->taken != NULL) {
		pthread_join(home->taken->thread, NULL);
		e = home->taken->result;
		if (e != KH_OK)
			*err = home->taken->err;
	}
	if (home->engine != NULL) {
		if (e == KH_OK && home->use == KH_HOME_ASK)
			e = kh_outbox_all(home->engine, err); /* what this command has approved */
		kh_fleet_free(home->fleet);                   /* while it can still be recorded that it ran */
		home->fleet = NULL;
		kh_engine_free(home->engine);
		if (e == KH_OK)
			e = cover(home, err);
	}
	close_all(home);
	return e == KH_OK;
}
