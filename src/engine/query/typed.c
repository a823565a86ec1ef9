/* The results that typed answers are read from, and what types them.  Nothing here looks into a result. */
#include "engine/query/typed.h"

#include "engine/comm/giving.h"
#include "engine/state/toolbox.h"

/* What types the results of a call. */
struct typing {
	const struct kh_policy_rule *rule; /* NULL: nothing does */
	const struct kh_schema *schema;    /* NULL: the rule alone does */
};

/* The one row that INDEX has for NUMBER and TEXT; 0: there is none. */
static enum kh_err find_one(struct kh_txn *txn, enum kh_index index, int64_t number, struct kh_view text,
			    int64_t *ret_id)
{
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = kh_txn_find(txn, index, number, text, 0, 1, &ids, &count);

	*ret_id = e == KH_OK && count > 0 ? ids[0] : 0;
	return e;
}

/*
 * The schema for the results of the tool OPERATION as a human approved it last, whether it is held or not; NULL: there is
 * none that is known whole.  It is compiled when it is needed for the first time.
 */
static enum kh_err find_schema(struct kh_txn *txn, const struct kh_engine *engine, struct kh_arena *arena,
			       struct kh_view operation, const struct kh_schema **ret_schema)
{
	struct kh_view server = kh_giving_server(operation);
	struct kh_view alias = kh_view_from(operation, (size_t)(server.p + server.n - operation.p) + 1);
	struct kh_tool_row tool, *whole = NULL;
	int64_t upstream = 0, id = 0;
	struct kh_error err;
	enum kh_err e = KH_OK;

	*ret_schema = NULL;
	if (kh_settings_server(kh_engine_policy(engine), server) != NULL)
		e = find_one(txn, KH_INDEX_UPSTREAMS_NAMED, 0, server, &upstream);
	if (e == KH_OK && upstream != 0)
		e = find_one(txn, KH_INDEX_TOOLS_NAMED, upstream, alias, &id);
	if (e != KH_OK || id == 0)
		return e;
	e = kh_txn_peek(txn, KH_TABLE_TOOLS, id, &tool);
	if (e != KH_OK)
		return e;
	const struct kh_toolbox_tool *ready = kh_toolbox_find(kh_engine_toolbox(engine), &tool.pinned_hash);
	if (ready == NULL) {
		e = kh_txn_load(txn, KH_TABLE_TOOLS, id, &whole);
		if (e == KH_OK && whole->pinned.n > 0)
			e = kh_toolbox_add(kh_engine_toolbox(engine), arena, whole->pinned, &ready, &err);
	}
	*ret_schema = ready != NULL ? ready->output : NULL;
	return e == KH_EREFUSED || e == KH_ELIMIT ? KH_OK : e;
}

/* What types the results of the tool that ROW's call called. */
static enum kh_err find_typing(struct kh_txn *txn, const struct kh_engine *engine, struct kh_arena *arena,
			       const struct kh_block_row *row, struct typing *ret_typing)
{
	struct kh_declaration_row declaration;
	struct kh_context_row context;
	struct kh_token_row token;
	struct kh_view path;
	enum kh_err e = kh_txn_peek(txn, KH_TABLE_DECLARATIONS, row->declaration, &declaration);

	if (e != KH_OK || kh_giving_server(declaration.operation).n == 0)
		return e;
	e = kh_txn_peek(txn, KH_TABLE_CONTEXTS, declaration.context, &context);
	if (e == KH_OK)
		e = kh_txn_peek(txn, KH_TABLE_TOKENS, context.token, &token);
	if (e != KH_OK)
		return e;
	const struct kh_policy_rule *rule = kh_policy_rule(kh_engine_policy(engine), arena, declaration.operation,
							   token.name, &path);
	if (rule->results != KH_RESULTS_TYPED)
		return kh_arena_check(arena);
	ret_typing->rule = rule;
	e = find_schema(txn, engine, arena, declaration.operation, &ret_typing->schema);
	return e == KH_OK ? kh_arena_check(arena) : e;
}

enum kh_err kh_typed_open(struct kh_txn *txn, const struct kh_engine *engine, struct kh_arena *arena,
			  const struct kh_block_row *row, struct kh_reader_block *block)
{
	struct typing typing = {.rule = NULL};
	struct kh_result_row *result = NULL;
	int64_t id = 0;
	enum kh_err e = row->declaration != 0 ? find_typing(txn, engine, arena, row, &typing) : KH_OK;

	if (e != KH_OK || typing.rule == NULL)
		return e;
	e = find_one(txn, KH_INDEX_RESULTS_OF_DECLARATION, row->declaration, KH_LIT(""), &id);
	if (e == KH_OK && id != 0)
		e = kh_txn_load(txn, KH_TABLE_RESULTS, id, &result);
	if (e != KH_OK || result == NULL || result->purged_at != 0)
		return e;
	struct kh_digest digest = kh_canonical_digest(result->original);
	if (memcmp(&digest, &result->original_hash, sizeof(digest)) != 0)
		return KH_OK;
	block->rule = typing.rule;
	block->schema = typing.schema;
	block->original = kh_tainted_wrap(result->original);
	return KH_OK;
}
