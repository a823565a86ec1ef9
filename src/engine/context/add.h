/*
 * context.add: host (contexts of tokens that it made), hook (the context that it is for).  The kind of event decides
 * trust and type (K3).
 *
 *     event                                              host                        hook
 *     system_prompt, goal, commitment,
 *     supervisor_message                                 trusted or vetted           refused
 *     user_message                                       by the policy               claimed: untrusted, taint low
 *     tool_result, mcp_response, file_read, web_fetch    untrusted, taint high; low if a rule calls it the user's own
 *
 * A block's taint is never below that of its context.  The content is given to the context: calls of its agent are
 * compared with it from then on (K7).
 */
#ifndef KH_ENGINE_CONTEXT_ADD_H
#define KH_ENGINE_CONTEXT_ADD_H

#include "core/block/event.h"
#include "engine/state/beforehand.h"

struct kh_context_add {
	struct kh_view context;
	enum kh_event_kind event;
	struct kh_view source; /* may be empty */
	struct kh_view content;
	struct kh_view
		tool; /* of what a tool gave: which one; the policy's rule for it decides whose it is.  May be empty */
	yyjson_val *arguments; /* that the tool was called with, or NULL */
	struct kh_view id;     /* out */
};
enum kh_err kh_context_add_run(struct kh_op *op, void *call);
enum kh_err kh_context_add_prepare(struct kh_prepare *at, void *call);

/* Not an operation: whether the agent was given such content by tools of its own. */
bool kh_context_add_is_worlds(enum kh_event_kind event);

#endif
