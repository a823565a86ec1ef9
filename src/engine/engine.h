/*
 * The engine: every operation of Keyhole, run in a transaction of the store.
 *
 * Decide inside a transaction; act only after it has committed.  An operation reads state through the transaction,
 * applies the rules of the core, changes rows, and records all of it in audit events of the same transaction.  What
 * should happen outside (ask a Reader) it leaves as a row of the outbox, table `effects`; outbox.h carries that out
 * when the transaction is durable.  The engine keeps no state that the store could not rebuild.
 */
#ifndef KH_ENGINE_ENGINE_H
#define KH_ENGINE_ENGINE_H

#include "core/policy/policy.h"
#include "reader/reader.h"
#include "store/txn.h"

struct kh_engine;
struct kh_errand_tools;

struct kh_engine_settings {
	const struct kh_alloc *alloc;
	struct kh_store *store;          /* stays the caller's */
	const struct kh_policy *policy;  /* likewise */
	const struct kh_reader *readers; /* likewise */
	size_t reader_count;
	const struct kh_errand_tools
		*tools;              /* likewise; NULL: operations are decided, and fail when they are carried out */
	int64_t (*clock)(void *ctx); /* microseconds since 1970; NULL: the system's */
	void (*random)(void *ctx, unsigned char *bytes, size_t n); /* NULL: the system's */
	void *ctx;
	int64_t retention;      /* microseconds that sealed content and raw responses are kept (L5); 0: for ever */
	struct kh_view version; /* of the program, for the audit */
};

/* Opens an engine over a store that kh_engine_create() has set up; records the start (`started`). */
enum kh_err kh_engine_new(const struct kh_engine_settings *settings, struct kh_engine **ret_engine,
			  struct kh_error *err) KH_CHECKED;

/* Records the stop, and closes. */
void kh_engine_free(struct kh_engine *engine);

/*
 * Sets up an empty store: the system's row, with its keys, and the first token, an admin's, whose secret text comes
 * out. AUDIT_KEY is the public key of the checkpoints.
 */
enum kh_err kh_engine_create(struct kh_store *store, struct kh_arena *arena, const struct kh_digest *audit_key,
			     const unsigned char random[64], int64_t now, struct kh_view *ret_admin,
			     struct kh_error *err) KH_CHECKED;

/*
 * From the next operation on, another policy and other Readers (SIGHUP).  What was there before must live as long as
 * the engine: whoever has begun with it ends with it.  Recorded; tasks that were opened under the old policy keep what
 * they have, and grants that were given under it are void (A2).
 */
enum kh_err kh_engine_reload(struct kh_engine *engine, const struct kh_policy *policy, const struct kh_reader *readers,
			     size_t reader_count, const struct kh_errand_tools *tools, struct kh_error *err) KH_CHECKED;

/* One call of an operation; what operations see. */
struct kh_op {
	const struct kh_engine *engine;
	struct kh_txn *txn;
	struct kh_arena *arena; /* the caller's */
	const struct kh_policy *policy;
	struct kh_screen *screen;    /* the store thread's own */
	int64_t now;                 /* of this transaction; never goes back within a process */
	struct kh_token_row *caller; /* NULL: Keyhole itself */
	struct kh_error *err;        /* never NULL */
	enum kh_err refused;         /* set by kh_own_refuse(): the caller is told no, and the record of it is kept */
};

/* An operation: CALL is its own struct, with what comes in and, on KH_OK, what comes out. */
typedef enum kh_err kh_engine_fn(struct kh_op *op, void *call);

/*
 * Runs an operation for the holder of TOKEN and waits until it is durable.  The token is looked up in the same
 * transaction, and its role must be one of the operation's (operations.h).  KH_EREFUSED `unauthorised` where the token
 * is unknown, expired or revoked, `forbidden` where the role is another; both are on the record.
 */
enum kh_err kh_engine_call(struct kh_engine *engine, struct kh_view token, kh_engine_fn *fn, void *call,
			   struct kh_arena *arena, struct kh_error *err) KH_CHECKED;

/* Runs an operation of Keyhole's own (recover, expire, carry): no caller. */
enum kh_err kh_engine_own(struct kh_engine *engine, kh_engine_fn *fn, void *call, struct kh_arena *arena,
			  struct kh_error *err) KH_CHECKED;

/* The configured Readers, in their order.  They live as long as the engine. */
const struct kh_reader *kh_engine_readers(const struct kh_engine *engine, size_t *ret_count);

/* The configured Reader of this name, or NULL. */
const struct kh_reader *kh_engine_reader(const struct kh_engine *engine, struct kh_view name);

/* What errands need (errand/errand.h), or NULL.  Lives as long as the engine. */
const struct kh_errand_tools *kh_engine_tools(const struct kh_engine *engine);

/*
 * A screen for the calling thread, over the rules in force: to be given back when it is done with it.  There are
 * KH_ENGINE_SCREENS at most at once, and whoever finds them taken waits: what is done with them takes memory.  NULL for
 * lack of memory.
 */
#define KH_ENGINE_SCREENS 8
struct kh_engine_screen;
struct kh_engine_screen *kh_engine_screen_take(struct kh_engine *engine);
struct kh_screen *kh_engine_screen_of(struct kh_engine_screen *taken);
void kh_engine_screen_give(struct kh_engine *engine, struct kh_engine_screen *taken);

const struct kh_alloc *kh_engine_alloc(const struct kh_engine *engine);
struct kh_store *kh_engine_store(const struct kh_engine *engine);
const struct kh_policy *kh_engine_policy(const struct kh_engine *engine);
int64_t kh_engine_now(const struct kh_engine *engine);
void kh_engine_random(const struct kh_engine *engine, unsigned char *bytes, size_t n);

/* When content that comes in now may go (L5); 0: never. */
int64_t kh_engine_keep_until(const struct kh_engine *engine, int64_t now);

/* The key of public ids (publicid.h). */
const unsigned char *kh_engine_id_key(const struct kh_engine *engine);

#endif
