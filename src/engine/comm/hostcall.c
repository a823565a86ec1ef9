/*
 * Calls of a host's own tools.  Tool, arguments and reason come from an agent; so may the whole request, if the agent has
 * read its hook's token.
 */
#include "engine/comm/hostcall.h"

#include "base/utf8.h"
#include "core/policy/hosttool.h"
#include "engine/comm/end.h"
#include "engine/context/add.h"
#include "engine/state/find.h"

#define REASON 4096 /* bytes */

/* --- the proposal ------------------------------------------------------------------------------------------------- */

static enum kh_err write_arguments(struct kh_op *op, yyjson_val *arguments, struct kh_view *ret_json)
{
	if (!yyjson_is_obj(arguments))
		return kh_error_input(op->err, KH_LIT("arguments"), "wrong_type", "expected an object");
	enum kh_err e = kh_canonical_json(op->arena, arguments, ret_json, op->err);
	if (e == KH_OK && ret_json->n > KH_HOSTCALL_ARGUMENTS)
		e = kh_error_set(op->err, KH_ELIMIT, "too_large", "the arguments have more than %u bytes",
				 KH_HOSTCALL_ARGUMENTS);
	return e;
}

static enum kh_err write_reason(struct kh_op *op, struct kh_view reason, struct kh_view *ret_json)
{
	struct kh_emit emit;

	if (reason.n > REASON || !kh_utf8_is_visible(reason))
		return kh_error_input(op->err, KH_LIT("reason"), "bad_value",
				      "the reason is too long, or has control, invisible or broken characters");
	kh_emit_begin(&emit, op->arena, 8 * REASON);
	kh_emit_object(&emit);
	if (reason.n > 0)
		kh_emit_add(&emit, "reason", reason);
	kh_emit_end(&emit);
	return kh_emit_finish(&emit, ret_json);
}

enum kh_err kh_hostcall_propose(struct kh_op *op, const struct kh_task_row *task, yyjson_val *asked,
				struct kh_proposal *ret_proposal)
{
	struct kh_declaration_row row = {.task = task->id, .context = task->context, .declared_at = op->now};
	enum kh_err e = kh_hosttool_operation(op->arena, kh_json_str(kh_json_get(asked, "tool")), &row.operation,
					      op->err);

	if (e == KH_OK)
		e = write_arguments(op, kh_json_get(asked, "arguments"), &row.parameters);
	if (e == KH_OK)
		e = write_reason(op, kh_json_str(kh_json_get(asked, "reason")), &row.justification);
	if (e != KH_OK)
		return e;
	row.arguments = kh_canonical_digest(row.parameters);
	e = kh_propose_again(op, task, &row, ret_proposal);
	/* K8: sealed content is put in by Keyhole alone, which runs nothing here. */
	if (e == KH_ECHANGED || (e == KH_OK && ret_proposal->origin_count > 0))
		e = kh_error_set(op->err, KH_EREFUSED, "content_not_allowed",
				 "sealed content never goes to a tool of the host");
	return e;
}

/* --- the call ----------------------------------------------------------------------------------------------------- */

/* Finds a call of a host's own tool, as far as the caller may see its context. */
static enum kh_err find(struct kh_op *op, struct kh_view id, struct kh_declaration_row **ret_row)
{
	enum kh_err e = kh_comm_look_find(op, id, ret_row);

	if (e == KH_OK && !kh_hosttool_is((*ret_row)->operation))
		e = kh_find_none(op, id, "unknown_declaration", KH_EUNKNOWN);
	return e;
}

/* A call that is not of CONTEXT is not there. */
static enum kh_err check_context(struct kh_op *op, const struct kh_declaration_row *row, struct kh_view context,
				 struct kh_view id)
{
	bool is_of = kh_view_eq(kh_op_id(op, KH_ID_CONTEXT, row->context), context);

	return is_of ? kh_arena_check(op->arena) : kh_find_none(op, id, "unknown_declaration", KH_EUNKNOWN);
}

enum kh_err kh_hostcall_run(struct kh_op *op, void *call)
{
	const struct kh_comm_call *calls = call;

	if (!calls->hosts)
		return kh_error_set(op->err, KH_EREFUSED, "forbidden", "only a controller calls operations of Keyhole");
	return kh_comm_call_run(op, call);
}

enum kh_err kh_hostcall_look_run(struct kh_op *op, void *call)
{
	const struct kh_comm_looking *looking = call;
	struct kh_declaration_row *row = NULL;
	enum kh_err e = find(op, looking->declaration, &row);

	if (e == KH_OK && looking->context.n > 0)
		e = check_context(op, row, looking->context, looking->declaration);
	return e == KH_OK ? kh_comm_look_run(op, call) : e;
}

enum kh_err kh_hostcall_take_run(struct kh_op *op, void *call)
{
	const struct kh_hostcall_take *take = call;
	struct kh_declaration_row *row = NULL;
	struct kh_task_row *task = NULL;
	enum kh_err e = find(op, take->call, &row);

	if (e == KH_OK)
		e = kh_comm_end_due(op, row);
	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_TASKS, row->task, &task);
	if (e != KH_OK)
		return e;
	if (row->begun_at == 0)
		return kh_error_set(op->err, KH_EREFUSED, "not_allowed", "the gates have not let the call through");
	if (row->state != KH_DECLARATION_RUNNING || row->taken_at != 0)
		return kh_error_set(op->err, KH_EREFUSED, "already_told",
				    "the call was allowed once before: ask anew for another");
	row->taken_at = op->now;
	return kh_op_event(op, KH_AUDIT_DECLARATION_ALLOWED, task, KH_LIT("{\"told\":true}"));
}

/* --- the result --------------------------------------------------------------------------------------------------- */

enum kh_err kh_hostcall_result_prepare(struct kh_prepare *at, void *call)
{
	const struct kh_hostcall_result *result = call;
	struct kh_context_add add = {.content = result->content};

	return kh_context_add_prepare(at, &add);
}

enum kh_err kh_hostcall_result_run(struct kh_op *op, void *call)
{
	struct kh_hostcall_result *result = call;
	struct kh_declaration_row *row = NULL;
	struct kh_context_add add = {
		.context = result->context, .event = KH_EVENT_TOOL_RESULT, .content = result->content};
	int64_t block = 0;
	enum kh_err e = find(op, result->call, &row);

	if (e == KH_OK)
		e = check_context(op, row, result->context, result->call);
	if (e == KH_OK)
		e = kh_comm_end_due(op, row);
	if (e != KH_OK)
		return e;
	if (row->state != KH_DECLARATION_RUNNING || row->taken_at == 0)
		return kh_error_set(op->err, KH_EREFUSED, "not_running",
				    "the call was not allowed, or has ended: its result cannot be told");
	add.tool = kh_hosttool_name(row->operation);
	add.source = row->operation;
	e = kh_json_read(op->arena, row->parameters, &add.arguments, op->err);
	if (e == KH_OK)
		e = kh_context_add_run(op, &add);
	if (e == KH_OK && !kh_op_number(op, KH_ID_BLOCK, add.id, &block))
		e = kh_error_set(op->err, KH_ESTORE, "store_corrupt", "a block that is none");
	if (e == KH_OK)
		e = kh_comm_end_hosts(op, row, result->failed ? KH_ENDED_FAILED : KH_ENDED_OK, block,
				      result->content.n);
	if (e == KH_OK)
		result->block = add.id;
	return e;
}
