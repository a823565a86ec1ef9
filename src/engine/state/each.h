/*
 * Iterates over the rows of an index, a batch at a time.
 *
 *     struct kh_each each = {.op = op, .index = KH_INDEX_QUERIES_OPEN, .number = task->id};
 *     struct kh_query_row query;
 *
 *     while (kh_each_peek(&each, KH_TABLE_QUERIES, &query))
 *             each.e = look_at(op, &query);
 *     return each.e;
 *
 * A failure of the store, or one that the caller puts into `e`, ends the iteration.  Each batch is looked up when it is
 * needed, so rows that an event has changed meanwhile may no longer be in the index.
 */
#ifndef KH_ENGINE_STATE_EACH_H
#define KH_ENGINE_STATE_EACH_H

#include "engine/state/op.h"

struct kh_each {
	struct kh_op *op;
	enum kh_index index;
	int64_t number; /* the key of the index */
	struct kh_view text;
	int64_t id; /* in: continue after this id; out: the row's id */
	enum kh_err e;
	/* internal */
	int64_t *ids;
	size_t at, count;
	bool begun;
};

/* The next row: its id, a copy, or the row itself to be changed.  False: there is none, or `e` says what failed. */
bool kh_each_next(struct kh_each *each);
#define kh_each_peek(each, table, ret_row) kh_each_peek_row((each), (table), (void *)(ret_row))
bool kh_each_peek_row(struct kh_each *each, enum kh_table table, void *ret_row);
#define kh_each_load(each, table, ret_row) kh_each_load_row((each), (table), (void **)(ret_row))
bool kh_each_load_row(struct kh_each *each, enum kh_table table, void **ret_row);

#endif
