/* The attributions of all sources, bound to the content made from them. */
#include "engine/context/derive.h"

#include "core/comm/lineage.h"
#include "engine/state/find.h"

/* The sources of one block: its own attribution, or those that it was itself derived from. */
static enum kh_err read_sources(struct kh_op *op, int64_t id, struct kh_attribution **ret_sources, size_t *ret_count)
{
	struct kh_attribution *one = KH_NEW(op->arena, struct kh_attribution);
	struct kh_block_row block;
	yyjson_val *root = NULL;
	enum kh_err e = one != NULL ? kh_txn_peek(op->txn, KH_TABLE_BLOCKS, id, &block) : KH_ENOMEM;

	if (e == KH_OK)
		e = kh_json_read(op->arena, block.attribution, &root, op->err);
	if (e == KH_OK && kh_lineage_is(root))
		return kh_lineage_read(op->arena, root, ret_sources, ret_count, op->err);
	*ret_sources = one;
	*ret_count = 1;
	return e == KH_OK ? kh_attribution_read(op->arena, root, one, op->err) : e;
}

enum kh_err kh_derive_attribution(struct kh_op *op, struct kh_view sources, struct kh_view content,
				  struct kh_view *ret_json)
{
	struct kh_attribution *from = NULL, *some = NULL;
	size_t count = 0, n = 0, cap = 0, some_count = 0;
	int64_t *ids = NULL;
	enum kh_err e = kh_op_ids(op, sources, &ids, &count);

	for (size_t i = 0; e == KH_OK && i < count; i++) {
		e = read_sources(op, ids[i], &some, &some_count);
		for (size_t j = 0; e == KH_OK && j < some_count; j++) {
			from = kh_arena_more(op->arena, from, n, &cap, sizeof(*from));
			if (from == NULL)
				return KH_ENOMEM;
			from[n++] = some[j];
		}
	}
	return e == KH_OK ? kh_lineage_derive(op->arena, from, n, content, ret_json, op->err) : e;
}
