/* Sealed content over HTTP.  It goes in; only the block's id comes out (E12). */
#include "http/rest/blocks.h"

#include "engine/context/put.h"
#include "engine/task/show.h"

/* Returns a value from the URL if the body is text, else from the JSON body; never from both. */
static enum kh_err take(struct kh_rest_call *call, const char *name, struct kh_view *ret_text)
{
	const struct kh_rest_value *in_url = kh_rest_call_query(call, name), *in_body = kh_rest_call_body(call, name);
	bool is_text = call->text.p != NULL;

	if (!is_text && in_url->there)
		return kh_error_input(&call->err, kh_view_str(name), "duplicate_member",
				      "beside a JSON body, it is a member of that, and no parameter");
	*ret_text = is_text ? in_url->text : in_body->text;
	return KH_OK;
}

enum kh_err kh_rest_blocks_put(struct kh_rest_call *call)
{
	struct kh_put block = {
		.task = kh_http_request_segment(call->r, "task"),
		.content = kh_tainted_wrap(call->text.p != NULL ? call->text
								: kh_rest_call_body(call, "content")->text),
	};
	enum kh_err e = take(call, "source", &block.source);

	if (e == KH_OK)
		e = take(call, "operation", &block.operation);
	if (e == KH_OK && block.source.p == NULL)
		e = kh_error_input(&call->err, KH_LIT("source"), "missing",
				   "the parameter source is required beside a text");
	if (e == KH_OK)
		e = kh_rest_call_run(call, kh_put_run, &block);
	return e == KH_OK ? kh_rest_call_reply_id(call, "block", block.id) : e;
}

enum kh_err kh_rest_blocks_list(struct kh_rest_call *call)
{
	struct kh_task_show task = {
		.task = kh_http_request_segment(call->r, "task"),
		.after = kh_rest_call_query(call, "after")->text,
	};
	enum kh_err e = kh_rest_call_run(call, kh_task_show_run, &task);

	return e == KH_OK ? kh_rest_call_reply_list(call, task.blocks, task.next) : e;
}
