/*
 * MCP without its transports: messages in, messages out.  Both generations: those that begin with `initialize`
 * (2025-03-26, 2025-06-18, 2025-11-25) and the stateless 2026-07-28.
 *
 * A transport makes peers (peer.h) and has their messages taken; each message is an exchange (exchange.h).
 *
 * Whom it trusts: nobody.  A message is bytes.  The token of the peer decides what its sender sees and may do, in the
 * operations themselves.  A peer has no rights that another token could use.
 */
#ifndef KH_MCP_MCP_H
#define KH_MCP_MCP_H

#include "mcp/exchange.h"
#include "mcp/headers.h"

struct kh_mcp_settings {
	struct kh_gateway *gateway;
	/* What is offered: kh_mcp_methods_part(), and what the code that sets up the gateway adds.  If two parts
	 * have a method or tool of the same name, the first counts. */
	const struct kh_mcp_part *parts;
	size_t part_count;
	/* For people: the page where a human decides ("https://host/"), or empty.  The command is named too. */
	struct kh_view approvals;
};

enum kh_err kh_mcp_new(const struct kh_mcp_settings *settings, struct kh_mcp **ret_mcp,
		       struct kh_error *err) KH_CHECKED;
void kh_mcp_free(struct kh_mcp *mcp);

/*
 * Takes one message of PEER; MESSAGE is copied.  CTX is the transport's.  HEADERS may be NULL and is used only during
 * the call.  The exchange is answered through the transport, perhaps before this returns.  NULL: out of memory or
 * stopping, and nothing was sent.  Messages of one peer that come one after the other are taken in their order: what a
 * notification or `initialize` changes holds for the next one.
 */
struct kh_mcp_exchange *kh_mcp_take(struct kh_mcp_peer *peer, void *ctx, struct kh_view message,
				    const struct kh_mcp_headers *headers);

#endif
