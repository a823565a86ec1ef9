/* The Messages API.  The response is hostile; the answer taken from it is rearranged and tainted again. */
#include "reader/anthropic.h"

#include "reader/answer_schema.h"

/* --- the request -------------------------------------------------------------------------------------------------- */

static void add_tool(yyjson_mut_doc *doc, yyjson_mut_val *root, yyjson_mut_val *schema)
{
	yyjson_mut_val *tools = yyjson_mut_obj_add_arr(doc, root, "tools"), *tool = yyjson_mut_arr_add_obj(doc, tools);
	yyjson_mut_val *choice;

	yyjson_mut_obj_add_str(doc, tool, "name", KH_ANTHROPIC_TOOL);
	yyjson_mut_obj_add_str(doc, tool, "description", "Gives the answer to the query. The only way to answer.");
	yyjson_mut_obj_add_val(doc, tool, "input_schema", schema);
	choice = yyjson_mut_obj_add_obj(doc, root, "tool_choice");
	yyjson_mut_obj_add_str(doc, choice, "type", "tool");
	yyjson_mut_obj_add_str(doc, choice, "name", KH_ANTHROPIC_TOOL);
	yyjson_mut_obj_add_bool(doc, choice, "disable_parallel_tool_use", true);
}

enum kh_err kh_anthropic_request(struct kh_arena *arena, const struct kh_reader *reader,
				 const struct kh_reader_ask *ask, struct kh_view message, struct kh_view *ret_body)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc), *messages, *user;

	if (root == NULL)
		return KH_ENOMEM;
	kh_json_add(doc, root, "model", reader->settings->model);
	yyjson_mut_obj_add_uint(doc, root, "max_tokens", kh_model_tokens(reader, ask->query));
	kh_json_add(doc, root, "system", kh_model_prompt(ask));
	messages = yyjson_mut_obj_add_arr(doc, root, "messages");
	user = yyjson_mut_arr_add_obj(doc, messages);
	yyjson_mut_obj_add_str(doc, user, "role", "user");
	kh_json_add(doc, user, "content", message);
	add_tool(doc, root, kh_answer_schema_make(doc, arena, ask->query, true));
	yyjson_mut_obj_add_bool(doc, root, "stream", false);
	return kh_json_write(arena, root, ret_body);
}

/* --- the response ------------------------------------------------------------------------------------------------- */

/* NULL if the model ended by itself. */
static const char *stop_of(yyjson_val *root)
{
	struct kh_view word = kh_json_str(kh_json_get(root, "stop_reason"));

	if (kh_view_eq(word, KH_LIT("tool_use")) || kh_view_eq(word, KH_LIT("end_turn")))
		return NULL;
	if (kh_view_eq(word, KH_LIT("max_tokens")))
		return "its answer was cut at the limit of tokens (max_tokens)";
	if (kh_view_eq(word, KH_LIT("refusal")))
		return "the model refused to answer";
	return "it ended for a reason that is not known";
}

/* The input of the one call of our tool, or NULL and the reason.  Text beside the call is ignored. */
static yyjson_val *find_input(yyjson_val *content, const char **why)
{
	yyjson_arr_iter iter = yyjson_arr_iter_with(content);
	yyjson_val *part, *input = NULL;

	while ((part = yyjson_arr_iter_next(&iter)) != NULL) {
		if (!kh_view_eq(kh_json_str(kh_json_get(part, "type")), KH_LIT("tool_use")))
			continue;
		if (!kh_view_eq(kh_json_str(kh_json_get(part, "name")), KH_LIT(KH_ANTHROPIC_TOOL))) {
			*why = "it calls a tool that it does not have";
			return NULL;
		}
		if (input != NULL) {
			*why = "it answers more than once";
			return NULL;
		}
		input = kh_json_get(part, "input");
		if (!yyjson_is_obj(input)) {
			*why = "the model's answer is not a JSON object";
			return NULL;
		}
	}
	if (input == NULL)
		*why = "it did not call the tool to answer with";
	return input;
}

enum kh_err kh_anthropic_find(struct kh_arena *arena, yyjson_val *root, yyjson_val **ret_said, const char **why)
{
	yyjson_val *content = kh_json_get(root, "content");

	(void)arena;
	if (!kh_view_eq(kh_json_str(kh_json_get(root, "type")), KH_LIT("message")) ||
	    !kh_view_eq(kh_json_str(kh_json_get(root, "role")), KH_LIT("assistant")) || !yyjson_is_arr(content))
		*why = "not a message of an assistant";
	else if ((*why = stop_of(root)) == NULL)
		*ret_said = find_input(content, why);
	return KH_OK;
}

/* --- the driver --------------------------------------------------------------------------------------------------- */

static const struct kh_model_api api = {
	.key_header = KH_LIT_INIT("x-api-key: "),
	.headers = {KH_LIT_INIT("anthropic-version: 2023-06-01")},
	.path = KH_LIT_INIT("/messages"),
	.request = kh_anthropic_request,
	.find = kh_anthropic_find,
};

const struct kh_reader_driver kh_reader_anthropic = {.name = "anthropic", .ask = kh_model_ask, .api = &api};
