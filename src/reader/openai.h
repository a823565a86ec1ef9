/*
 * The driver `openai` (I3): a model behind any endpoint that speaks OpenAI's chat completions.
 *
 * response_format asks for the form of the answer: a strict json_schema made from the query or, for servers without it,
 * json_object with the schema in the system message.  Only choices[0] of the response is used; see model.h for the
 * faults.  Both functions are pure.
 */
#ifndef KH_READER_OPENAI_H
#define KH_READER_OPENAI_H

#include "reader/model.h"

#define KH_OPENAI_THINKING 4096 /* tokens for a model's reasoning before it answers: they count here */

enum kh_err kh_openai_request(struct kh_arena *arena, const struct kh_reader *reader, const struct kh_reader_ask *ask,
			      struct kh_view message, struct kh_view *ret_body) KH_CHECKED;
kh_model_find_fn kh_openai_find;

#endif
