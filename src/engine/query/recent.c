/* Latest deliveries, found along the links between them. */
#include "engine/query/recent.h"

#include "base/buf.h"
#include "engine/state/each.h"

#define TEXT_LIMIT (1U << 20)
#define COMING     64 /* texts that are read together, at most */

enum kh_err kh_recent_given(struct kh_op *op, const struct kh_context_row *context, struct kh_recent_ids *ret_ids)
{
	int64_t *ids = KH_NEW_N(op->arena, int64_t, KH_RECENT_DELIVERIES);
	size_t at = KH_RECENT_DELIVERIES;
	struct kh_block_row block;

	if (ids == NULL)
		return KH_ENOMEM;
	for (int64_t id = context->last_text; id != 0 && at > 0; id = block.prev_text) {
		enum kh_err e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, id, &block);
		if (e != KH_OK)
			return e;
		ids[--at] = id;
	}
	size_t n = KH_RECENT_DELIVERIES - at;
	*ret_ids = (struct kh_recent_ids){.at = ids + at, .deliveries = n, .n = n};
	return KH_OK;
}

enum kh_err kh_recent_coming(struct kh_op *op, const struct kh_context_row *context, struct kh_recent_ids *ret_ids)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_QUERIES_COMING, .number = context->id};
	struct kh_recent_ids ids;

	each.e = kh_recent_given(op, context, &ids);
	if (each.e != KH_OK)
		return each.e;
	size_t cap = ids.n;
	while (ids.n < COMING && kh_each_next(&each)) {
		ids.at = kh_arena_more(op->arena, ids.at, ids.n, &cap, sizeof(*ids.at));
		if (ids.at == NULL)
			return KH_ENOMEM;
		ids.at[ids.n++] = each.id;
	}
	if (each.e == KH_OK)
		*ret_ids = ids;
	return each.e;
}

enum kh_err kh_recent_load(struct kh_op *op, const struct kh_recent_ids *ids, const struct kh_view **ret_responses)
{
	struct kh_view *responses = KH_NEW_N(op->arena, struct kh_view, ids->n + 1);
	struct kh_block_row *block;
	struct kh_query_row *query;
	enum kh_err e = responses != NULL ? KH_OK : KH_ENOMEM;

	for (size_t i = 0; e == KH_OK && i < ids->n; i++) {
		if (i < ids->deliveries) {
			e = kh_txn_load(op->txn, KH_TABLE_BLOCKS, ids->at[i], &block);
			if (e == KH_OK)
				responses[i] = block->content;
		} else {
			e = kh_txn_load(op->txn, KH_TABLE_QUERIES, ids->at[i], &query);
			if (e == KH_OK)
				responses[i] = query->held;
		}
	}
	*ret_responses = responses;
	return e;
}

/* The words of a response: its summary, or its answers in order. */
static enum kh_err words(struct kh_arena *arena, struct kh_view response, struct kh_view *ret_text,
			 struct kh_error *err)
{
	yyjson_val *root = NULL, *item;
	yyjson_arr_iter iter;
	struct kh_buf buf;
	enum kh_err e = kh_json_read(arena, response, &root, err);

	if (e != KH_OK)
		return e;
	kh_buf_init(&buf, arena, TEXT_LIMIT);
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

enum kh_err kh_recent_read(struct kh_arena *arena, const struct kh_view *responses, size_t count,
			   struct kh_recent *ret_recent, struct kh_error *err)
{
	struct kh_view *texts = KH_NEW_N(arena, struct kh_view, count + 1);
	enum kh_err e = texts != NULL ? KH_OK : KH_ENOMEM;

	for (size_t i = 0; e == KH_OK && i < count; i++)
		e = words(arena, responses[i], &texts[i], err);
	if (e == KH_OK)
		*ret_recent = (struct kh_recent){.texts = texts, .count = count};
	return e;
}
