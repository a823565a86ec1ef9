/* Contexts over HTTP: a host records in Keyhole what its agent has seen (K11); humans look at contexts and reset
 * them. */
#include "http/rest/contexts.h"

#include "engine/context/add.h"
#include "engine/context/assemble.h"
#include "engine/context/context.h"
#include "engine/context/guarding.h"
#include "engine/context/output.h"
#include "engine/deciding.h"
#include "engine/task/reset.h"

static struct kh_view context_of(struct kh_rest_call *call)
{
	return kh_http_request_segment(call->r, "context");
}

enum kh_err kh_rest_contexts_show(struct kh_rest_call *call)
{
	struct kh_context_show context = {.context = context_of(call)};

	return kh_rest_call_show(call, kh_context_show_run, &context, &context.json);
}

enum kh_err kh_rest_contexts_add(struct kh_rest_call *call)
{
	struct kh_context_add block = {
		.context = context_of(call),
		.source = kh_rest_call_body(call, "source")->text,
		.content = kh_rest_call_body(call, "content")->text,
		.tool = kh_rest_call_body(call, "tool")->text,
		.arguments = kh_rest_call_body(call, "arguments")->object,
		.event = (enum kh_event_kind)kh_rest_call_body(call, "event")->word,
	};
	enum kh_err e = kh_rest_call_run(call, kh_context_add_run, &block);
	return e == KH_OK ? kh_rest_call_reply_id(call, "block", block.id) : e;
}

enum kh_err kh_rest_contexts_output(struct kh_rest_call *call)
{
	const struct kh_rest_value *more = kh_rest_call_body(call, "tainted_by");
	yyjson_mut_val *obj = yyjson_mut_obj(call->doc);
	struct kh_context_output block = {
		.context = context_of(call),
		.content = kh_rest_call_body(call, "content")->text,
		.more = more->ids,
		.more_count = more->count,
	};
	enum kh_err e = kh_deciding_output(kh_gateway_engine(call->gateway), call->token, &block, call->arena,
					   &call->err);

	if (e != KH_OK)
		return e;
	kh_json_add(call->doc, obj, "block", block.id);
	kh_json_add(call->doc, obj, "id", block.id);
	yyjson_mut_obj_add_bool(call->doc, obj, "flagged", block.flagged);
	yyjson_mut_obj_add_str(call->doc, obj, "type", block.copies ? "data" : "instruction");
	kh_json_add_raw(call->doc, obj, "unattributed", block.unattributed);
	return kh_rest_call_reply_object(call, obj);
}

enum kh_err kh_rest_contexts_assemble(struct kh_rest_call *call)
{
	const struct kh_rest_value *format = kh_rest_call_query(call, "format");
	struct kh_context_assemble context = {
		.context = context_of(call),
		.xml = format->there && kh_view_eq(format->text, KH_LIT("xml")),
	};
	enum kh_err e = kh_rest_call_run(call, kh_context_assemble_run, &context);

	if (e == KH_OK)
		kh_http_reply(call->r, 200, context.xml ? "application/xml" : "application/json", context.text, NULL,
			      0);
	return e;
}

enum kh_err kh_rest_contexts_reset(struct kh_rest_call *call)
{
	struct kh_reset context = {
		.context = context_of(call),
		.reason = kh_rest_call_body(call, "reason")->text,
	};
	enum kh_err e = kh_rest_call_run(call, kh_reset_run, &context);

	return e == KH_OK ? kh_rest_call_reply_id(call, "context", context.context) : e;
}
