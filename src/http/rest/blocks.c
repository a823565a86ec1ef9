/* Sealed content over HTTP.  It goes in; only the block's id comes out (E12). */
#include "http/rest/blocks.h"

#include "engine/context/put.h"
#include "engine/task/show.h"

#define CONTENT (16U << 20)
/* JSON with as many bytes of escapes as of content; content with more escapes has to be sent as text/plain. */
#define BODY (2 * CONTENT + KH_REST_SMALL)

/* Returns a value from the URL if the body is text, else from the JSON body; never from both. */
static enum kh_err take(struct kh_rest_call *call, const char *name, struct kh_view *ret_text)
{
	const struct kh_rest_value *in_url = kh_rest_call_query(call, name), *in_body = kh_rest_call_body(call, name);
	bool is_text = call->text.p != NULL;

	if (!is_text && in_url->there)
		return kh_error_member(&call->err, kh_view_str(name),
				       kh_error_set(&call->err, KH_EINPUT, "duplicate_member",
						    "beside a JSON body, it is a member of that, and no parameter"));
	*ret_text = is_text ? in_url->text : in_body->text;
	return KH_OK;
}

static enum kh_err put(struct kh_rest_call *call)
{
	yyjson_mut_doc *doc = kh_json_new(call->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_put block = {
		.task = kh_http_request_segment(call->r, "task"),
		.content = kh_tainted_wrap(call->text.p != NULL ? call->text
								: kh_rest_call_body(call, "content")->text),
	};
	enum kh_err e = take(call, "source", &block.source);

	if (e == KH_OK)
		e = take(call, "operation", &block.operation);
	if (e == KH_OK && block.source.p == NULL)
		e = kh_error_member(&call->err, KH_LIT("source"),
				    kh_error_set(&call->err, KH_EINPUT, "missing",
						 "the parameter source is required beside a text"));
	if (e == KH_OK)
		e = kh_rest_call_run(call, kh_put_run, &block);
	if (e != KH_OK)
		return e;
	kh_json_add(doc, obj, "id", block.id);
	return kh_rest_call_reply_object(call, 201, obj);
}

static const struct kh_rest_member put_query[] = {
	{"source", KH_REST_TEXT, .about = "With a text/plain body: where the content came from."},
	{"operation", KH_REST_TEXT, .about = "With a text/plain body: the operation of its attribution."},
	{0},
};

static const struct kh_rest_member put_body[] = {
	{"source", KH_REST_TEXT, .required = true,
	 .about = "Where the content came from, for people: a URL, a path.  Visible characters only."},
	{"operation", KH_REST_TEXT, .about = "Of its attribution; `comm.read` where it is missing."},
	{"content", KH_REST_TEXT, .required = true, .about = "The content itself, up to 16 MiB."},
	{0},
};

static enum kh_err list(struct kh_rest_call *call)
{
	struct kh_task_show task = {
		.task = kh_http_request_segment(call->r, "task"),
		.after = kh_rest_call_query(call, "after")->text,
	};
	yyjson_val *root = NULL;
	struct kh_view items;
	enum kh_err e = kh_rest_call_run(call, kh_task_show_run, &task);

	if (e == KH_OK)
		e = kh_json_read(call->arena, task.json, &root, &call->err);
	if (e != KH_OK)
		return e;
	yyjson_mut_doc *doc = kh_json_new(call->arena);
	e = kh_json_write(call->arena, yyjson_val_mut_copy(doc, kh_json_get(root, "blocks")), &items);
	return e == KH_OK ? kh_rest_call_reply_list(call, items, task.next) : e;
}

static const struct kh_rest_member list_query[] = {
	{"after", KH_REST_ID, .letter = 'b', .about = "Those after this one: `next` of the page before."},
	{0},
};

static const struct kh_rest_route routes[] = {
	{
		.method = KH_HTTP_POST,
		.path = "/tasks/{task}/blocks",
		.name = "putBlock",
		.group = "blocks",
		.operation = kh_put_run,
		.summary = "Put content into a task, sealed",
		.about = "Untrusted data with taint high and an attribution.  Nobody gets it back through this API: a "
			 "controller asks a Reader about it.",
		.query = put_query,
		.body = put_body,
		.text_body = "The content itself, up to 16 MiB of UTF-8; `source` is in the URL then.",
		.limit = BODY,
		.status = 201,
		.answer = "BlockPut",
		.conflicts = true,
		.run = put,
	},
	{
		.method = KH_HTTP_GET,
		.path = "/tasks/{task}/blocks",
		.name = "listBlocks",
		.group = "blocks",
		.operation = kh_task_show_run,
		.summary = "List the blocks of a task",
		.about = "Ids and kinds, at most 100 at a time.  `source` is there for whoever gave it, and for "
			 "humans; labels and hashes are for humans alone.",
		.query = list_query,
		.status = 200,
		.answer = "BlockList",
		.run = list,
	},
};

const struct kh_rest_route *kh_rest_blocks_routes(size_t *ret_count)
{
	*ret_count = sizeof(routes) / sizeof(routes[0]);
	return routes;
}
