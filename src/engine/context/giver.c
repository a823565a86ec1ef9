/* Looks up the token that put a block in. */
#include "engine/context/giver.h"

#include "core/comm/attribution.h"

static struct kh_view word_of(enum kh_role role)
{
	return kh_view_str(kh_words_name(&kh_policy_role_words, role));
}

struct kh_view kh_giver_caller(const struct kh_op *op)
{
	return word_of(op->caller != NULL ? op->caller->role : KH_ROLE_ADMIN);
}

/* The size of the content.  Blocks from before it was counted have it only in the content itself. */
static enum kh_err size_of(struct kh_op *op, const struct kh_block_row *block, uint64_t *ret_bytes)
{
	struct kh_block_row *whole = NULL;

	*ret_bytes = (uint64_t)block->put;
	if (block->put != 0)
		return KH_OK;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_BLOCKS, block->id, &whole);
	if (e == KH_OK)
		*ret_bytes = whole->content.n;
	return e;
}

enum kh_err kh_giver_find(struct kh_op *op, const struct kh_block_row *block, struct kh_giver *ret_giver)
{
	struct kh_giver giver = {.put = block->kind == KH_BLOCK_SEALED && block->declaration == 0,
				 .role = KH_ROLE_ADMIN};
	struct kh_token_row token;
	enum kh_err e = KH_OK;

	if (giver.put && block->put_by != 0) {
		e = kh_txn_peek(op->txn, KH_TABLE_TOKENS, block->put_by, &token);
		giver.role = token.role;
	}
	if (e == KH_OK && giver.put && giver.role == KH_ROLE_CONTROLLER)
		e = size_of(op, block, &giver.chosen);
	if (e != KH_OK)
		return e;
	giver.word = word_of(giver.role);
	*ret_giver = giver;
	return KH_OK;
}

enum kh_err kh_giver_add(struct kh_op *op, const struct kh_block_row *block, yyjson_mut_doc *doc, yyjson_mut_val *obj)
{
	struct kh_giver giver;
	enum kh_err e = kh_giver_find(op, block, &giver);

	if (e != KH_OK)
		return e;
	yyjson_mut_obj_add_str(doc, obj, "operation", KH_ATTRIBUTION_PUT);
	kh_json_add(doc, obj, "put_by", giver.word);
	if (kh_op_sees_all(op) || block->put_by == op->caller->id)
		kh_json_add(doc, obj, "stated_source", block->source);
	return KH_OK;
}
