/* What a Controller may know about its operation: its own text, ok or failed, an id.  Nothing here reads a result. */
#include "engine/comm/look.h"

#include "core/comm/fence.h"
#include "engine/comm/end.h"
#include "engine/comm/standby.h"
#include "engine/state/beforehand.h"
#include "engine/state/each.h"
#include "engine/state/find.h"

#define UNKNOWN "unknown_declaration"

/*
 * Finds the declaration that once waited for an approval and has gone on since: the newest of its task with the same
 * arguments.
 */
static enum kh_err find_of_past(struct kh_op *op, const struct kh_approval_row *approval, int64_t *ret_id)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_DECLARATIONS_OF_TASK, .number = approval->task};
	struct kh_declaration_row row;

	*ret_id = 0;
	while (kh_each_peek(&each, KH_TABLE_DECLARATIONS, &row)) {
		if (memcmp(&row.arguments, &approval->arguments, sizeof(row.arguments)) == 0)
			*ret_id = row.id;
	}
	return each.e;
}

/* Finds the declaration that an approval is about; for a batch the caller has to say which. */
static enum kh_err find_of_approval(struct kh_op *op, struct kh_view id, int64_t *ret_id)
{
	struct kh_approval_row *approval;
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = kh_find_approval(op, id, &approval);

	if (e == KH_OK)
		e = kh_txn_find(op->txn, KH_INDEX_DECLARATIONS_ASKING, approval->id, KH_LIT(""), 0, 2, &ids, &count);
	if (e != KH_OK)
		return e;
	if (count > 1)
		return kh_error_set(op->err, KH_EREFUSED, "several_declarations",
				    "this approval is about several declarations: name one of them");
	*ret_id = count == 1 ? ids[0] : 0;
	if (count == 0 && (approval->kind == KH_APPROVE_DECLARATION || approval->kind == KH_APPROVE_TOOL_CALL))
		e = find_of_past(op, approval, ret_id);
	if (e == KH_OK && *ret_id == 0)
		e = kh_error_set(op->err, KH_EREFUSED, "no_declaration", "this approval is not about a declaration");
	return e;
}

/* Whether the caller may see it: it may if it may see its task. */
static enum kh_err may_see(struct kh_op *op, const struct kh_declaration_row *row, struct kh_view id)
{
	struct kh_task_row *task;
	enum kh_err e = kh_find_task(op, kh_op_id(op, KH_ID_TASK, row->task), &task);

	return e == KH_OK ? e : kh_find_none(op, id, UNKNOWN, e);
}

enum kh_err kh_comm_look_find(struct kh_op *op, struct kh_view id, struct kh_declaration_row **ret_row)
{
	struct kh_declaration_row *row = NULL;
	int64_t n = 0;
	enum kh_err e = KH_OK;

	if (kh_view_starts(id, KH_LIT("a")))
		e = find_of_approval(op, id, &n);
	else if (!kh_op_number(op, KH_ID_DECLARATION, id, &n))
		e = kh_find_none(op, id, UNKNOWN, KH_EUNKNOWN);
	if (e != KH_OK)
		return e;
	/*
	 * A reviewer may change a call more than once.  Each replacement is newer than the one it replaces, so this
	 * ends.
	 */
	for (bool last = false; e == KH_OK && !last; n = last ? n : row->replaced) {
		e = kh_txn_load(op->txn, KH_TABLE_DECLARATIONS, n, &row);
		last = e != KH_OK || row->replaced <= n;
	}
	if (e != KH_OK)
		return kh_find_none(op, id, UNKNOWN, e);
	e = may_see(op, row, id);
	if (e == KH_OK)
		*ret_row = row;
	return e;
}

/*
 * What the context is given of a block: its content, which is verified first, and a fence around it (E11) unless a rule
 * vets it (U6).  Made outside of the transaction (beforehand.h).
 */
struct fencing {
	struct kh_view task, attribution, content;
	bool is_vetted;
	struct kh_view json; /* out */
};

static enum kh_err fence(struct kh_prepare *at, void *work)
{
	unsigned char nonce[KH_FENCE_NONCE_SIZE];
	struct kh_attribution attribution;
	struct fencing *f = work;
	yyjson_val *metadata = NULL;
	struct kh_fence made;
	enum kh_err e = kh_json_read(at->arena, f->attribution, &metadata, at->err);

	if (e == KH_OK)
		e = kh_attribution_check(at->arena, metadata, f->content, f->task, &attribution, at->err);
	if (e != KH_OK || f->is_vetted)
		return e;
	kh_engine_random(at->engine, nonce, sizeof(nonce));
	e = kh_fence_wrap(at->arena, nonce, &attribution, f->content, &made, at->err);
	if (e == KH_OK)
		e = kh_json_write(at->arena, kh_fence_json(at->arena, kh_json_new(at->arena), &made), &f->json);
	return e;
}

/* The block of ROW, and what its context is given of it.  Purged content is not available. */
static enum kh_err look_at_block(struct kh_op *op, const struct kh_declaration_row *row, struct kh_comm_look *look)
{
	int64_t id = kh_comm_end_block(row);
	struct kh_view key = kh_op_id(op, KH_ID_BLOCK, id);
	struct kh_block_row seen, *block = NULL;

	if (id == 0)
		return KH_OK;
	const struct fencing *made = kh_beforehand_find(op, fence, key);
	enum kh_err e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, id, &seen);
	if (e != KH_OK)
		return e;
	look->block = key;
	look->trust = seen.trust;
	look->taint = seen.taint;
	if (seen.purged_at != 0 || !seen.given || (!row->fenced && seen.trust != KH_VETTED))
		return KH_OK;
	if (made != NULL && kh_view_eq(made->attribution, seen.attribution)) {
		look->fenced = made->json;
		if (made->is_vetted)
			look->content = made->content;
		return KH_OK;
	}
	struct fencing *wanted = KH_NEW(op->arena, struct fencing);
	e = wanted != NULL ? kh_txn_load(op->txn, KH_TABLE_BLOCKS, id, &block) : KH_ENOMEM;
	if (e != KH_OK)
		return e;
	*wanted = (struct fencing){.task = kh_op_id(op, KH_ID_TASK, row->task),
				   .attribution = block->attribution,
				   .content = block->content,
				   .is_vetted = block->trust == KH_VETTED};
	return kh_beforehand_want(op, fence, key, wanted);
}

/* Finds the approval that it waits for. */
static enum kh_err find_wait(struct kh_op *op, const struct kh_declaration_row *row, struct kh_comm_look *look)
{
	struct kh_approval_row approval;

	if (row->state != KH_DECLARATION_ASKED || row->asks == 0)
		return KH_OK;
	if (row->release_at > op->now) { /* that it waits is an outcome, and told like one */
		look->due = row->release_at;
		return KH_OK;
	}
	enum kh_err e = kh_txn_peek(op->txn, KH_TABLE_APPROVALS, row->asks, &approval);
	if (e == KH_OK) {
		look->held = kh_standby_is(row);
		if (!look->held)
			look->approval = kh_op_id(op, KH_ID_APPROVAL, approval.id);
		look->due = approval.told_at != 0 ? approval.told_at : approval.expires_at;
	}
	return e;
}

enum kh_err kh_comm_look_at(struct kh_op *op, struct kh_declaration_row *row, struct kh_comm_look *ret_look)
{
	struct kh_comm_look look = {
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): kh_find_none() never says KH_OK */
		.id = kh_op_id(op, KH_ID_DECLARATION, row->id),
		.task = kh_op_id(op, KH_ID_TASK, row->task),
		.operation = row->operation,
		.parameters = row->parameters,
		.modified = row->modified != 0,
		.due = kh_comm_end_when(row),
		.row = row,
	};
	enum kh_err e = find_wait(op, row, &look);

	if (row->state == KH_DECLARATION_DECLARED && row->verdict_at > op->now)
		look.due = row->verdict_at;

	if (e == KH_OK && row->state == KH_DECLARATION_DONE) {
		look.ended = row->ended;
		e = look_at_block(op, row, &look);
	}
	if (e == KH_OK)
		e = kh_arena_check(op->arena);
	if (e == KH_OK)
		*ret_look = look;
	return e;
}

enum kh_err kh_comm_look_run(struct kh_op *op, void *call)
{
	struct kh_comm_looking *looking = call;
	struct kh_declaration_row *row = NULL;
	enum kh_err e = kh_comm_look_find(op, looking->declaration.n > 0 ? looking->declaration : looking->approval,
					  &row);

	if (e == KH_OK)
		e = kh_comm_end_due(op, row);
	return e == KH_OK ? kh_comm_look_at(op, row, &looking->look) : e;
}
