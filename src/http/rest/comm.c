/*
 * External operations over HTTP: a Controller declares, calls and waits (gateway/operating.h), and is told its own
 * parameters, how the operation ended and the id of a sealed block (E12); humans are shown everything.  A GET carries
 * nothing out.
 */
#include "http/rest/comm.h"

#include "engine/comm/call.h"
#include "engine/comm/declare.h"
#include "engine/comm/list.h"
#include "engine/comm/look.h"
#include "engine/comm/render_declared.h"
#include "engine/comm/render_outcome.h"
#include "engine/comm/show.h"

#define SECOND  INT64_C(1000000)
#define LONGEST 3600 /* the most seconds that may be asked for; the gateway's own limit also applies */

/* --- what a Controller is told ------------------------------------------------------------------------------------ */

static enum kh_err tell(struct kh_rest_call *call, const struct kh_comm_look *look)
{
	yyjson_mut_doc *doc = kh_json_new(call->arena);
	yyjson_mut_val *obj = kh_render_outcome_new(doc, look);

	kh_json_add_raw(doc, obj, "fenced", look->fenced);
	return kh_rest_call_reply_object(call, look->ended == KH_ENDED_NOT ? 202 : 200, obj);
}

enum kh_err kh_rest_comm_by_approval(struct kh_rest_call *call, struct kh_view id)
{
	struct kh_comm_looking looking = {.approval = id};
	enum kh_err e = kh_rest_call_run(call, kh_comm_look_run, &looking);

	return e == KH_OK ? tell(call, &looking.look) : e;
}

/* --- declaring ---------------------------------------------------------------------------------------------------- */

static enum kh_err declare(struct kh_rest_call *call)
{
	struct kh_declare made = {.task = kh_http_request_segment(call->r, "task"), .declaration = call->whole};
	yyjson_mut_doc *doc = kh_json_new(call->arena);
	yyjson_mut_val *obj = yyjson_mut_obj(doc);
	enum kh_err e = kh_rest_call_run(call, kh_declare_run, &made);

	if (e != KH_OK)
		return e;
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(doc, obj, "items");
	for (size_t i = 0; i < made.count; i++)
		(void)kh_render_declared_add(doc, list, &made.items[i]);
	return kh_rest_call_reply_object(call, 200, obj);
}

/* --- calling ------------------------------------------------------------------------------------------------------ */

static enum kh_err fault(struct kh_rest_call *call, const char *code, struct kh_view member, const char *detail)
{
	return kh_error_member(&call->err, member, kh_error_set(&call->err, KH_EINPUT, code, "%s", detail));
}

static enum kh_err check_members(struct kh_rest_call *call)
{
	yyjson_val *declare = kh_json_get(call->whole, "declare"), *id = kh_json_get(call->whole, "declaration");
	yyjson_val *fenced = kh_json_get(call->whole, "fenced"), *key;
	yyjson_obj_iter iter = yyjson_obj_iter_with(call->whole);

	while ((key = yyjson_obj_iter_next(&iter)) != NULL) {
		yyjson_val *value = yyjson_obj_iter_get_val(key);
		if (value != declare && value != id && value != fenced)
			return fault(call, "unknown_member", kh_arena_quote(call->arena, kh_json_str(key)),
				     "expected `declare`, `declaration` and `fenced`");
	}
	if (declare == NULL && id == NULL)
		return fault(call, "missing", KH_LIT("declare"), "expected `declare`, or `declaration`");
	if (declare != NULL && id != NULL)
		return fault(call, "bad_value", KH_LIT("declaration"), "expected `declare` or `declaration`, not both");
	if (declare != NULL && !yyjson_is_obj(declare))
		return fault(call, "wrong_type", KH_LIT("declare"), "expected an object");
	if (id != NULL && !yyjson_is_str(id))
		return fault(call, "wrong_type", KH_LIT("declaration"), "expected a declaration's id");
	if (fenced != NULL && !yyjson_is_bool(fenced))
		return fault(call, "wrong_type", KH_LIT("fenced"), "expected true or false");
	return KH_OK;
}

/* Has the call take up the declaration of this id, if it belongs to the task of the path. */
static enum kh_err take_up(struct kh_rest_call *call, struct kh_view id, struct kh_view task)
{
	struct kh_comm_looking looking = {.declaration = id};
	struct kh_operating *operating = &call->kept->operating;
	enum kh_err e = KH_OK;

	if (kh_view_starts(id, KH_LIT("d")) && id.n < sizeof(operating->of))
		e = kh_rest_call_run(call, kh_comm_look_run, &looking);
	else
		looking.look.task = KH_LIT("");
	if (e == KH_OK && !kh_view_eq(looking.look.task, task))
		e = kh_error_set(&call->err, KH_EUNKNOWN, "unknown_declaration", "the task has no such declaration");
	if (e != KH_OK)
		return e;
	memcpy(operating->of, id.p, id.n);
	operating->of[id.n] = '\0';
	return KH_OK;
}

static enum kh_err begin(struct kh_rest_call *call)
{
	const struct kh_rest_value *wait = kh_rest_call_query(call, "wait");
	int64_t most = kh_gateway_wait(call->gateway), wanted = wait->there ? wait->number * SECOND : most;
	struct kh_operating *operating = &call->kept->operating;
	struct kh_view id = kh_json_str(kh_json_get(call->whole, "declaration"));
	enum kh_err e = check_members(call);

	if (e != KH_OK)
		return e;
	operating->token = call->token;
	operating->task = kh_http_request_segment(call->r, "task");
	operating->waiting.until = kh_works_now() + (wanted < most ? wanted : most);
	operating->fenced = yyjson_get_bool(kh_json_get(call->whole, "fenced"));
	operating->declare = kh_json_get(call->whole, "declare");
	return operating->declare == NULL ? take_up(call, id, operating->task) : KH_OK;
}

static enum kh_err operate(struct kh_rest_call *call)
{
	struct kh_operating *operating = &call->kept->operating;
	enum kh_err e = call->kept->begun ? KH_OK : begin(call);

	if (e != KH_OK)
		return e;
	call->waits = kh_operating_step(call->gateway, operating, kh_http_request_work(call->r), call->arena,
					&call->err) == KH_WORK_WAIT;
	if (call->waits)
		return KH_OK;
	return operating->result == KH_OK ? tell(call, &operating->look) : operating->result;
}

/* --- showing ------------------------------------------------------------------------------------------------------ */

/* Shows everything to a caller whose role may see it; tells a Controller what it may know. */
static enum kh_err show(struct kh_rest_call *call)
{
	struct kh_view id = kh_http_request_segment(call->r, "declaration");
	struct kh_comm_looking looking = {.declaration = id};
	struct kh_comm_show shown = {.declaration = id};
	bool all = (kh_operations_find(kh_comm_show_run)->roles & KH_ROLE_BIT(call->who.role)) != 0;
	enum kh_err e = all ? kh_rest_call_run(call, kh_comm_show_run, &shown)
			    : kh_rest_call_run(call, kh_comm_look_run, &looking);

	if (e != KH_OK)
		return e;
	return all ? kh_rest_call_reply(call, shown.json) : tell(call, &looking.look);
}

static enum kh_err list(struct kh_rest_call *call)
{
	struct kh_comm_list declarations = {
		.task = kh_http_request_segment(call->r, "task"),
		.after = kh_rest_call_query(call, "after")->text,
		.limit = (size_t)kh_rest_call_query(call, "limit")->number,
	};
	struct kh_view next = {NULL, 0};
	enum kh_err e = kh_rest_call_run(call, kh_comm_list_run, &declarations);

	if (e == KH_OK)
		e = kh_rest_call_last(call, declarations.json, declarations.more, &next);
	return e == KH_OK ? kh_rest_call_reply_list(call, declarations.json, next) : e;
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static const struct kh_rest_member operate_query[] = {
	{"wait", KH_REST_NUMBER, .min = 0, .max = LONGEST,
	 .about = "Seconds to wait for the outcome, for a human's decision too, at most the gateway's bound, which is "
		  "also the default."},
	{0},
};

static const struct kh_rest_member list_query[] = {
	{"after", KH_REST_ID, .letter = 'd', .about = "Those after this one: `next` of the page before."},
	{"limit", KH_REST_NUMBER, .min = 1, .max = 1000, .about = "At most so many; 100 where it is missing."},
	{0},
};

static const struct kh_rest_route routes[] = {
	{
		.method = KH_HTTP_GET,
		.path = "/tasks/{task}/declarations",
		.name = "listDeclarations",
		.group = "operations",
		.operation = kh_comm_list_run,
		.summary = "List the external operations of a task",
		.about = "In the order in which they were declared.  A controller gets of each what it may know.",
		.query = list_query,
		.status = 200,
		.answer = "DeclarationList",
		.run = list,
	},
	{
		.method = KH_HTTP_POST,
		.path = "/tasks/{task}/declarations",
		.name = "declare",
		.group = "operations",
		.operation = kh_declare_run,
		.summary = "Say what will be needed from outside, and why",
		.about = "Runs nothing, in both phases.  Each is decided now as a call in the execution phase would "
			 "be: `deny` has no id; `ask` is asked for at once, and similar ones share an approval.",
		.body_schema = "Declaration",
		.limit = KH_REST_SMALL,
		.status = 200,
		.answer = "Declared",
		.conflicts = true,
		.rated = true,
		.run = declare,
	},
	{
		.method = KH_HTTP_POST,
		.path = "/tasks/{task}/operations",
		.name = "callOperation",
		.group = "operations",
		.operation = kh_comm_call_run,
		.summary = "Have an external operation carried out",
		.about =
			"One that is declared here, or was declared before.  All gates are passed again at this "
			"moment; one that denies is 403 with its code.  200: it has ended, and this is how.  202: "
			"`pending`, a human decides, or `running`; the same call with `declaration` takes it up again, "
			"and nothing is done twice.",
		.query = operate_query,
		.body_schema = "OperationCall",
		.limit = KH_REST_SMALL,
		.status = 200,
		.answer = "OperationOutcome",
		.later = 202,
		.conflicts = true,
		.rated = true,
		.waits = true,
		.run = operate,
	},
	{
		.method = KH_HTTP_GET,
		.path = "/declarations/{declaration}",
		.name = "showDeclaration",
		.group = "operations",
		.operation = kh_comm_look_run,
		.summary = "What is known of an external operation",
		.about = "A controller gets its outcome (200 where it has ended, else 202).  A host, reviewer or admin "
			 "gets what was declared and why, by which approvals it went, and what the world said, which "
			 "is untrusted: display it as text and nothing else.  What the gates said is in the audit, "
			 "what matched in the approval.  Nothing is carried out.",
		.status = 200,
		.answer = "DeclarationShown",
		.later = 202,
		.run = show,
	},
};

const struct kh_rest_route *kh_rest_comm_routes(size_t *ret_count)
{
	*ret_count = sizeof(routes) / sizeof(routes[0]);
	return routes;
}
