/* query.look: what a Controller may know about its query (B16, B18, A5): an outcome, and the delivery. */
#ifndef KH_ENGINE_QUERY_LOOK_H
#define KH_ENGINE_QUERY_LOOK_H

#include "engine/state/op.h"

struct kh_look {
	struct kh_view query;    /* public id; or */
	struct kh_view approval; /* of the approval that was named with `pending` */
	/* out */
	enum kh_outcome outcome; /* NONE: with the Reader, or not released yet; PENDING: a human decides */
	struct kh_view waits;    /* public id of the approval, if pending */
	struct kh_view delivery; /* the bcp_response_delivery of B24 as JSON, if delivered */
	struct kh_view block;    /* its block */
	enum kh_taint taint;     /* of the delivery */
	struct kh_view sources;  /* the blocks that it came from: JSON array of public ids */
	int64_t due;  /* when to look again at the earliest; 0: when somebody has acted.  Not for the Controller */
	int64_t slot; /* the slot at or after now (B17); now if nothing waits for slots.  Not for the Controller */
	struct kh_query_row *row;
};
enum kh_err kh_look_run(struct kh_op *op, void *call);

#endif
