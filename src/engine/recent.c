/* Latest deliveries, found along the links between them. */
#include "engine/recent.h"

#include "base/buf.h"

#define TEXT_LIMIT (1U << 20)

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
