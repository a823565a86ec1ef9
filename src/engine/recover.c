/* Takes over from processes that died. */
#include "engine/recover.h"

#include "engine/comm/end.h"
#include "engine/query/respond.h"
#include "engine/state/each.h"
#include "engine/state/find.h"

static enum kh_err take_over(struct kh_op *op, struct kh_effect_row *effect)
{
	struct kh_task_row *task;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_TASKS, effect->task, &task);

	if (e != KH_OK)
		return e;
	effect->holder = kh_store_holder(kh_engine_store(op->engine));
	return kh_op_event(op, KH_AUDIT_ASK_TAKEN, task, KH_LIT(""));
}

/* An effect whose holder is dead: this process takes it over, or it ends. */
static enum kh_err recover(struct kh_op *op, struct kh_recover *call, const struct kh_effect_row *seen)
{
	struct kh_store *store = kh_engine_store(op->engine);
	struct kh_effect_row *effect;

	if (seen->holder == 0 || seen->holder == kh_store_holder(store) ||
	    kh_engine_reader(op->engine, seen->reader) == NULL || kh_store_holder_alive(store, seen->holder))
		return KH_OK;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_EFFECTS, seen->id, &effect);
	if (e == KH_OK && effect->state == KH_EFFECT_WAITING)
		return take_over(op, effect);
	call->lost++;
	return e == KH_OK ? kh_respond_fail(op, effect, KH_READER_LOST, KH_LIT("")) : e;
}

/* Collects an effect that this process has to carry out, including what it has just taken over or asked again. */
static enum kh_err collect(struct kh_op *op, struct kh_recover *call, const struct kh_effect_row *seen)
{
	if (seen->holder != kh_store_holder(kh_engine_store(op->engine)) || seen->state != KH_EFFECT_WAITING)
		return KH_OK;
	if ((call->count & (call->count - 1)) == 0) { /* a power of two, or 0: the array is full */
		size_t more = call->count > 0 ? 2 * call->count : 1;
		int64_t *effects = kh_arena_grow(op->arena, call->effects, call->count * sizeof(int64_t),
						 more * sizeof(int64_t));
		struct kh_view *readers = kh_arena_grow(op->arena, call->readers, call->count * sizeof(*readers),
							more * sizeof(*readers));
		if (effects == NULL || readers == NULL)
			return KH_ENOMEM;
		call->effects = effects;
		call->readers = readers;
	}
	call->readers[call->count] = seen->reader;
	call->effects[call->count++] = seen->id;
	return KH_OK;
}

/* E7: an operation that ran in a dead process ends as unknown, and is not repeated. */
static enum kh_err recover_running(struct kh_op *op, struct kh_recover *call)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_DECLARATIONS_WORKING};
	struct kh_store *store = kh_engine_store(op->engine);
	struct kh_declaration_row *row, seen;

	while (kh_each_peek(&each, KH_TABLE_DECLARATIONS, &seen)) {
		if (seen.taken_at != 0 || seen.holder == kh_store_holder(store) ||
		    kh_store_holder_alive(store, seen.holder))
			continue; /* a host runs it (K11), or a process that lives */
		call->lost++;
		each.e = kh_txn_load(op->txn, KH_TABLE_DECLARATIONS, seen.id, &row);
		if (each.e == KH_OK)
			each.e = kh_comm_end_lost(op, row);
	}
	return each.e;
}

static enum kh_err each_open(struct kh_op *op, struct kh_recover *call,
			     enum kh_err (*fn)(struct kh_op *, struct kh_recover *, const struct kh_effect_row *))
{
	struct kh_each each = {.op = op, .index = KH_INDEX_EFFECTS_OPEN};
	struct kh_effect_row seen;

	while (kh_each_peek(&each, KH_TABLE_EFFECTS, &seen))
		each.e = fn(op, call, &seen);
	return each.e;
}

enum kh_err kh_recover_run(struct kh_op *op, void *arg)
{
	struct kh_recover *call = arg;

	*call = (struct kh_recover){0};
	enum kh_err e = each_open(op, call, recover);
	if (e == KH_OK)
		e = recover_running(op, call);
	return e == KH_OK ? each_open(op, call, collect) : e;
}
