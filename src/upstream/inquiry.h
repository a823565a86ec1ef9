/*
 * What a server asks a human in the middle of a call (U3), for one call: asked, looked for, ended.  Nothing here waits.
 * Whoever carries out the call looks now and then, so that the end of the server or of the call's time is noticed too.
 *
 * An answer is of use for as long as the call's time lasts, less a fifth of what is left of it (5 s at most): that is the
 * server's, to end what it began.
 */
#ifndef KH_UPSTREAM_INQUIRY_H
#define KH_UPSTREAM_INQUIRY_H

#include "core/comm/elicitation.h"
#include "core/comm/errand.h"

#define KH_INQUIRY_MOST    4   /* elicitations of one call; later ones are declined */
#define KH_INQUIRY_LOOK_MS 200 /* how often it is looked for an answer */

/* Where a human is asked.  Every function fails only if nothing is known of it then: the elicitation is declined. */
struct kh_inquiry_human {
	void *context;
	/* *RET_ID is not 0. */
	enum kh_err (*ask)(void *context, const struct kh_errand *errand, struct kh_tainted params, int64_t left_ms,
			   struct kh_arena *arena, int64_t *ret_id, struct kh_error *err);
	/* IS_OVER: nobody waits for it any more, and it ends.  *RET_VALUES, in the arena, if it is accepted. */
	enum kh_err (*take)(void *context, int64_t id, bool is_over, struct kh_arena *arena, enum kh_elicited *ret_end,
			    struct kh_view *ret_values, struct kh_error *err);
};

/* One call, by one thread at a time. */
struct kh_inquiry {
	const struct kh_inquiry_human *human;
	const struct kh_errand *errand;
	const struct kh_alloc *alloc;
	int64_t until_ms; /* of kh_clock_ms(): the call's */
	/* private */
	unsigned asked;
	int64_t open; /* 0: none is */
	int64_t looked_ms;
};

/* A human is asked for what PARAMS, of elicitation/create, says; false: it is declined. */
bool kh_inquiry_begin(struct kh_inquiry *inquiry, struct kh_tainted params);

/* Whether one is open. */
bool kh_inquiry_is_open(const struct kh_inquiry *inquiry);

/* True if there is an answer: *RET_RESULT is the result for the server, as JSON, in the arena.  Then none is open. */
bool kh_inquiry_look(struct kh_inquiry *inquiry, struct kh_arena *arena, struct kh_view *ret_result);

/* Ends one that is open: there is nobody to answer any more. */
void kh_inquiry_end(struct kh_inquiry *inquiry);

#endif
