/*
 * What a context has been given: its blocks since the last reset whose content the agent has seen.  Blocks that it was
 * not given, such as the results of its calls, are not looked at: there may be many of them (P3).  No content is read.
 */
#ifndef KH_ENGINE_CONTEXT_GIVEN_H
#define KH_ENGINE_CONTEXT_GIVEN_H

#include "engine/state/op.h"

struct kh_given {
	int64_t *ids; /* ascending */
	size_t n;
	int64_t output; /* the newest output among them; 0: none */
};

/*
 * The blocks that were given since the last reset.  UNTIL_OUTPUT: goes back to the newest output and no further; that
 * output is then the first of the ids.  `too_large` if there are more than 2^20.
 */
enum kh_err kh_given_find(struct kh_op *op, const struct kh_context_row *context, bool until_output,
			  struct kh_given *ret_given) KH_CHECKED;

#endif
