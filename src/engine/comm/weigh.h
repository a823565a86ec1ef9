/*
 * What a call is compared with before it is decided (K5-K7): the untrusted blocks of its closure, by Keyhole's own
 * records.
 *
 * The comparison may take long, and how long follows from sealed content.  So an operation has it done outside of its
 * transaction (beforehand.h), and only when nothing else can refuse the call.
 */
#ifndef KH_ENGINE_COMM_WEIGH_H
#define KH_ENGINE_COMM_WEIGH_H

#include "core/block/prints.h"
#include "core/block/verify.h"
#include "engine/state/beforehand.h"

/* What was found, for comm.call and for the reviewer. */
struct kh_weighed {
	int64_t last_block;        /* of the context, when its blocks were loaded */
	int64_t calls;             /* that the token had begun then (sending.h) */
	bool suspicious;           /* tier 1 has findings */
	bool flagged;              /* an untrusted block may have influenced it (K6) */
	struct kh_reasons reasons; /* codes of verify.h and where; details quote what matched: only for humans */
};

/* Loads what is compared.  Keyhole's own: the caller of a call has no business with it. */
struct kh_weigh {
	int64_t context; /* whose closure */
	struct kh_view operation;
	yyjson_val *parameters;
	const int64_t *blocks; /* that the query is about whose words the parameters are; NULL: it is a call */
	size_t block_count;
	/* out: everything that kh_weigh_call() needs, in the arena */
	struct kh_verify_source *sources; /* the untrusted blocks of the closure, and the user's own text */
	struct kh_view *origins;          /* of each of them, what makes it the same thing as another (B19) */
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

/* Runs tier 1 on what was loaded.  SCREEN belongs to the calling thread. */
enum kh_err kh_weigh_call(struct kh_screen *screen, struct kh_arena *arena, const struct kh_weigh *weigh,
			  struct kh_weighed *ret_weighed) KH_CHECKED;

/*
 * What was found in a call of CONTEXT's token.  If it was not compared yet, or if the context was given something or the
 * token has begun a call since, this ends the run and has it compared: never KH_OK then.
 *
 * TRIES, unless it is 0: how often it may be compared beside others of the same token.  After that, or if the token
 * has as many compared at once as it may, *RET_WEIGHED is NULL: it has to wait for its turn.
 */
enum kh_err kh_weigh_want(struct kh_op *op, const struct kh_context_row *context, struct kh_view operation,
			  yyjson_val *parameters, unsigned tries, const struct kh_weighed **ret_weighed) KH_CHECKED;

/* The same for the words of a query about BLOCKS, as often as it takes. */
enum kh_err kh_weigh_words(struct kh_op *op, const struct kh_context_row *context, const struct kh_weigh *words,
			   const struct kh_weighed **ret_weighed) KH_CHECKED;

#endif
