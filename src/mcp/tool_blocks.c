/* The blocks of a task.  task.show decides, by the caller's role, what is told of each. */
#include "mcp/tool_blocks.h"

#include "engine/task/show.h"
#include "mcp/tool_declare.h"

enum kh_err kh_mcp_tool_blocks_of(struct kh_mcp_call *call, struct kh_view task, yyjson_mut_val **ret_object)
{
	struct kh_task_show show = {.task = task};
	yyjson_mut_val *obj = yyjson_mut_obj(call->doc), *declarations = NULL;
	enum kh_err e = kh_mcp_tool_run(call, kh_task_show_run, &show);

	if (e == KH_OK)
		e = kh_mcp_tool_declare_list(call, task, &declarations);
	if (e != KH_OK)
		return e;
	kh_json_add(call->doc, obj, "task", show.id);
	yyjson_mut_obj_add_int(call->doc, obj, "count", show.block_count);
	kh_json_add_raw(call->doc, obj, "blocks", show.blocks);
	yyjson_mut_obj_add_val(call->doc, obj, "declarations", declarations);
	*ret_object = obj;
	return kh_arena_check(call->arena);
}

enum kh_work_next kh_mcp_tool_blocks_list(struct kh_mcp_call *call, struct kh_mcp_result *ret_result)
{
	yyjson_mut_val *obj = NULL;
	enum kh_err e = kh_mcp_tool_blocks_of(call, kh_mcp_tool_text(call, "task"), &obj);

	return kh_mcp_tool_end(call, ret_result, e, obj);
}
