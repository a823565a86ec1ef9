/* Asks: puts them into the outbox, and takes them out to be carried out. */
#include "engine/query/ask.h"

#include "engine/approval/carried.h"
#include "engine/query/judge.h"
#include "engine/query/settle.h"
#include "engine/query/typed.h"
#include "engine/state/each.h"
#include "engine/state/find.h"

enum kh_err kh_ask_put(struct kh_op *op, struct kh_query_row *query, int64_t prev, struct kh_view again)
{
	struct kh_effect_row *effect;
	enum kh_err e = kh_txn_new(op->txn, KH_TABLE_EFFECTS, &effect);

	if (e != KH_OK)
		return e;
	effect->kind = KH_EFFECT_ASK;
	effect->state = KH_EFFECT_WAITING;
	/* An agent fetches its asks itself; the process that put an ask here runs the driver. */
	if (kh_engine_reader(op->engine, query->reader) != NULL)
		effect->holder = kh_store_holder(kh_engine_store(op->engine));
	effect->task = query->task;
	effect->query = query->id;
	effect->round = query->round;
	effect->try = query->tries;
	effect->prev = prev;
	effect->again = again;
	effect->before = query->effect;
	effect->reader = query->reader;
	effect->created_at = op->now;
	query->effect = effect->id;
	return KH_OK;
}

enum kh_err kh_ask_blocks(struct kh_op *op, const int64_t *ids, size_t count, struct kh_reader_ask *ask)
{
	struct kh_reader_block *blocks = KH_NEW_N(op->arena, struct kh_reader_block, count);
	enum kh_err e = blocks != NULL ? KH_OK : KH_ENOMEM;

	for (size_t i = 0; e == KH_OK && i < count; i++) {
		struct kh_block_row *block = NULL;
		e = kh_txn_load(op->txn, KH_TABLE_BLOCKS, ids[i], &block);
		if (e == KH_OK)
			blocks[i] = (struct kh_reader_block){
				.id = kh_op_id(op, KH_ID_BLOCK, block->id),
				.attribution = block->attribution,
				.content = kh_tainted_wrap(block->content),
			};
	}
	ask->blocks = blocks;
	ask->block_count = count;
	return e;
}

/* The blocks of QUERY; their content is still to be read. */
static enum kh_err name_blocks(struct kh_op *op, const struct kh_query_row *query, struct kh_ask *ask)
{
	struct kh_block_row block;
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = kh_op_ids(op, query->blocks, &ids, &count);

	if (e != KH_OK)
		return e;
	ask->ids = ids;
	ask->ask.blocks = ask->blocks = KH_NEW_N(op->arena, struct kh_reader_block, count);
	ask->ask.block_count = count;
	e = ask->blocks != NULL ? KH_OK : KH_ENOMEM;
	for (size_t i = 0; e == KH_OK && i < count; i++) {
		e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, ids[i], &block);
		if (e == KH_OK)
			ask->blocks[i] = (struct kh_reader_block){
				.id = kh_op_id(op, KH_ID_BLOCK, block.id),
				.attribution = block.attribution,
				.content = kh_tainted_wrap(KH_LIT("")),
			};
	}
	return e;
}

struct opening {
	const struct kh_engine *engine;
	struct kh_ask *ask;
	struct kh_arena *arena;
};

/* On a snapshot. */
static enum kh_err open_blocks(struct kh_txn *txn, void *arg)
{
	const struct opening *o = arg;
	const struct kh_reader *reader = kh_engine_reader(o->engine, o->ask->query->reader);
	struct kh_block_row *block = NULL;
	enum kh_err e = KH_OK;

	kh_txn_use_arena(txn, o->arena);
	for (size_t i = 0; e == KH_OK && i < o->ask->ask.block_count; i++) {
		e = kh_txn_load(txn, KH_TABLE_BLOCKS, o->ask->ids[i], &block);
		if (e != KH_OK)
			continue;
		o->ask->unread = o->ask->unread || block->purged_at != 0;
		o->ask->blocks[i].content = kh_tainted_wrap(block->content);
		if (reader != NULL && reader->driver->typed)
			e = kh_typed_open(txn, o->engine, o->arena, block, &o->ask->blocks[i]);
	}
	return e;
}

enum kh_err kh_ask_check(struct kh_op *op, struct kh_query_row *query, bool *ret_yes)
{
	struct kh_block_row block;
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = kh_op_ids(op, query->blocks, &ids, &count);

	*ret_yes = true;
	for (size_t i = 0; e == KH_OK && i < count; i++) {
		e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, ids[i], &block);
		if (e == KH_OK && block.purged_at != 0)
			*ret_yes = false;
	}
	return e == KH_OK && !*ret_yes ? kh_settle_ready(op, query, KH_OUTCOME_FAILED, "content_purged") : e;
}

enum kh_err kh_ask_prepare(struct kh_op *op, const struct kh_effect_row *effect, struct kh_query_row *query,
			   const struct kh_query *read, struct kh_ask *ask)
{
	ask->ask = (struct kh_reader_ask){
		.id = kh_op_id(op, KH_ID_ASK, effect->id),
		.task = kh_op_id(op, KH_ID_TASK, query->task),
		.again = effect->again,
		.now = op->now,
	};
	if (read != NULL) {
		struct kh_query *copy = KH_NEW(op->arena, struct kh_query);
		if (copy == NULL)
			return KH_ENOMEM;
		*copy = *read;
		ask->ask.query = copy;
	}
	enum kh_err e = kh_find_agent(op, query->context, &ask->ask.from);
	if (e == KH_OK)
		e = name_blocks(op, query, ask);
	if (e != KH_OK)
		return e;
	kh_engine_random(op->engine, ask->ask.nonce, sizeof(ask->ask.nonce));
	ask->effect = effect->id;
	ask->round = (size_t)effect->round;
	ask->query = query;
	ask->found = true;
	return KH_OK;
}

enum kh_err kh_ask_finish(struct kh_engine *engine, struct kh_arena *arena, void *call, struct kh_error *err)
{
	struct kh_ask *ask = call;
	struct kh_query *asked;

	if (ask->found && ask->ids != NULL) {
		enum kh_err e = kh_store_read(kh_engine_store(engine), open_blocks,
					      &(struct opening){engine, ask, arena}, err);
		/* It has begun: if memory has not run out, its end is recorded. */
		if (e == KH_ENOMEM)
			return e;
		ask->unread = ask->unread || e != KH_OK;
		ask->ids = NULL;
	}
	if (!ask->found || ask->ask.query != NULL)
		return KH_OK;
	asked = KH_NEW(arena, struct kh_query);
	ask->ask.query = asked;
	return asked != NULL ? kh_judge_query(arena, ask->query->body, ask->round, asked, err) : KH_ENOMEM;
}

/*
 * Whether QUERY was admitted for a Reader of this machine, and its Reader has come to be behind a network since: its
 * words were not compared and not counted, and nobody was shown what would leave (E1, E5, I-42).
 */
static bool has_moved(const struct kh_op *op, const struct kh_query_row *query)
{
	const struct kh_reader *reader = kh_engine_reader(op->engine, query->reader);

	return reader != NULL && reader->outside && query->egress == 0;
}

/* B20, K7, A2: the first ask uses the grant for a query that a human had to see.  *RET_YES: false if the grant does not hold. */
static enum kh_err use_grant(struct kh_op *op, struct kh_effect_row *effect, struct kh_query_row *query, bool *ret_yes)
{
	struct kh_approval_row *approval;
	enum kh_granted why;
	int64_t *ids = NULL;
	size_t count = 0;

	*ret_yes = true;
	if (query->approval == 0 || effect->try > 0 || effect->round > 0)
		return KH_OK;
	struct kh_grant_call call = {
		.context = kh_op_id(op, KH_ID_CONTEXT, query->context),
		.task = kh_op_id(op, KH_ID_TASK, query->task),
		.operation = KH_LIT("bcp.query"),
		.arguments = kh_canonical_digest(query->body),
		.policy = op->policy->digest,
	};
	enum kh_err e = kh_op_ids(op, query->blocks, &ids, &count);
	if (e == KH_OK)
		e = kh_carried_digest(op, ids, count, &call.content);
	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_APPROVALS, query->approval, &approval);
	if (e == KH_OK)
		e = kh_approval_use(op, approval, &call, &why);
	if (e != KH_EREFUSED)
		return e;
	*ret_yes = false;
	if (why == KH_GRANT_EXPIRED) /* A3: an expiry is not a rejection */
		return kh_settle_ready(op, query, KH_OUTCOME_EXPIRED, "grant_expired");
	return kh_settle_ready(op, query, KH_OUTCOME_REJECTED, "grant_void");
}

enum kh_err kh_ask_begin_run(struct kh_op *op, void *call)
{
	struct kh_ask *ask = call;
	struct kh_effect_row *effect;
	struct kh_query_row *query;
	struct kh_task_row *task;
	bool granted = true, there = true;

	ask->found = false;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_EFFECTS, ask->effect, &effect);
	if (e != KH_OK || effect->state != KH_EFFECT_WAITING)
		return e;
	e = kh_txn_load(op->txn, KH_TABLE_QUERIES, effect->query, &query);
	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_TASKS, effect->task, &task);
	if (e != KH_OK || query->state != KH_QUERY_ASKING || query->effect != effect->id)
		return e;
	if (query->deadline_at <= op->now)
		return kh_settle_due(op, query); /* left open, it would block everything after it for the Reader */
	e = kh_ask_check(op, query, &there);
	if (e != KH_OK || !there)
		return e;
	if (op->caller == NULL && kh_engine_reader(op->engine, query->reader) == NULL)
		return KH_OK; /* an agent's: the agent fetches it itself */
	if (has_moved(op, query))
		return kh_settle_ready(op, query, KH_OUTCOME_FAILED, "reader_moved");
	e = use_grant(op, effect, query, &granted);
	if (e != KH_OK || !granted)
		return e;
	/*
	 * An ask that used a grant is marked as begun, whoever carries it out, because the grant cannot be used again.
	 */
	if (ask->mark || query->approval != 0) {
		effect->state = KH_EFFECT_BEGUN;
		effect->holder = kh_store_holder(kh_engine_store(op->engine));
		effect->begun_at = op->now;
		e = kh_op_event(op, KH_AUDIT_ASK_BEGUN, task, KH_LIT(""));
	}
	return e == KH_OK ? kh_ask_prepare(op, effect, query, NULL, ask) : e;
}

/* The task of the asks that the calling Reader was given and can still answer; 0: there are none. */
static enum kh_err find_present_task(struct kh_op *op, int64_t *ret_task)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_EFFECTS_BEGUN, .text = op->caller->name};
	struct kh_effect_row effect;
	struct kh_query_row query;

	*ret_task = 0;
	while (*ret_task == 0 && kh_each_peek(&each, KH_TABLE_EFFECTS, &effect)) {
		each.e = kh_txn_peek(op->txn, KH_TABLE_QUERIES, effect.query, &query);
		if (each.e == KH_OK && query.state == KH_QUERY_ASKING && query.effect == effect.id &&
		    query.deadline_at > op->now)
			*ret_task = effect.task;
	}
	return each.e;
}

/* Begins ask ID if it belongs to TASK; 0: any task. */
static enum kh_err begin_of(struct kh_op *op, int64_t task, int64_t id, struct kh_ask *ask)
{
	struct kh_effect_row effect;
	enum kh_err e = task != 0 ? kh_txn_peek(op->txn, KH_TABLE_EFFECTS, id, &effect) : KH_OK;

	if (e != KH_OK || (task != 0 && effect.task != task))
		return e;
	ask->effect = id;
	return kh_ask_begin_run(op, ask);
}

enum kh_err kh_ask_next_run(struct kh_op *op, void *call)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_EFFECTS_READER, .text = op->caller->name};
	struct kh_ask *ask = call;
	int64_t task = 0;

	ask->mark = true;
	ask->found = false;
	if (kh_engine_reader(op->engine, op->caller->name) != NULL)
		return KH_OK; /* the name now belongs to a driver, and so do the asks for it */
	each.e = find_present_task(op, &task);
	while (!ask->found && kh_each_next(&each))
		each.e = begin_of(op, task, each.id, ask);
	return each.e;
}
