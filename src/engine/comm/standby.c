/* Calls that wait until a human has looked at a change of their tool. */
#include "engine/comm/standby.h"

#include "engine/approval/approval.h"
#include "engine/comm/begin.h"
#include "engine/comm/end.h"
#include "engine/state/each.h"
#include "engine/upstream/hold.h"
#include "engine/upstream/pinned.h"

bool kh_standby_is(const struct kh_declaration_row *row)
{
	return row->state == KH_DECLARATION_ASKED && row->release_at != 0;
}

enum kh_err kh_standby_wait(struct kh_op *op, struct kh_govern *govern, struct kh_declaration_row *row)
{
	struct kh_view subject = kh_pinned_subject(op, row->operation, govern->proposal->parameters);
	struct kh_approval_row *approval;
	enum kh_err e = subject.p != NULL ? kh_hold_ask(op, subject, &approval) : KH_ENOMEM;

	if (e == KH_OK)
		e = kh_begin_reserve(op, govern, row);
	if (e != KH_OK)
		return e;
	row->state = KH_DECLARATION_ASKED;
	row->asks = approval->id;
	row->release_at = kh_comm_end_slot(op, govern->came, govern->decision.limits.seconds * 1000);
	return kh_op_event(op, KH_AUDIT_DECLARATION_ASKED, govern->task, KH_LIT("{\"held\":true}"));
}

enum kh_err kh_standby_return(struct kh_op *op, struct kh_task_row *task, struct kh_declaration_row *row,
			      bool *ret_waits)
{
	struct kh_approval_row *approval;
	yyjson_val *parameters = NULL;
	enum kh_err e = kh_json_read(op->arena, row->parameters, &parameters, op->err);

	*ret_waits = false;
	if (e == KH_OK)
		e = kh_pinned_is_held(op, row->operation, parameters, ret_waits);
	if (e == KH_EREFUSED) /* the configuration has its server no longer */
		return KH_OK;
	if (e != KH_OK || !*ret_waits)
		return e;
	struct kh_view subject = kh_pinned_subject(op, row->operation, parameters);
	e = subject.p != NULL ? kh_hold_ask(op, subject, &approval) : KH_ENOMEM;
	if (e != KH_OK)
		return e;
	/* What it would have sent stays counted until then and after: that it is not would show before the slot. */
	row->state = KH_DECLARATION_ASKED;
	row->asks = approval->id;
	row->release_at = kh_comm_end_slot(op, row->begun_at, (uint64_t)row->wall_ms);
	row->begun_at = 0; /* what was approved then is begun anew */
	return kh_op_event(op, KH_AUDIT_DECLARATION_ASKED, task, KH_LIT("{\"held\":true}"));
}

/* --- what follows from the decision ------------------------------------------------------------------------------- */

static enum kh_err go_on(struct kh_op *op, struct kh_declaration_row *row)
{
	struct kh_task_row *task;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_TASKS, row->task, &task);

	if (e != KH_OK)
		return e;
	row->state = KH_DECLARATION_DECLARED;
	row->release_at = 0;
	return kh_op_event(op, KH_AUDIT_DECLARATION_ALLOWED, task, KH_LIT(""));
}

/* Ends every call that waits for APPROVAL as ENDED; KH_ENDED_NOT: they go on. */
static enum kh_err each_waiting(struct kh_op *op, const struct kh_approval_row *approval, enum kh_ended ended,
				const char *reason)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_DECLARATIONS_ASKING, .number = approval->id};
	struct kh_declaration_row *row;

	while (kh_each_load(&each, KH_TABLE_DECLARATIONS, &row)) {
		if (row->state == KH_DECLARATION_ASKED)
			each.e = ended == KH_ENDED_NOT ? go_on(op, row) : kh_comm_end_unbegun(op, row, ended, reason);
	}
	return each.e;
}

static enum kh_err check(struct kh_op *op, const struct kh_approval_row *approval, struct kh_approval_choice *choice)
{
	if (choice->choice == KH_CHOICE_EDIT)
		return kh_error_set(op->err, KH_EREFUSED, "not_editable",
				    "a change of an upstream's tool is approved or rejected");
	return choice->choice == KH_CHOICE_APPROVE ? kh_hold_check(op, approval) : KH_OK;
}

/* What has changed since it was shown is not approved, and has an approval of its own. */
static enum kh_err decided(struct kh_op *op, const struct kh_approval_row *approval)
{
	enum kh_err e = KH_OK;

	if (approval->state == KH_APPROVAL_REJECTED)
		return each_waiting(op, approval, KH_ENDED_REJECTED, "rejected");
	if (approval->state == KH_APPROVAL_APPROVED)
		e = kh_hold_pin(op, approval);
	return e == KH_OK || e == KH_EREFUSED ? each_waiting(op, approval, KH_ENDED_NOT, "") : e;
}

static enum kh_err expired(struct kh_op *op, const struct kh_approval_row *approval)
{
	return each_waiting(op, approval, KH_ENDED_EXPIRED, "approval_expired");
}

const struct kh_approval_follow kh_standby_follow = {.check = check, .decided = decided, .expired = expired};
