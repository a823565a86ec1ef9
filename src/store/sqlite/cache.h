/*
 * Rows that the store's thread has read or written lately, so that a row is not fetched and decoded for every operation
 * that looks at it.
 *
 * The cache only repeats what the database said.  A row gets in when it is read or written in a transaction of this
 * connection.  Rows are dropped when an operation that wrote is rolled back, when a transaction fails, and when another
 * connection has committed since.  The last case is found with PRAGMA data_version, asked after the write lock was
 * taken, so that nobody can commit in between.
 */
#ifndef KH_STORE_SQLITE_CACHE_H
#define KH_STORE_SQLITE_CACHE_H

#include "store/record.h"

#define KH_CACHE_ROWS  16384      /* a power of two */
#define KH_CACHE_MOST  2048       /* bytes of a row; content is larger and not kept */
#define KH_CACHE_BYTES (8U << 20) /* bytes of all rows */

struct kh_cache_row {
	int64_t id;
	enum kh_table table;
	void *at; /* the struct and the bytes of its views; NULL: the slot is empty */
	size_t n;
};

struct kh_cache {
	struct kh_cache_row rows[KH_CACHE_ROWS];
	size_t bytes;
	int64_t version; /* of the database, as SQLite counts it */
};

/* Empties the cache if another connection has committed since.  CACHE may be NULL, here and below. */
void kh_cache_check(struct kh_cache *cache, int64_t version);
void kh_cache_clear(struct kh_cache *cache);

/*
 * The row with its views in ARENA (PEEK: without the sealed columns).  False if it is not cached or memory has run out.
 */
bool kh_cache_get(const struct kh_cache *cache, enum kh_table table, int64_t id, bool peek, struct kh_arena *arena,
		  void *ret_row);

/* Keeps the row as it is in the database now. */
void kh_cache_put(struct kh_cache *cache, enum kh_table table, const void *row);

/* Takes over the columns of ROW that were changed. */
void kh_cache_update(struct kh_cache *cache, enum kh_table table, const void *row, uint64_t changed);

#endif
