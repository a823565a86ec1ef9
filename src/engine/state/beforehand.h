/*
 * Work on content and on text that may be hostile: judging, screening, proving, asking `extract` (D1).  All callers
 * share the store's thread, so none of this is done on it: nobody waits for it there, and nobody can tell from his own
 * waiting when it was done and how long it took.
 *
 * An operation finds the result of work by its key, or wants the work done:
 *
 *     const struct judging *judged = kh_beforehand_find(op, judge, key);
 *     if (judged == NULL)
 *             return kh_beforehand_want(op, judge, key, inputs);
 *
 * An operation that wants something ends there, and nothing of it is kept.  The caller's thread does the work, outside
 * of the transaction, and runs the operation again, up to KH_BEFOREHAND_RUNS times.  The key has everything that the
 * result follows from and that can change between two runs: ids of rows whose content cannot change, or a digest.  So a
 * run compares keys, and what was prepared for other content is not found.  Results belong to one call; if another
 * policy comes into force meanwhile, all of them are dropped.
 *
 * Work whose time follows from sealed content is wanted last: after everything that can refuse the call without it has
 * passed.  A refusal leaves at once, so it must not have taken longer because of content (I-45).
 *
 * What an operation can know before its first run is prepared by its `prepare` (operations.h), with kh_beforehand_do().
 * If it needs rows for that, the operation is rehearsed: run on the caller's thread, on rows as they were committed last
 * (kh_store_read_soon), up to what it wants, as often as `prepare` says.  So most operations are run once on the store's
 * thread.  A rehearsal
 * that would change something ends there, and nothing of it counts; an operation that has more to do than to read looks
 * at op->rehearses.
 */
#ifndef KH_ENGINE_STATE_BEFOREHAND_H
#define KH_ENGINE_STATE_BEFOREHAND_H

#include "engine/state/op.h"

#define KH_BEFOREHAND_RUNS 256

struct kh_engine_screen;
struct kh_inforce;
struct kh_beforehand_item;

/* Where work is done: never on the store's thread. */
struct kh_prepare {
	struct kh_engine *engine;
	struct kh_arena *arena; /* of the call: inputs and results live in it */
	struct kh_error *err;   /* never NULL */
	struct kh_beforehand *prepared;
	struct kh_engine_screen *taken; /* NULL: no screen was needed yet */
	unsigned rehearse;              /* set by `prepare`: how many things the operation is likely to want */
	int64_t came;                   /* when the call came in, before any work, on the engine's clock */
	/*
	 * Runs FN, which only reads, for Keyhole itself and with memory of its own: for work on more content than the
	 * call should keep.  SNAPSHOT: on the caller's thread; otherwise in turn with all operations.
	 */
	enum kh_err (*load)(struct kh_prepare *at, bool snapshot, kh_engine_fn *fn, void *call, struct kh_arena *arena);
};

/* WORK has the inputs, and gets the results.  If it fails, so does the call. */
typedef enum kh_err kh_prepare_fn(struct kh_prepare *at, void *work);

/* What was prepared for one call. */
struct kh_beforehand {
	struct kh_beforehand_item *done, *wanted;
	const struct kh_inforce *ruling; /* that the screen was made for; NULL: none was needed */
	struct kh_content *staged;       /* content that is in the store already (staged.h) */
};

/* The work that FN has done for KEY; NULL: it has not. */
void *kh_beforehand_find(const struct kh_op *op, kh_prepare_fn *fn, struct kh_view key);

/* Has it done, and ends this run: never KH_OK.  KEY and WORK live in the operation's arena. */
enum kh_err kh_beforehand_want(struct kh_op *op, kh_prepare_fn *fn, struct kh_view key, void *work) KH_CHECKED;

/* Does it now. */
enum kh_err kh_beforehand_do(struct kh_prepare *at, kh_prepare_fn *fn, struct kh_view key, void *work) KH_CHECKED;

/* The screen for work; NULL: out of memory. */
struct kh_screen *kh_beforehand_screen(struct kh_prepare *at);

/* For engine.c: does what the last run wanted, and gives the screen back. */
enum kh_err kh_beforehand_work(struct kh_prepare *at) KH_CHECKED;
void kh_beforehand_leave(struct kh_prepare *at);

#endif
