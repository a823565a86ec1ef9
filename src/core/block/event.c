/* The table of events.  Pure; its input is an enum, never content. */
#include "core/block/event.h"

static const struct {
	const char *name;
	struct kh_event_label label;
} events[KH_EVENT_COUNT] = {
	[KH_EVENT_SYSTEM_PROMPT] = {"system_prompt", {KH_TRUSTED, KH_INSTRUCTION}},
	[KH_EVENT_USER_MESSAGE] = {"user_message", {KH_UNTRUSTED, KH_DATA}}, /* if nothing else is configured */
	[KH_EVENT_GOAL] = {"goal", {KH_VETTED, KH_INSTRUCTION}},
	[KH_EVENT_COMMITMENT] = {"commitment", {KH_TRUSTED, KH_INSTRUCTION}},
	[KH_EVENT_TOOL_RESULT] = {"tool_result", {KH_UNTRUSTED, KH_DATA}},
	[KH_EVENT_FILE_READ] = {"file_read", {KH_UNTRUSTED, KH_DATA}},
	[KH_EVENT_WEB_FETCH] = {"web_fetch", {KH_UNTRUSTED, KH_DATA}},
	[KH_EVENT_MCP_RESPONSE] = {"mcp_response", {KH_UNTRUSTED, KH_DATA}},
	[KH_EVENT_SUPERVISOR_MESSAGE] = {"supervisor_message", {KH_TRUSTED, KH_INSTRUCTION}},
};

struct kh_event_label kh_event_labels(enum kh_event_kind event, enum kh_trust user_trust)
{
	if (event == KH_EVENT_USER_MESSAGE && user_trust < KH_UNTRUSTED)
		return (struct kh_event_label){user_trust, KH_INSTRUCTION};
	return events[event].label;
}

const char *kh_event_name(enum kh_event_kind event)
{
	return events[event].name;
}

bool kh_event_parse(struct kh_view name, enum kh_event_kind *ret_event)
{
	for (size_t i = 0; i < KH_EVENT_COUNT; i++) {
		if (kh_view_eq(kh_view_str(events[i].name), name)) {
			*ret_event = (enum kh_event_kind)i;
			return true;
		}
	}
	return false;
}
