/*
 * A *peer* is what is known of the other end from one message to the next: a connection of lines (lines.h), a session of
 * HTTP, or, stateless, nothing but the one request.  And the transport, by which messages leave.
 */
#ifndef KH_MCP_PEER_H
#define KH_MCP_PEER_H

#include "mcp/server.h"

#include <stdatomic.h>

#define KH_MCP_MESSAGE (4U << 20) /* bytes of one message */
#define KH_MCP_RUNNING 256        /* requests of one peer's that may run at once */
#define KH_MCP_TOLD    8

/* What a client said that it can. */
#define KH_MCP_CAN_ELICIT     (1U << 0)
#define KH_MCP_CAN_ELICIT_URL (1U << 1)
#define KH_MCP_CAN_SAMPLE     (1U << 2)
#define KH_MCP_CAN_ROOTS      (1U << 3)

struct kh_mcp_asked; /* asked.h */
struct kh_mcp_exchange;

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
	struct kh_who who;               /* who has this token, which never changes; who.token 0: not known yet */
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

/* A peer that sends with TOKEN, which is WHO's (NULL: not known yet).  NULL: out of memory.  Counted: exchanges hold it
 * too. */
struct kh_mcp_peer *kh_mcp_peer_new(struct kh_mcp *mcp, const struct kh_mcp_transport *transport, void *ctx,
				    struct kh_view token, const struct kh_who *who);
struct kh_mcp_peer *kh_mcp_peer_hold(struct kh_mcp_peer *peer);
void kh_mcp_peer_drop(struct kh_mcp_peer *peer);

#endif
