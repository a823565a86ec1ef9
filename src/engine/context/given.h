/*
 * What a context has been given: its blocks since the last reset that the agent has seen the content of, found by going
 * from the newest block back.  No index grows with them, and no content is read on the way.
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
 * The blocks that were given, newer than AFTER (and than the last reset).  UNTIL_OUTPUT: goes back to the newest output
 * and no further; it is the first of the ids then.  `too_large` past 2^20.
 */
enum kh_err kh_given_find(struct kh_op *op, const struct kh_context_row *context, bool until_output,
			  struct kh_given *ret_given) KH_CHECKED;

#endif
