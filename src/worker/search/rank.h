/*
 * How well a document fits a query: BM25, as the full-text table's own, but without a look at a table of lengths for
 * every document.  Where most documents have a word, that look is most of what a search costs.  A document's length is
 * known from its rowid instead, whose last bits tell it to the nearest power of two.
 */
#ifndef KH_WORKER_SEARCH_RANK_H
#define KH_WORKER_SEARCH_RANK_H

#include "base/error.h"

#include <sqlite3.h>

#define KH_SEARCH_RANK_BITS 4 /* of a rowid, for the length */

/* The last bits of the rowid of a document with so many bytes of text. */
int64_t kh_search_rank_length(size_t bytes);

/* Has the function score(docs) in statements on DB: the higher, the better.  KH_ENOMEM, or KH_EREFUSED `index_failed`
 * where this SQLite has no FTS5. */
enum kh_err kh_search_rank_add(sqlite3 *db, struct kh_error *err) KH_CHECKED;

#endif
