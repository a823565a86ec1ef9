/* A *peer* is what is known of the other end from one message to the next: a connection of lines (lines.h), a
 * session of HTTP, or, if stateless, only the one request.  It also has the transport, which sends messages. */
#ifndef KH_MCP_PEER_H
#define KH_MCP_PEER_H

#include "mcp/server.h"

#include <stdatomic.h>

#define KH_MCP_MESSAGE (4U << 20) /* bytes of one message */
#define KH_MCP_RUNNING 256        /* requests of one peer that may run at once */
#define KH_MCP_TOLD    8

/* What the client said that it can do. */
#define KH_MCP_CAN_ELICIT     (1U << 0)
#define KH_MCP_CAN_ELICIT_URL (1U << 1)
#define KH_MCP_CAN_SAMPLE     (1U << 2)
#define KH_MCP_CAN_ROOTS      (1U << 3)

struct kh_mcp_asked; /* asked.h */
struct kh_mcp_exchange;

/* How messages are sent. */
struct kh_mcp_transport {
	/*
	 * Sends a message of this exchange: JSON on one line, valid during the call.  LAST: it is the answer, and
	 * nothing follows; empty and LAST: there is no answer (to a notification or a response).  x->status is the HTTP
	 * status.  Called from any thread, one call at a time for an exchange.  After LAST the transport owns the
	 * exchange and frees it with kh_mcp_exchange_free(), perhaps within the call.
	 */
	void (*send)(struct kh_mcp_exchange *x, struct kh_view message, bool last);
	/* Allows the transport to close this exchange's connection for now: the client will come back for the rest.
	 * NULL: there is nothing to close. */
	void (*rest)(struct kh_mcp_exchange *x);
	/* Messages are taken in steps of works (kh_gateway_works): the first step of a request runs there, at once. */
	bool in_steps;
};

struct kh_mcp_peer {
	struct kh_mcp *mcp;
	const struct kh_mcp_transport *transport;
	void *ctx; /* the transport's */
	struct kh_token_claim token;
	pthread_mutex_t lock;            /* guards the members that follow */
	struct kh_who who;               /* the owner of this token, which never changes; who.token 0: not known yet */
	enum kh_rpc_version version;     /* NONE before `initialize`; of a stateless request, its own */
	bool initialised;                /* the client has sent notifications/initialized */
	unsigned can;                    /* KH_MCP_CAN_* */
	int log_level;                   /* logging/setLevel, 0 debug .. 7 emergency; -1: not set */
	struct kh_mcp_exchange *running; /* exchanges without an answer yet, for notifications/cancelled */
	unsigned running_count;
	struct kh_mcp_asked *asked;           /* our requests that wait for the client's response */
	uint64_t next_id;                     /* of the next such request */
	char told[KH_MCP_TOLD][KH_ASKING_ID]; /* the newest approvals that the client's user was told of */
	unsigned tellings;
	bool gone;
	atomic_uint refs;
};

/* Makes a peer that sends with TOKEN, which belongs to WHO (NULL: not known yet).  NULL: out of memory.  It is
 * reference-counted, because exchanges hold it too. */
struct kh_mcp_peer *kh_mcp_peer_new(struct kh_mcp *mcp, const struct kh_mcp_transport *transport, void *ctx,
				    struct kh_token_claim token, const struct kh_who *who);
struct kh_mcp_peer *kh_mcp_peer_hold(struct kh_mcp_peer *peer);
void kh_mcp_peer_drop(struct kh_mcp_peer *peer);

#endif
