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

#define CONTENT (16U << 20)
#define BODY    (2 * CONTENT + KH_REST_SMALL)

/* The events that a host can add; content from outside is added as sealed content. */
static const struct kh_words event_words = KH_WORDS("system_prompt", "user_message", "goal", "commitment",
						    "supervisor_message");

static struct kh_view context_of(struct kh_rest_call *call)
{
	return kh_http_request_segment(call->r, "context");
}

static enum kh_err show(struct kh_rest_call *call)
{
	struct kh_context_show context = {.context = context_of(call)};
	enum kh_err e = kh_rest_call_run(call, kh_context_show_run, &context);

	return e == KH_OK ? kh_rest_call_reply(call, context.json) : e;
}

static enum kh_err add(struct kh_rest_call *call)
{
	yyjson_mut_doc *doc = kh_json_new(call->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_context_add block = {
		.context = context_of(call),
		.source = kh_rest_call_body(call, "source")->text,
		.content = kh_rest_call_body(call, "content")->text,
	};

	if (!kh_words_parse(&kh_event_words, kh_rest_call_body(call, "event")->text, &block.event))
		return kh_error_set(&call->err, KH_EINPUT, "bad_value", "there is no such event");
	enum kh_err e = kh_rest_call_run(call, kh_context_add_run, &block);
	if (e != KH_OK)
		return e;
	kh_json_add(doc, obj, "id", block.id);
	return kh_rest_call_reply_object(call, 201, obj);
}

static const struct kh_rest_member add_body[] = {
	{"event", KH_REST_WORD, .required = true, .words = &event_words,
	 .about = "What happened: it decides the block's trust and type."},
	{"content", KH_REST_TEXT, .required = true, .about = "Up to 16 MiB."},
	{"source", KH_REST_TEXT, .about = "Where it came from, for people."},
	{0},
};

static enum kh_err output(struct kh_rest_call *call)
{
	const struct kh_rest_value *more = kh_rest_call_body(call, "tainted_by");
	yyjson_mut_doc *doc = kh_json_new(call->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
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
	kh_json_add(doc, obj, "id", block.id);
	yyjson_mut_obj_add_bool(doc, obj, "flagged", block.flagged);
	yyjson_mut_obj_add_val(doc, obj, "unattributed",
			       yyjson_mut_rawn(doc, block.unattributed.p, block.unattributed.n));
	return kh_rest_call_reply_object(call, 201, obj);
}

static const struct kh_rest_member output_body[] = {
	{"content", KH_REST_TEXT, .required = true, .about = "What the agent wrote, up to 16 MiB."},
	{"tainted_by", KH_REST_IDS, .letter = 'b',
	 .about = "Blocks of this context that it also comes from; this can only add to what Keyhole knows."},
	{0},
};

static enum kh_err assemble(struct kh_rest_call *call)
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

static const struct kh_words format_words = KH_WORDS("json", "xml");

static const struct kh_rest_member assemble_query[] = {
	{"format", KH_REST_WORD, .words = &format_words, .about = "json where it is missing."},
	{0},
};

static enum kh_err reset(struct kh_rest_call *call)
{
	yyjson_mut_doc *doc = kh_json_new(call->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	struct kh_reset context = {
		.context = context_of(call),
		.reason = kh_rest_call_body(call, "reason")->text,
	};
	enum kh_err e = kh_rest_call_run(call, kh_reset_run, &context);

	if (e != KH_OK)
		return e;
	kh_json_add(doc, obj, "id", context.context);
	return kh_rest_call_reply_object(call, 200, obj);
}

static const struct kh_rest_member reset_body[] = {
	{"reason", KH_REST_TEXT, .required = true, .about = "10 characters or more, on the record."},
	{0},
};

static const struct kh_rest_route routes[] = {
	{
		.method = KH_HTTP_GET,
		.path = "/contexts/{context}",
		.name = "showContext",
		.group = "contexts",
		.operation = kh_context_show_run,
		.summary = "Show a context",
		.about = "Its taint, what it was exposed to, its budget over all tasks, its open tasks.",
		.status = 200,
		.answer = "Context",
		.run = show,
	},
	{
		.method = KH_HTTP_POST,
		.path = "/contexts/{context}/blocks",
		.name = "addToContext",
		.group = "contexts",
		.operation = kh_context_add_run,
		.summary = "Put what the agent is told into its context",
		.about = "By the host that made the context's token.  What the world sent comes by putBlock.",
		.body = add_body,
		.limit = BODY,
		.status = 201,
		.answer = "BlockPut",
		.conflicts = true,
		.run = add,
	},
	{
		.method = KH_HTTP_GET,
		.path = "/contexts/{context}/blocks",
		.name = "assembleContext",
		.group = "contexts",
		.operation = kh_context_assemble_run,
		.summary = "The context as its agent gets it",
		.about = "The security policy first, then what the host put in, outputs and deliveries since the last "
			 "reset; never sealed content.",
		.query = assemble_query,
		.status = 200,
		.answer = "Blocks",
		.other_types = {"application/xml"},
		.run = assemble,
	},
	{
		.method = KH_HTTP_POST,
		.path = "/contexts/{context}/outputs",
		.name = "addOutput",
		.group = "contexts",
		.operation = kh_context_output_run,
		.summary = "Put in what the agent wrote",
		.about = "It is tainted by all that the context was given.  `flagged`: something untrusted is in its "
			 "closure.  `unattributed`: the external content that it repeats without naming the source "
			 "(E10).",
		.body = output_body,
		.limit = BODY,
		.status = 201,
		.answer = "OutputPut",
		.conflicts = true,
		.run = output,
	},
	{
		.method = KH_HTTP_POST,
		.path = "/contexts/{context}/reset",
		.name = "resetContext",
		.group = "contexts",
		.operation = kh_reset_run,
		.summary = "Say that the agent's memory was cleared",
		.about = "Taint low, a fresh budget; its tasks are closed.  Only a human can say so.",
		.body = reset_body,
		.limit = KH_REST_SMALL,
		.status = 200,
		.answer = "ContextReset",
		.run = reset,
	},
};

const struct kh_rest_route *kh_rest_contexts_routes(size_t *ret_count)
{
	*ret_count = sizeof(routes) / sizeof(routes[0]);
	return routes;
}
