/* Verification as tools, with the operations that all who decide use. */
#include "mcp/tool_supervisor.h"

#include "engine/approval/decide.h"
#include "engine/approval/list.h"
#include "engine/approval/render_decision.h"
#include "engine/approval/show.h"

/* Finds the oldest approval that waits; empty: none does. */
static enum kh_err find_oldest(struct kh_mcp_call *call, struct kh_view *ret_id)
{
	struct kh_page list = {.all = false};
	yyjson_val *array = NULL;
	enum kh_err e = KH_OK;

	do {
		list.after = list.next;
		e = kh_mcp_tool_run(call, kh_approval_list_run, &list);
	} while (e == KH_OK && list.count == 0 && list.next.n > 0);
	if (e == KH_OK)
		e = kh_json_read(call->arena, list.json, &array, call->err);
	if (e == KH_OK)
		*ret_id = kh_json_str(kh_json_get(yyjson_arr_get_first(array), "id"));
	return e;
}

static enum kh_work_next show(struct kh_mcp_call *call, struct kh_view id, int64_t page, struct kh_mcp_result *result)
{
	struct kh_approval_show show = {.approval = id, .page = page};
	yyjson_mut_val *obj = yyjson_mut_obj(call->doc);
	enum kh_err e = kh_mcp_tool_run(call, kh_approval_show_run, &show);

	if (e != KH_OK)
		return kh_mcp_tool_fail(call, result, e);
	yyjson_mut_obj_add_bool(call->doc, obj, "found", true);
	kh_json_add_raw(call->doc, obj, "verification", show.json);
	yyjson_mut_obj_add_str(call->doc, obj, "next",
			       "Read every page, then call verification_decide with `id` as `approval` and `digest` as "
			       "`shown`. If anything is unclear, deny.");
	result->trust = "untrusted"; /* the words of an agent, which may repeat untrusted text */
	result->taint = "high";
	return kh_mcp_tool_done(call, result, obj);
}

enum kh_work_next kh_mcp_tool_supervisor_next(struct kh_mcp_call *call, struct kh_mcp_result *ret_result)
{
	/* The arguments exist only in the first step; a call that names an approval does not wait. */
	bool first = call->kept.next.until == 0;
	struct kh_view id = {NULL, 0};
	int64_t page = 1, seconds = -1;
	enum kh_err e = KH_OK;

	if (first) {
		id = kh_mcp_tool_text(call, "approval");
		(void)kh_json_int(kh_json_get(call->arguments, "page"), &page);
		(void)kh_json_int(kh_json_get(call->arguments, "wait_seconds"), &seconds);
	}
	if (id.n == 0)
		e = find_oldest(call, &id);
	if (e != KH_OK)
		return kh_mcp_tool_fail(call, ret_result, e);
	if (id.n > 0)
		return show(call, id, page, ret_result);
	if (kh_mcp_tool_wait(call, seconds))
		return KH_WORK_WAIT;
	yyjson_mut_val *obj = yyjson_mut_obj(call->doc);
	yyjson_mut_obj_add_bool(call->doc, obj, "found", false);
	yyjson_mut_obj_add_str(call->doc, obj, "next", "Nothing waits to be verified. Call verification_next again.");
	return kh_mcp_tool_done(call, ret_result, obj);
}

enum kh_work_next kh_mcp_tool_supervisor_decide(struct kh_mcp_call *call, struct kh_mcp_result *ret_result)
{
	bool allow = kh_view_eq(kh_mcp_tool_text(call, "decision"), KH_LIT("allow"));
	struct kh_approval_decide decide = {
		.approval = kh_mcp_tool_text(call, "approval"),
		.choice = allow ? KH_CHOICE_APPROVE : KH_CHOICE_REJECT,
		.shown = kh_mcp_tool_text(call, "shown"),
		.note = kh_mcp_tool_text(call, "note"),
		.from = KH_LIT("mcp"),
	};
	enum kh_err e = kh_mcp_tool_run(call, kh_approval_decide_run, &decide);

	if (e != KH_OK)
		return kh_mcp_tool_fail(call, ret_result, e);
	kh_gateway_look(call->gateway);
	yyjson_mut_val *obj = kh_render_decision_new(call->doc, &decide);
	yyjson_mut_obj_add_str(call->doc, obj, "decision", allow ? "allow" : "deny");
	return kh_mcp_tool_done(call, ret_result, obj);
}
