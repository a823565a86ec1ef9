/*
 * The functions that a database provides to the store.  store.c, txn.c and audit.c use this table and nothing else.  A
 * backend makes its statements from the tables of record.h and does not know what they mean.
 */
#ifndef KH_STORE_BACKEND_H
#define KH_STORE_BACKEND_H

#include "store/kept.h"
#include "store/record.h"
#include "store/store.h"

struct kh_audit_entry;
struct kh_content;
struct kh_content_list;
struct kh_txn_known;
struct kh_txn_row;

/* A backend's transaction begins with this. */
struct kh_txn {
	const struct kh_backend *backend;
	struct kh_arena *arena;
	struct kh_error *err; /* never NULL: why the operation failed */
	bool reading;
	bool broken; /* the database itself failed: the operation ends with this error whatever it returns */
	enum kh_err broken_by;
	struct kh_txn_row *rows, *last_row; /* the loaded rows, oldest first (txn.c) */
	int64_t event;   /* number of events in the store; -1: not asked yet (a backend sets this at BEGIN) */
	uint64_t events; /* written by this operation */
	struct kh_txn_known *known;  /* digests of sealed columns that the operation knows already (txn.c) */
	bool again;                  /* the operation is run again, and nobody waits for this run (txn.h) */
	struct kh_content *contents; /* that the operation has staged */
};

/* A signed checkpoint as it is stored. */
struct kh_backend_checkpoint {
	int64_t id;               /* 1, 2, ... */
	struct kh_view body;      /* canonical JSON */
	struct kh_view signature; /* 64 bytes */
};

#define KH_BACKEND_NAMED   0    /* the holder of content that a row names */
#define KH_BACKEND_DROPPED (-1) /* of content that is to be removed */

/* kh_store_read(), _read_soon() and _read_kept(). */
enum kh_backend_reading { KH_READING_SNAPSHOT, KH_READING_SOON, KH_READING_KEPT };

struct kh_backend {
	/* Rows.  `get` fills ROW (of the table's struct) with views in the arena; KH_EUNKNOWN if there is none. */
	enum kh_err (*get)(struct kh_txn *txn, enum kh_table table, int64_t id, void *ret_row);
	/* The same without the SEALED columns: they are not read, because content may be large, and come out empty. */
	enum kh_err (*peek)(struct kh_txn *txn, enum kh_table table, int64_t id, void *ret_row);
	enum kh_err (*insert)(struct kh_txn *txn, enum kh_table table, const void *row);
	/*
	 * Writes the columns whose bit is set in CHANGED (bit i: columns[i]).  If content of the transaction is the
	 * value of a column that can be apart, this and `insert` name it; what the column named before is dropped.
	 */
	enum kh_err (*update)(struct kh_txn *txn, enum kh_table table, const void *row, uint64_t changed);
	/* An id that no row of the table has or had.  Every call gives another one. */
	enum kh_err (*next_id)(struct kh_txn *txn, enum kh_table table, int64_t *ret_id);
	enum kh_err (*find)(struct kh_txn *txn, enum kh_index index, int64_t key, struct kh_view text, int64_t after,
			    size_t limit, int64_t *ids, size_t *ret_count);
	/* Calls FN with every row of a table, ascending by id, for verification. */
	enum kh_err (*each)(struct kh_txn *txn, enum kh_table table, bool (*fn)(const void *row, void *arg), void *arg);
	/*
	 * Whether the database is consistent: its indexes match its tables, and every value has its type and obeys its
	 * constraint.  *RET_WHY, in the arena, says what does not match; empty if everything does.  Reads the whole
	 * database.
	 */
	enum kh_err (*agrees)(struct kh_txn *txn, struct kh_view *ret_why);

	/* Audit. */
	enum kh_err (*last_event)(struct kh_txn *txn, int64_t *ret_id); /* the greatest id of both tables; 0: none */
	enum kh_err (*append)(struct kh_txn *txn, const struct kh_audit_entry *entry);
	enum kh_err (*read)(struct kh_txn *txn, int64_t after, bool system_only,
			    bool (*fn)(const struct kh_audit_entry *entry, void *arg), void *arg);
	enum kh_err (*entry)(struct kh_txn *txn, struct kh_arena *arena, int64_t id, struct kh_audit_entry *ret_entry);
	enum kh_err (*add_checkpoint)(struct kh_txn *txn, const struct kh_backend_checkpoint *checkpoint);
	/* The checkpoint with this number, or the last one for 0.  KH_EUNKNOWN if there is none. */
	enum kh_err (*checkpoint)(struct kh_txn *txn, struct kh_arena *arena, int64_t id,
				  struct kh_backend_checkpoint *ret_checkpoint);

	/* Rows beside the record: as in kept.h. */
	enum kh_err (*kept_put)(struct kh_txn *txn, const struct kh_kept *row);
	enum kh_err (*kept_each)(struct kh_txn *txn, const struct kh_kept *of, int64_t after, kh_kept_fn *fn,
				 void *arg);
	enum kh_err (*kept_count)(struct kh_txn *txn, enum kh_kept_kind kind, int64_t token, int64_t *ret_count,
				  struct kh_digest *ret_first);
	enum kh_err (*kept_remove)(struct kh_txn *txn, enum kh_kept_range range, const struct kh_kept *of);

	/* Content that is stored apart (content.h).  A new one is staged by HOLDER; parts are numbered from 0 on. */
	enum kh_err (*content_new)(struct kh_txn *txn, int64_t holder, int64_t size, int64_t *ret_id);
	enum kh_err (*content_add)(struct kh_txn *txn, int64_t id, int64_t part, struct kh_view bytes);
	/* The first one with a greater id than AFTER that no row names; KH_EUNKNOWN if there is none. */
	enum kh_err (*content_next)(struct kh_txn *txn, int64_t after, int64_t *ret_id, int64_t *ret_holder);
	/* Drops it if it is HOLDER's or dropped already; *RET_DROPPED says whether it was. */
	enum kh_err (*content_drop)(struct kh_txn *txn, int64_t id, int64_t holder, bool *ret_dropped);
	/* Removes up to MOST parts of one that is dropped, and itself after the last of them. */
	enum kh_err (*content_remove)(struct kh_txn *txn, int64_t id, int64_t most, bool *ret_more);

	/* The store.  See kh_store_open(). */
	enum kh_err (*open)(const char *location, enum kh_store_mode mode, struct kh_store **ret_store,
			    struct kh_error *err);
	void (*close)(struct kh_store *store);
	void (*submit)(struct kh_store *store, struct kh_store_job *job);
	enum kh_err (*run_reading)(struct kh_store *store, kh_store_fn *fn, void *arg, enum kh_backend_reading how,
				   struct kh_error *err);
	bool (*holder_alive)(struct kh_store *store, int64_t holder);
	void (*keep_room)(struct kh_store *store);
};

/* A backend's store begins with this. */
struct kh_store {
	const struct kh_backend *backend;
	int64_t holder;
	struct kh_store_figures figures;  /* written and read atomically */
	struct kh_content_list *contents; /* what this process has staged (content.h) */
	struct kh_heads *heads; /* told of every commit (heads.h); read atomically by the store's thread; NULL: none */
};

/*
 * A backend calls this for an operation, inside its savepoint.  It sets the transaction up, runs the operation, and
 * says whether the result may be kept (KH_OK) or must be rolled back.
 */
enum kh_err kh_txn_operate(struct kh_txn *txn, kh_store_fn *fn, void *arg) KH_CHECKED;

#endif
