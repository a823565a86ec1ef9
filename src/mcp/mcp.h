/*
 * MCP, apart from how its messages travel: messages in, messages out.  Both generations: those that begin with
 * `initialize` (2025-03-26, 2025-06-18, 2025-11-25) and the stateless 2026-07-28.
 *
 * A *peer* is what is known of the other end from one message to the next: a connection of lines (lines.h), a session
 * of HTTP, or, stateless, nothing but the one request.  An *exchange* is one message of the peer's and everything that
 * is said because of it: notifications and requests of ours, and at the end the answer.  It is a work (works.h), so
 * that one that waits costs no thread.
 *
 * Whom it trusts: nobody.  A message is bytes; the token of the peer decides what its sender sees and may do, in the
 * operations themselves; nothing hangs on a peer that another token could use.
 */
#ifndef KH_MCP_MCP_H
#define KH_MCP_MCP_H

#include "base/json.h"
#include "gateway/asking.h"
#include "rpc/version.h"

#include <pthread.h>
#include <stdatomic.h>

#define KH_MCP_MESSAGE (4U << 20) /* bytes of one message */
#define KH_MCP_RUNNING 256        /* requests of one peer's that may run at once */
#define KH_MCP_TOLD    8

struct kh_mcp_settings {
	struct kh_gateway *gateway;
	/* Where a human decides, for people: "https://host/", or empty.  The command is named too.  Lives as long. */
	struct kh_view approvals;
};

/* What a client said that it can. */
#define KH_MCP_CAN_ELICIT     (1U << 0)
#define KH_MCP_CAN_ELICIT_URL (1U << 1)
#define KH_MCP_CAN_SAMPLE     (1U << 2)
#define KH_MCP_CAN_ROOTS      (1U << 3)

struct kh_mcp_exchange;
struct kh_mcp_peer;

/* How messages leave. */
struct kh_mcp_transport {
	/*
	 * A message of this exchange: JSON on one line, valid during the call.  LAST: the answer, nothing follows;
	 * empty and LAST: there is no answer to give (a notification, a response).  x->status is what HTTP should say.
	 * From any thread, one call at a time for an exchange.  After LAST the exchange is the transport's to free,
	 * with kh_mcp_exchange_free(), which it may do within the call.
	 */
	void (*send)(struct kh_mcp_exchange *x, struct kh_view message, bool last);
	/* The way of this exchange's messages may be closed for now: the client will come back for the rest.  NULL:
	 * there is nothing to close. */
	void (*rest)(struct kh_mcp_exchange *x);
	/* Messages are taken in steps of works (kh_gateway_works): the first step of a request is run there, at once.
	 */
	bool in_steps;
};

struct kh_mcp_peer {
	struct kh_mcp *mcp;
	const struct kh_mcp_transport *transport;
	void *ctx;                       /* the transport's */
	struct kh_view token;            /* its own copy, wiped at the end */
	pthread_mutex_t lock;            /* of what follows */
	enum kh_rpc_version version;     /* NONE before `initialize`; a stateless request's own */
	bool initialised;                /* the client has said so */
	unsigned can;                    /* KH_MCP_CAN_* */
	int log_level;                   /* logging/setLevel, 0 debug .. 7 emergency; -1: none was asked for */
	struct kh_mcp_exchange *running; /* those that have not been answered, for notifications/cancelled */
	unsigned running_count;
	struct kh_mcp_asked *asked;           /* requests of ours that wait for the client's response */
	uint64_t next_id;                     /* of these */
	char told[KH_MCP_TOLD][KH_ASKING_ID]; /* approvals that the client's human was told of, the newest of them */
	unsigned tellings;
	bool gone;
	atomic_uint refs;
};

/* A peer that sends with TOKEN.  NULL: out of memory.  Counted: exchanges hold it too. */
struct kh_mcp_peer *kh_mcp_peer_new(struct kh_mcp *mcp, const struct kh_mcp_transport *transport, void *ctx,
				    struct kh_view token);
struct kh_mcp_peer *kh_mcp_peer_hold(struct kh_mcp_peer *peer);
void kh_mcp_peer_drop(struct kh_mcp_peer *peer);

/* The other end is gone: what runs for it is cancelled (queries that were admitted go on in the store). */
void kh_mcp_peer_gone(struct kh_mcp_peer *peer);

/* What HTTP says beside the body; on lines there is none of it. */
struct kh_mcp_headers {
	struct kh_view version, method, name; /* MCP-Protocol-Version, Mcp-Method, Mcp-Name; p NULL: not there */
	/* Any other header, for Mcp-Param-*; {NULL,0} where it is not there. */
	struct kh_view (*get)(void *ctx, const char *name);
	void *ctx;
};

/*
 * One message of PEER's; MESSAGE is copied.  CTX is the transport's.  HEADERS may be NULL and is used during the call
 * alone.  The exchange is answered through the transport, perhaps before this returns.  NULL: out of memory or
 * stopping, and nothing was sent.  Messages of one peer that come one after the other are taken in their order: what a
 * notification or `initialize` changes holds for the next.
 */
struct kh_mcp_exchange *kh_mcp_take(struct kh_mcp_peer *peer, void *ctx, struct kh_view message,
				    const struct kh_mcp_headers *headers);

/* What a transport may look at of an exchange. */
void *kh_mcp_exchange_ctx(const struct kh_mcp_exchange *x);
struct kh_mcp_peer *kh_mcp_exchange_peer(const struct kh_mcp_exchange *x);
unsigned kh_mcp_exchange_status(const struct kh_mcp_exchange *x);    /* 200, 202, 400, 404, ... */
bool kh_mcp_exchange_is_initialize(const struct kh_mcp_exchange *x); /* it made PEER a session */
void kh_mcp_exchange_free(struct kh_mcp_exchange *x);

/* Whoever waits for this exchange's answer is gone: it ends at its next step, and its answer goes nowhere. */
void kh_mcp_exchange_cancel(struct kh_mcp_exchange *x);

enum kh_err kh_mcp_new(const struct kh_mcp_settings *settings, struct kh_mcp **ret_mcp,
		       struct kh_error *err) KH_CHECKED;
void kh_mcp_free(struct kh_mcp *mcp);

/* Lists that have changed: whoever listens (subscriptions/listen) for it is told. */
#define KH_MCP_CHANGED_TOOLS     (1U << 0)
#define KH_MCP_CHANGED_PROMPTS   (1U << 1)
#define KH_MCP_CHANGED_RESOURCES (1U << 2)
void kh_mcp_changed(struct kh_mcp *mcp, unsigned what);

#endif
