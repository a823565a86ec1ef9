/*
 * Rows that the store's thread has read or written lately, so that a row is not fetched and decoded for every operation
 * that looks at it.
 *
 * It never decides what is true, it only repeats what the database said: a row gets in by being read or written in this
 * connection's transaction; it is dropped when an operation that wrote is taken back, when a transaction fails, and
 * when another connection has committed since (PRAGMA data_version, asked after the lock for writing was taken, so that
 * nobody can commit in between).
 */
#ifndef KH_STORE_SQLITE_CACHE_H
#define KH_STORE_SQLITE_CACHE_H

#include "store/record.h"

#define KH_CACHE_ROWS  16384      /* a power of two */
#define KH_CACHE_MOST  2048       /* bytes of a row: content is not kept */
#define KH_CACHE_BYTES (8U << 20) /* of all rows */

struct kh_cache_row {
	int64_t id;
	enum kh_table table;
	void *at; /* the struct, and what its views are of; NULL: nothing */
	size_t n;
};

struct kh_cache {
	struct kh_cache_row rows[KH_CACHE_ROWS];
	size_t bytes;
	int64_t version; /* of the database, as SQLite counts it */
};

/* Nothing that another connection has committed since is in it.  CACHE may be NULL, here and below. */
void kh_cache_check(struct kh_cache *cache, int64_t version);
void kh_cache_clear(struct kh_cache *cache);

/* The row with its views in ARENA (PEEK: without what is sealed).  False: it is not there, or memory has run out. */
bool kh_cache_get(const struct kh_cache *cache, enum kh_table table, int64_t id, bool peek, struct kh_arena *arena,
		  void *ret_row);

/* The row as it is in the database now. */
void kh_cache_put(struct kh_cache *cache, enum kh_table table, const void *row);

/* These columns of it were changed. */
void kh_cache_update(struct kh_cache *cache, enum kh_table table, const void *row, uint64_t changed);

#endif
