/*
 * The store: it holds everything that Keyhole remembers.  There is one interface.  A database behind it is a table of
 * functions (backend.h) in a folder of its own, `sqlite/`, and whoever opens a store names that table.  No type and no
 * statement of a database is visible outside its folder.
 *
 * An operation is a function that is given a transaction.  It runs once or not at all.  If it returns anything but
 * KH_OK, nothing that it did is kept.  If it returns KH_OK, kh_store_run() returns only when its changes are durable.
 * With SQLite one thread runs the waiting operations in one database transaction, each in a savepoint of its own, and
 * commits them together (group commit).
 *
 * Failures of the store itself are KH_ESTORE: `store_full` (nothing was recorded; it may work later), `store_busy`,
 * `store_corrupt`, `store_refused` (a constraint: a fault of this operation only), and `store_failed`: a write or sync
 * failed in a way after which nothing is certain.  After `store_failed`, whether the operation took place is known only
 * once the store has been opened again, and every later operation fails.
 */
#ifndef KH_STORE_STORE_H
#define KH_STORE_STORE_H

#include "base/error.h"

struct kh_backend;
struct kh_heads;
struct kh_store;
struct kh_txn;

typedef enum kh_err kh_store_fn(struct kh_txn *txn, void *arg);

enum kh_store_mode {
	KH_STORE_EXISTING, /* must be there; migrated if it is older, refused if it is newer */
	KH_STORE_CREATE,   /* must not be there */
	KH_STORE_READ,     /* must be there, is not written to: only kh_store_read() works */
	KH_STORE_SCRATCH,  /* a temporary store, removed when closed: shows what a store of this version looks like */
};

/* LOCATION: what the backend opens; for SQLite the path of a file.  Starts the store's thread. */
enum kh_err kh_store_open(const struct kh_backend *backend, const char *location, enum kh_store_mode mode,
			  struct kh_store **ret_store, struct kh_error *err) KH_CHECKED;

/* Waits for the submitted operations, and closes.  STORE may be NULL. */
void kh_store_close(struct kh_store *store);

/* Runs FN in a transaction and waits until it is durable, or has failed.  From any thread. */
enum kh_err kh_store_run(struct kh_store *store, kh_store_fn *fn, void *arg, struct kh_error *err) KH_CHECKED;

/*
 * The same without waiting.  DONE is called once, on the store's thread, after the commit or the failure; it must be
 * quick and must not run another operation itself.  The caller owns the job, which must live until then.
 */
struct kh_store_job {
	kh_store_fn *fn;
	void *arg;
	void (*done)(struct kh_store_job *job);
	enum kh_err result;
	struct kh_error err;
	struct kh_store_job *next; /* used by the store */
};
void kh_store_submit(struct kh_store *store, struct kh_store_job *job);

/*
 * Runs FN on a snapshot, in the calling thread and on a connection of its own, concurrently with everything else: for
 * long reads.  Such a transaction can only load, peek at and find rows (kh_txn_load(), kh_txn_peek(), kh_txn_find())
 * and read the audit.
 */
enum kh_err kh_store_read(struct kh_store *store, kh_store_fn *fn, void *arg, struct kh_error *err) KH_CHECKED;

/*
 * Reads what is likely, if that takes no time: KH_ESTORE if many read already.  Rows that the store's thread has used
 * lately come from its memory, each as it was committed last; the others from a snapshot.  What any process committed
 * before the call is seen, but the rows need not be of one moment.  For what is checked again in an operation.
 */
enum kh_err kh_store_read_soon(struct kh_store *store, kh_store_fn *fn, void *arg) KH_CHECKED;

/*
 * Reads rows that the store's thread has used lately, as of one moment after all that any process committed before the
 * call.  KH_ESTORE if one of them is not in memory, or if something was committed meanwhile.
 */
enum kh_err kh_store_read_kept(struct kh_store *store, kh_store_fn *fn, void *arg) KH_CHECKED;

/*
 * Has room kept for this store from now on, on its disk, that is used when a write finds none: so the end of what began
 * can be recorded on a full disk.  The operation that found no room fails with `store_full`, and works if it is tried
 * again.  For a process that lives long.
 */
void kh_store_keep_room(struct kh_store *store);

/*
 * Holders: which process carries out an effect.  Each open store has a number that no other open store on the same
 * database has.  The number is alive as long as the store is open in a living process.  A lock of the operating system
 * tells that, not a clock.
 */
int64_t kh_store_holder(const struct kh_store *store);
bool kh_store_holder_alive(struct kh_store *store, int64_t holder);

/*
 * Has HEADS told of every commit from now on (heads.h); NULL: nobody.  Returns when the store's thread no longer uses
 * the ones before.  KH_ESTORE if the store has failed.
 */
enum kh_err kh_store_keep_heads(struct kh_store *store, struct kh_heads *heads, struct kh_error *err) KH_CHECKED;

/* What was done since the store was opened. */
struct kh_store_figures {
	uint64_t operations, commits, events;
	uint64_t largest;                         /* pages that the largest commit wrote */
	uint64_t checkpoints;                     /* signed by this process, and stored */
	uint64_t witness_lines, witness_failures; /* written to a witness file; times that it could not be written */
	uint64_t witness_broken;                  /* 1: the witness could not be written the last time */
};
struct kh_store_figures kh_store_figures(struct kh_store *store);

/* Counts checkpoints and lines that were sent; `witness_broken` is set, not added. */
void kh_store_count(struct kh_store *store, const struct kh_store_figures *more);

#endif
