/* Prompts and resources of the conformance tests. */
#include "conform.h"

#include "conform_input.h"

#include <stdio.h>

yyjson_mut_val *kh_conform_json(yyjson_mut_doc *doc, const char *literal)
{
	yyjson_doc *read = yyjson_read(literal, strlen(literal), 0);
	yyjson_mut_val *val = read ? yyjson_val_mut_copy(doc, yyjson_doc_get_root(read)) : NULL;

	yyjson_doc_free(read);
	return val;
}

yyjson_mut_val *kh_conform_text(yyjson_mut_doc *doc, struct kh_view text)
{
	yyjson_mut_val *array = yyjson_mut_arr(doc), *item = yyjson_mut_arr_add_obj(doc, array);

	yyjson_mut_obj_add_str(doc, item, "type", "text");
	kh_json_add(doc, item, "text", text);
	return array;
}

static void add(yyjson_mut_doc *doc, yyjson_mut_val *array, const char *literal)
{
	yyjson_mut_arr_append(array, kh_conform_json(doc, literal));
}

/* --- prompts ---------------------------------------------------------------------------------------------------------
 */

#define MESSAGE(content) "{\"role\":\"user\",\"content\":" content "}"
#define MESSAGES(list)   "{\"description\":\"A prompt of the conformance tests.\",\"messages\":[" list "]}"

void kh_conform_prompts(yyjson_mut_doc *doc, yyjson_mut_val *array)
{
	add(doc, array, "{\"name\":\"test_simple_prompt\",\"description\":\"A prompt without arguments.\"}");
	add(doc, array,
	    "{\"name\":\"test_prompt_with_arguments\",\"description\":\"A prompt that repeats its arguments.\","
	    "\"arguments\":[{\"name\":\"arg1\",\"description\":\"The first.\",\"required\":true},"
	    "{\"name\":\"arg2\",\"description\":\"The second.\",\"required\":true}]}");
	add(doc, array,
	    "{\"name\":\"test_prompt_with_embedded_resource\",\"description\":\"A prompt with a resource in it.\","
	    "\"arguments\":[{\"name\":\"resourceUri\",\"description\":\"The resource's URI.\",\"required\":true}]}");
	add(doc, array, "{\"name\":\"test_prompt_with_image\",\"description\":\"A prompt with an image in it.\"}");
	add(doc, array,
	    "{\"name\":\"test_input_required_result_prompt\",\"description\":\"A prompt that asks back first.\"}");
}

/* A string argument; an empty one where it is not there. */
static struct kh_view argument(yyjson_val *arguments, const char *name)
{
	struct kh_view v = kh_json_str(kh_json_get(arguments, name));

	return v.p ? v : KH_LIT("");
}

/* One message with this text. */
static yyjson_mut_val *say(struct kh_mcp_call *call, struct kh_view text)
{
	yyjson_mut_val *prompt = kh_conform_json(call->doc, MESSAGES("{\"role\":\"user\"}"));
	yyjson_mut_val *message = yyjson_mut_arr_get_first(yyjson_mut_obj_get(prompt, "messages"));

	yyjson_mut_obj_add_val(call->doc, message, "content",
			       yyjson_mut_arr_get_first(kh_conform_text(call->doc, text)));
	return prompt;
}

static yyjson_mut_val *embed(struct kh_mcp_call *call, struct kh_view uri)
{
	yyjson_mut_val *prompt = kh_conform_json(
		call->doc,
		MESSAGES(MESSAGE("{\"type\":\"resource\",\"resource\":{\"mimeType\":\"text/plain\",\"text\":\"What is "
				 "embedded.\"}}") "," MESSAGE("{\"type\":\"text\",\"text\":\"Read what is above.\"}")));
	yyjson_mut_val *first = yyjson_mut_arr_get_first(yyjson_mut_obj_get(prompt, "messages"));

	kh_json_add(call->doc, yyjson_mut_obj_get(yyjson_mut_obj_get(first, "content"), "resource"), "uri", uri);
	return prompt;
}

/* Asks for `user_context` before it says anything. */
static yyjson_mut_val *ask_back(struct kh_mcp_call *call, struct kh_mcp_result *result)
{
	struct kh_view context = kh_conform_input_text(call, "user_context", "context");

	if (context.p)
		return say(call, kh_arena_printf(call->arena, "The context is: %.*s", KH_FMT(context)));
	result->inputs = kh_conform_json(
		call->doc,
		"{\"user_context\":{\"method\":\"elicitation/create\",\"params\":{\"mode\":\"form\",\"message\":"
		"\"Which context is the prompt for?\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{"
		"\"context\":{\"type\":\"string\"}},\"required\":[\"context\"]}}}}");
	return NULL;
}

bool kh_conform_prompt(struct kh_mcp_call *call, struct kh_view name, yyjson_val *arguments,
		       struct kh_mcp_result *result, yyjson_mut_val **ret_prompt)
{
	struct kh_view a = argument(arguments, "arg1"), b = argument(arguments, "arg2");

	if (kh_view_eq(name, KH_LIT("test_simple_prompt")))
		*ret_prompt = say(call, KH_LIT("A simple prompt."));
	else if (kh_view_eq(name, KH_LIT("test_prompt_with_arguments")))
		*ret_prompt = say(call,
				  kh_arena_printf(call->arena, "arg1 is '%.*s', arg2 is '%.*s'", KH_FMT(a), KH_FMT(b)));
	else if (kh_view_eq(name, KH_LIT("test_prompt_with_embedded_resource")))
		*ret_prompt = embed(call, argument(arguments, "resourceUri"));
	else if (kh_view_eq(name, KH_LIT("test_prompt_with_image")))
		*ret_prompt = kh_conform_json(
			call->doc,
			MESSAGES(MESSAGE("{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"" KH_CONFORM_PNG
					 "\"}") "," MESSAGE("{\"type\":\"text\",\"text\":\"Look at it.\"}")));
	else if (kh_view_eq(name, KH_LIT("test_input_required_result_prompt")))
		*ret_prompt = ask_back(call, result);
	else
		return false;
	return true;
}

bool kh_conform_completes(struct kh_view name)
{
	return kh_view_eq(name, KH_LIT("test_prompt_with_arguments"));
}

/* --- resources -------------------------------------------------------------------------------------------------------
 */

void kh_conform_resources(yyjson_mut_doc *doc, yyjson_mut_val *array)
{
	add(doc, array,
	    "{\"uri\":\"test://static-text\",\"name\":\"static-text\",\"description\":\"A text.\",\"mimeType\":"
	    "\"text/plain\"}");
	add(doc, array,
	    "{\"uri\":\"test://static-binary\",\"name\":\"static-binary\",\"description\":\"An image.\",\"mimeType\":"
	    "\"image/png\"}");
	add(doc, array,
	    "{\"uri\":\"test://watched-resource\",\"name\":\"watched-resource\",\"description\":\"A text that can be "
	    "subscribed to.\",\"mimeType\":\"text/plain\"}");
}

void kh_conform_templates(yyjson_mut_doc *doc, yyjson_mut_val *array)
{
	add(doc, array,
	    "{\"uriTemplate\":\"test://template/{id}/data\",\"name\":\"template\",\"description\":\"Data of an id.\","
	    "\"mimeType\":\"application/json\"}");
}

bool kh_conform_watches(struct kh_view uri)
{
	return kh_view_eq(uri, KH_LIT("test://watched-resource"));
}

/* The id in a URI of the template; {NULL, 0} where it is none. */
static struct kh_view template_id(struct kh_view uri)
{
	struct kh_view head = KH_LIT("test://template/"), tail = KH_LIT("/data"), id;

	if (!kh_view_starts(uri, head) || !kh_view_ends(uri, tail) || uri.n <= head.n + tail.n)
		return kh_view_of(NULL, 0);
	id = kh_view_sub(uri, head.n, uri.n - tail.n);
	for (size_t i = 0; i < id.n; i++) {
		if (!kh_ascii_is_digit(id.p[i]) && !kh_ascii_is_alpha(id.p[i]))
			return kh_view_of(NULL, 0);
	}
	return id;
}

static void add_template(yyjson_mut_doc *doc, yyjson_mut_val *content, struct kh_view id)
{
	char text[256];
	int n = snprintf(text, sizeof(text), "{\"id\":\"%.*s\",\"templateTest\":true}", (int)(id.n < 64 ? id.n : 64),
			 id.p);

	yyjson_mut_obj_add_str(doc, content, "mimeType", "application/json");
	yyjson_mut_obj_add_strncpy(doc, content, "text", text, n > 0 ? (size_t)n : 0);
}

bool kh_conform_resource(yyjson_mut_doc *doc, struct kh_view uri, yyjson_mut_val *contents)
{
	struct kh_view id = template_id(uri);
	yyjson_mut_val *content = yyjson_mut_obj(doc);

	kh_json_add(doc, content, "uri", uri);
	if (kh_view_eq(uri, KH_LIT("test://static-binary"))) {
		yyjson_mut_obj_add_str(doc, content, "mimeType", "image/png");
		yyjson_mut_obj_add_str(doc, content, "blob", KH_CONFORM_PNG);
	} else if (kh_view_eq(uri, KH_LIT("test://static-text")) || kh_conform_watches(uri)) {
		yyjson_mut_obj_add_str(doc, content, "mimeType", "text/plain");
		yyjson_mut_obj_add_str(doc, content, "text", "The text of a resource.");
	} else if (id.p) {
		add_template(doc, content, id);
	} else {
		return false;
	}
	yyjson_mut_arr_append(contents, content);
	return true;
}
