/* What all peers of a server share.  mcp.h makes one. */
#ifndef KH_MCP_SERVER_H
#define KH_MCP_SERVER_H

#include "mcp/offer.h"

#include <pthread.h>
#include <stdatomic.h>

struct kh_mcp_upstreams; /* upstreams.h */

struct kh_mcp {
	struct kh_gateway *gateway;
	const struct kh_alloc *alloc;
	struct kh_mcp_offer offer;
	struct kh_view approvals;    /* for people: where a human decides; may be empty */
	unsigned char state_key[32]; /* for request states; the same in every process on this store */
	atomic_uint_fast64_t upstream_changes;
	pthread_mutex_t lock;               /* guards the members that follow */
	struct kh_mcp_exchange *listens;    /* open subscriptions/listen exchanges */
	struct kh_mcp_upstreams *upstreams; /* the newest list; NULL: none was made yet */
};

#endif
