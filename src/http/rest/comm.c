/*
 * External operations over HTTP: a Controller declares, calls and waits (gateway/operating.h), and is told its own
 * parameters, how the operation ended and the id of a sealed block (E12); humans are shown everything.  A GET carries
 * nothing out.
 */
#include "http/rest/comm.h"

#include "engine/comm/call.h"
#include "engine/comm/declare.h"
#include "engine/comm/look.h"
#include "engine/comm/render_declared.h"
#include "engine/comm/render_outcome.h"
#include "engine/comm/show.h"

/* --- what a Controller is told ------------------------------------------------------------------------------------ */

static enum kh_err tell(struct kh_rest_call *call, const struct kh_comm_look *look)
{
	yyjson_mut_val *obj = kh_render_outcome_new(call->doc, look);

	kh_json_add_raw(call->doc, obj, "fenced", look->fenced);
	return kh_rest_call_tell(call, look->ended != KH_ENDED_NOT, obj);
}

enum kh_err kh_rest_comm_by_approval(struct kh_rest_call *call, struct kh_view id)
{
	struct kh_comm_looking looking = {.approval = id};
	enum kh_err e = kh_rest_call_run(call, kh_comm_look_run, &looking);

	return e == KH_OK ? tell(call, &looking.look) : e;
}

/* --- declaring ---------------------------------------------------------------------------------------------------- */

enum kh_err kh_rest_comm_declare(struct kh_rest_call *call)
{
	struct kh_declare made = {.task = kh_http_request_segment(call->r, "task"), .declaration = call->whole};
	yyjson_mut_val *obj = yyjson_mut_obj(call->doc);
	enum kh_err e = kh_rest_call_run(call, kh_declare_run, &made);

	if (e != KH_OK)
		return e;
	yyjson_mut_val *list = yyjson_mut_obj_add_arr(call->doc, obj, "items");
	for (size_t i = 0; i < made.count; i++)
		(void)kh_render_declared_add(call->doc, list, &made.items[i]);
	return kh_rest_call_reply_object(call, obj);
}

/* --- calling ------------------------------------------------------------------------------------------------------ */

static enum kh_err check_members(struct kh_rest_call *call)
{
	yyjson_val *declare = kh_json_get(call->whole, "declare"), *id = kh_json_get(call->whole, "declaration");
	yyjson_val *fenced = kh_json_get(call->whole, "fenced"), *key;
	yyjson_obj_iter iter = yyjson_obj_iter_with(call->whole);

	while ((key = yyjson_obj_iter_next(&iter)) != NULL) {
		yyjson_val *value = yyjson_obj_iter_get_val(key);
		if (value != declare && value != id && value != fenced)
			return kh_error_input(&call->err, kh_arena_quote(call->arena, kh_json_str(key)),
					      "unknown_member", "expected `declare`, `declaration` and `fenced`");
	}
	if (declare == NULL && id == NULL)
		return kh_error_input(&call->err, KH_LIT("declare"), "missing", "expected `declare`, or `declaration`");
	if (declare != NULL && id != NULL)
		return kh_error_input(&call->err, KH_LIT("declaration"), "bad_value",
				      "expected `declare` or `declaration`, not both");
	if (declare != NULL && !yyjson_is_obj(declare))
		return kh_error_input(&call->err, KH_LIT("declare"), "wrong_type", "expected an object");
	if (id != NULL && !yyjson_is_str(id))
		return kh_error_input(&call->err, KH_LIT("declaration"), "wrong_type", "expected a declaration's id");
	if (fenced != NULL && !yyjson_is_bool(fenced))
		return kh_error_input(&call->err, KH_LIT("fenced"), "wrong_type", "expected true or false");
	return KH_OK;
}

/* Has the call take up the declaration of this id, if it belongs to the task of the path. */
static enum kh_err take_up(struct kh_rest_call *call, struct kh_view id, struct kh_view task)
{
	struct kh_comm_looking looking = {.declaration = id};
	bool may_be = kh_view_starts(id, KH_LIT("d")) && id.n < KH_ASKING_ID;
	enum kh_err e = may_be ? kh_rest_call_run(call, kh_comm_look_run, &looking) : KH_OK;

	if (e == KH_OK && !(may_be && kh_view_eq(looking.look.task, task)))
		e = kh_error_set(&call->err, KH_EUNKNOWN, "unknown_declaration", "the task has no such declaration");
	if (e == KH_OK)
		kh_asking_keep(call->kept->operating.of, id);
	return e;
}

static enum kh_err begin(struct kh_rest_call *call)
{
	struct kh_operating *operating = &call->kept->operating;
	struct kh_view id = kh_json_str(kh_json_get(call->whole, "declaration"));
	enum kh_err e = check_members(call);

	if (e != KH_OK)
		return e;
	operating->token = call->token;
	operating->task = kh_http_request_segment(call->r, "task");
	operating->waiting.until = kh_rest_call_until(call, true);
	operating->fenced = yyjson_get_bool(kh_json_get(call->whole, "fenced"));
	operating->declare = kh_json_get(call->whole, "declare");
	return operating->declare == NULL ? take_up(call, id, operating->task) : KH_OK;
}

enum kh_err kh_rest_comm_operate(struct kh_rest_call *call)
{
	struct kh_operating *operating = &call->kept->operating;
	enum kh_err e = call->kept->begun ? KH_OK : begin(call);

	if (e != KH_OK)
		return e;
	call->waits = kh_operating_step(call->gateway, operating, &call->r->work, call->arena, &call->err) ==
		      KH_WORK_WAIT;
	if (call->waits)
		return KH_OK;
	return operating->result == KH_OK ? tell(call, &operating->look) : operating->result;
}

/* --- showing ------------------------------------------------------------------------------------------------------ */

/* Shows everything to a caller whose role may see it; tells a Controller what it may know. */
enum kh_err kh_rest_comm_show(struct kh_rest_call *call)
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
