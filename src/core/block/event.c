/* The table of events.  Pure; its input is an enum, never content. */
#include "core/block/event.h"

const struct kh_words kh_event_words =
	KH_WORDS([KH_EVENT_SYSTEM_PROMPT] = "system_prompt", [KH_EVENT_USER_MESSAGE] = "user_message",
		 [KH_EVENT_GOAL] = "goal", [KH_EVENT_COMMITMENT] = "commitment", [KH_EVENT_TOOL_RESULT] = "tool_result",
		 [KH_EVENT_FILE_READ] = "file_read", [KH_EVENT_WEB_FETCH] = "web_fetch",
		 [KH_EVENT_MCP_RESPONSE] = "mcp_response", [KH_EVENT_SUPERVISOR_MESSAGE] = "supervisor_message");

static const enum kh_trust trusts[KH_EVENT_COUNT] = {
	[KH_EVENT_SYSTEM_PROMPT] = KH_TRUSTED,
	[KH_EVENT_USER_MESSAGE] = KH_UNTRUSTED, /* if nothing else is configured */
	[KH_EVENT_GOAL] = KH_VETTED,
	[KH_EVENT_COMMITMENT] = KH_TRUSTED,
	[KH_EVENT_TOOL_RESULT] = KH_UNTRUSTED,
	[KH_EVENT_FILE_READ] = KH_UNTRUSTED,
	[KH_EVENT_WEB_FETCH] = KH_UNTRUSTED,
	[KH_EVENT_MCP_RESPONSE] = KH_UNTRUSTED,
	[KH_EVENT_SUPERVISOR_MESSAGE] = KH_TRUSTED,
};

struct kh_event_label kh_event_labels(enum kh_event_kind event, enum kh_trust user_trust)
{
	enum kh_trust trust = event == KH_EVENT_USER_MESSAGE && user_trust < KH_UNTRUSTED ? user_trust : trusts[event];

	return (struct kh_event_label){trust, trust == KH_UNTRUSTED ? KH_DATA : KH_INSTRUCTION};
}
