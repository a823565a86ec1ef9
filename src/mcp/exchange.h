/*
 * An *exchange* is one message of a peer and everything that is sent because of it: notifications and requests of ours,
 * and at the end the answer.  It is a work (gateway/works.h), so that a waiting exchange needs no thread; steps.h has
 * its steps.
 *
 * A request is read when it is taken (mcp.c), on the transport's thread, so that messages keep their order.  Everything
 * that asks the store happens in steps.  Each step has an arena of its own, which is freed before a wait.  An exchange
 * is in its peer's list from when it is taken until it is about to be answered: whoever holds the peer's lock and finds
 * it there may wake it.
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
	const struct kh_mcp_transport *transport; /* the peer's; the batch's if this is a part of a batch */
	void *ctx;                                /* the transport's */
	const struct kh_mcp_method *method;
	struct kh_mcp_exchange *next, *prev; /* in the peer's list, under its lock */
	bool listed;                         /* in the peer's list, under its lock */
	atomic_bool cancelled;
	pthread_mutex_t sending;          /* held while a message before the answer is sent */
	struct kh_mcp_progress *progress; /* its progress notifications; NULL: none */
	struct kh_mcp_batch *batch;       /* of which this is a part, or the whole; NULL: none */
	size_t place;                     /* of a part: its index among the parts */
	/* Frees the batch; set in the whole, which owns the batch, else NULL. */
	void (*batch_free)(struct kh_mcp_batch *batch);

	int log_level;
	unsigned status;    /* for HTTP: 200, 202, 400, 404, ... */
	bool is_initialize; /* it makes its peer a session */
	bool told;
	char id[KH_RPC_ID], progress_token[KH_RPC_ID]; /* JSON */
	size_t id_n, progress_n;
	int64_t began;  /* kh_works_now() */
	uint64_t asked; /* id of our request to the client that has no answer yet; 0: none */

	struct kh_arena arena;
	struct kh_error err;
	struct kh_who who; /* who.token 0: not known yet */
	struct kh_mcp_call call;
	const struct kh_mcp_tool *tool;     /* tools/call */
	struct kh_mcp_upstreams *upstreams; /* held: that the tool is of; NULL: it is of none */
	/* The arguments that a requestState is bound to (in the first step only; NULL: none), and their digest. */
	yyjson_val *bound;
	struct kh_digest digest;
	bool has_digest; /* the digest is made only if it is needed */
	struct {
		struct kh_mcp_exchange *next, *prev;
		unsigned filter, changed;
	} listens; /* of subscriptions/listen, under the lock of struct kh_mcp */
};

/* Makes an exchange, which holds a reference to PEER.  NULL: out of memory. */
struct kh_mcp_exchange *kh_mcp_exchange_new(struct kh_mcp_peer *peer, void *ctx);
void kh_mcp_exchange_free(struct kh_mcp_exchange *x);

/* Adds X to its peer's list, and removes it if it is there.  The peer's lock is held. */
void kh_mcp_exchange_list(struct kh_mcp_exchange *x);
void kh_mcp_exchange_unlist(struct kh_mcp_exchange *x);

/* Sends a message of X before its answer. */
void kh_mcp_exchange_send(struct kh_mcp_exchange *x, struct kh_view message);

/* Sends a notification to the client, made in the arena and document of this step. */
void kh_mcp_exchange_notify(struct kh_mcp_exchange *x, const char *method, yyjson_mut_val *params);

/* Finds the exchange in the peer's list by the id of its request (JSON); NULL: none.  The peer's lock is held. */
struct kh_mcp_exchange *kh_mcp_exchange_find(struct kh_mcp_peer *peer, struct kh_view id);

/* Cancels X and wakes it.  The peer's lock is held, and X is in its list. */
void kh_mcp_exchange_stop(struct kh_mcp_exchange *x);

/* Nobody waits for this exchange's answer any more: it ends at its next step, and its answer is dropped. */
void kh_mcp_exchange_cancel(struct kh_mcp_exchange *x);

/* The other end has closed: cancels what runs for it (queries that were admitted go on in the store). */
void kh_mcp_exchange_cancel_all(struct kh_mcp_peer *peer);

#endif
