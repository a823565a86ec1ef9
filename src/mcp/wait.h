/* Waiting for what others record: how a tool that has found nothing looks again. */
#ifndef KH_MCP_WAIT_H
#define KH_MCP_WAIT_H

#include "mcp/tool.h"

/*
 * Decides whether a call that has found nothing goes on waiting; call->kept.next keeps until when.  SECONDS is the
 * caller's bound and counts in the first step only; below 0: the gateway's.  True: the work's wake_at and wake_chain
 * are set so that it looks again when something was recorded, but only a few times a second however busy the record is.
 *
 * For Readers and supervisors only: a Controller could learn from it when others act.
 */
bool kh_mcp_wait_on(struct kh_mcp_call *call, int64_t seconds);

#endif
