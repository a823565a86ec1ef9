/*
 * Carries out the outbox on threads other than the callers': Readers that take their time, external operations, models
 * that verify, and calls that wait for their turn.  Each entry has a thread of one pool for as long as it takes.  At
 * once, there are at most as many entries of one kind as the pool is made for, at most as many of one Reader as the
 * configuration allows, and of calls that wait for their turn one of each token.  Of errands and models that verify
 * one token has at most half of the places, and a place that is left goes to the token that has fewest: so no agent
 * fills the places of all.  Whoever waits here is told nothing of it; the time counts as the errand's own.
 *
 * An ask that is lost here, for lack of memory, is still in the store's outbox, and is found there again (recover.h).
 * An errand that is in hand when the process dies ends as unknown (E7).
 */
#ifndef KH_GATEWAY_DISPATCH_H
#define KH_GATEWAY_DISPATCH_H

#include "engine/outbox.h"
#include "gateway/works.h"

struct kh_dispatch;

/* MOST: asks at once, and as many other entries.  CALLERS: the pool whose works are woken when an errand has ended. */
enum kh_err kh_dispatch_new(struct kh_engine *engine, unsigned most, struct kh_works *callers,
			    struct kh_dispatch **ret_dispatch, struct kh_error *err) KH_CHECKED;

/*
 * Has ENTRY carried out; all of it is copied.  If it is in hand already, nothing happens.  KH_EREFUSED `busy` if an
 * errand or a model call cannot be accepted; the errand is then recorded as failed.
 */
enum kh_err kh_dispatch_put(struct kh_dispatch *dispatch, const struct kh_entry *entry,
			    struct kh_error *err) KH_CHECKED;

/*
 * Has CALL decided when its turn among the calls of TOKEN comes; all of it is copied.  Works of the callers' pool that
 * wait for the ticket's chain are woken then (turns.h).
 */
enum kh_err kh_dispatch_queue(struct kh_dispatch *dispatch, struct kh_token_claim token,
			      const struct kh_comm_call *call, int64_t *ret_ticket, struct kh_error *err) KH_CHECKED;

/* Whether calls of TOKEN wait for their turn: a new one has to wait behind them. */
bool kh_dispatch_queues(struct kh_dispatch *dispatch, struct kh_token_claim token);

struct kh_turns *kh_dispatch_turns(const struct kh_dispatch *dispatch);

/* Takes every ask that waits in the outbox for this process, including those that dead processes left. */
enum kh_err kh_dispatch_recover(struct kh_dispatch *dispatch, struct kh_error *err) KH_CHECKED;

/* Whether the declaration (row id) is in hand. */
bool kh_dispatch_has(struct kh_dispatch *dispatch, int64_t declaration);

/* Like kh_works_stop(): asks that have not begun are left in the outbox, errands run to their end. */
bool kh_dispatch_stop(struct kh_dispatch *dispatch, int64_t timeout_us);
void kh_dispatch_free(struct kh_dispatch *dispatch);

struct kh_works_figures kh_dispatch_figures(const struct kh_dispatch *dispatch);

#endif
