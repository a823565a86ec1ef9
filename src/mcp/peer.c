/* Peers: reference-counted, each with a copy of its token. */
#include "mcp/peer.h"

#include "base/alloc.h"

#include <sodium.h>

struct kh_mcp_peer *kh_mcp_peer_new(struct kh_mcp *mcp, const struct kh_mcp_transport *transport, void *ctx,
				    struct kh_view token, const struct kh_who *who)
{
	struct kh_mcp_peer *peer = kh_alloc_zero(mcp->alloc, sizeof(*peer));
	char *copy = kh_alloc_zero(mcp->alloc, token.n + 1);

	if (peer == NULL || copy == NULL) {
		kh_alloc_free(mcp->alloc, peer, sizeof(*peer));
		kh_alloc_free(mcp->alloc, copy, token.n + 1);
		return NULL;
	}
	if (token.n > 0)
		memcpy(copy, token.p, token.n);
	peer->mcp = mcp;
	peer->transport = transport;
	peer->ctx = ctx;
	peer->token = kh_view_of(copy, token.n);
	if (who != NULL)
		peer->who = *who;
	peer->log_level = -1;
	pthread_mutex_init(&peer->lock, NULL);
	atomic_init(&peer->refs, 1);
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
	char *token = (char *)(uintptr_t)peer->token.p; /* our own copy */
	sodium_memzero(token, peer->token.n);
	kh_alloc_free(alloc, token, peer->token.n + 1);
	pthread_mutex_destroy(&peer->lock);
	kh_alloc_free(alloc, peer, sizeof(*peer));
}
