/*
 * Sealing: content from outside becomes an untrusted data block of a task, bound to its attribution (E10, K1).  Nothing
 * comes out again but the block's id (E12), unless it was asked for in a fence, or a rule of the policy vets it (U6).
 */
#ifndef KH_ENGINE_CONTEXT_SEAL_H
#define KH_ENGINE_CONTEXT_SEAL_H

#include "base/tainted.h"
#include "core/comm/attribution.h"
#include "engine/state/beforehand.h"

#define KH_SEAL_BLOCKS_MAX 10000 /* sealed blocks of one task */

/*
 * Content that comes in is read once, outside of the transaction (beforehand.h): whether it is UTF-8, its size, and its
 * digests.  It is known by its address.
 */
struct kh_seal_read {
	struct kh_tainted content;
	bool put; /* somebody puts it in */
	/* out */
	enum kh_err e; /* why it cannot be a block */
	struct kh_error err;
	struct kh_attribution_content digests;
	struct kh_digest normal; /* of what is put in: of its normal form (origin.h) */
};
enum kh_err kh_seal_prepare(struct kh_prepare *at, struct kh_tainted content, bool put) KH_CHECKED;

/* What was read of CONTENT, whose digest the transaction knows from now on; why it cannot be a block; or it is wanted. */
enum kh_err kh_seal_find(struct kh_op *op, struct kh_tainted content, bool put,
			 const struct kh_seal_read **ret_read) KH_CHECKED;

struct kh_seal {
	struct kh_task_row *task;
	struct kh_context_row *context;
	struct kh_view operation; /* "comm.fetch", or KH_ATTRIBUTION_PUT */
	struct kh_view giver;     /* the role of whoever put it in; empty: an operation brought it */
	struct kh_view source;    /* visible characters only */
	struct kh_tainted content;
	struct kh_view origin; /* of what an operation brought: what it was asked for (core/comm/origin.h) */
	bool vetted;           /* a rule vets it (U6): vetted data, with the taint of its context */
	int64_t put;           /* bytes that count as put in; 0: none */
	int64_t declaration;   /* the call that brought it; 0: it was put in */
	int64_t put_by;        /* the token that brought it; 0: the caller's token */
	int64_t slot;          /* when it may be known: kh_seal_tell() is called then; 0: now */
	/* out */
	struct kh_block_row *row;
	struct kh_digest digest; /* of the attribution and the content, for the event that records it */
};

/*
 * The caller's next event records the block, and is the one that the attribution names.  Refuses what kh_block_make()
 * and kh_attribution_make() refuse, and `too_many_blocks`.
 */
enum kh_err kh_seal_block(struct kh_op *op, struct kh_seal *seal) KH_CHECKED;

/* The slot of ROW has come: it is counted, listed and found from now on.  The caller's next event records it. */
void kh_seal_tell(struct kh_context_row *context, struct kh_task_row *task, struct kh_block_row *row);

#endif
