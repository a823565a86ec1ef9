/*
 * A user's own Keyhole, open: the home folder, its configuration, the store, and the engine over it.  What every
 * command that remembers begins and ends with.
 *
 *     kh_home_open(&home, KH_HOME_CALL, &options, &err);
 *     kh_home_token(&home, KH_ROLE_CONTROLLER, &token, &err);
 *     kh_engine_call(home.engine, token, kh_task_open_run, &call, &arena, &err);
 *     kh_home_close(&home);
 *
 * Order matters and is kept here: the executor before there is any thread, the store before the engine, what died with
 * an earlier process before anything new.
 */
#ifndef KH_HOME_HOME_H
#define KH_HOME_HOME_H

#include "core/policy/config.h"
#include "engine/engine.h"
#include "home/folder.h"
#include "store/checkpoint.h"

struct kh_home;
struct kh_supplies;
struct kh_secret_kept;

/* What every such command is told. */
struct kh_home_options {
	const char *home;       /* --home */
	const char *token_file; /* --token-file */
	bool json;              /* --json */
	/* KH_HOME_SERVE: called when the configuration is read and the executor runs, and there is neither a store nor
	 * a thread: the place for sockets and for the lockdown.  NULL: nothing to do. */
	enum kh_err (*before_store)(struct kh_home *home, void *ctx, struct kh_error *err);
	void *ctx;
};

enum kh_home_use {
	KH_HOME_READ,  /* the store alone, and nothing is written to it (kh_store_read) */
	KH_HOME_CALL,  /* the engine, for operations that ask no Reader */
	KH_HOME_ASK,   /* the engine, Readers and operations: what a process that died left is taken over too */
	KH_HOME_SERVE, /* the engine and the executor, for a gateway: which takes over, settles and purges by itself */
	KH_HOME_LOOK,  /* the folder and the configuration, and neither a store nor a key */
};

#define KH_HOME_TOKENS 8

struct kh_home {
	enum kh_home_use use;
	struct kh_arena arena;
	struct kh_folder folder;
	const char *token_file;
	const struct kh_config *config;
	const struct kh_policy *policy;             /* of the configuration */
	struct kh_reader *readers;                  /* `extract`, and those of the configuration */
	struct kh_reader_settings *reader_settings; /* of each, in their order */
	size_t reader_count;
	struct kh_client *client;     /* the executor; NULL where none is needed */
	struct kh_supplies *supplies; /* what external operations need; NULL where none can be called */
	struct kh_secret_kept *kept;  /* what was read at absolute paths */
	bool has_key;
	struct kh_checkpoint_key key; /* audit.key */
	struct kh_store *store;
	struct kh_engine *engine;              /* NULL: KH_HOME_READ */
	struct kh_home_taken *taken;           /* what was taken over, carried out beside the command; NULL: nothing */
	struct kh_home_past *past;             /* configurations that were in force before; NULL: none */
	struct kh_view preloaded;              /* of --token-file, read before this process became another user */
	struct kh_view tokens[KH_HOME_TOKENS]; /* given out, to be wiped */
	size_t token_count;
};

/*
 * Opens.  Root on the home of another user becomes that user, for good, when the file of --token-file was read: so
 * nothing in it is ever root's.  Whatever is wrong, *ERR says what, where and what to do; then there is nothing to
 * close.  Descriptors 0, 1 and 2 must be taken (kh_foreground_reserve).
 */
enum kh_err kh_home_open(struct kh_home *home, enum kh_home_use use, const struct kh_home_options *options,
			 struct kh_error *err) KH_CHECKED;

/*
 * Waits for what was taken over, carries out what the command itself has left to be done, signs a checkpoint where one
 * is due, and closes.  False where something of that could not be done; *ERR says what.  What operations did before is
 * durable all the same.
 */
bool kh_home_close(struct kh_home *home, struct kh_error *err);

/*
 * Reads the configuration again and puts policy and Readers in force (SIGHUP).  Where it is not usable, *ERR says what
 * and where, and everything stays as it was.  What was in force before lives until the home is closed; home->config
 * and home->policy are the new ones then.  From one thread at a time.
 */
enum kh_err kh_home_reload(struct kh_home *home, struct kh_error *err) KH_CHECKED;

/* True where closing would wait for what was taken over. */
bool kh_home_is_busy(const struct kh_home *home);

/*
 * The token to call with: of --token-file, else of the file that $KEYHOLE_TOKEN_FILE names, else $KEYHOLE_TOKEN, else
 * ROLE's own in the home folder.  It is wiped when the home is closed.
 */
enum kh_err kh_home_token(struct kh_home *home, enum kh_role role, struct kh_view *ret_token,
			  struct kh_error *err) KH_CHECKED;

/* The store of a home folder: the one place that says which database it is. */
enum kh_err kh_home_open_store(const struct kh_folder *folder, struct kh_arena *arena, enum kh_store_mode mode,
			       struct kh_store **ret_store, struct kh_error *err) KH_CHECKED;

/* "controller.token" */
const char *kh_home_token_name(enum kh_role role);

#endif
