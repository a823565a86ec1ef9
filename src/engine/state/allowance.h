/*
 * What a call may take, and takes: from the budgets of its task and its context (B6), and from what its token may take
 * over any 24 hours (G4).  The account of 24 hours is also that of the host which made the token, because a host could
 * make a fresh token whenever one is spent.
 *
 * Everything is checked first, and then all of it is taken or nothing.  A refusal names the limit and what is left of
 * it.  Of a host's limit an agent is not told what is left: that follows from what other agents did.
 */
#ifndef KH_ENGINE_STATE_ALLOWANCE_H
#define KH_ENGINE_STATE_ALLOWANCE_H

#include "engine/state/op.h"

/* The task may be NULL if only the token's account is looked at, or if content is put in that belongs to no task. */
struct kh_allowance {
	struct kh_op *op;
	struct kh_task_row *task;
	struct kh_context_row *context;
	struct kh_token_row *tokens[2]; /* the context's, and the host that made it */
	struct kh_window days[2];
	size_t count;
	const char *limit; /* the policy's key of the limit that a check has found too small */
};

enum kh_err kh_allowance_load(struct kh_op *op, struct kh_task_row *task, struct kh_context_row *context,
			      struct kh_allowance *ret_allowance) KH_CHECKED;

/*
 * KH_EREFUSED if one limit has less than MORE: `budget_exceeded`, `escalations_exceeded` or `content_exceeded`.  The
 * task's own limit of escalations is not looked at, because an escalation beyond it fails the task.
 */
enum kh_err kh_allowance_check(struct kh_allowance *allowance, struct kh_window_sums more) KH_CHECKED;

/* The same, and takes it if all have it: bits are reserved. */
enum kh_err kh_allowance_take(struct kh_allowance *allowance, struct kh_window_sums more) KH_CHECKED;

/* Adds {"used", "limit"} to OBJ. */
void kh_allowance_used(yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, uint64_t used, uint64_t limit);

/* Adds {"bits", "escalations", "put_bytes"}, each {"used", "limit"}, and "words", of a token: `last_24_hours`. */
enum kh_err kh_allowance_show(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj,
			      const struct kh_token_row *token) KH_CHECKED;

#endif
