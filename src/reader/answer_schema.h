/*
 * The form of an answer as a JSON Schema, made from the query, so that a model whose decoding is restricted to it can
 * only answer in this form (I3).  The answer is not trusted because of it: it is judged like any Reader's answer.
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
 * The schema.  LENGTHS: strings have a maxLength.  Endpoints that refuse a schema with a keyword that they cannot
 * enforce support everything else in it.  Out of memory marks the arena of DOC.
 */
yyjson_mut_val *kh_answer_schema_make(yyjson_mut_doc *doc, struct kh_arena *arena, const struct kh_query *query,
				      bool lengths);

/* The most bytes of an answer in this form, from which a limit in tokens is computed. */
size_t kh_answer_schema_bytes(const struct kh_query *query);

/*
 * Converts SAID, a model's answer, to the form of `bcp.txt`: answers by id become the list of {id, answer}.  Anything
 * else in it is kept for the code that judges it.
 */
enum kh_err kh_answer_schema_restore(struct kh_arena *arena, const struct kh_query *query, yyjson_val *said,
				     struct kh_view *ret_json) KH_CHECKED;

#endif
