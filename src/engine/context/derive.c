/* The attributions of all sources, bound to the content made from them. */
#include "engine/context/derive.h"

#include "core/comm/lineage.h"
#include "engine/state/find.h"

static enum kh_err read_source(struct kh_op *op, int64_t id, struct kh_attribution *ret_attribution)
{
	struct kh_block_row block;
	yyjson_val *root = NULL;
	enum kh_err e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, id, &block);

	if (e == KH_OK)
		e = kh_json_read(op->arena, block.attribution, &root, op->err);
	return e == KH_OK ? kh_attribution_read(op->arena, root, ret_attribution, op->err) : e;
}

enum kh_err kh_derive_attribution(struct kh_op *op, struct kh_view sources, struct kh_view content,
				  struct kh_view *ret_json)
{
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = kh_op_ids(op, sources, &ids, &count);
	struct kh_attribution *from = e == KH_OK ? KH_NEW_N(op->arena, struct kh_attribution, count) : NULL;

	if (e == KH_OK && from == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; e == KH_OK && i < count; i++)
		e = read_source(op, ids[i], &from[i]);
	return e == KH_OK ? kh_lineage_derive(op->arena, from, count, content, ret_json, op->err) : e;
}
