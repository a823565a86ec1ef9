/*
 * The Reader `typed` (U7): answers about the result of an upstream's tool, from its structuredContent, by the pointers and
 * types that the policy's rule has for that tool, and by the schema for results that a human approved.  No model is asked.
 *
 * A rule's member is asked for by its name.  Of a member with `*`, for every item of an array, `NAME.3` is one item,
 * `NAME.length` how many there are, and `NAME.count.VALUE` how many of them are VALUE.  A name that is no member's of the
 * rule, and does not begin with one and a dot, is that of a member of the schema (kh_schema_typed() says how it is read).
 * The query may not ask for more than rule or schema say: a wider range, another type, another value.  The result is
 * hostile.  If anything does not fit, the answer is empty, whatever the reason is, and is rejected like any answer that
 * lacks something.
 */
#ifndef KH_READER_TYPED_H
#define KH_READER_TYPED_H

#include "reader/reader.h"

/* The response to ASK, as JSON; `{}` if anything does not fit.  Fails only for lack of memory. */
enum kh_err kh_typed_respond(struct kh_arena *arena, const struct kh_reader_ask *ask,
			     struct kh_view *ret_json) KH_CHECKED;

#endif
