/*
 * Who gave a sealed block: an operation that Keyhole ran, or somebody who put it in.  That follows from Keyhole's own
 * record alone; what the giver said about the source decides nothing (K8, E10).  A block from before calls were recorded
 * with blocks counts as put in.
 */
#ifndef KH_ENGINE_CONTEXT_GIVER_H
#define KH_ENGINE_CONTEXT_GIVER_H

#include "engine/state/op.h"

struct kh_giver {
	bool put;            /* somebody put it in */
	enum kh_role role;   /* of whoever did */
	struct kh_view word; /* of the role: "controller" */
	uint64_t chosen;     /* bytes of the content that an agent chose; 0 unless a controller put it in */
};
enum kh_err kh_giver_find(struct kh_op *op, const struct kh_block_row *block, struct kh_giver *ret_giver) KH_CHECKED;

/*
 * Adds what an attribution says of a block that was put in to OBJ: who did, and to whoever gave the source, what was said
 * about it (B23).
 */
enum kh_err kh_giver_add(struct kh_op *op, const struct kh_block_row *block, yyjson_mut_doc *doc,
			 yyjson_mut_val *obj) KH_CHECKED;

/* The word for the caller's role: whoever runs a command in the home itself is its admin. */
struct kh_view kh_giver_caller(const struct kh_op *op);

#endif
