/*
 * Rows that the store's thread has read or written lately, so that a row is not fetched and decoded for every operation
 * that looks at it.
 *
 * The cache only repeats what the database said.  A row gets in when it is read or written in a transaction of this
 * connection.  Rows are dropped when an operation that wrote is rolled back, when a transaction fails, and when another
 * connection has committed since.  The last case is found with PRAGMA data_version, asked after the write lock was
 * taken, so that nobody can commit in between.
 *
 * Other threads may read what is committed.  While a transaction goes on, a row that it has read or written is kept in
 * two versions: the store's thread sees the new one, and others the one of the last commit, if that is known.  They get
 * each row as it was committed last, not all rows as of one moment: enough for those who only want to know what is
 * likely (a rehearsal).  They ask before whether another process has committed since (kh_cache_is_current).
 */
#ifndef KH_STORE_SQLITE_CACHE_H
#define KH_STORE_SQLITE_CACHE_H

#include "store/record.h"

#include <pthread.h>

#define KH_CACHE_ROWS  16384      /* a power of two */
#define KH_CACHE_WAYS  4          /* slots in which one row, or what was found for one key, can be */
#define KH_CACHE_MOST  2048       /* bytes of a row that is kept with its sealed columns, or without them */
#define KH_CACHE_BYTES (8U << 20) /* bytes of all rows */
#define KH_CACHE_FOUND 4096       /* a power of two */
#define KH_CACHE_TEXT  120        /* bytes of a text that was searched for */

struct kh_cache_version {
	void *at; /* the struct and the bytes of its views; NULL: there is none */
	size_t n;
	bool peeked; /* without the sealed columns */
};

struct kh_cache_row {
	int64_t id;
	enum kh_table table;
	uint64_t group;              /* the transaction that NOW is of */
	struct kh_cache_version now; /* none: the slot is empty */
	struct kh_cache_version was; /* as the last commit before that transaction left it */
	bool used;                   /* was asked for since it was last passed over */
};

/* The first row that an index has for a key (kh_cache_found). */
struct kh_cache_found {
	int64_t id; /* 0: the slot is empty */
	uint64_t group;
	enum kh_index index;
	int64_t key;
	size_t n;
	char text[KH_CACHE_TEXT];
};

struct kh_cache {
	pthread_mutex_t lock; /* guards all of it */
	struct kh_cache_row rows[KH_CACHE_ROWS];
	struct kh_cache_found found[KH_CACHE_FOUND];
	size_t bytes;
	size_t hand;                      /* where make_room() goes on */
	size_t turn;                      /* which way is given to what is found next, if none is empty */
	int64_t version;                  /* of the database, as SQLite counts it */
	uint64_t group;                   /* transactions that were committed; the one that goes on comes next */
	const volatile uint32_t *commits; /* of all processes (commits.h); NULL: not known */
	uint32_t begun, known;            /* what that was when the last transaction began, and after its commit */
};

/* CACHE is zeroed.  kh_cache_done() drops everything. */
void kh_cache_init(struct kh_cache *cache);
void kh_cache_done(struct kh_cache *cache);

/*
 * A transaction begins, and has the write lock.  Empties the cache if another connection has committed since.  CACHE may
 * be NULL, here and below.
 */
void kh_cache_check(struct kh_cache *cache, int64_t version);
void kh_cache_clear(struct kh_cache *cache);

/* The transaction is committed, and WROTE something or not: others see what it has read and written. */
void kh_cache_commit(struct kh_cache *cache, bool wrote);

/* The number of transactions that others see. */
uint64_t kh_cache_moment(struct kh_cache *cache);

/* Whether nobody else has committed since the last commit here, so that others find what is committed now. */
bool kh_cache_is_current(struct kh_cache *cache);

/* Who reads: the store's thread in its transaction, or another one. */
enum kh_cache_who { KH_CACHE_STORE, KH_CACHE_OTHER };

/*
 * The row with its views in ARENA (PEEK: without the sealed columns).  False if it is not cached or memory has run out.
 */
bool kh_cache_get(struct kh_cache *cache, enum kh_cache_who who, enum kh_table table, int64_t id, bool peek,
		  struct kh_arena *arena, void *ret_row);

/* Keeps the row as it is in the database now.  PEEKED: but for its sealed columns, which were not read. */
void kh_cache_put(struct kh_cache *cache, enum kh_table table, const void *row, bool peeked);

/* Takes over the columns of ROW that were changed. */
void kh_cache_update(struct kh_cache *cache, enum kh_table table, const void *row, uint64_t changed);

/*
 * The first row that INDEX has for KEY and TEXT, if it is known; otherwise 0.  Only for indexes whose columns never
 * change once a row is there: rows are never removed and ids grow, so the first one stays the first.
 */
int64_t kh_cache_found(struct kh_cache *cache, enum kh_cache_who who, enum kh_index index, int64_t key,
		       struct kh_view text);
void kh_cache_put_found(struct kh_cache *cache, enum kh_index index, int64_t key, struct kh_view text, int64_t id);

#endif
