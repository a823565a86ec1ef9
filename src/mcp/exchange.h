/*
 * An *exchange* is one message of a peer's and everything that is said because of it: notifications and requests of ours,
 * and at the end the answer.  It is a work (works.h), so that one that waits costs no thread; steps.h has its steps.
 *
 * A request is read when it is taken (mcp.c), on the transport's thread, so that messages keep their order; everything
 * that asks the store happens in steps.  Each step has an arena of its own, given back before a wait.  An exchange is
 * in its peer's list from when it is taken until it is about to be answered: whoever holds the peer's lock and finds it
 * there may wake it.
 */
#ifndef KH_MCP_EXCHANGE_H
#define KH_MCP_EXCHANGE_H

#include "mcp/peer.h"

#define KH_MCP_EXCHANGE_ARENA (1U << 30) /* bytes of one step: sealed content of 16 MiB is read in it */

struct kh_mcp_batch;    /* batch.h */
struct kh_mcp_progress; /* progress.h */

struct kh_mcp_exchange {
	struct kh_work work; /* the first member */
	struct kh_mcp_peer *peer;
	const struct kh_mcp_transport *transport; /* the peer's; of a part of a batch, the batch */
	void *ctx;                                /* the transport's */
	const struct kh_mcp_method *method;
	struct kh_mcp_exchange *next, *prev; /* of the peer's, under its lock */
	bool listed;                         /* likewise */
	atomic_bool cancelled;
	pthread_mutex_t sending;          /* messages before the answer leave one after the other */
	struct kh_mcp_progress *progress; /* its clock; NULL: none */
	struct kh_mcp_batch *batch;       /* of which this is a part, or the whole; NULL: it stands alone */
	size_t place;                     /* of a part: among the others */
	/* Set in the whole, with which its batch goes; else NULL. */
	void (*batch_free)(struct kh_mcp_batch *batch);

	int log_level;
	unsigned status;    /* what HTTP says: 200, 202, 400, 404, ... */
	bool is_initialize; /* it makes its peer a session */
	bool told;
	char id[KH_RPC_ID], progress_token[KH_RPC_ID]; /* JSON */
	size_t id_n, progress_n;
	int64_t began;  /* kh_works_now() */
	uint64_t asked; /* id of the request to the client that waits for its answer; 0: none */

	struct kh_arena arena;
	struct kh_error err;
	struct kh_who who; /* who.token 0: not known yet */
	struct kh_mcp_call call;
	const struct kh_mcp_tool *tool; /* tools/call */
	/* What a requestState is bound to: these arguments (the first step's alone; NULL: none), by their digest. */
	yyjson_val *bound;
	struct kh_digest digest;
	bool has_digest; /* made if it is needed */
	struct {
		struct kh_mcp_exchange *next, *prev;
		unsigned filter, changed;
	} listens; /* subscriptions/listen, under the lock of struct kh_mcp */
};

/* A new exchange of PEER's, which it holds.  NULL: out of memory. */
struct kh_mcp_exchange *kh_mcp_exchange_new(struct kh_mcp_peer *peer, void *ctx);
void kh_mcp_exchange_free(struct kh_mcp_exchange *x);

/* Into its peer's list, and out of it, if it is there.  Under the peer's lock. */
void kh_mcp_exchange_list(struct kh_mcp_exchange *x);
void kh_mcp_exchange_unlist(struct kh_mcp_exchange *x);

/* Sends a message of X's before its answer. */
void kh_mcp_exchange_send(struct kh_mcp_exchange *x, struct kh_view message);

/* A notification to the client, made in the arena and document of this step. */
void kh_mcp_exchange_notify(struct kh_mcp_exchange *x, const char *method, yyjson_mut_val *params);

/* X in its peer's list by the id of its request (JSON); NULL: none.  Under the peer's lock. */
struct kh_mcp_exchange *kh_mcp_exchange_find(struct kh_mcp_peer *peer, struct kh_view id);

/* Cancels X and wakes it.  Under the peer's lock; X is in its list. */
void kh_mcp_exchange_stop(struct kh_mcp_exchange *x);

/* Whoever waits for this exchange's answer is gone: it ends at its next step, and its answer goes nowhere. */
void kh_mcp_exchange_cancel(struct kh_mcp_exchange *x);

/* The other end is gone: what runs for it is cancelled (queries that were admitted go on in the store). */
void kh_mcp_exchange_cancel_all(struct kh_mcp_peer *peer);

#endif
