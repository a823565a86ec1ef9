/*
 * The gateway: runs the engine for many callers at once.  Transports (src/mcp, src/http) bring calls; works.h steps
 * them; dispatch.h carries out the outbox.  The gateway itself does what no caller asks for: it settles outcomes that
 * are due, takes over what dead processes left, and purges content past its retention.
 *
 * A transport keeps no state that matters: every call names its token, and the transaction of the operation decides
 * what the token may do.
 */
#ifndef KH_GATEWAY_GATEWAY_H
#define KH_GATEWAY_GATEWAY_H

#include "engine/context/who.h"
#include "engine/engine.h"
#include "gateway/works.h"

struct kh_gateway;

/* How the processes and the disk are that the gateway depends on. */
struct kh_gateway_machine {
	bool executor;                 /* it is alive; Readers and operations go through it */
	bool returns;                  /* if it is not: another one is on its way */
	bool replaced, spawner;        /* it is replaced when it dies; the spawner, which does that, is alive */
	uint64_t starts, ends;         /* executors that were started, and that have died */
	bool store_low, workspace_low; /* less room on the file system than is kept free (base/diskroom.h) */
	uint64_t store_free;           /* bytes */
};

struct kh_gateway_settings {
	struct kh_engine *engine; /* the caller owns it */
	unsigned threads;         /* threads that run operations; 0: 64 */
	unsigned asks;            /* Readers asked at once (`extract` not counted), and errands at once; 0: 64 */
	int64_t wait;             /* microseconds that a call waits before it answers `pending` (A5); 0: 50 s */
	/* Finds that out, at any time, from any thread; it must be quick.  NULL: all is well. */
	void (*look)(void *ctx, struct kh_gateway_machine *ret_machine);
	/* Ends all upstream servers, because a human has stopped everything (U8).  NULL: there are none. */
	void (*halt)(void *ctx);
	void *ctx;
};

enum kh_err kh_gateway_new(const struct kh_gateway_settings *settings, struct kh_gateway **ret_gateway,
			   struct kh_error *err) KH_CHECKED;

/*
 * A graceful stop: takes no new work, ends the waits (their callers are told `pending` or `waiting`, and can ask again
 * later), and lets what runs finish, for at most TIMEOUT_US.  Readers that were asked and have not answered are left to
 * the next start.  False if something still runs: then the process should just exit.
 */
bool kh_gateway_stop(struct kh_gateway *gateway, int64_t timeout_us);
void kh_gateway_free(struct kh_gateway *gateway);

struct kh_engine *kh_gateway_engine(const struct kh_gateway *gateway);
struct kh_works *kh_gateway_works(const struct kh_gateway *gateway); /* where transports put their calls */
int64_t kh_gateway_wait(const struct kh_gateway *gateway);

/*
 * Who holds TOKEN.  FRESH: asks the store now; otherwise a cached result for this token may be used.  The cache is
 * enough if an operation with the same token follows, because that checks the token again.  KH_EREFUSED `unauthorised`.
 */
enum kh_err kh_gateway_who(struct kh_gateway *gateway, struct kh_token_claim token, bool fresh, struct kh_who *ret_who,
			   struct kh_error *err) KH_CHECKED;

/* For what stays open between operations (gateway/validity.h): check the token again when the epoch has changed. */
uint64_t kh_gateway_epoch(const struct kh_gateway *gateway);
bool kh_gateway_holds(struct kh_gateway *gateway, struct kh_token_claim token);

/*
 * Has FN called, with CTX, at the start and whenever what agents are offered may have changed: somebody has approved
 * tools of an upstream server, in any process, or another policy is in force.  One at a time.  NULL: no longer; it does
 * not run after that.
 */
void kh_gateway_hear(struct kh_gateway *gateway, void (*fn)(void *ctx), void *ctx);

/* Runs operation FN for TOKEN and waits until it is durable (kh_engine_call).  For steps of works. */
enum kh_err kh_gateway_call(struct kh_gateway *gateway, struct kh_token_claim token, kh_engine_fn *fn, void *call,
			    struct kh_arena *arena, struct kh_error *err) KH_CHECKED;

/*
 * Has the outbox scanned.  To be called after an operation that may have left something for Readers without handing it
 * out (approval.decide).
 */
void kh_gateway_look(struct kh_gateway *gateway);

/*
 * For asking.h and operating.h: where entries of the outbox go, and the count of the outcomes that Controllers are
 * told.
 */
struct kh_dispatch;
struct kh_dispatch *kh_gateway_dispatch(const struct kh_gateway *gateway);
void kh_gateway_told(struct kh_gateway *gateway, enum kh_outcome outcome);

/* What the settings' function finds now. */
struct kh_gateway_machine kh_gateway_machine(const struct kh_gateway *gateway);

/* Counters for /metrics. */
#define KH_GATEWAY_OUTCOMES 8
struct kh_gateway_figures {
	struct kh_works_figures calls, outbox;
	struct kh_store_figures store;
	struct kh_gateway_machine machine;
	struct kh_tally_row tally[KH_TALLY_ROWS];
	size_t tally_count;
	uint64_t pending;                       /* approvals, in the whole store */
	int64_t pending_oldest;                 /* microseconds that the oldest has waited; 0: none waits */
	int64_t checkpoint_age;                 /* microseconds since the last one was signed, by any process */
	uint64_t uncovered;                     /* events since that one */
	uint64_t outcomes[KH_GATEWAY_OUTCOMES]; /* of queries, told by this process, by enum kh_outcome */
};
struct kh_gateway_figures kh_gateway_figures(struct kh_gateway *gateway);

#endif
