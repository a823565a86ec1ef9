/*
 * The form of an answer as a JSON Schema, made from the query, so that a model whose decoding is held to it can answer
 * in form and not otherwise (I3).  Nothing is trusted because of it: what comes is judged like any Reader's answer.
 *
 *     category 1   {"fields": {name: boolean | one of its values | integer from min to max, ...}}
 *     category 2   {"answers": {id: string, ...}}    by id, because no schema says "each id once" of a list
 *     category 3   {"summary": string}
 *
 * Every member is required and no other is permitted.  Pure.
 */
#ifndef KH_READER_ANSWER_SCHEMA_H
#define KH_READER_ANSWER_SCHEMA_H

#include "core/bcp/query.h"

/*
 * The schema.  LENGTHS: strings have a maxLength; endpoints that refuse a schema with a keyword that they cannot
 * enforce know everything else of it.  Out of memory marks the arena of DOC.
 */
yyjson_mut_val *kh_answer_schema_make(yyjson_mut_doc *doc, struct kh_arena *arena, const struct kh_query *query,
				      bool lengths);

/* The most bytes that an answer in form has: what a limit in tokens is made of. */
size_t kh_answer_schema_bytes(const struct kh_query *query);

/*
 * SAID, which a model answered, in the form of `bcp.txt`: answers by id become the list of {id, answer}.  Whatever else
 * is in it stays, for whoever judges it.
 */
enum kh_err kh_answer_schema_restore(struct kh_arena *arena, const struct kh_query *query, yyjson_val *said,
				     struct kh_view *ret_json) KH_CHECKED;

#endif
