/* What the bodies of the tools share: their arguments, the operation, the wait, the end. */
#include "mcp/tool.h"

#include "mcp/next.h"

#define SECOND INT64_C(1000000)
#define REST   INT64_C(50000) /* microseconds for which events do not wake a call after one that was for others */

struct kh_view kh_mcp_tool_text(const struct kh_mcp_call *call, const char *argument)
{
	return kh_json_str(kh_json_get(call->arguments, argument));
}

enum kh_err kh_mcp_tool_run(struct kh_mcp_call *call, kh_engine_fn *fn, void *of)
{
	return kh_gateway_call(call->gateway, call->token, fn, of, call->arena, call->err);
}

bool kh_mcp_tool_wait(struct kh_mcp_call *call, int64_t seconds)
{
	int64_t now = kh_works_now(), most = kh_gateway_wait(call->gateway);

	if (call->kept.next.until == 0)
		call->kept.next.until = now + (seconds >= 0 && seconds < most / SECOND ? seconds * SECOND : most);
	if (call->stopping || now >= call->kept.next.until)
		return false;
	call->kept.next.rested = !call->kept.next.rested;
	call->work->wake_at = call->kept.next.until;
	if (call->kept.next.rested)
		call->work->wake_chain = KH_WORK_ANY;
	else if (now + REST < call->kept.next.until)
		call->work->wake_at = now + REST;
	return true;
}

enum kh_work_next kh_mcp_tool_fail(struct kh_mcp_call *call, struct kh_mcp_result *result, enum kh_err e)
{
	if (e == KH_ENOMEM)
		kh_error_set(call->err, e, "out_of_memory", "out of memory");
	else if (call->err->code == NULL)
		kh_error_set(call->err, e, kh_err_name(e), "the call failed");
	*result = (struct kh_mcp_result){.e = e, .next = kh_mcp_next_find(call->err->code)};
	if (result->next == NULL && (e == KH_EINPUT || e == KH_ELIMIT))
		result->next = "Correct the arguments and call again; nothing was done.";
	return KH_WORK_DONE;
}

enum kh_work_next kh_mcp_tool_done(struct kh_mcp_call *call, struct kh_mcp_result *result, yyjson_mut_val *structured)
{
	if (structured == NULL || kh_arena_check(call->arena) != KH_OK)
		return kh_mcp_tool_fail(call, result, KH_ENOMEM);
	result->e = KH_OK;
	result->structured = structured;
	return KH_WORK_DONE;
}

enum kh_work_next kh_mcp_tool_end(struct kh_mcp_call *call, struct kh_mcp_result *result, enum kh_err e,
				  yyjson_mut_val *structured)
{
	return e == KH_OK ? kh_mcp_tool_done(call, result, structured) : kh_mcp_tool_fail(call, result, e);
}
