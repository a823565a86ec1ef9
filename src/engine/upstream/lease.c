/* Leases: taken, asked for, and given back. */
#include "engine/upstream/lease.h"

#include "engine/state/each.h"

static enum kh_err record(struct kh_op *op, enum kh_audit_kind kind, const struct kh_lease_row *row)
{
	struct kh_emit what;

	kh_op_describe(op, &what);
	kh_emit_add(&what, "upstream", row->server);
	return kh_op_event(op, kind, NULL, kh_op_described(op, &what));
}

/* The row of OF; NULL: nobody has ever had it. */
static enum kh_err find(struct kh_op *op, const struct kh_lease_of *of, struct kh_lease_row **ret_row)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_LEASES, .number = of->context, .text = of->server};

	if (!kh_each_load(&each, KH_TABLE_LEASES, ret_row))
		*ret_row = NULL;
	return each.e;
}

static int64_t self(const struct kh_op *op)
{
	return kh_store_holder(kh_engine_store(op->engine));
}

/* Another process has ROW and lives: it is told, once, that a call waits. */
static enum kh_err want(struct kh_op *op, struct kh_lease_row *row)
{
	if (row->wanted)
		return KH_OK;
	row->wanted = 1;
	return record(op, KH_AUDIT_UPSTREAM_WANTED, row);
}

enum kh_err kh_lease_take_run(struct kh_op *op, void *call)
{
	struct kh_lease_take *take = call;
	struct kh_lease_row *row = NULL;
	enum kh_err e = find(op, &take->of, &row);

	take->is_taken = take->is_heir = false;
	if (e == KH_OK && row == NULL) {
		e = kh_txn_new(op->txn, KH_TABLE_LEASES, &row);
		if (e == KH_OK) {
			row->context = take->of.context;
			row->server = take->of.server;
		}
	}
	if (e != KH_OK)
		return e;
	if (row->holder != self(op) && kh_store_holder_alive(kh_engine_store(op->engine), row->holder))
		return want(op, row);
	take->is_taken = true;
	if (row->holder == self(op))
		return KH_OK;
	take->is_heir = row->holder != 0;
	row->holder = self(op);
	row->wanted = 0;
	return record(op, KH_AUDIT_UPSTREAM_LEASED, row);
}

enum kh_err kh_lease_give_run(struct kh_op *op, void *call)
{
	struct kh_lease_row *row = NULL;
	enum kh_err e = find(op, call, &row);

	if (e != KH_OK || row == NULL || row->holder != self(op))
		return e;
	row->holder = row->wanted = 0;
	return record(op, KH_AUDIT_UPSTREAM_RELEASED, row);
}

enum kh_err kh_lease_wanted_run(struct kh_op *op, void *call)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_LEASES_WANTED, .number = self(op)};
	struct kh_lease_wanted *wanted = call;
	struct kh_lease_row row;
	size_t cap = 0;

	*wanted = (struct kh_lease_wanted){.count = 0};
	while (kh_each_peek(&each, KH_TABLE_LEASES, &row)) {
		struct kh_lease_of *list = kh_arena_more(op->arena, wanted->list, wanted->count, &cap, sizeof(*list));
		if (list == NULL)
			return KH_ENOMEM;
		wanted->list = list;
		list[wanted->count++] = (struct kh_lease_of){row.server, row.context};
	}
	return each.e;
}
