/*
 * The outbox carried out beside the callers: asks of Readers that take their time (a program, a model), each on a
 * thread of this pool for as long as the Reader takes.  At most as many at once as the pool has threads, and of one
 * Reader as many as it is configured for.  An ask that is lost here, for lack of memory, is still in the store's
 * outbox, and is found there again (recover.h).
 */
#ifndef KH_GATEWAY_DISPATCH_H
#define KH_GATEWAY_DISPATCH_H

#include "engine/engine.h"
#include "gateway/works.h"

struct kh_dispatch;

enum kh_err kh_dispatch_new(struct kh_engine *engine, unsigned threads, struct kh_dispatch **ret_asks,
			    struct kh_error *err) KH_CHECKED;

/* Has EFFECT carried out, an ask of READER that waits for this process.  One that is in hand already is left alone. */
void kh_dispatch_put(struct kh_dispatch *asks, int64_t effect, struct kh_view reader);

/* Everything that waits in the outbox for this process, what dead ones have left included. */
enum kh_err kh_dispatch_recover(struct kh_dispatch *asks, struct kh_error *err) KH_CHECKED;

/* As kh_works_stop(): what has not begun is left in the outbox. */
bool kh_dispatch_stop(struct kh_dispatch *asks, int64_t timeout_us);
void kh_dispatch_free(struct kh_dispatch *asks);

struct kh_works_figures kh_dispatch_figures(const struct kh_dispatch *asks);

#endif
