/*
 * The built-in Reader `extract` (I3): answers by rule, offline, without a model.
 *
 * Pure: the response is a function of the query and the content.  Linear in the content, of which at most
 * KH_TOKENS_BYTES are read.  The content is hostile, and so is the response: an answer is a piece of the content, and
 * goes through kh_answer_judge() like any Reader's.
 *
 * It never invents an answer.  Category 1 is always answered (choose.h), yes_no is "no" if nothing says yes, and every
 * other answer that it does not find is left out; then the response is rejected.
 */
#ifndef KH_READER_EXTRACT_H
#define KH_READER_EXTRACT_H

#include "core/bcp/query.h"
#include "reader/reader.h"

/* The response to QUERY from TEXT, as JSON: {"fields":{...}} | {"answers":[...]} | {"summary":...}. */
enum kh_err kh_extract_respond(struct kh_arena *arena, const struct kh_query *query, struct kh_view text,
			       struct kh_view *ret_json) KH_CHECKED;

#endif
