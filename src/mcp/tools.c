/*
 * The table of tools: who sees each, and what runs it.  Their texts are in tools.json, from which the build makes
 * tools.inc: description, input and output.  Their functions are in tool_*.c.
 *
 * The descriptions are read by models that have never seen Keyhole: each says what the tool is for, when to call it,
 * what comes back and what to do with that, with an example.
 */
#include "mcp/tools.h"

#include "mcp/tool_blocks.h"
#include "mcp/tool_comm.h"
#include "mcp/tool_declare.h"
#include "mcp/tool_query.h"
#include "mcp/tool_reader.h"
#include "mcp/tool_supervisor.h"
#include "mcp/tool_task.h"
#include "tools.inc"

#define CONTROLLER KH_ROLE_BIT(KH_ROLE_CONTROLLER)
#define READER     KH_ROLE_BIT(KH_ROLE_READER)
#define SUPERVISOR KH_ROLE_BIT(KH_ROLE_SUPERVISOR)

/* What the tools of external operations have in common; the build makes COMM_TOOLS from the operations' rows. */
#define COMM_TOOL .roles = CONTROLLER, .open_world = true, .run = kh_mcp_tool_comm_run

static const struct kh_mcp_tool tools[] = {
	{TOOL_task_open, .roles = CONTROLLER, .run = kh_mcp_tool_task_open},
	{TOOL_task_status, .roles = CONTROLLER, .read_only = true, .idempotent = true, .run = kh_mcp_tool_task_status},
	{TOOL_begin_execution, .roles = CONTROLLER, .run = kh_mcp_tool_task_execute},
	{TOOL_declare, .roles = CONTROLLER, .run = kh_mcp_tool_declare_run},
	COMM_TOOLS,
	{TOOL_BCPQuery, .roles = CONTROLLER, .run = kh_mcp_tool_query_ask},
	{TOOL_blocks, .roles = CONTROLLER, .read_only = true, .idempotent = true, .run = kh_mcp_tool_blocks_list},
	{TOOL_approval_wait, .roles = CONTROLLER, .idempotent = true, .run = kh_mcp_tool_query_wait},
	{TOOL_BCPNext, .roles = READER, .open_world = true, .run = kh_mcp_tool_reader_next},
	{TOOL_BCPRespond, .roles = READER, .run = kh_mcp_tool_reader_respond},
	{TOOL_verification_next, .roles = SUPERVISOR, .open_world = true, .run = kh_mcp_tool_supervisor_next},
	{TOOL_verification_decide, .roles = SUPERVISOR, .destructive = true, .run = kh_mcp_tool_supervisor_decide},
};

const struct kh_mcp_tool *kh_mcp_tools_all(size_t *ret_count)
{
	*ret_count = sizeof(tools) / sizeof(tools[0]);
	return tools;
}
