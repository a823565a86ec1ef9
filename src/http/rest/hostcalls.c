/*
 * A host or a hook asks before its agent's own tool call, and tells what came of it.  A verdict is an answer: a gate that
 * denies is 200.  `allow` is told once, in a transaction of its own, however many ask.
 */
#include "http/rest/hostcalls.h"

#include "engine/comm/hostcall.h"
#include "engine/comm/render_outcome.h"
#include "engine/task/hosttask.h"

/* --- the question ------------------------------------------------------------------------------------------------- */

/* The call as the engine reads it. */
static enum kh_err write_call(struct kh_rest_call *call, yyjson_val **ret_asked)
{
	yyjson_mut_doc *doc = kh_json_new(call->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	yyjson_val *arguments = kh_rest_call_body(call, "arguments")->object;

	if (arguments == NULL)
		return kh_error_input(&call->err, KH_LIT("arguments"), "missing", "expected an object");
	kh_json_add(doc, obj, "tool", kh_rest_call_body(call, "tool")->text);
	yyjson_mut_obj_add_val(doc, obj, "arguments", yyjson_val_mut_copy(doc, arguments));
	if (kh_rest_call_body(call, "reason")->there)
		kh_json_add(doc, obj, "reason", kh_rest_call_body(call, "reason")->text);
	return kh_json_freeze(call->arena, obj, ret_asked, &call->err);
}

/* A new call, in the context's task for them. */
static enum kh_err ask_new(struct kh_rest_call *call, struct kh_operating *operating)
{
	struct kh_hosttask task = {.context = kh_http_request_segment(call->r, "context")};
	enum kh_err e = write_call(call, &operating->declare);

	if (e == KH_OK)
		e = kh_rest_call_run(call, kh_hosttask_run, &task);
	if (e == KH_OK)
		operating->task = task.task;
	return e;
}

/* One that was asked about before. */
static enum kh_err take_up(struct kh_rest_call *call, struct kh_operating *operating, struct kh_view id)
{
	struct kh_comm_looking looking = {.declaration = id, .context = kh_http_request_segment(call->r, "context")};
	enum kh_err e = kh_rest_call_run(call, kh_hostcall_look_run, &looking);

	if (e == KH_OK)
		kh_asking_keep(operating->of, looking.look.id);
	return e;
}

static enum kh_err begin(struct kh_rest_call *call)
{
	struct kh_operating *operating = &call->kept->operating;
	const struct kh_rest_value *id = kh_rest_call_body(call, "call"), *tool = kh_rest_call_body(call, "tool");

	if (id->there == tool->there)
		return kh_error_input(&call->err, KH_LIT("tool"), id->there ? "bad_value" : "missing",
				      "expected `tool` and `arguments`, or `call`");
	operating->token = call->token;
	operating->hosts = true;
	operating->waiting.until = kh_rest_call_until(call, true);
	return id->there ? take_up(call, operating, id->text) : ask_new(call, operating);
}

/* --- the verdict -------------------------------------------------------------------------------------------------- */

static enum kh_err reply(struct kh_rest_call *call, const char *verdict, struct kh_view id, struct kh_view approval)
{
	yyjson_mut_val *obj = yyjson_mut_obj(call->doc);

	yyjson_mut_obj_add_str(call->doc, obj, "verdict", verdict);
	kh_json_add(call->doc, obj, "call", id);
	if (approval.n > 0)
		kh_json_add(call->doc, obj, "approval", approval);
	return kh_rest_call_tell(call, strcmp(verdict, "verify") != 0, obj);
}

static enum kh_err say_no(struct kh_rest_call *call, const char *code, struct kh_view why)
{
	yyjson_mut_val *obj = yyjson_mut_obj(call->doc);

	yyjson_mut_obj_add_str(call->doc, obj, "verdict", "deny");
	yyjson_mut_obj_add_str(call->doc, obj, "code", code);
	kh_json_add(call->doc, obj, "why", why);
	return kh_rest_call_tell(call, true, obj);
}

/* What a gate refused, with its code and its reason. */
static enum kh_err say_refused(struct kh_rest_call *call)
{
	return say_no(call, call->err.code, kh_view_str(call->err.detail));
}

static enum kh_err allow(struct kh_rest_call *call, const struct kh_comm_look *look)
{
	struct kh_hostcall_take take = {.call = look->id};
	enum kh_err e = kh_rest_call_run(call, kh_hostcall_take_run, &take);

	if (e == KH_EREFUSED)
		return say_refused(call);
	return e == KH_OK ? reply(call, "allow", look->id, KH_LIT("")) : e;
}

static enum kh_err answer(struct kh_rest_call *call, const struct kh_comm_look *look)
{
	const char *code = kh_render_outcome_word(look); /* rejected, denied, expired */

	if (look->ended == KH_ENDED_OK || look->ended == KH_ENDED_FAILED || look->ended == KH_ENDED_UNKNOWN)
		return say_no(call, "already_told", KH_LIT("the call has ended: ask anew for another"));
	if (look->ended != KH_ENDED_NOT)
		return say_no(call, code, KH_LIT("whoever verified it said no"));
	return look->row->state == KH_DECLARATION_RUNNING ? allow(call, look)
							  : reply(call, "verify", look->id, look->approval);
}

enum kh_err kh_rest_hostcalls_ask(struct kh_rest_call *call)
{
	struct kh_operating *operating = &call->kept->operating;
	enum kh_err e = call->kept->begun ? KH_OK : begin(call);

	if (e != KH_OK)
		return e;
	call->waits = kh_operating_step(call->gateway, operating, &call->r->work, call->arena, &call->err) ==
		      KH_WORK_WAIT;
	if (call->waits)
		return KH_OK;
	if (operating->result == KH_EREFUSED)
		return say_refused(call);
	return operating->result == KH_OK ? answer(call, &operating->look) : operating->result;
}

/* --- the result --------------------------------------------------------------------------------------------------- */

enum kh_err kh_rest_hostcalls_result(struct kh_rest_call *call)
{
	struct kh_hostcall_result result = {
		.context = kh_http_request_segment(call->r, "context"),
		.call = kh_http_request_segment(call->r, "declaration"),
		.content = kh_rest_call_body(call, "content")->text,
		.failed = kh_view_eq(kh_rest_call_body(call, "outcome")->text, KH_LIT("failed")),
	};
	enum kh_err e = kh_rest_call_run(call, kh_hostcall_result_run, &result);

	return e == KH_OK ? kh_rest_call_reply_id(call, "block", result.block) : e;
}
