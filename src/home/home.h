/*
 * A user's own Keyhole, open: the home folder, its configuration, the store, and the engine over it.  Every command
 * that uses the store begins and ends with these functions.
 *
 *     kh_home_open(&home, KH_HOME_CALL, &options, &err);
 *     kh_home_token(&home, KH_ROLE_CONTROLLER, &token, &err);
 *     kh_engine_call(home.engine, kh_token_read(home.engine, token), kh_task_open_run, &call, &arena, &err);
 *     kh_home_close(&home);
 *
 * Order matters and is kept here: the executor starts before there is any thread, the store opens before the engine,
 * and the work of processes that died is taken over before anything new.
 */
#ifndef KH_HOME_HOME_H
#define KH_HOME_HOME_H

#include "base/diskroom.h"
#include "core/policy/config.h"
#include "engine/engine.h"
#include "home/checkpoints.h"
#include "home/folder.h"

struct kh_home;
struct kh_supplies;
struct kh_secret_kept;
struct kh_fleet;

/* The options that all these commands have. */
struct kh_home_options {
	const char *home;       /* --home */
	const char *token_file; /* --token-file */
	bool json;              /* --json */
	/* KH_HOME_SERVE: called when the configuration is read and the executor runs, before there is a store or a
	 * thread: the place for sockets and for the lockdown.  NULL: nothing to do. */
	enum kh_err (*before_store)(struct kh_home *home, void *ctx, struct kh_error *err);
	void *ctx;
};

enum kh_home_use {
	KH_HOME_READ,  /* the store alone, read-only (kh_store_read) */
	KH_HOME_CALL,  /* the engine, for operations that ask no Reader */
	KH_HOME_ASK,   /* the engine, Readers and operations; also takes over the work of a process that died */
	KH_HOME_SERVE, /* the engine and the executor, for a gateway, which takes over, settles and purges by itself */
	KH_HOME_LOOK,  /* the folder and the configuration; neither a store nor a key */
};

#define KH_HOME_TOKENS 8

struct kh_home {
	enum kh_home_use use;
	struct kh_arena arena;
	struct kh_folder folder;
	struct kh_diskroom_recent room; /* on the folder's disk */
	const char *token_file;
	const struct kh_config *config;
	const struct kh_policy *policy;             /* the configuration's */
	struct kh_reader *readers;                  /* `extract`, and the configured ones */
	struct kh_reader_settings *reader_settings; /* one for each, in the same order */
	size_t reader_count;
	struct kh_client *client;     /* the executor; NULL if none is needed */
	struct kh_supplies *supplies; /* what external operations need; NULL if none can be called */
	struct kh_fleet *fleet;       /* the upstream servers that this process runs; NULL like the supplies */
	struct kh_secret_kept *kept;  /* secrets that were read at absolute paths */
	bool has_key;
	struct kh_checkpoint_key key; /* audit.key */
	struct kh_store *store;
	struct kh_checkpoints checkpoints;
	struct kh_engine *engine;    /* NULL: KH_HOME_READ */
	struct kh_home_taken *taken; /* work that was taken over, done in another thread; NULL: none */
	struct kh_home_past *past;   /* earlier configurations; NULL: none */
	struct kh_view preloaded;    /* the text of --token-file, read before this process became another user */
	struct kh_view tokens[KH_HOME_TOKENS]; /* given out, to be wiped */
	size_t token_count;
};

/*
 * Opens a home.  If root opens the home of another user, the process becomes that user, for good, after it has read the
 * file of --token-file: so nothing in the home ever belongs to root.  If something is wrong, *ERR says what, where and
 * what to do, and there is nothing to close.  Descriptors 0, 1 and 2 must be taken (the frame of commands sees to it).
 */
enum kh_err kh_home_open(struct kh_home *home, enum kh_home_use use, const struct kh_home_options *options,
			 struct kh_error *err) KH_CHECKED;

/*
 * Waits for work that was taken over, carries out what the command itself has left to do, signs a checkpoint over
 * everything, and closes.  Returns false if some of that could not be done; *ERR says what.  What operations did before is
 * durable all the same.
 */
bool kh_home_close(struct kh_home *home, struct kh_error *err);

/*
 * Reads the configuration again and puts policy and Readers in force (SIGHUP).  If it is not usable, *ERR says what and
 * where, and everything stays as it was.  Otherwise home->config and home->policy are the new ones; the old ones live
 * until the home is closed.  Only one thread at a time may call it.
 */
enum kh_err kh_home_reload(struct kh_home *home, struct kh_error *err) KH_CHECKED;

/* True if kh_home_open() failed with ERR because there is no home folder: none was made yet, or none is named. */
bool kh_home_is_missing(const struct kh_error *err);

/* True if closing would wait for work that was taken over. */
bool kh_home_is_busy(const struct kh_home *home);

/* Finds the token to call with: that of --token-file, else of the file that $KEYHOLE_TOKEN_FILE names, else
 * $KEYHOLE_TOKEN, else ROLE's own in the home folder.  It is wiped when the home is closed. */
enum kh_err kh_home_token(struct kh_home *home, enum kh_role role, struct kh_view *ret_token,
			  struct kh_error *err) KH_CHECKED;

/* Opens the store of a home folder.  Only this function knows which database it is. */
enum kh_err kh_home_open_store(const struct kh_folder *folder, struct kh_arena *arena, enum kh_store_mode mode,
			       struct kh_store **ret_store, struct kh_error *err) KH_CHECKED;

/* "controller.token" */
const char *kh_home_token_name(enum kh_role role);

#endif
