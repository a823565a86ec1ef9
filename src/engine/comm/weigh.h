/*
 * What a call is held against before it is decided (K5-K7): the untrusted blocks of its closure, by Keyhole's own
 * books.
 *
 * Three steps, because comparing may take long and the store's thread is everybody's: comm.weigh loads, kh_weigh_call()
 * compares on the caller's thread, and comm.call decides, after it has looked whether the context was given anything
 * in between.
 */
#ifndef KH_ENGINE_COMM_WEIGH_H
#define KH_ENGINE_COMM_WEIGH_H

#include "core/block/verify.h"
#include "engine/state/op.h"

/* What was found, for comm.call and for the reviewer. */
struct kh_weighed {
	int64_t last_block, last_declaration; /* of the context, when its blocks were loaded */
	bool suspicious;                      /* tier 1 has reasons */
	bool flagged;                         /* an untrusted block may have influenced it (K6) */
	struct kh_reasons reasons; /* codes of verify.h and where; details quote what matched: for humans alone */
};

/* comm.weigh: controller. */
struct kh_weigh {
	struct kh_view task; /* public id; empty: any of the context */
	struct kh_view
		declaration; /* public id, or its approval's, of an earlier one: its parameters are weighed; or */
	/* in, or out of the declaration */
	struct kh_view operation;
	yyjson_val *parameters;
	/* out: everything that kh_weigh_call() needs, in the arena */
	struct kh_verify_source *sources; /* the untrusted blocks of the closure, and the user's own words */
	size_t count;
	enum kh_taint taint;    /* the highest of the closure */
	bool too_much;          /* it has more content than is compared: that is a finding of its own */
	struct kh_view earlier; /* the strings of the context's latest calls, oldest first, one a line */
	int64_t last_block, last_declaration;
};
enum kh_err kh_weigh_run(struct kh_op *op, void *call);

/* Tier 1 over what was loaded.  SCREEN is the calling thread's own. */
enum kh_err kh_weigh_call(struct kh_screen *screen, struct kh_arena *arena, const struct kh_weigh *weigh,
			  struct kh_weighed *ret_weighed) KH_CHECKED;

#endif
