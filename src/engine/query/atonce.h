/*
 * A Reader that takes no time is asked before its query is admitted: on the caller's thread, with the content that the
 * query is about (beforehand.h).  The operation that admits the query takes the responses, if the query is still about
 * the same.  So a query whose answer is a function of small content needs one commit, not one for each step.  The record
 * is the same.
 */
#ifndef KH_ENGINE_QUERY_ATONCE_H
#define KH_ENGINE_QUERY_ATONCE_H

#include "engine/query/ask.h"
#include "engine/query/recent.h"
#include "engine/state/beforehand.h"

/*
 * Bytes of content and of the query, at most, because the caller holds them twice, and waits.  Within these limits, no
 * content and no fields take `extract` longer than two or three operations do (0.2 ms); its time grows with their
 * product.
 */
#define KH_ATONCE_CONTENT 4096
#define KH_ATONCE_QUERY   1024

#define KH_ATONCE_ASKS 8 /* tries and rounds, together */

/* What is done for an admission: its Reader is asked, if that takes no time, and its justification is compared. */
struct kh_atonce {
	const struct kh_query *query;
	struct kh_view body;
	const struct kh_reader *reader; /* NULL: it is not asked at once */
	struct kh_reader_ask ask;
	bool compare; /* the justification with what the context was given (B21) */
	struct kh_recent_ids recent;
	const struct kh_view *responses; /* of `recent` */
	/* out */
	struct kh_view repeats; /* words of the justification that come from a delivery */
	struct kh_atonce_said {
		struct kh_tainted response;
		enum kh_reader_fault fault;
		struct kh_view detail;
	} said[KH_ATONCE_ASKS];
	size_t count;
};
kh_prepare_fn kh_atonce_run;

/* The key of it: the Reader, the blocks, and what the context was told. */
struct kh_view kh_atonce_key(struct kh_arena *arena, const struct kh_reader *reader, const int64_t *blocks,
			     size_t block_count, const struct kh_recent_ids *recent);

/* Finds out whether the Reader of WORK's query can be asked at once; if so, WORK has what it is asked. */
enum kh_err kh_atonce_load(struct kh_op *op, const struct kh_task_row *task, const int64_t *blocks, size_t block_count,
			   struct kh_atonce *work) KH_CHECKED;

/* Whether asking READER this takes so little time that nobody has to wait for it. */
bool kh_atonce_is_quick(const struct kh_reader *reader, size_t query_size, const struct kh_reader_ask *ask);

/*
 * Not an operation.  Takes what was said of EFFECT, the ask of a query that was just admitted, and the same with what
 * follows from each response.  *RET_ASK is then what is left to be carried out, as kh_respond_run() hands it out.
 */
enum kh_err kh_atonce_take(struct kh_op *op, const struct kh_atonce *done, int64_t effect,
			   struct kh_ask *ret_ask) KH_CHECKED;

#endif
