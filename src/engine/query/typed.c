/* The results that typed answers are read from.  Nothing here looks into one. */
#include "engine/query/typed.h"

#include "engine/comm/giving.h"

/* The rule for the tool that ROW's call called, if it types results; else NULL. */
static enum kh_err find_rule(struct kh_txn *txn, const struct kh_policy *policy, struct kh_arena *arena,
			     const struct kh_block_row *row, const struct kh_policy_rule **ret_rule)
{
	struct kh_declaration_row declaration;
	struct kh_context_row context;
	struct kh_token_row token;
	struct kh_view path;
	enum kh_err e = kh_txn_peek(txn, KH_TABLE_DECLARATIONS, row->declaration, &declaration);

	*ret_rule = NULL;
	if (e != KH_OK || kh_giving_server(declaration.operation).n == 0)
		return e;
	e = kh_txn_peek(txn, KH_TABLE_CONTEXTS, declaration.context, &context);
	if (e == KH_OK)
		e = kh_txn_peek(txn, KH_TABLE_TOKENS, context.token, &token);
	if (e != KH_OK)
		return e;
	*ret_rule = kh_policy_rule(policy, arena, declaration.operation, token.name, &path);
	if ((*ret_rule)->results != KH_RESULTS_TYPED)
		*ret_rule = NULL;
	return kh_arena_check(arena);
}

enum kh_err kh_typed_open(struct kh_txn *txn, const struct kh_policy *policy, struct kh_arena *arena,
			  const struct kh_block_row *row, struct kh_reader_block *block)
{
	const struct kh_policy_rule *rule = NULL;
	struct kh_result_row *result = NULL;
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = row->declaration != 0 ? find_rule(txn, policy, arena, row, &rule) : KH_OK;

	if (e != KH_OK || rule == NULL)
		return e;
	e = kh_txn_find(txn, KH_INDEX_RESULTS_OF_DECLARATION, row->declaration, KH_LIT(""), 0, 1, &ids, &count);
	if (e == KH_OK && count > 0)
		e = kh_txn_load(txn, KH_TABLE_RESULTS, ids[0], &result);
	if (e != KH_OK || result == NULL || result->purged_at != 0)
		return e;
	struct kh_digest digest = kh_canonical_digest(result->original);
	if (memcmp(&digest, &result->original_hash, sizeof(digest)) != 0)
		return KH_OK;
	block->rule = rule;
	block->original = kh_tainted_wrap(result->original);
	return KH_OK;
}
