/*
 * The tools of upstream servers that Controllers are offered (U5): each as <server>__<alias>, with its own input schema
 * and one member more, `keyhole`, which says why it is called.
 *
 * A list is made once and does not change.  It is replaced by another when a human has approved something or another
 * policy is in force: whoever asks for the list has the store compare its stamp (engine/upstream/tools.h), and the
 * gateway reports approvals of other processes.  Exchanges hold the list that their tool is of.
 */
#ifndef KH_MCP_UPSTREAMS_H
#define KH_MCP_UPSTREAMS_H

#include "mcp/exchange.h"

struct kh_mcp_upstreams {
	const struct kh_alloc *alloc;
	struct kh_arena arena;
	atomic_uint refs;
	struct kh_digest stamp;    /* of upstream.tools */
	struct kh_digest digest;   /* of what is offered */
	struct kh_mcp_tool *tools; /* by name */
	size_t count;
	bool has_servers; /* one at least is approved */
};

/* Begins to hear of approvals; ends it, and drops the list. */
void kh_mcp_upstreams_begin(struct kh_mcp *mcp);
void kh_mcp_upstreams_end(struct kh_mcp *mcp);

/* The list as it is now, held: kh_mcp_upstreams_drop().  If it differs from the one before, those who listen are told. */
enum kh_err kh_mcp_upstreams_now(struct kh_mcp_call *call, struct kh_mcp_upstreams **ret_list) KH_CHECKED;
void kh_mcp_upstreams_drop(struct kh_mcp_upstreams *list); /* NULL is fine */

/*
 * Finds the tool of this name, for a Controller, and has the exchange hold its list.  One that the list of this process
 * has is taken without asking the store, because the call itself is decided there.  NULL in *RET_TOOL: there is none.
 */
enum kh_err kh_mcp_upstreams_find(struct kh_mcp_call *call, struct kh_view name,
				  const struct kh_mcp_tool **ret_tool) KH_CHECKED;

/*
 * For transports, which tell the clients that began with `initialize`, outside of exchanges: how often the list has
 * changed, what they are told, and whether PEER is one whom it concerns.
 */
uint64_t kh_mcp_upstreams_changes(const struct kh_mcp *mcp);
#define KH_MCP_UPSTREAMS_CHANGED "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}"
bool kh_mcp_upstreams_concern(struct kh_mcp_peer *peer);

#endif
