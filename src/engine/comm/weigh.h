/*
 * What a call is compared with before it is decided (K5-K7): the untrusted blocks of its closure, by Keyhole's own
 * records.
 *
 * There are three steps, because the comparison may take long and every caller shares the store's thread: comm.weigh
 * loads, kh_weigh_call() compares on the caller's thread, and comm.call decides, after checking that the context was
 * given nothing and the token has begun no call in between.
 */
#ifndef KH_ENGINE_COMM_WEIGH_H
#define KH_ENGINE_COMM_WEIGH_H

#include "core/block/prints.h"
#include "core/block/verify.h"
#include "engine/state/op.h"

/* What was found, for comm.call and for the reviewer. */
struct kh_weighed {
	int64_t last_block;        /* of the context, when its blocks were loaded */
	int64_t calls;             /* that the token had begun then (sending.h) */
	bool suspicious;           /* tier 1 has findings */
	bool flagged;              /* an untrusted block may have influenced it (K6) */
	struct kh_reasons reasons; /* codes of verify.h and where; details quote what matched: only for humans */
};

/* comm.weigh: controller. */
struct kh_weigh {
	struct kh_view task; /* public id; empty: any task of the context */
	struct kh_view
		declaration; /* public id of an earlier one, or of its approval: its parameters are weighed; or */
	/* in, or taken from the declaration */
	struct kh_view operation;
	yyjson_val *parameters;
	yyjson_val *query; /* whose words the parameters are; NULL: it is a call */
	/* out: everything that kh_weigh_call() needs, in the arena */
	struct kh_verify_source *sources; /* the untrusted blocks of the closure, and the user's own text */
	size_t count;
	yyjson_val *sending;   /* the parameters, with what a controller put in: what is kept if it is sent */
	struct kh_view *given; /* what a controller put in of what a query is about: content and source in turn */
	size_t given_count;
	struct kh_verify_source *others; /* the sources that the query is not about, which GIVEN is compared with */
	size_t other_count;
	enum kh_taint taint;  /* the highest of the closure */
	bool too_much;        /* it has more content than is compared: that is a finding of its own */
	struct kh_sent *sent; /* what the token's calls sent in these parameters, and in all */
	size_t sent_count;
	unsigned char key[KH_PRINTS_KEY]; /* of the fingerprints of sources that were removed */
	int64_t last_block, calls;
};
enum kh_err kh_weigh_run(struct kh_op *op, void *call);

/*
 * Adds to the words of a query what a controller put in of BLOCKS, as the member `given`: a list of content and source
 * in turn.  Nothing is added if there is none.
 */
enum kh_err kh_weigh_with(struct kh_op *op, const int64_t *blocks, size_t count, yyjson_val **words) KH_CHECKED;

/*
 * Takes what tier 1 has to examine from a declaration that is not in a table yet: its parameters, in the form in which
 * they are kept (sending.h).  Its reasons are only for humans.  What comm.call will refuse, because it is not one
 * declaration, is examined whole.
 */
enum kh_err kh_weigh_read(struct kh_arena *arena, yyjson_val *declare, struct kh_weigh *weigh,
			  struct kh_error *err) KH_CHECKED;

/* Runs tier 1 on what was loaded.  SCREEN belongs to the calling thread. */
enum kh_err kh_weigh_call(struct kh_screen *screen, struct kh_arena *arena, const struct kh_weigh *weigh,
			  struct kh_weighed *ret_weighed) KH_CHECKED;

#endif
