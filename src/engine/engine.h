/*
 * The engine for its callers: every operation of Keyhole, run in a transaction of the store.
 *
 * Decide inside a transaction; act only after it has committed.  state/op.h says what an operation is; operations.h
 * lists them all.  What should happen outside (ask a Reader, carry out an operation) is left in the outbox, and
 * outbox.h carries it out when the transaction is durable.
 */
#ifndef KH_ENGINE_ENGINE_H
#define KH_ENGINE_ENGINE_H

#include "engine/context/token.h"
#include "engine/state/settings.h"

/* Opens an engine over a store that kh_engine_create() has set up; records the start (`started`). */
enum kh_err kh_engine_new(const struct kh_engine_settings *settings, struct kh_engine **ret_engine,
			  struct kh_error *err) KH_CHECKED;

/* Records the stop, and closes. */
void kh_engine_free(struct kh_engine *engine);

/*
 * Sets up an empty store: the system's row with its keys, and the first token, an admin's, whose secret text is
 * returned.  AUDIT_KEY is the public key of the checkpoints.
 */
enum kh_err kh_engine_create(struct kh_store *store, struct kh_arena *arena, const struct kh_digest *audit_key,
			     const unsigned char random[64], int64_t now, struct kh_view *ret_admin,
			     struct kh_error *err) KH_CHECKED;

/*
 * Uses another policy and other Readers from the next operation on (SIGHUP).  The old ones must live as long as the
 * engine, because whoever has begun with them ends with them.  The change is recorded.  Tasks that were opened under
 * the old policy keep what they have, and grants that were given under it are void (A2).
 */
enum kh_err kh_engine_reload(struct kh_engine *engine, const struct kh_policy *policy, const struct kh_reader *readers,
			     size_t reader_count, const struct kh_errand_tools *tools, struct kh_error *err) KH_CHECKED;

/*
 * Runs an operation for the holder of TOKEN and waits until it is durable.  The token is looked up in the same
 * transaction, and its role must be one of the operation's (operations.h).  KH_EREFUSED `unauthorised` if the token is
 * unknown, expired or revoked, `forbidden` if it has another role; both are recorded.
 */
enum kh_err kh_engine_call(struct kh_engine *engine, struct kh_token_claim token, kh_engine_fn *fn, void *call,
			   struct kh_arena *arena, struct kh_error *err) KH_CHECKED;

/* Runs an operation of Keyhole's own (recover, what is due, results): there is no caller. */
enum kh_err kh_engine_own(struct kh_engine *engine, kh_engine_fn *fn, void *call, struct kh_arena *arena,
			  struct kh_error *err) KH_CHECKED;

#endif
