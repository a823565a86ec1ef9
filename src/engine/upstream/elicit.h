/*
 * Elicitations of upstream servers (U3, A1): a server asks a human for something while one of its tools is called.  If
 * the tool's rule lets it, and what it asks for is a form that is let through (core/comm/elicitation.h), it is an
 * approval: a reviewer enters values, which go to the server, or rejects it.  There is one at a time of a call, and of a
 * server in a context.
 *
 * Whoever carries out the call asks, looks again and again, and is given a decision once: that it is used, with the
 * digest of what was entered, is recorded before that leaves.  The Controller sees nothing of it but the call's outcome.
 */
#ifndef KH_ENGINE_UPSTREAM_ELICIT_H
#define KH_ENGINE_UPSTREAM_ELICIT_H

#include "core/comm/elicitation.h"
#include "engine/approval/follow.h"
#include "engine/state/beforehand.h"

/*
 * elicit.ask (called by Keyhole itself).  KH_EREFUSED with a code of core/comm/elicitation.h, `elicitation_busy` if
 * another one is open, or `elicitation_late` if the call does not run any more: it is declined, which is recorded.
 */
struct kh_elicit_ask {
	int64_t declaration;      /* a row: the call during which it came */
	struct kh_view server;    /* its name in the configuration */
	struct kh_tainted params; /* of elicitation/create, as they came */
	int64_t left_ms;          /* for which an answer is of use */
	/* out */
	int64_t approval; /* a row */
	/* filled in before the transaction */
	struct kh_elicitation form;
	enum kh_err e;
	struct kh_error why;
};
enum kh_err kh_elicit_prepare(struct kh_prepare *at, void *call);
enum kh_err kh_elicit_ask_run(struct kh_op *op, void *call);

/* elicit.take (called by Keyhole itself): what has become of APPROVAL. */
struct kh_elicit_take {
	int64_t approval;
	bool is_over; /* nobody waits for it any more: nothing is given out, and it ends */
	/* out */
	enum kh_elicited end;
	struct kh_view values; /* if it is accepted: a JSON object */
};
enum kh_err kh_elicit_take_run(struct kh_op *op, void *call);

/* Not an operation.  The call of ROW has ended without having been answered: what it waits for ends too. */
enum kh_err kh_elicit_end(struct kh_op *op, const struct kh_declaration_row *row) KH_CHECKED;

extern const struct kh_approval_follow kh_elicit_follow;

#endif
