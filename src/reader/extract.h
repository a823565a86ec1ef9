/*
 * The built-in Reader `extract` (I3): answers by rule, offline, without a model.
 *
 * Pure: the response is a function of the query and the content.  Linear in the content, of which at most
 * KH_TOKENS_BYTES are read.  The content is hostile, and so, for whoever gets it, is the response: an answer is a piece
 * of the content, and goes through kh_answer_judge() as any Reader's does.
 *
 * What it does not find it does not make up: category 1 is always answered (choose.h), yes_no is "no" where nothing
 * says yes, every other answer is left out, and then the response is rejected.
 */
#ifndef KH_READER_EXTRACT_H
#define KH_READER_EXTRACT_H

#include "core/bcp/query.h"
#include "reader/reader.h"

/* The response to QUERY from TEXT, as JSON: {"fields":{...}} | {"answers":[...]} | {"summary":...}. */
enum kh_err kh_extract_respond(struct kh_arena *arena, const struct kh_query *query, struct kh_view text,
			       struct kh_view *ret_json) KH_CHECKED;

#endif
