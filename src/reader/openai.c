/* Chat completions.  The response is hostile; the answer taken from it is rearranged and tainted again. */
#include "reader/openai.h"

#include "reader/answer_schema.h"

#define SCHEMA_NAME "answer"

/* --- the request -------------------------------------------------------------------------------------------------- */

static void add_message(yyjson_mut_doc *doc, yyjson_mut_val *messages, const char *role, struct kh_view content)
{
	yyjson_mut_val *message = yyjson_mut_arr_add_obj(doc, messages);

	yyjson_mut_obj_add_str(doc, message, "role", role);
	kh_json_add(doc, message, "content", content);
}

/*
 * A strict schema must not have keywords that the endpoint cannot enforce; self-hosted servers accept or ignore them.
 */
static void add_schema(yyjson_mut_doc *doc, yyjson_mut_val *format, yyjson_mut_val *schema)
{
	yyjson_mut_val *named = yyjson_mut_obj_add_obj(doc, format, "json_schema");

	yyjson_mut_obj_add_str(doc, named, "name", SCHEMA_NAME);
	yyjson_mut_obj_add_bool(doc, named, "strict", true);
	yyjson_mut_obj_add_val(doc, named, "schema", schema);
}

/* The prompt and, for a server that does not get the schema otherwise, the schema. */
static enum kh_err describe_form(struct kh_arena *arena, const struct kh_reader_ask *ask, yyjson_mut_val *schema,
				 struct kh_view *ret_prompt)
{
	struct kh_view text;
	enum kh_err e = kh_json_write(arena, schema, &text);

	if (e == KH_OK)
		*ret_prompt = kh_arena_printf(arena,
					      "%.*s\nYour answer is one JSON object, without anything before or after "
					      "it, that this JSON Schema describes:\n%.*s\n",
					      KH_FMT(kh_model_prompt(ask)), KH_FMT(text));
	return e;
}

enum kh_err kh_openai_request(struct kh_arena *arena, const struct kh_reader *reader, const struct kh_reader_ask *ask,
			      struct kh_view message, struct kh_view *ret_body)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc), *messages, *format;
	yyjson_mut_val *schema = kh_answer_schema_make(doc, arena, ask->query,
						       reader->settings->local || !reader->settings->schema);
	struct kh_view prompt = kh_model_prompt(ask);
	uint64_t thinking = reader->settings->max_tokens > 0 ? 0 : KH_OPENAI_THINKING;
	enum kh_err e = reader->settings->schema ? KH_OK : describe_form(arena, ask, schema, &prompt);

	if (e != KH_OK)
		return e;
	kh_json_add(doc, root, "model", reader->settings->model);
	messages = yyjson_mut_obj_add_arr(doc, root, "messages");
	add_message(doc, messages, "system", prompt);
	add_message(doc, messages, "user", message);
	format = yyjson_mut_obj_add_obj(doc, root, "response_format");
	yyjson_mut_obj_add_str(doc, format, "type", reader->settings->schema ? "json_schema" : "json_object");
	if (reader->settings->schema)
		add_schema(doc, format, schema);
	yyjson_mut_obj_add_uint(doc, root, "max_completion_tokens", kh_model_tokens(reader, ask->query) + thinking);
	yyjson_mut_obj_add_bool(doc, root, "stream", false);
	return kh_json_write(arena, root, ret_body);
}

/* --- the response ------------------------------------------------------------------------------------------------- */

/* The first choice, or NULL and the reason. */
static yyjson_val *find_choice(yyjson_val *root, const char **why)
{
	yyjson_val *choice = yyjson_arr_get_first(kh_json_get(root, "choices"));
	yyjson_val *index = kh_json_get(choice, "index");

	if (kh_json_get(root, "error") != NULL && !yyjson_is_null(kh_json_get(root, "error")))
		*why = "it answered with an error and status 200";
	else if (!yyjson_is_obj(choice))
		*why = "not a chat completion: it has no choices";
	else if (index != NULL && !(yyjson_is_uint(index) && yyjson_get_uint(index) == 0))
		*why = "its first choice is not choice 0";
	else
		return choice;
	return NULL;
}

/* NULL if the model ended by itself. */
static const char *stop_of(yyjson_val *choice)
{
	yyjson_val *reason = kh_json_get(choice, "finish_reason");
	struct kh_view word = kh_json_str(reason);

	if (reason == NULL || yyjson_is_null(reason) || kh_view_eq(word, KH_LIT("stop")))
		return NULL;
	if (kh_view_eq(word, KH_LIT("length")))
		return "its answer was cut at the limit of tokens (max_tokens)";
	if (kh_view_eq(word, KH_LIT("content_filter")))
		return "the endpoint's filter withheld the answer";
	if (kh_view_eq(word, KH_LIT("tool_calls")) || kh_view_eq(word, KH_LIT("function_call")))
		return "it calls a tool, and has none";
	return "it ended for a reason that is not known";
}

static bool is_there(yyjson_val *val)
{
	return val != NULL && !yyjson_is_null(val) && !(yyjson_is_arr(val) && yyjson_arr_size(val) == 0) &&
	       !(yyjson_is_str(val) && yyjson_get_len(val) == 0);
}

/* The model's text, or an empty view and the reason. */
static struct kh_view find_content(yyjson_val *root, const char **why)
{
	yyjson_val *choice = find_choice(root, why), *message = kh_json_get(choice, "message");
	struct kh_view role = kh_json_str(kh_json_get(message, "role"));
	struct kh_view content = kh_json_str(kh_json_get(message, "content"));

	if (choice == NULL)
		return KH_LIT("");
	*why = stop_of(choice);
	if (*why != NULL)
		return KH_LIT("");
	if (!yyjson_is_obj(message) || (role.p != NULL && !kh_view_eq(role, KH_LIT("assistant"))))
		*why = "not a chat completion: it has no message of an assistant";
	else if (is_there(kh_json_get(message, "refusal")))
		*why = "the model refused to answer";
	else if (is_there(kh_json_get(message, "tool_calls")) || is_there(kh_json_get(message, "function_call")))
		*why = "it calls a tool, and has none";
	else if (content.n == 0)
		*why = "its answer is empty";
	return *why == NULL ? content : KH_LIT("");
}

/* Removes the Markdown fence that models often put around JSON if they are only asked for JSON. */
static struct kh_view strip_fence(struct kh_view content)
{
	struct kh_view text = kh_view_trim(content);
	size_t line = kh_view_find(text, KH_LIT("\n"), 0);

	if (!kh_view_starts(text, KH_LIT("```")) || !kh_view_ends(text, KH_LIT("\n```")) || line + 4 > text.n)
		return text;
	return kh_view_sub(text, line + 1, text.n - 4);
}

/* Parses the model's text as an object. */
enum kh_err kh_openai_find(struct kh_arena *arena, yyjson_val *root, yyjson_val **ret_said, const char **why)
{
	struct kh_view content = find_content(root, why);
	yyjson_val *said = NULL;

	if (*why != NULL)
		return KH_OK;
	enum kh_err e = kh_json_read(arena, strip_fence(content), &said, NULL);
	if (e == KH_ENOMEM)
		return e;
	if (e != KH_OK || !yyjson_is_obj(said))
		*why = "the model's answer is not a JSON object";
	else
		*ret_said = said;
	return KH_OK;
}

/* --- the driver --------------------------------------------------------------------------------------------------- */

static const struct kh_model_api api = {
	.key_header = KH_LIT_INIT("Authorization: Bearer "),
	.path = KH_LIT_INIT("/chat/completions"),
	.request = kh_openai_request,
	.find = kh_openai_find,
};

const struct kh_reader_driver kh_reader_openai = {.name = "openai", .ask = kh_model_ask, .api = &api};
