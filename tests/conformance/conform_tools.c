/* The test tools of the conformance program: content of every kind, things said before an answer, requests to the client.
 */
#include "conform_tools.h"

#include "conform.h"
#include "conform_input.h"
#include "mcp/listen.h"
#include "mcp/say.h"

#define PAUSE INT64_C(50000) /* microseconds between two things that a tool says */

/* --- content of every kind -------------------------------------------------------------------------------------------
 */

#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define IMAGE      "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"" KH_CONFORM_PNG "\"}"
#define AUDIO      "{\"type\":\"audio\",\"mimeType\":\"audio/wav\",\"data\":\"" KH_CONFORM_WAV "\"}"
#define RESOURCE(name)                                                \
	"{\"type\":\"resource\",\"resource\":{\"uri\":\"test://" name \
	"\",\"mimeType\":\"text/plain\",\"text\":\"Text.\"}}"

static enum kh_work_next show(struct kh_mcp_call *call, struct kh_mcp_result *result, const char *content)
{
	result->content = kh_conform_json(call->doc, content);
	return KH_WORK_DONE;
}

static enum kh_work_next say_text(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	return show(call, result, "[" TEXT("A text, for testing.") "]");
}

static enum kh_work_next say_image(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	return show(call, result, "[" IMAGE "]");
}

static enum kh_work_next say_audio(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	return show(call, result, "[" AUDIO "]");
}

static enum kh_work_next say_resource(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	return show(call, result, "[" RESOURCE("embedded-resource") "]");
}

static enum kh_work_next say_several(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	return show(call, result, "[" TEXT("Several kinds:") "," IMAGE "," RESOURCE("mixed-content-resource") "]");
}

static enum kh_work_next fail(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	result->is_error = true;
	return show(call, result, "[" TEXT("This tool always fails.") "]");
}

/* --- what is said before the answer ----------------------------------------------------------------------------------
 */

/* How far a tool is that says things one after the other. */
static unsigned *progress_of(struct kh_mcp_call *call)
{
	return (unsigned *)(void *)call->kept.bytes;
}

/* Waits before the next one; a call that is to come to an end does not. */
static enum kh_work_next pause(struct kh_mcp_call *call, struct kh_mcp_result *result, int64_t time)
{
	if (call->stopping)
		return show(call, result, "[" TEXT("Stopped.") "]");
	++*progress_of(call);
	call->work->wake_at = kh_works_now() + time;
	return KH_WORK_WAIT;
}

static enum kh_work_next run_log(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	static const struct kh_view texts[] = {KH_LIT_INIT("begun"), KH_LIT_INIT("half way"), KH_LIT_INIT("done")};

	kh_mcp_say_log(call, KH_RPC_INFO, texts[*progress_of(call)]);
	if (*progress_of(call) < 2)
		return pause(call, result, PAUSE);
	return show(call, result, "[" TEXT("Three messages were logged.") "]");
}

static enum kh_work_next run_progress(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	kh_mcp_say_progress(call, (int64_t)*progress_of(call) * 50, 100);
	if (*progress_of(call) < 2)
		return pause(call, result, PAUSE);
	return show(call, result, "[" TEXT("All of it is done.") "]");
}

/* Sends its client away, and answers when it is gone. */
static enum kh_work_next reconnect(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	if (*progress_of(call) == 0) {
		kh_mcp_say_rest(call);
		return pause(call, result, 4 * PAUSE);
	}
	return show(call, result, "[" TEXT("You have come back.") "]");
}

/* --- requests to the client, before 2026-07-28 -----------------------------------------------------------------------
 */

/* Asks, and shows what came back. */
static enum kh_work_next ask(struct kh_mcp_call *call, struct kh_mcp_result *result, const char *method,
			     yyjson_mut_val *params)
{
	yyjson_val *said;
	yyjson_mut_val *shown;
	struct kh_view text;

	if (*progress_of(call) == 0) {
		if (!kh_mcp_say_ask(call, method, params))
			return fail(call, result);
		*progress_of(call) = 1;
		return KH_WORK_WAIT;
	}
	said = kh_mcp_say_answer(call);
	if (!said && !call->stopping)
		return KH_WORK_WAIT;
	shown = said ? yyjson_val_mut_copy(call->doc, said) : yyjson_mut_null(call->doc);
	if (!shown || kh_json_write(call->arena, shown, &text) != KH_OK)
		text = KH_LIT("?");
	result->content = kh_conform_text(call->doc, text);
	return KH_WORK_DONE;
}

/* The first step's argument of this name. */
static struct kh_view argument(struct kh_mcp_call *call, const char *name)
{
	struct kh_view v = *progress_of(call) == 0 && call->arguments ? kh_json_str(kh_json_get(call->arguments, name))
								      : kh_view_of(NULL, 0);

	return v.p ? v : KH_LIT("?");
}

static enum kh_work_next sample(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	yyjson_mut_val *params = kh_conform_json(
		call->doc, "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\"}}],\"maxTokens\":100}");
	yyjson_mut_val *message = yyjson_mut_arr_get_first(yyjson_mut_obj_get(params, "messages"));

	kh_json_add(call->doc, yyjson_mut_obj_get(message, "content"), "text", argument(call, "prompt"));
	return ask(call, result, "sampling/createMessage", params);
}

static enum kh_work_next elicit(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	yyjson_mut_val *params = kh_conform_json(
		call->doc,
		"{\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"username\":{\"type\":\"string\"},"
		"\"email\":{\"type\":\"string\"}},\"required\":[\"username\",\"email\"]}}");

	kh_json_add(call->doc, params, "message", argument(call, "message"));
	return ask(call, result, "elicitation/create", params);
}

static enum kh_work_next ask_defaults(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	static const char params[] = "{\"message\":\"Everything here has a "
				     "default.\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
				     "\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},"
				     "\"age\":{\"type\":\"integer\",\"default\":30},"
				     "\"score\":{\"type\":\"number\",\"default\":95.5},"
				     "\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"inactive\",\"pending\"],"
				     "\"default\":\"active\"},"
				     "\"verified\":{\"type\":\"boolean\",\"default\":true}}}}";

	return ask(call, result, "elicitation/create", kh_conform_json(call->doc, params));
}

static enum kh_work_next ask_enums(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	static const char params[] =
		"{\"message\":\"Every way to choose from a "
		"list.\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
		"\"untitledSingle\":{\"type\":\"string\",\"enum\":[\"option1\",\"option2\",\"option3\"]},"
		"\"titledSingle\":{\"type\":\"string\",\"oneOf\":[{\"const\":\"value1\",\"title\":\"The first\"},"
		"{\"const\":\"value2\",\"title\":\"The second\"}]},"
		"\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\"],\"enumNames\":[\"One\",\"Two\"]},"
		"\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":[\"option1\","
		"\"option2\"]}},"
		"\"titledMulti\":{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"value1\",\"title\":\"The "
		"first\"},"
		"{\"const\":\"value2\",\"title\":\"The second\"}]}}}}}";

	return ask(call, result, "elicitation/create", kh_conform_json(call->doc, params));
}

/* --- the rest --------------------------------------------------------------------------------------------------------
 */

static enum kh_work_next need(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	if (call->can & KH_MCP_CAN_SAMPLE)
		return show(call, result, "[" TEXT("This client can sample.") "]");
	result->rpc_code = -32021;
	result->rpc_message = "this tool needs a client that can sample";
	result->rpc_data = kh_conform_json(call->doc, "{\"requiredCapabilities\":{\"sampling\":{}}}");
	return KH_WORK_DONE;
}

static enum kh_work_next change_tools(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	kh_mcp_listen_changed(call->exchange->peer->mcp, KH_MCP_CHANGED_TOOLS);
	return show(call, result, "[" TEXT("Whoever listens was told that tools have changed.") "]");
}

static enum kh_work_next change_prompts(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	kh_mcp_listen_changed(call->exchange->peer->mcp, KH_MCP_CHANGED_PROMPTS);
	return show(call, result, "[" TEXT("Whoever listens was told that prompts have changed.") "]");
}

/* --- the table ------------------------------------------------------------------------------------------------------
 */

/* Schemas of arguments. */
#define NOTHING "{\"type\":\"object\",\"properties\":{}}"
#define ONE(name) \
	"{\"type\":\"object\",\"properties\":{\"" name "\":{\"type\":\"string\"}},\"required\":[\"" name "\"]}"
#define HEADERS "{\"type\":\"object\",\"properties\":{\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"}}}"
#define RICH                                                                                                           \
	"{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\",\"$defs\":{\"address\":{"   \
	"\"$anchor\":\"addressDef\",\"type\":\"object\",\"properties\":{\"street\":{\"type\":\"string\"},\"city\":{"   \
	"\"type\":\"string\"}}}},\"properties\":{\"name\":{\"type\":\"string\"},\"address\":{\"$ref\":"                \
	"\"#/$defs/address\"},\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},\"phone\":{"      \
	"\"type\":\"string\"},\"email\":{\"type\":\"string\"}},\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{"    \
	"\"required\":[\"email\"]}]}],\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},\"required\":[" \
	"\"contactMethod\"]},\"then\":{\"required\":[\"phone\"]},\"else\":{\"required\":[\"email\"]},"                 \
	"\"additionalProperties\":false}"

#define ENTRY(tool_name, schema, fn)                                                                          \
	{                                                                                                     \
		.name = (tool_name), .title = (tool_name), .description = "A tool of the conformance tests.", \
		.roles = ~0U, .input = (schema), .read_only = true, .run = (fn)                               \
	}

static const struct kh_mcp_tool tools[] = {
	ENTRY("test_simple_text", NOTHING, say_text),
	ENTRY("test_image_content", NOTHING, say_image),
	ENTRY("test_audio_content", NOTHING, say_audio),
	ENTRY("test_embedded_resource", NOTHING, say_resource),
	ENTRY("test_multiple_content_types", NOTHING, say_several),
	ENTRY("test_error_handling", NOTHING, fail),
	ENTRY("test_tool_with_logging", NOTHING, run_log),
	ENTRY("test_logging_tool", NOTHING, run_log),
	ENTRY("test_tool_with_progress", NOTHING, run_progress),
	ENTRY("test_reconnection", NOTHING, reconnect),
	ENTRY("test_sampling", ONE("prompt"), sample),
	ENTRY("test_elicitation", ONE("message"), elicit),
	ENTRY("test_elicitation_sep1034_defaults", NOTHING, ask_defaults),
	ENTRY("test_elicitation_sep1330_enums", NOTHING, ask_enums),
	ENTRY("test_missing_capability", NOTHING, need),
	ENTRY("test_streaming_elicitation", NOTHING, kh_conform_input_elicitation),
	ENTRY("test_trigger_tool_change", NOTHING, change_tools),
	ENTRY("test_trigger_prompt_change", NOTHING, change_prompts),
	ENTRY("test_custom_headers", HEADERS, say_text),
	ENTRY("json_schema_2020_12_tool", RICH, say_text),
	ENTRY("test_input_required_result_elicitation", NOTHING, kh_conform_input_elicitation),
	ENTRY("test_input_required_result_sampling", NOTHING, kh_conform_input_sampling),
	ENTRY("test_input_required_result_list_roots", NOTHING, kh_conform_input_roots),
	ENTRY("test_input_required_result_request_state", NOTHING, kh_conform_input_state),
	ENTRY("test_input_required_result_tampered_state", NOTHING, kh_conform_input_state),
	ENTRY("test_input_required_result_multiple_inputs", NOTHING, kh_conform_input_several),
	ENTRY("test_input_required_result_multi_round", NOTHING, kh_conform_input_rounds),
	ENTRY("test_input_required_result_capabilities", NOTHING, kh_conform_input_capable),
};

const struct kh_mcp_tool *kh_conform_tools_all(size_t *ret_count)
{
	*ret_count = sizeof(tools) / sizeof(tools[0]);
	return tools;
}
