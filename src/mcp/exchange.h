/*
 * Exchanges: a request of a peer's as a work (works.h), from its first step to its answer.
 *
 * A request is read when it is taken (mcp.c), on the transport's thread, so that messages keep their order; everything
 * that asks the store happens in steps.  Each step has an arena of its own, given back before a wait.  An exchange is
 * in its peer's list from when it is taken until it is about to be answered: whoever holds the peer's lock and finds it
 * there may wake it.
 */
#ifndef KH_MCP_EXCHANGE_H
#define KH_MCP_EXCHANGE_H

#include "mcp/mcp.h"
#include "mcp/tools.h"
#include "rpc/rpc.h"

struct kh_mcp_used; /* state.h */

/* The server's side of everything: what all peers share. */
struct kh_mcp {
	struct kh_gateway *gateway;
	const struct kh_alloc *alloc;
	char *approvals; /* a copy of the setting */
	size_t approvals_n;
	unsigned char state_key[32];     /* of request states; the same in every process on this store */
	pthread_mutex_t lock;            /* of what follows */
	struct kh_mcp_exchange *listens; /* subscriptions/listen that are open */
	struct kh_mcp_used *used;        /* request states that have come back; NULL: none yet */
};

#define KH_MCP_EXCHANGE_ARENA (1U << 30) /* bytes of one step: sealed content of 16 MiB is read in it */

/* What a method came to. */
struct kh_mcp_answer {
	enum kh_err e;             /* not KH_OK: call->err says why, and `fault` may say it in more detail */
	yyjson_mut_val *result;    /* an object */
	struct kh_rpc_fault fault; /* number not 0: this is answered */
};

struct kh_mcp_batch;
struct kh_mcp_method;
struct kh_mcp_progress;

struct kh_mcp_exchange {
	struct kh_work work; /* the first member */
	struct kh_mcp_peer *peer;
	void *ctx;
	const struct kh_mcp_method *method;
	struct kh_mcp_exchange *next, *prev; /* of the peer's, under its lock */
	bool listed;                         /* likewise */
	atomic_bool cancelled;
	struct kh_mcp_progress *progress; /* its clock; NULL: none */
	size_t place;                     /* among the parts of its batch */
	struct kh_mcp_batch *batch; /* of which this is a part (of), or the whole (whole); NULL: it stands alone */
	bool whole;

	enum kh_rpc_version version;
	unsigned can;
	int log_level;
	unsigned status;
	bool is_initialize, begun, told;
	char id[KH_RPC_ID], progress_token[KH_RPC_ID]; /* JSON */
	size_t id_n, progress_n;
	int64_t began;  /* kh_works_now() */
	uint64_t asked; /* id of the request to the client that waits for its answer; 0: none */

	struct kh_arena arena;
	yyjson_val *params; /* the first step's alone; NULL: none */
	struct kh_error err;
	struct kh_who who;
	struct kh_mcp_call call;
	const struct kh_mcp_tool *tool; /* tools/call */
	struct kh_digest digest;        /* of the arguments: what a requestState is bound to */
	struct {
		struct kh_mcp_exchange *next, *prev;
		unsigned filter, changed;
	} listens; /* subscriptions/listen, under the lock of struct kh_mcp */
};

/* A new exchange of PEER's, which it holds.  NULL: out of memory. */
struct kh_mcp_exchange *kh_mcp_exchange_new(struct kh_mcp_peer *peer, void *ctx);

/* Has the steps of X begin; its method, version and id are set.  False: the gateway is stopping, and X is the
 * caller's. */
bool kh_mcp_exchange_start(struct kh_mcp_exchange *x) KH_CHECKED;

/* Answers X without a step: with a fault, or with nothing (a notification).  X is the transport's then. */
void kh_mcp_exchange_refuse(struct kh_mcp_exchange *x, const struct kh_rpc_fault *fault);
void kh_mcp_exchange_nothing(struct kh_mcp_exchange *x);

/* Sends a message of X's before its answer, from a step.  _put: from within the clock's hold (progress.h). */
void kh_mcp_exchange_send(struct kh_mcp_exchange *x, struct kh_view message);
void kh_mcp_exchange_put(struct kh_mcp_exchange *x, struct kh_view message);

/* X in its peer's list by the id of its request (JSON); NULL: none.  Under the peer's lock. */
struct kh_mcp_exchange *kh_mcp_exchange_find(struct kh_mcp_peer *peer, struct kh_view id);

/* Cancels X and wakes it.  Under the peer's lock; X is in its list. */
void kh_mcp_exchange_stop(struct kh_mcp_exchange *x);

#endif
