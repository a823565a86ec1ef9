/*
 * How well a document matches a query: BM25, like the full-text table's own, but without a lookup in a table of lengths
 * for every document.  If most documents have a word, that lookup is most of the cost of a search.  Instead the last
 * bits of a document's rowid give its length, to the nearest power of two.
 */
#ifndef KH_WORKER_SEARCH_RANK_H
#define KH_WORKER_SEARCH_RANK_H

#include "base/error.h"

#include <sqlite3.h>

#define KH_SEARCH_RANK_BITS 4 /* bits of a rowid, for the length */

/* The last bits of the rowid of a document with BYTES bytes of text. */
int64_t kh_search_rank_length(size_t bytes);

/* Adds the SQL function score(docs) to DB; a higher score is better.  KH_ENOMEM, or KH_EREFUSED `index_failed` if this
 * SQLite has no FTS5. */
enum kh_err kh_search_rank_add(sqlite3 *db, struct kh_error *err) KH_CHECKED;

#endif
