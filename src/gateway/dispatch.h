/*
 * The outbox carried out beside the callers: Readers that take their time, external operations, models that verify; each
 * entry on a thread of one pool for as long as it takes.  Of one kind at most as many at once as the pool is made for,
 * and of one Reader as many as it is configured for.
 *
 * An ask that is lost here, for lack of memory, is still in the store's outbox, and is found there again (recover.h).
 * An errand that is in hand when the process dies ends as unknown (E7).
 */
#ifndef KH_GATEWAY_DISPATCH_H
#define KH_GATEWAY_DISPATCH_H

#include "engine/outbox.h"
#include "gateway/works.h"

struct kh_dispatch;

/* MOST: asks at once, and as many others.  CALLERS: where those wait who are to be told when an errand has ended. */
enum kh_err kh_dispatch_new(struct kh_engine *engine, unsigned most, struct kh_works *callers,
			    struct kh_dispatch **ret_dispatch, struct kh_error *err) KH_CHECKED;

/*
 * Has ENTRY carried out; everything of it is copied.  One that is in hand already is left alone.  KH_EREFUSED `busy` if
 * an errand or a model cannot be taken on: the errand has failed then, which is on the record.
 */
enum kh_err kh_dispatch_put(struct kh_dispatch *dispatch, const struct kh_entry *entry,
			    struct kh_error *err) KH_CHECKED;

/* Every ask that waits in the outbox for this process, what dead ones have left included. */
enum kh_err kh_dispatch_recover(struct kh_dispatch *dispatch, struct kh_error *err) KH_CHECKED;

/* Whether the declaration (row id) is in hand. */
bool kh_dispatch_has(struct kh_dispatch *dispatch, int64_t declaration);

/* As kh_works_stop(): asks that have not begun are left in the outbox, errands come to their end. */
bool kh_dispatch_stop(struct kh_dispatch *dispatch, int64_t timeout_us);
void kh_dispatch_free(struct kh_dispatch *dispatch);

struct kh_works_figures kh_dispatch_figures(const struct kh_dispatch *dispatch);

#endif
