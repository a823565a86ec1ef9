/* What a context is given of what a server answers.  Nothing here reads the result: the rule decides, and what was sent. */
#include "engine/comm/giving.h"

#include "engine/state/each.h"
#include "engine/state/find.h"

struct kh_view kh_giving_server(struct kh_view operation)
{
	struct kh_view prefix = KH_LIT("comm.mcp."), rest = kh_view_from(operation, prefix.n), server;

	if (!kh_view_starts(operation, prefix) || !kh_view_split(&rest, '.', &server))
		return KH_LIT("");
	return server;
}

bool kh_giving_is_fenced(const struct kh_policy_rule *rule, const struct kh_declaration_row *row)
{
	return rule->results == KH_RESULTS_FENCED && kh_giving_server(row->operation).n > 0;
}

/* Whether sealed content is put into its arguments. */
static bool is_carrying(const struct kh_declaration_row *row)
{
	static const struct kh_digest nothing;

	return memcmp(&row->content, &nothing, sizeof(nothing)) != 0;
}

/* --- what was sent ------------------------------------------------------------------------------------------------ */

/* The row of CONTEXT and SERVER; NULL: there is none. */
static enum kh_err find_dealing(struct kh_op *op, int64_t context, struct kh_view server,
				struct kh_dealing_row **ret_row)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_DEALINGS, .number = context, .text = server};

	if (!kh_each_load(&each, KH_TABLE_DEALINGS, ret_row))
		*ret_row = NULL;
	return each.e;
}

enum kh_err kh_giving_note(struct kh_op *op, const struct kh_context_row *context, const struct kh_declaration_row *row,
			   struct kh_view server)
{
	bool is_tainted = context->taint != KH_TAINT_LOW, carries = is_carrying(row);
	struct kh_dealing_row *dealing = NULL;

	if (server.n == 0 || (!is_tainted && !carries))
		return KH_OK;
	enum kh_err e = find_dealing(op, context->id, server, &dealing);
	if (e == KH_OK && dealing == NULL) {
		e = kh_txn_new(op->txn, KH_TABLE_DEALINGS, &dealing);
		if (e == KH_OK) {
			dealing->context = context->id;
			dealing->server = server;
		}
	}
	if (e != KH_OK)
		return e;
	dealing->tainted = 1; /* sealed content has a taint of its own, which is high */
	dealing->carried |= carries;
	return KH_OK;
}

enum kh_err kh_giving_forget(struct kh_op *op, const struct kh_context_row *context)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_DEALINGS_OF_CONTEXT, .number = context->id};
	struct kh_dealing_row *dealing;

	while (kh_each_load(&each, KH_TABLE_DEALINGS, &dealing))
		dealing->tainted = dealing->carried = 0;
	return each.e;
}

/* --- what is given ------------------------------------------------------------------------------------------------ */

/* Why what the rule trusts is not given; NULL: it is. */
static enum kh_err distrust(struct kh_op *op, struct kh_view server, const char **ret_why)
{
	int64_t *ids = NULL;
	size_t count = 0;
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_DEALINGS_TAINTED, 0, server, 0, 1, &ids, &count);

	*ret_why = count > 0 ? "server_tainted" : NULL;
	return e;
}

/* The same for a fence. */
static enum kh_err unfence(struct kh_op *op, const struct kh_declaration_row *row, struct kh_view server,
			   const char **ret_why)
{
	struct kh_dealing_row *dealing = NULL;
	enum kh_err e = find_dealing(op, row->context, server, &dealing);

	*ret_why = dealing != NULL && dealing->carried ? "carried_content" : NULL;
	return e;
}

enum kh_err kh_giving_find(struct kh_op *op, const struct kh_declaration_row *row, struct kh_view server,
			   struct kh_given_way *ret_way)
{
	const struct kh_policy_rule *rule;
	struct kh_given_way way = {.way = KH_GIVING_SEALED};
	bool is_tool = kh_giving_server(row->operation).n > 0;
	struct kh_view agent, path;
	enum kh_err e = kh_find_agent(op, row->context, &agent);

	if (e != KH_OK)
		return e;
	rule = kh_policy_rule(op->policy, op->arena, row->operation, agent, &path);
	if (rule->results == KH_RESULTS_TRUSTED)
		e = distrust(op, server, &way.kept_back);
	else if ((rule->results == KH_RESULTS_FENCED || !is_tool) && row->fenced)
		e = unfence(op, row, server, &way.kept_back);
	else
		rule = NULL;
	if (e == KH_OK && rule != NULL && way.kept_back == NULL)
		way.way = rule->results == KH_RESULTS_TRUSTED ? KH_GIVING_VETTED : KH_GIVING_FENCED;
	*ret_way = way;
	return e == KH_OK ? kh_arena_check(op->arena) : e;
}
