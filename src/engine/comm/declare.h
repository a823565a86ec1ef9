/*
 * comm.declare (E3, E4, E6): a Controller says what it needs from outside and why.  It runs nothing, in both phases.
 *
 * Each declaration passes the gates as a call in the execution phase would.  If a gate denies one, it is refused at
 * once, with its code.  If one needs an approval, the approval is asked for at once, so that a human can decide while
 * the agent still plans.  Similar ones of one message share an approval, which lists each.
 */
#ifndef KH_ENGINE_COMM_DECLARE_H
#define KH_ENGINE_COMM_DECLARE_H

#include "core/comm/declaration.h"
#include "core/policy/decide.h"
#include "engine/state/beforehand.h"

struct kh_declare_item {
	struct kh_view id;        /* public id; empty if it was denied */
	struct kh_view operation; /* "comm.fetch" */
	enum kh_ruling ruling;    /* of the gates, if it were called now: KH_ALLOW, KH_VERIFY, KH_ASK, KH_DENY */
	const char *gate, *code;  /* the gate that decides and its code (docs/use/POLICY.md) */
	struct kh_view why;       /* a sentence about the policy and the caller's own text */
	struct kh_view approval;  /* public id, if one was asked for */
};

struct kh_declare {
	struct kh_view task;
	yyjson_val *declaration; /* in any form of E3 */
	/* out */
	struct kh_declare_item *items;
	size_t count;
};

/*
 * KH_EINPUT with the first fault if the message does not pass E3: none of it is admitted, and it is recorded as
 * `declaration_invalid`.
 */
enum kh_err kh_declare_run(struct kh_op *op, void *call);
enum kh_err kh_declare_prepare(struct kh_prepare *at, void *call);

#endif
