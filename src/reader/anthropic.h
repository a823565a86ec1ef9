/*
 * The driver `anthropic` (I3): a model behind the Messages API.
 *
 * The model gets one tool, whose input is the answer, and must call it (tool_choice); nothing else that it writes is
 * used.  See model.h for the faults.  Both functions are pure.
 */
#ifndef KH_READER_ANTHROPIC_H
#define KH_READER_ANTHROPIC_H

#include "reader/model.h"

#define KH_ANTHROPIC_TOOL "answer"

enum kh_err kh_anthropic_request(struct kh_arena *arena, const struct kh_reader *reader,
				 const struct kh_reader_ask *ask, struct kh_view message,
				 struct kh_view *ret_body) KH_CHECKED;
kh_model_find_fn kh_anthropic_find;

#endif
