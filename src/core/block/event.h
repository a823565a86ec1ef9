/*
 * Granularity (K3): the table of requirements/blocks.md.  Every event that brings content into a context makes a block
 * of its own.  The kind of event decides the block's trust and type; the content does not.
 */
#ifndef KH_CORE_BLOCK_EVENT_H
#define KH_CORE_BLOCK_EVENT_H

#include "core/block/label.h"

enum kh_event_kind {
	KH_EVENT_SYSTEM_PROMPT,
	KH_EVENT_USER_MESSAGE,
	KH_EVENT_GOAL,
	KH_EVENT_COMMITMENT,
	KH_EVENT_TOOL_RESULT,
	KH_EVENT_FILE_READ,
	KH_EVENT_WEB_FETCH,
	KH_EVENT_MCP_RESPONSE,
	KH_EVENT_SUPERVISOR_MESSAGE,
	KH_EVENT_COUNT
};
extern const struct kh_words kh_event_words; /* "system_prompt", "user_message", ... */

struct kh_event_label {
	enum kh_trust trust;
	enum kh_type type;
};

/*
 * The labels of the block that EVENT makes.  USER_TRUST is the configured trust of user messages and is ignored for
 * other events.  What is untrusted is data, everything else an instruction.
 */
struct kh_event_label kh_event_labels(enum kh_event_kind event, enum kh_trust user_trust);

#endif
