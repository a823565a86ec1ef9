/*
 * subscriptions/listen (2026-07-28): an exchange that stays open and reports which lists have changed.
 *
 * Of the lists of Keyhole's own part (offer.h) only that of the tools changes while it runs, because tools of upstream
 * servers are approved (upstreams.h).  A client that listens for others alone is told so, by an acknowledgement that
 * grants nothing, and the exchange ends.  Resources have no subscriptions, because a notification
 * caused by a Reader's answer or a reviewer's decision would tell a Controller when that happened (B17).
 */
#ifndef KH_MCP_LISTEN_H
#define KH_MCP_LISTEN_H

#include "mcp/exchange.h"

enum kh_work_next kh_mcp_listen_run(struct kh_mcp_call *call, struct kh_mcp_answer *ret_answer);

/* X, which listens, ends: removes it from the list. */
void kh_mcp_listen_end(struct kh_mcp_exchange *x);

/* Reports lists that have changed (KH_MCP_CHANGED_*) to all who listen for them. */
void kh_mcp_listen_changed(struct kh_mcp *mcp, unsigned what);

#endif
