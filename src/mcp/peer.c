/* Peers, reference-counted. */
#include "mcp/peer.h"

#include "base/alloc.h"

struct kh_mcp_peer *kh_mcp_peer_new(struct kh_mcp *mcp, const struct kh_mcp_transport *transport, void *ctx,
				    struct kh_token_claim token, const struct kh_who *who)
{
	struct kh_mcp_peer *peer = kh_alloc_zero(mcp->alloc, sizeof(*peer));

	if (peer == NULL)
		return NULL;
	*peer = (struct kh_mcp_peer){
		.mcp = mcp, .transport = transport, .ctx = ctx, .token = token, .log_level = -1, .refs = 1};
	if (who != NULL)
		peer->who = *who;
	pthread_mutex_init(&peer->lock, NULL);
	return peer;
}

struct kh_mcp_peer *kh_mcp_peer_hold(struct kh_mcp_peer *peer)
{
	atomic_fetch_add(&peer->refs, 1);
	return peer;
}

void kh_mcp_peer_drop(struct kh_mcp_peer *peer)
{
	if (peer == NULL || atomic_fetch_sub(&peer->refs, 1) != 1)
		return;
	const struct kh_alloc *alloc = peer->mcp->alloc;
	pthread_mutex_destroy(&peer->lock);
	kh_alloc_free(alloc, peer, sizeof(*peer));
}
