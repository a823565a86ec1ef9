/* Elicitations, from the question to what is given out.  What the server sent is read before the transaction. */
#include "engine/upstream/elicit.h"

#include "core/schema/schema.h"
#include "engine/approval/approval.h"
#include "engine/approval/subject.h"
#include "engine/state/each.h"
#include "engine/state/tally.h"

/* --- asking ------------------------------------------------------------------------------------------------------- */

enum kh_err kh_elicit_prepare(struct kh_prepare *at, void *call)
{
	struct kh_elicit_ask *ask = call;

	ask->why = (struct kh_error){.offset = SIZE_MAX};
	ask->e = kh_elicitation_read(at->arena, ask->params, &ask->form, &ask->why);
	if (ask->e == KH_EREFUSED)
		return KH_OK;
	return ask->e == KH_OK ? kh_subject_prepare(at, ask->form.text) : ask->e;
}

/* What binds an approval to its call (A2). */
static struct kh_digest call_digest(struct kh_op *op, const struct kh_declaration_row *row)
{
	return kh_canonical_digest(kh_op_id(op, KH_ID_DECLARATION, row->id));
}

/* Whether another one of this server is open in the call's context. */
static enum kh_err is_busy(struct kh_op *op, const struct kh_declaration_row *row, struct kh_view server, bool *ret_yes)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_APPROVALS_PENDING};
	struct kh_view of = kh_arena_printf(op->arena, "comm.mcp.%.*s.", KH_FMT(server));
	struct kh_approval_row seen;

	*ret_yes = false;
	while (!*ret_yes && kh_each_peek(&each, KH_TABLE_APPROVALS, &seen))
		*ret_yes = seen.kind == KH_APPROVE_ELICITATION && seen.context == row->context &&
			   kh_view_starts(seen.operation, of) &&
			   kh_approval_state(&seen, op->now) == KH_APPROVAL_PENDING;
	return each.e == KH_OK ? kh_arena_check(op->arena) : each.e;
}

/* It is declined, and that is on the task's record. */
static enum kh_err decline(struct kh_op *op, const struct kh_declaration_row *row, struct kh_task_row *task)
{
	struct kh_emit what;

	kh_op_describe(op, &what);
	kh_emit_add_word(&what, "code", op->err->code);
	kh_emit_add(&what, "declaration", kh_op_id(op, KH_ID_DECLARATION, row->id));
	kh_emit_add_word(&what, "operation", "elicit.ask");
	return kh_op_refuse(op, KH_AUDIT_REFUSED, task, kh_op_described(op, &what), KH_EREFUSED);
}

static enum kh_err check(struct kh_op *op, const struct kh_elicit_ask *ask, const struct kh_declaration_row *row)
{
	bool busy = false;

	if (ask->e != KH_OK) {
		*op->err = ask->why;
		return ask->e;
	}
	if (row->state != KH_DECLARATION_RUNNING || ask->left_ms <= 0)
		return kh_error_set(op->err, KH_EREFUSED, "elicitation_late", "the call does not run any more");
	enum kh_err e = is_busy(op, row, ask->server, &busy);
	return e == KH_OK && busy ? kh_error_set(op->err, KH_EREFUSED, "elicitation_busy",
						 "another elicitation of this server is open")
				  : e;
}

enum kh_err kh_elicit_ask_run(struct kh_op *op, void *call)
{
	struct kh_elicit_ask *ask = call;
	struct kh_declaration_row *row;
	struct kh_task_row *task = NULL;
	struct kh_approval_row *approval;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_DECLARATIONS, ask->declaration, &row);

	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_TASKS, row->task, &task);
	if (e != KH_OK)
		return e;
	e = check(op, ask, row);
	if (e == KH_EREFUSED)
		return decline(op, row, task);
	if (e != KH_OK)
		return e;
	struct kh_approval_request request = {
		.kind = KH_APPROVE_ELICITATION,
		.task = task,
		.text = ask->form.text,
		.untrusted = true,
		.operation = row->operation,
		.arguments = call_digest(op, row),
		.content = kh_canonical_digest(ask->form.schema),
		.server = ask->server,
		.declaration = kh_op_id(op, KH_ID_DECLARATION, row->id),
		.form = ask->form.schema,
		.until = op->now + ask->left_ms * 1000,
		.quiet = true,
	};
	e = kh_approval_request(op, &request, &approval);
	if (e == KH_OK)
		ask->approval = approval->id;
	return e;
}

/* --- deciding ----------------------------------------------------------------------------------------------------- */

/* What a reviewer entered, compared with the form, outside of the transaction (beforehand.h). */
struct fitting {
	struct kh_view form;
	struct kh_tainted entered;
	struct kh_view values; /* out */
	enum kh_err e;
	struct kh_error why;
};

static enum kh_err compare(struct kh_prepare *at, const struct kh_schema *schema, struct fitting *f)
{
	struct kh_reasons errors;
	yyjson_val *root = NULL;
	enum kh_err e = kh_json_read(at->arena, f->values, &root, &f->why);

	kh_reasons_init(&errors, at->arena);
	if (e == KH_OK)
		e = kh_schema_check(schema, at->arena, root, &errors);
	if (e == KH_OK || e == KH_ENOMEM || errors.n == 0)
		return e;
	return kh_error_reason(&f->why, KH_EREFUSED, &errors);
}

static enum kh_err fit(struct kh_prepare *at, void *work)
{
	struct fitting *f = work;
	struct kh_schema *schema = NULL;
	struct kh_reasons errors;

	f->why = (struct kh_error){.offset = SIZE_MAX};
	f->e = kh_elicitation_values(at->arena, f->form, f->entered, &f->values, &f->why);
	if (f->e != KH_OK)
		return f->e == KH_ENOMEM ? f->e : KH_OK;
	kh_reasons_init(&errors, at->arena);
	enum kh_err e = kh_schema_new(kh_engine_alloc(at->engine), f->form, &schema, &errors);
	f->e = e == KH_OK ? compare(at, schema, f) : e;
	kh_schema_free(schema);
	return f->e == KH_ENOMEM ? f->e : KH_OK;
}

/* The form that was shown; *RET_KEY is of it and of what was ENTERED. */
static enum kh_err read_form(struct kh_op *op, const struct kh_approval_row *approval, struct kh_tainted entered,
			     struct kh_view *ret_form, struct kh_view *ret_key)
{
	struct kh_digest digest = kh_canonical_digest(kh_tainted_open(entered));
	yyjson_val *subject = NULL;
	enum kh_err e = kh_subject_read(op, approval, &subject);

	if (e == KH_OK)
		e = kh_canonical_json(op->arena, kh_json_get(subject, "form"), ret_form, op->err);
	*ret_key = kh_arena_printf(op->arena, "%lld %.*s", (long long)approval->id,
				   KH_FMT(kh_canonical_hex(op->arena, &digest)));
	return e == KH_OK ? kh_arena_check(op->arena) : e;
}

/* An approval without values is one with none: that may be all that the form needs. */
static enum kh_err check_choice(struct kh_op *op, const struct kh_approval_row *approval,
				struct kh_approval_choice *choice)
{
	bool enters = choice->choice == KH_CHOICE_EDIT;
	struct kh_tainted entered = enters ? choice->edited : kh_tainted_wrap(KH_LIT("{}"));
	struct kh_view form, key;

	if (choice->choice == KH_CHOICE_REJECT)
		return KH_OK;
	enum kh_err e = read_form(op, approval, entered, &form, &key);
	if (e != KH_OK)
		return e;
	const struct fitting *done = kh_beforehand_find(op, fit, key);
	if (done == NULL) {
		struct fitting *wanted = KH_NEW(op->arena, struct fitting);
		if (wanted == NULL)
			return KH_ENOMEM;
		*wanted = (struct fitting){.form = form, .entered = entered};
		return kh_beforehand_want(op, fit, key, wanted);
	}
	if (done->e == KH_OK) {
		if (enters)
			choice->edited = kh_tainted_wrap(done->values);
		return KH_OK;
	}
	if (!enters)
		return kh_error_set(op->err, KH_EREFUSED, "values_missing",
				    "the server needs values: approve it with a value for each needed field");
	*op->err = done->why;
	return done->e;
}

static enum kh_err edit(struct kh_op *op, struct kh_approval_row *approval, const struct kh_approval_choice *choice)
{
	approval->edited = kh_arena_dup(op->arena, kh_tainted_open(choice->edited));
	return kh_arena_check(op->arena);
}

/* No agent decides it: what is entered is a human's. */
const struct kh_approval_follow kh_elicit_follow = {.check = check_choice, .edit = edit};

/* --- what has become of it ---------------------------------------------------------------------------------------- */

static enum kh_err make_void(struct kh_op *op, struct kh_approval_row *approval, struct kh_task_row *task)
{
	kh_approval_end(approval, task, KH_APPROVAL_VOID);
	kh_tally_add(kh_engine_tally(op->engine), KH_TALLY_DECIDED, KH_LIT("void"), KH_LIT(""), 1);
	return kh_op_event(op, KH_AUDIT_APPROVAL_VOID, task, KH_LIT("{\"why\":\"call_ended\"}"));
}

/* What was entered leaves now: its digest and size are on the record first (L2, L5). */
static enum kh_err give_out(struct kh_op *op, struct kh_approval_row *approval, struct kh_task_row *task,
			    struct kh_elicit_take *take)
{
	struct kh_view values = approval->edited.n > 0 ? kh_arena_dup(op->arena, approval->edited) : KH_LIT("{}");
	struct kh_digest digest = kh_canonical_digest(values);
	struct kh_emit what;

	approval->used++;
	kh_approval_end(approval, task, KH_APPROVAL_USED);
	kh_op_describe(op, &what);
	kh_emit_add_int(&what, "bytes", (int64_t)values.n);
	kh_emit_add_digest(&what, "digest", &digest);
	take->end = KH_ELICITED_ACCEPT;
	take->values = values;
	return kh_op_event(op, KH_AUDIT_APPROVAL_USED, task, kh_op_described(op, &what));
}

enum kh_err kh_elicit_take_run(struct kh_op *op, void *call)
{
	struct kh_elicit_take *take = call;
	struct kh_approval_row *approval;
	struct kh_task_row *task = NULL;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_APPROVALS, take->approval, &approval);

	if (e == KH_OK)
		e = kh_approval_due(op, approval);
	if (e == KH_OK)
		e = kh_approval_task(op, approval, &task);
	if (e != KH_OK)
		return e;
	bool is_decided = approval->state == KH_APPROVAL_APPROVED || approval->state == KH_APPROVAL_EDITED;
	take->end = approval->state == KH_APPROVAL_REJECTED ? KH_ELICITED_DECLINE : KH_ELICITED_CANCEL;
	if (approval->state != KH_APPROVAL_PENDING && !is_decided)
		return KH_OK;
	if (take->is_over)
		return make_void(op, approval, task);
	if (is_decided)
		return give_out(op, approval, task, take);
	take->end = KH_ELICITED_WAITS;
	return KH_OK;
}

enum kh_err kh_elicit_end(struct kh_op *op, const struct kh_declaration_row *row)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_APPROVALS_PENDING};
	struct kh_digest call = call_digest(op, row);
	struct kh_approval_row seen, *approval;
	struct kh_task_row *task;

	while (kh_each_peek(&each, KH_TABLE_APPROVALS, &seen)) {
		if (seen.kind != KH_APPROVE_ELICITATION || seen.task != row->task ||
		    memcmp(&seen.arguments, &call, sizeof(call)) != 0)
			continue;
		each.e = kh_txn_load(op->txn, KH_TABLE_APPROVALS, seen.id, &approval);
		if (each.e == KH_OK)
			each.e = kh_approval_task(op, approval, &task);
		if (each.e == KH_OK)
			each.e = make_void(op, approval, task);
	}
	return each.e;
}
