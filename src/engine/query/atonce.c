/*
 * Asks before a query is admitted.  Nothing is decided here: judge.c judges the responses, and respond.c takes them like
 * any other.
 */
#include "engine/query/atonce.h"

#include "core/bcp/justification.h"
#include "core/bcp/repeat.h"
#include "engine/query/judge.h"
#include "engine/query/respond.h"
#include "engine/state/find.h"

struct kh_view kh_atonce_key(struct kh_arena *arena, const struct kh_reader *reader, const int64_t *blocks,
			     size_t block_count, const struct kh_recent_ids *recent)
{
	size_t n = block_count + recent->n + 3;
	int64_t *key = KH_NEW_N(arena, int64_t, n);

	if (key == NULL)
		return (struct kh_view){NULL, 0};
	key[0] = (int64_t)(uintptr_t)reader;
	key[1] = (int64_t)block_count;
	key[2] = (int64_t)recent->deliveries;
	memcpy(key + 3, blocks, block_count * sizeof(*key));
	if (recent->n > 0)
		memcpy(key + 3 + block_count, recent->at, recent->n * sizeof(*key));
	return kh_view_of((const char *)key, n * sizeof(*key));
}

bool kh_atonce_is_quick(const struct kh_reader *reader, size_t query_size, const struct kh_reader_ask *ask)
{
	size_t left = KH_ATONCE_CONTENT;

	if (!reader->driver->pure || !reader->driver->quick || query_size > KH_ATONCE_QUERY)
		return false;
	for (size_t i = 0; i < ask->block_count; i++) {
		size_t size = kh_tainted_size(ask->blocks[i].content);
		if (size > left)
			return false;
		left -= size;
	}
	return true;
}

enum kh_err kh_atonce_load(struct kh_op *op, const struct kh_task_row *task, const int64_t *blocks, size_t block_count,
			   struct kh_atonce *work)
{
	const struct kh_reader *reader = kh_engine_reader(op->engine, work->query->target);

	if (reader == NULL || !reader->driver->quick || work->query->category == 3)
		return KH_OK;
	work->ask = (struct kh_reader_ask){.task = kh_op_id(op, KH_ID_TASK, task->id), .now = op->now};
	enum kh_err e = kh_find_agent(op, task->context, &work->ask.from);
	if (e == KH_OK)
		e = kh_ask_blocks(op, blocks, block_count, &work->ask);
	if (e == KH_OK && kh_atonce_is_quick(reader, work->body.n, &work->ask))
		work->reader = reader;
	kh_engine_random(op->engine, work->ask.nonce, sizeof(work->ask.nonce));
	return e;
}

/* Judges what was said last, as respond.c will want it.  The rounds before were accepted. */
static enum kh_err judge(struct kh_prepare *at, struct kh_atonce *a, struct kh_judge *before, struct kh_judge **ret_j)
{
	struct kh_judge *j = KH_NEW(at->arena, struct kh_judge);
	struct kh_tainted response = a->said[a->count - 1].response;

	if (j == NULL)
		return KH_ENOMEM;
	*j = (struct kh_judge){.body = a->body, .read = a->query, .recent = a->responses, .recent_count = a->recent.n};
	if (before != NULL) {
		j->round = before->verdict == KH_VERDICT_REJECT ? before->round : before->round + 1;
		memcpy(j->rounds, before->rounds, j->round * sizeof(j->rounds[0]));
	}
	j->rounds[j->round].response = response;
	*ret_j = j;
	struct kh_view key = kh_judge_key(at->arena, response, j->round, &a->recent);
	return key.p != NULL ? kh_beforehand_do(at, kh_judge_run, key, j) : KH_ENOMEM;
}

/* Asks until the query has its answer, or its tries are used up. */
static enum kh_err ask(struct kh_prepare *at, struct kh_atonce *a)
{
	uint64_t tries = kh_engine_policy(at->engine)->budgets.retries;
	struct kh_judge *j = NULL;
	enum kh_err e = KH_OK;
	bool more = true;

	a->ask.query = a->query;
	while (e == KH_OK && more && a->count < KH_ATONCE_ASKS) {
		struct kh_atonce_said *said = &a->said[a->count++];
		e = a->reader->driver->ask(a->reader, at->arena, &a->ask, &said->response, &said->fault, &said->detail);
		bool failed = said->fault != KH_READER_OK;
		if (e == KH_OK && !failed)
			e = judge(at, a, j, &j);
		if (e != KH_OK)
			break;
		a->ask.again = failed ? kh_view_str(kh_words_name(&kh_reader_fault_words, said->fault)) : KH_LIT("");
		if (!failed && j->verdict == KH_VERDICT_REJECT)
			a->ask.again = kh_view_str(j->answer.rejected);
		failed = failed || j->verdict == KH_VERDICT_REJECT;
		if (!failed)
			a->ask.query = &j->next;
		more = failed ? tries > 0 : j->more;
		tries -= failed && more;
	}
	return e;
}

enum kh_err kh_atonce_run(struct kh_prepare *at, void *work)
{
	struct kh_atonce *a = work;
	struct kh_recent recent = {0};
	enum kh_err e = KH_OK;

	if (a->compare)
		e = kh_recent_read(at->arena, a->responses, a->recent.deliveries, &recent, at->err);
	if (e == KH_OK && a->compare)
		e = kh_justification_repeats(at->arena, a->query->justification, recent.texts, recent.count,
					     &a->repeats);
	return e == KH_OK && a->reader != NULL ? ask(at, a) : e;
}

enum kh_err kh_atonce_take(struct kh_op *op, const struct kh_atonce *done, int64_t effect, struct kh_ask *ret_ask)
{
	struct kh_op own = *op; /* Keyhole itself takes the response, not the Controller that asked */
	struct kh_ask ask = {.effect = effect, .found = true};
	enum kh_err e = KH_OK;

	own.caller = NULL;
	for (size_t i = 0; e == KH_OK && ask.found && i < done->count; i++) {
		const struct kh_atonce_said *said = &done->said[i];
		struct kh_respond respond = {
			.effect = ask.effect, .response = said->response, .fault = said->fault, .detail = said->detail};
		e = kh_respond_run(&own, &respond);
		ask = respond.next;
	}
	if (e == KH_OK)
		*ret_ask = ask;
	return e;
}
