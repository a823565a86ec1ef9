/*
 * The test tools of a conformance build (conform.h): entries for the table of tools.c, and what runs them.
 */
#ifndef KH_MCP_CONFORM_TOOLS_H
#define KH_MCP_CONFORM_TOOLS_H

#include "mcp/conform_input.h"

enum kh_work_next kh_mcp_conform_tools_text(struct kh_mcp_call *call, struct kh_mcp_result *result);
enum kh_work_next kh_mcp_conform_tools_image(struct kh_mcp_call *call, struct kh_mcp_result *result);
enum kh_work_next kh_mcp_conform_tools_audio(struct kh_mcp_call *call, struct kh_mcp_result *result);
enum kh_work_next kh_mcp_conform_tools_resource(struct kh_mcp_call *call, struct kh_mcp_result *result);
enum kh_work_next kh_mcp_conform_tools_several(struct kh_mcp_call *call, struct kh_mcp_result *result);
enum kh_work_next kh_mcp_conform_tools_fail(struct kh_mcp_call *call, struct kh_mcp_result *result);
enum kh_work_next kh_mcp_conform_tools_log(struct kh_mcp_call *call, struct kh_mcp_result *result);
enum kh_work_next kh_mcp_conform_tools_progress(struct kh_mcp_call *call, struct kh_mcp_result *result);
enum kh_work_next kh_mcp_conform_tools_reconnect(struct kh_mcp_call *call, struct kh_mcp_result *result);
enum kh_work_next kh_mcp_conform_tools_sample(struct kh_mcp_call *call, struct kh_mcp_result *result);
enum kh_work_next kh_mcp_conform_tools_elicit(struct kh_mcp_call *call, struct kh_mcp_result *result);
enum kh_work_next kh_mcp_conform_tools_defaults(struct kh_mcp_call *call, struct kh_mcp_result *result);
enum kh_work_next kh_mcp_conform_tools_enums(struct kh_mcp_call *call, struct kh_mcp_result *result);
enum kh_work_next kh_mcp_conform_tools_need(struct kh_mcp_call *call, struct kh_mcp_result *result);
enum kh_work_next kh_mcp_conform_tools_change(struct kh_mcp_call *call, struct kh_mcp_result *result);
enum kh_work_next kh_mcp_conform_tools_change_prompts(struct kh_mcp_call *call, struct kh_mcp_result *result);

/* Schemas of arguments. */
#define KH_MCP_CONFORM_TOOLS_NOTHING "{\"type\":\"object\",\"properties\":{}}"
#define KH_MCP_CONFORM_TOOLS_ONE(name) \
	"{\"type\":\"object\",\"properties\":{\"" name "\":{\"type\":\"string\"}},\"required\":[\"" name "\"]}"
#define KH_MCP_CONFORM_TOOLS_HEADERS \
	"{\"type\":\"object\",\"properties\":{\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"}}}"
#define KH_MCP_CONFORM_TOOLS_RICH                                                                                      \
	"{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\",\"$defs\":{\"address\":{"   \
	"\"$anchor\":\"addressDef\",\"type\":\"object\",\"properties\":{\"street\":{\"type\":\"string\"},\"city\":{"   \
	"\"type\":\"string\"}}}},\"properties\":{\"name\":{\"type\":\"string\"},\"address\":{\"$ref\":"                \
	"\"#/$defs/address\"},\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},\"phone\":{"      \
	"\"type\":\"string\"},\"email\":{\"type\":\"string\"}},\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{"    \
	"\"required\":[\"email\"]}]}],\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},\"required\":[" \
	"\"contactMethod\"]},\"then\":{\"required\":[\"phone\"]},\"else\":{\"required\":[\"email\"]},"                 \
	"\"additionalProperties\":false}"

#define KH_MCP_CONFORM_TOOLS_ENTRY(tool_name, schema, fn)                                                     \
	{                                                                                                     \
		.name = (tool_name), .title = (tool_name), .description = "A tool of the conformance tests.", \
		.roles = ~0U, .input = (schema), .read_only = true, .open = true, .run = (fn)                 \
	}

/* The end of the table of tools. */
#define KH_MCP_CONFORM_TOOLS                                                                                           \
	KH_MCP_CONFORM_TOOLS_ENTRY("test_simple_text", KH_MCP_CONFORM_TOOLS_NOTHING, kh_mcp_conform_tools_text),       \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_image_content", KH_MCP_CONFORM_TOOLS_NOTHING,                         \
					   kh_mcp_conform_tools_image),                                                \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_audio_content", KH_MCP_CONFORM_TOOLS_NOTHING,                         \
					   kh_mcp_conform_tools_audio),                                                \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_embedded_resource", KH_MCP_CONFORM_TOOLS_NOTHING,                     \
					   kh_mcp_conform_tools_resource),                                             \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_multiple_content_types", KH_MCP_CONFORM_TOOLS_NOTHING,                \
					   kh_mcp_conform_tools_several),                                              \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_error_handling", KH_MCP_CONFORM_TOOLS_NOTHING,                        \
					   kh_mcp_conform_tools_fail),                                                 \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_tool_with_logging", KH_MCP_CONFORM_TOOLS_NOTHING,                     \
					   kh_mcp_conform_tools_log),                                                  \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_logging_tool", KH_MCP_CONFORM_TOOLS_NOTHING,                          \
					   kh_mcp_conform_tools_log),                                                  \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_tool_with_progress", KH_MCP_CONFORM_TOOLS_NOTHING,                    \
					   kh_mcp_conform_tools_progress),                                             \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_reconnection", KH_MCP_CONFORM_TOOLS_NOTHING,                          \
					   kh_mcp_conform_tools_reconnect),                                            \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_sampling", KH_MCP_CONFORM_TOOLS_ONE("prompt"),                        \
					   kh_mcp_conform_tools_sample),                                               \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_elicitation", KH_MCP_CONFORM_TOOLS_ONE("message"),                    \
					   kh_mcp_conform_tools_elicit),                                               \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_elicitation_sep1034_defaults", KH_MCP_CONFORM_TOOLS_NOTHING,          \
					   kh_mcp_conform_tools_defaults),                                             \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_elicitation_sep1330_enums", KH_MCP_CONFORM_TOOLS_NOTHING,             \
					   kh_mcp_conform_tools_enums),                                                \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_missing_capability", KH_MCP_CONFORM_TOOLS_NOTHING,                    \
					   kh_mcp_conform_tools_need),                                                 \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_streaming_elicitation", KH_MCP_CONFORM_TOOLS_NOTHING,                 \
					   kh_mcp_conform_input_elicitation),                                          \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_trigger_tool_change", KH_MCP_CONFORM_TOOLS_NOTHING,                   \
					   kh_mcp_conform_tools_change),                                               \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_trigger_prompt_change", KH_MCP_CONFORM_TOOLS_NOTHING,                 \
					   kh_mcp_conform_tools_change_prompts),                                       \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_custom_headers", KH_MCP_CONFORM_TOOLS_HEADERS,                        \
					   kh_mcp_conform_tools_text),                                                 \
		KH_MCP_CONFORM_TOOLS_ENTRY("json_schema_2020_12_tool", KH_MCP_CONFORM_TOOLS_RICH,                      \
					   kh_mcp_conform_tools_text),                                                 \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_input_required_result_elicitation", KH_MCP_CONFORM_TOOLS_NOTHING,     \
					   kh_mcp_conform_input_elicitation),                                          \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_input_required_result_sampling", KH_MCP_CONFORM_TOOLS_NOTHING,        \
					   kh_mcp_conform_input_sampling),                                             \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_input_required_result_list_roots", KH_MCP_CONFORM_TOOLS_NOTHING,      \
					   kh_mcp_conform_input_roots),                                                \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_input_required_result_request_state", KH_MCP_CONFORM_TOOLS_NOTHING,   \
					   kh_mcp_conform_input_state),                                                \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_input_required_result_tampered_state", KH_MCP_CONFORM_TOOLS_NOTHING,  \
					   kh_mcp_conform_input_state),                                                \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_input_required_result_multiple_inputs", KH_MCP_CONFORM_TOOLS_NOTHING, \
					   kh_mcp_conform_input_several),                                              \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_input_required_result_multi_round", KH_MCP_CONFORM_TOOLS_NOTHING,     \
					   kh_mcp_conform_input_rounds),                                               \
		KH_MCP_CONFORM_TOOLS_ENTRY("test_input_required_result_capabilities", KH_MCP_CONFORM_TOOLS_NOTHING,    \
					   kh_mcp_conform_input_capable)

#endif
