/* Tools that need input of their client before they can answer, in one round or several. */
#include "conform_input.h"

#include "conform.h"
#include "mcp/mcp.h"

#define ELICIT(message, member, type)                                                                  \
	"{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\",\"message\":\"" message      \
	"\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"" member "\":{\"type\":\"" type \
	"\"}},\"required\":[\"" member "\"]}}}"
#define SAMPLE(text)                                                                                        \
	"{\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[{\"role\":\"user\",\"content\":{" \
	"\"type\":\"text\",\"text\":\"" text "\"}}],\"maxTokens\":100}}"
#define ROOTS "{\"method\":\"roots/list\",\"params\":{}}"

/* What the client gave as NAME; NULL: nothing that could be used. */
static yyjson_val *input(const struct kh_mcp_call *call, const char *name)
{
	yyjson_val *val = call->inputs ? kh_json_get(call->inputs, name) : NULL;

	return yyjson_is_obj(val) ? val : NULL;
}

/* The content of an elicitation that was accepted. */
static yyjson_val *accepted(const struct kh_mcp_call *call, const char *name)
{
	yyjson_val *val = input(call, name), *content = val ? kh_json_get(val, "content") : NULL;

	return val && kh_view_eq(kh_json_str(kh_json_get(val, "action")), KH_LIT("accept")) && yyjson_is_obj(content)
		       ? content
		       : NULL;
}

struct kh_view kh_conform_input_text(const struct kh_mcp_call *call, const char *name, const char *member)
{
	yyjson_val *content = accepted(call, name);

	return content ? kh_json_str(kh_json_get(content, member)) : kh_view_of(NULL, 0);
}

static enum kh_work_next ask(struct kh_mcp_call *call, struct kh_mcp_result *result, const char *inputs,
			     struct kh_view state)
{
	result->inputs = kh_conform_json(call->doc, inputs);
	result->state = state;
	return KH_WORK_DONE;
}

static enum kh_work_next answer(struct kh_mcp_call *call, struct kh_mcp_result *result, struct kh_view text)
{
	result->content = kh_conform_text(call->doc, text);
	return KH_WORK_DONE;
}

enum kh_work_next kh_conform_input_elicitation(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	struct kh_view name = kh_conform_input_text(call, "user_name", "name");

	if (!name.p)
		return ask(call, result, "{\"user_name\":" ELICIT("What is your name?", "name", "string") "}",
			   kh_view_of(NULL, 0));
	return answer(call, result, kh_arena_printf(call->arena, "Hello, %.*s!", KH_FMT(name)));
}

enum kh_work_next kh_conform_input_sampling(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	yyjson_val *said = input(call, "capital_question"), *content = said ? kh_json_get(said, "content") : NULL;
	struct kh_view text = kh_json_str(yyjson_is_obj(content) ? kh_json_get(content, "text") : NULL);

	if (!text.p)
		return ask(call, result, "{\"capital_question\":" SAMPLE("What is the capital of France?") "}",
			   kh_view_of(NULL, 0));
	return answer(call, result, kh_arena_printf(call->arena, "The model said: %.*s", KH_FMT(text)));
}

enum kh_work_next kh_conform_input_roots(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	yyjson_val *said = input(call, "client_roots"), *roots = said ? kh_json_get(said, "roots") : NULL;
	yyjson_val *first = yyjson_arr_get_first(roots);

	if (!yyjson_is_arr(roots))
		return ask(call, result, "{\"client_roots\":" ROOTS "}", kh_view_of(NULL, 0));
	struct kh_view uri = kh_json_str(yyjson_is_obj(first) ? kh_json_get(first, "uri") : NULL);
	return answer(
		call, result,
		kh_arena_printf(call->arena, "%zu roots; the first is %.*s", yyjson_arr_size(roots), KH_FMT(uri)));
}

enum kh_work_next kh_conform_input_state(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	yyjson_val *content = accepted(call, "confirm");

	if (!content || !yyjson_is_bool(kh_json_get(content, "ok")) || !kh_view_eq(call->state, KH_LIT("asked")))
		return ask(call, result, "{\"confirm\":" ELICIT("Is this right?", "ok", "boolean") "}",
			   KH_LIT("asked"));
	return answer(call, result, KH_LIT("state-ok"));
}

enum kh_work_next kh_conform_input_several(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	struct kh_view name = kh_conform_input_text(call, "user_name", "name");

	if (!name.p || !input(call, "greeting") || !input(call, "client_roots") ||
	    !kh_view_eq(call->state, KH_LIT("asked")))
		return ask(call, result,
			   "{\"user_name\":" ELICIT("What is your name?", "name", "string") ",\"greeting\":" SAMPLE(
				   "Write a greeting.") ",\"client_roots\":" ROOTS "}",
			   KH_LIT("asked"));
	return answer(call, result, kh_arena_printf(call->arena, "All three are there, %.*s.", KH_FMT(name)));
}

/* Two rounds; the state carries what the first one brought. */
enum kh_work_next kh_conform_input_rounds(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	struct kh_view name = kh_conform_input_text(call, "step1", "name");
	struct kh_view color = kh_conform_input_text(call, "step2", "color");

	if (kh_view_starts(call->state, KH_LIT("2:")) && color.p) {
		struct kh_view first = kh_view_from(call->state, 2);

		return answer(call, result,
			      kh_arena_printf(call->arena, "%.*s likes %.*s.", KH_FMT(first), KH_FMT(color)));
	}
	if (kh_view_eq(call->state, KH_LIT("1")) && name.p)
		return ask(call, result,
			   "{\"step2\":" ELICIT("Step 2: What is your favorite color?", "color", "string") "}",
			   kh_arena_printf(call->arena, "2:%.*s", KH_FMT(name)));
	return ask(call, result, "{\"step1\":" ELICIT("Step 1: What is your name?", "name", "string") "}", KH_LIT("1"));
}

/* Asks for what the client can, and for nothing else. */
enum kh_work_next kh_conform_input_capable(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	yyjson_mut_val *inputs = yyjson_mut_obj(call->doc);

	if (call->inputs)
		return answer(call, result, KH_LIT("Thank you."));
	if (call->can & KH_MCP_CAN_ELICIT)
		yyjson_mut_obj_add_val(call->doc, inputs, "user_name",
				       kh_conform_json(call->doc, ELICIT("What is your name?", "name", "string")));
	if (call->can & KH_MCP_CAN_SAMPLE)
		yyjson_mut_obj_add_val(call->doc, inputs, "greeting",
				       kh_conform_json(call->doc, SAMPLE("Write a greeting.")));
	if (call->can & KH_MCP_CAN_ROOTS)
		yyjson_mut_obj_add_val(call->doc, inputs, "client_roots", kh_conform_json(call->doc, ROOTS));
	if (yyjson_mut_obj_size(inputs) == 0)
		return answer(call, result, KH_LIT("This client can be asked for nothing."));
	result->inputs = inputs;
	return KH_WORK_DONE;
}
