/* Latest deliveries, found along the links between them. */
#include "engine/query/recent.h"

#include "base/buf.h"
#include "engine/state/each.h"

#define TEXT_LIMIT (1U << 20)
#define COMING     64 /* texts that are read together, at most */

/* The words of a delivered response: its summary, or its answers in order. */
static enum kh_err words(struct kh_op *op, struct kh_view response, struct kh_view *ret_text)
{
	yyjson_val *root = NULL, *item;
	yyjson_arr_iter iter;
	struct kh_buf buf;
	enum kh_err e = kh_json_read(op->arena, response, &root, op->err);

	if (e != KH_OK)
		return e;
	kh_buf_init(&buf, op->arena, TEXT_LIMIT);
	kh_buf_add(&buf, kh_json_str(kh_json_get(root, "summary")));
	if (yyjson_arr_iter_init(kh_json_get(root, "answers"), &iter)) {
		while ((item = yyjson_arr_iter_next(&iter)) != NULL) {
			if (buf.n > 0)
				kh_buf_byte(&buf, ' ');
			kh_buf_add(&buf, kh_json_str(kh_json_get(item, "answer")));
		}
	}
	return kh_buf_end(&buf, ret_text);
}

enum kh_err kh_recent_texts(struct kh_op *op, const struct kh_context_row *context, struct kh_recent *ret_recent)
{
	struct kh_view *texts = KH_NEW_N(op->arena, struct kh_view, KH_RECENT_DELIVERIES);
	size_t at = KH_RECENT_DELIVERIES;
	struct kh_block_row *block;

	if (texts == NULL)
		return KH_ENOMEM;
	for (int64_t id = context->last_text; id != 0 && at > 0; id = block->prev_text) {
		enum kh_err e = kh_txn_load(op->txn, KH_TABLE_BLOCKS, id, &block);
		if (e == KH_OK)
			e = words(op, block->content, &texts[--at]);
		if (e != KH_OK)
			return e;
	}
	*ret_recent = (struct kh_recent){.texts = texts + at, .count = KH_RECENT_DELIVERIES - at};
	return KH_OK;
}

/* Texts to be read together; there may be many. */
struct coming {
	struct kh_view *texts;
	size_t n, cap;
};

static enum kh_err add(struct kh_op *op, struct coming *c, struct kh_view response)
{
	c->texts = kh_arena_more(op->arena, c->texts, c->n, &c->cap, sizeof(*c->texts));

	if (c->texts == NULL)
		return KH_ENOMEM;
	return words(op, response, &c->texts[c->n++]);
}

/* Adds the answers of TASK's queries that are ready. */
static enum kh_err add_task(struct kh_op *op, int64_t task, struct coming *c)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_QUERIES_OPEN, .number = task};
	struct kh_query_row seen, *query;

	while (c->n < COMING && kh_each_peek(&each, KH_TABLE_QUERIES, &seen)) {
		if (seen.state != KH_QUERY_READY || seen.outcome != KH_OUTCOME_DELIVERED || seen.category == 1)
			continue;
		each.e = kh_txn_load(op->txn, KH_TABLE_QUERIES, seen.id, &query);
		if (each.e == KH_OK)
			each.e = add(op, c, query->held);
	}
	return each.e;
}

enum kh_err kh_recent_coming(struct kh_op *op, const struct kh_context_row *context, struct kh_recent *ret_recent)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_TASKS_OPEN, .number = context->id};
	struct kh_recent past;

	each.e = kh_recent_texts(op, context, &past);
	if (each.e != KH_OK)
		return each.e;
	struct coming c = {.texts = KH_NEW_N(op->arena, struct kh_view, past.count + 1), past.count, past.count + 1};
	if (c.texts == NULL)
		return KH_ENOMEM;
	if (past.count > 0)
		memcpy(c.texts, past.texts, past.count * sizeof(*c.texts));
	while (kh_each_next(&each))
		each.e = add_task(op, each.id, &c);
	if (each.e == KH_OK)
		*ret_recent = (struct kh_recent){.texts = c.texts, .count = c.n};
	return each.e;
}
