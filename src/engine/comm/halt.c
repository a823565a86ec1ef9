/* One number in the system's row: when everything was stopped. */
#include "engine/comm/halt.h"

#define SYSTEM 1

enum kh_err kh_halt_is(struct kh_op *op, bool *ret_yes)
{
	struct kh_system_row row;
	enum kh_err e = kh_txn_peek(op->txn, KH_TABLE_SYSTEM, SYSTEM, &row);

	*ret_yes = e == KH_OK && row.halted_at != 0;
	return e;
}

/* Sets it to AT; 0: go. */
static enum kh_err set(struct kh_op *op, int64_t at, enum kh_audit_kind kind, struct kh_halt *call)
{
	struct kh_system_row *row;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_SYSTEM, SYSTEM, &row);

	if (e != KH_OK)
		return e;
	call->changed = (row->halted_at == 0) != (at == 0);
	if (!call->changed)
		return KH_OK;
	row->halted_at = at;
	return kh_op_event(op, kind, NULL, KH_LIT(""));
}

enum kh_err kh_halt_stop_run(struct kh_op *op, void *call)
{
	return set(op, op->now, KH_AUDIT_HALTED, call);
}

enum kh_err kh_halt_go_run(struct kh_op *op, void *call)
{
	return set(op, 0, KH_AUDIT_RESUMED, call);
}
