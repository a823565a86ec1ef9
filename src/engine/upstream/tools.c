/* The approved tools.  Rows are collected in the transaction, and what was pinned is read after it. */
#include "engine/upstream/tools.h"

#include "engine/state/each.h"
#include "engine/state/toolbox.h"
#include "engine/upstream/askable.h"

/* --- the stamp ---------------------------------------------------------------------------------------------------- */

static void more_bytes(struct kh_canonical_state *state, const void *p, size_t n)
{
	kh_canonical_more(state, kh_view_of(p, n));
}

/*
 * Every approval changes its server's row, and what rules say is in the policy's digest.  A server that says something
 * else of itself changes its row too; then the same list is made once more.
 */
static enum kh_err make_stamp(struct kh_op *op, struct kh_digest *ret_stamp)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_UPSTREAMS};
	struct kh_canonical_state state;
	struct kh_upstream_row row;

	kh_canonical_begin(&state);
	more_bytes(&state, op->policy->digest.bytes, sizeof(op->policy->digest.bytes));
	while (kh_each_peek(&each, KH_TABLE_UPSTREAMS, &row)) {
		if (kh_settings_server(op->policy, row.name) == NULL)
			continue;
		more_bytes(&state, &row.id, sizeof(row.id));
		more_bytes(&state, &row.revision, sizeof(row.revision));
	}
	*ret_stamp = kh_canonical_end(&state);
	return each.e;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

struct collecting {
	struct kh_op *op;
	struct kh_upstream_tools *call;
	size_t cap_made, cap_rows, cap_typing;
};

static const struct kh_policy_rule *rule_of(struct kh_op *op, struct kh_view server, struct kh_view alias)
{
	struct kh_view path, name = kh_arena_printf(op->arena, "comm.mcp.%.*s.%.*s", KH_FMT(server), KH_FMT(alias));

	return kh_policy_rule(op->policy, op->arena, name, KH_LIT(""), &path);
}

static enum kh_err add_tool(struct collecting *c, const struct kh_upstream_row *server, struct kh_tool_row *row)
{
	struct kh_upstream_tools *call = c->call;
	struct kh_arena *arena = c->op->arena;

	call->made = kh_arena_more(arena, call->made, call->count, &c->cap_made, sizeof(*call->made));
	call->rows = kh_arena_more(arena, call->rows, call->count, &c->cap_rows, sizeof(struct kh_tool_row *));
	call->typing = kh_arena_more(arena, call->typing, call->count, &c->cap_typing,
				     sizeof(const struct kh_policy_rule *));
	if (call->made == NULL || call->rows == NULL || call->typing == NULL)
		return KH_ENOMEM;
	const struct kh_policy_rule *rule = rule_of(c->op, server->name, row->alias);
	enum kh_effect effects = rule->line > 0 ? rule->effects : KH_EFFECT_PAYMENT;
	call->rows[call->count] = row;
	call->typing[call->count] = rule->results == KH_RESULTS_TYPED ? rule : NULL;
	call->made[call->count++] = (struct kh_upstream_tool){
		.server = server->name,
		.alias = row->alias,
		.description = row->words,
		.reads_only = effects == KH_EFFECT_NONE,
		.destroys = effects > KH_EFFECT_CHANGE,
	};
	return KH_OK;
}

static enum kh_err add_server(struct collecting *c, const struct kh_upstream_row *server)
{
	struct kh_each each = {.op = c->op, .index = KH_INDEX_TOOLS_OF_UPSTREAM, .number = server->id};
	static const struct kh_digest none = {{0}};
	struct kh_tool_row tool, *row;

	while (kh_each_peek(&each, KH_TABLE_TOOLS, &tool)) {
		if (memcmp(&tool.pinned_hash, &none, sizeof(none)) == 0)
			continue; /* it was never approved, or was let go */
		each.e = kh_txn_load(c->op->txn, KH_TABLE_TOOLS, tool.id, &row);
		if (each.e == KH_OK)
			each.e = add_tool(c, server, row);
	}
	return each.e;
}

enum kh_err kh_upstream_tools_run(struct kh_op *op, void *arg)
{
	struct kh_upstream_tools *call = arg;
	struct collecting c = {.op = op, .call = call};
	struct kh_each each = {.op = op, .index = KH_INDEX_UPSTREAMS};
	struct kh_upstream_row server;

	call->tools = call->made = NULL;
	call->rows = NULL;
	call->typing = NULL;
	call->count = 0;
	call->has_servers = false;
	each.e = make_stamp(op, &call->stamp);
	call->is_known = each.e == KH_OK && memcmp(&call->stamp, &call->known, sizeof(call->known)) == 0;
	while (!call->is_known && kh_each_peek(&each, KH_TABLE_UPSTREAMS, &server)) {
		if (kh_settings_server(op->policy, server.name) == NULL)
			continue;
		call->has_servers |= server.state != KH_PIN_SEEN;
		each.e = add_server(&c, &server);
	}
	return each.e;
}

/* --- what was pinned ---------------------------------------------------------------------------------------------- */

static bool says(yyjson_val *annotations, const char *hint, bool value)
{
	yyjson_val *said = kh_json_get(annotations, hint);

	return value ? yyjson_is_true(said) : yyjson_is_false(said);
}

static enum kh_err read_pinned(struct kh_arena *arena, const struct kh_tool_row *row, struct kh_upstream_tool *tool)
{
	yyjson_val *pinned = NULL;
	struct kh_error err;
	enum kh_err e = kh_json_read(arena, row->pinned, &pinned, &err);

	if (e != KH_OK)
		return e;
	yyjson_val *annotations = kh_json_get(pinned, "annotations");
	tool->input = kh_json_get(pinned, "inputSchema");
	tool->title = kh_json_str(kh_json_get(pinned, "title"));
	if (tool->title.n == 0)
		tool->title = kh_json_str(kh_json_get(annotations, "title"));
	if (tool->description.n == 0)
		tool->description = kh_json_str(kh_json_get(pinned, "description"));
	tool->destroys |= says(annotations, "destructiveHint", true);
	tool->reads_only &= !tool->destroys && !says(annotations, "readOnlyHint", false);
	return yyjson_is_obj(tool->input) ? KH_OK : KH_EINPUT;
}

/* Adds what can be asked for of the tool's results.  A tool that cannot be called has none. */
static enum kh_err add_askable(struct kh_engine *engine, struct kh_arena *arena, const struct kh_tool_row *row,
			       const struct kh_policy_rule *rule, struct kh_upstream_tool *tool)
{
	struct kh_toolbox *toolbox = kh_engine_toolbox(engine);
	const struct kh_toolbox_tool *ready = kh_toolbox_find(toolbox, &row->pinned_hash);
	struct kh_error err;
	enum kh_err e = ready != NULL ? KH_OK : kh_toolbox_add(toolbox, arena, row->pinned, &ready, &err);

	struct kh_view askable = e == KH_OK ? kh_askable_text(arena, rule, ready->output) : KH_LIT("");
	if (askable.n > 0 && tool->description.n > 0)
		askable = kh_arena_printf(arena, "%.*s\n\n%.*s", KH_FMT(tool->description), KH_FMT(askable));
	if (askable.n > 0)
		tool->description = askable;
	return e == KH_ENOMEM ? e : kh_arena_check(arena);
}

enum kh_err kh_upstream_tools_finish(struct kh_engine *engine, struct kh_arena *arena, void *arg, struct kh_error *err)
{
	struct kh_upstream_tools *call = arg;
	enum kh_err e = KH_OK;

	for (size_t i = 0; i < call->count && e == KH_OK; i++) {
		e = read_pinned(arena, call->rows[i], &call->made[i]);
		if (e == KH_OK && call->typing[i] != NULL)
			e = add_askable(engine, arena, call->rows[i], call->typing[i], &call->made[i]);
	}
	call->tools = call->made;
	if (e != KH_OK && e != KH_ENOMEM)
		return kh_error_set(err, KH_ESTORE, "store_corrupt",
				    "what is stored of an upstream server's tool is not JSON");
	return e;
}
