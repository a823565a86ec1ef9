/* Waiting for what others record: how a tool that has found nothing looks again. */
#ifndef KH_MCP_WAIT_H
#define KH_MCP_WAIT_H

#include "mcp/tool.h"

/*
 * Whether a call that has found nothing goes on waiting; in call->kept.next it is kept how long.  SECONDS is the
 * caller's bound and counts in the first step, below 0: the gateway's.  True: the work's wake_at and wake_chain are set
 * so that it looks again when something was recorded, and not more than some times a second however busy the record is.
 *
 * For Readers and supervisors alone: a Controller would see in it when others act.
 */
bool kh_mcp_wait_on(struct kh_mcp_call *call, int64_t seconds);

#endif
