/*
 * comm.declare (E3, E4, E6): a Controller says what it needs from outside and why.  Runs nothing, in both phases.
 *
 * Each declaration passes the gates as a call in the execution phase would: one that a gate denies is refused there and
 * then, with its code; one that has to be approved is asked for at once, so that a human can decide while the agent
 * still plans.  Similar ones of one message share an approval, which lists each.
 */
#ifndef KH_ENGINE_COMM_DECLARE_H
#define KH_ENGINE_COMM_DECLARE_H

#include "core/comm/declaration.h"
#include "core/policy/decide.h"
#include "engine/state/op.h"

struct kh_declare_item {
	struct kh_view id;        /* public id; empty: it was denied, and there is none */
	struct kh_view operation; /* "comm.fetch" */
	enum kh_ruling ruling;    /* of the gates, were it called now: KH_ALLOW, KH_VERIFY, KH_ASK, KH_DENY */
	const char *gate, *code;  /* the gate that decides and its code (docs/use/POLICY.md) */
	struct kh_view why;       /* a sentence about the policy and the caller's own words */
	struct kh_view approval;  /* public id, where one was asked for */
};

struct kh_declare {
	struct kh_view task;
	yyjson_val *declaration; /* in any form of E3 */
	/* out */
	struct kh_declare_item *items;
	size_t count;
};

/* KH_EINPUT with the first thing that is wrong where it does not pass E3: nothing of it is admitted, and the record has
 * it as `declaration_invalid`. */
enum kh_err kh_declare_run(struct kh_op *op, void *call);

#endif
