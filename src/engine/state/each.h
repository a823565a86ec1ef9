/*
 * Going through what an index has, a batch at a time.
 *
 *     struct kh_each each = {.op = op, .index = KH_INDEX_QUERIES_OPEN, .number = task->id};
 *     struct kh_query_row query;
 *
 *     while (kh_each_peek(&each, KH_TABLE_QUERIES, &query))
 *             each.e = look_at(op, &query);
 *     return each.e;
 *
 * A failure ends it, of the store or of whoever set `e`.  What an index has is looked up as it is needed: rows that an
 * event has changed meanwhile may have left it.
 */
#ifndef KH_ENGINE_STATE_EACH_H
#define KH_ENGINE_STATE_EACH_H

#include "engine/state/op.h"

struct kh_each {
	struct kh_op *op;
	enum kh_index index;
	int64_t number; /* what the index is asked by */
	struct kh_view text;
	int64_t id; /* in: those after it; out: the row's */
	enum kh_err e;
	/* of the going through */
	int64_t *ids;
	size_t at, count;
	bool begun;
};

/* The next one: its id, a copy of the row, or the row itself to be changed.  False: there is none, or `e` says why. */
bool kh_each_next(struct kh_each *each);
#define kh_each_peek(each, table, ret_row) kh_each_peek_row((each), (table), (void *)(ret_row))
bool kh_each_peek_row(struct kh_each *each, enum kh_table table, void *ret_row);
#define kh_each_load(each, table, ret_row) kh_each_load_row((each), (table), (void **)(ret_row))
bool kh_each_load_row(struct kh_each *each, enum kh_table table, void **ret_row);

#endif
