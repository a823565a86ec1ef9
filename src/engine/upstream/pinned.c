/* Approved tools, looked up by the names that Controllers have for them. */
#include "engine/upstream/pinned.h"

#include "core/comm/operations.h"
#include "core/policy/settings.h"
#include "engine/state/each.h"
#include "engine/state/toolbox.h"

bool kh_pinned_is_tool(struct kh_view operation)
{
	return kh_view_starts(operation, KH_LIT("comm.mcp."));
}

/* The two rows of a tool, without what is sealed in them. */
struct found {
	struct kh_upstream_row upstream;
	struct kh_tool_row tool;
};

static enum kh_err unknown(struct kh_op *op)
{
	return kh_error_set(op->err, KH_EREFUSED, "operation_unknown",
			    "no such tool of an upstream server was approved: see tools/list");
}

static bool was_approved(const struct kh_tool_row *tool)
{
	static const struct kh_digest none;

	return memcmp(&tool->pinned_hash, &none, sizeof(none)) != 0;
}

static enum kh_err find(struct kh_op *op, struct kh_view operation, struct found *ret_found)
{
	struct kh_each servers = {.op = op, .index = KH_INDEX_UPSTREAMS_NAMED};
	struct kh_each tools = {.op = op, .index = KH_INDEX_TOOLS_NAMED};
	struct kh_operation_name name;

	if (kh_operation_find(op->arena, &kh_operations_own, operation, &name, op->err) != KH_OK ||
	    kh_settings_server(op->policy, name.server) == NULL)
		return op->arena->failed ? KH_ENOMEM : unknown(op);
	servers.text = name.server;
	if (!kh_each_peek(&servers, KH_TABLE_UPSTREAMS, &ret_found->upstream))
		return servers.e != KH_OK ? servers.e : unknown(op);
	tools.number = ret_found->upstream.id;
	tools.text = name.tool;
	if (!kh_each_peek(&tools, KH_TABLE_TOOLS, &ret_found->tool))
		return tools.e != KH_OK ? tools.e : unknown(op);
	return was_approved(&ret_found->tool) ? KH_OK : unknown(op);
}

/* --- arguments, checked outside of the transaction (beforehand.h) -------------------------------------------------- */

struct fitting {
	const struct kh_toolbox_tool *ready; /* NULL: nobody has needed it yet, and: */
	struct kh_view pinned;
	yyjson_val *arguments;
	bool is_filled;
	/* out */
	struct kh_reasons errors;
};

static enum kh_err fit(struct kh_prepare *at, void *work)
{
	struct fitting *f = work;
	enum kh_err e = KH_OK;

	kh_reasons_init(&f->errors, at->arena);
	if (f->ready == NULL)
		e = kh_toolbox_add(kh_engine_toolbox(at->engine), at->arena, f->pinned, &f->ready, at->err);
	if (e == KH_OK && f->is_filled)
		e = kh_schema_check(f->ready->input, at->arena, f->arguments, &f->errors);
	return (e == KH_EREFUSED || e == KH_ELIMIT) && f->errors.n > 0 ? KH_OK : e;
}

/* Wants the arguments to be checked.  The tool's text is read only if it was not read before. */
static enum kh_err want(struct kh_op *op, const struct kh_tool_row *tool, struct kh_view key, struct fitting f)
{
	struct fitting *wanted = KH_NEW(op->arena, struct fitting);
	struct kh_tool_row *whole = NULL;
	enum kh_err e = KH_OK;

	if (wanted == NULL)
		return KH_ENOMEM;
	*wanted = f;
	wanted->ready = kh_toolbox_find(kh_engine_toolbox(op->engine), &tool->pinned_hash);
	if (wanted->ready == NULL)
		e = kh_txn_load(op->txn, KH_TABLE_TOOLS, tool->id, &whole);
	if (whole != NULL)
		wanted->pinned = whole->pinned;
	return e == KH_OK ? kh_beforehand_want(op, fit, key, wanted) : e;
}

static struct kh_view key_of(struct kh_op *op, const struct kh_digest *hash, yyjson_val *arguments)
{
	struct kh_view text = {NULL, 0};

	if (kh_canonical_json(op->arena, arguments, &text, op->err) != KH_OK)
		return text;
	struct kh_digest digest = kh_canonical_digest(text);
	return kh_arena_printf(op->arena, "%.*s %.*s", KH_FMT(kh_canonical_hex(op->arena, hash)),
			       KH_FMT(kh_canonical_hex(op->arena, &digest)));
}

enum kh_err kh_pinned_check(struct kh_op *op, struct kh_view operation, yyjson_val *arguments, bool is_filled)
{
	struct found found;
	enum kh_err e = find(op, operation, &found);

	if (e != KH_OK)
		return e;
	struct kh_view key = key_of(op, &found.tool.pinned_hash, arguments);
	if (key.p == NULL)
		return op->arena->failed ? KH_ENOMEM : KH_EINPUT;
	const struct fitting *f = kh_beforehand_find(op, fit, key);
	if (f == NULL)
		return want(op, &found.tool, key, (struct fitting){.arguments = arguments, .is_filled = is_filled});
	return f->errors.n > 0 ? kh_error_reason(op->err, KH_EINPUT, &f->errors) : KH_OK;
}

enum kh_err kh_pinned_rows(struct kh_op *op, struct kh_view operation, int64_t *ret_upstream, int64_t *ret_tool)
{
	struct found found;
	enum kh_err e = find(op, operation, &found);

	if (e != KH_OK)
		return e;
	*ret_upstream = found.upstream.id;
	*ret_tool = found.tool.id;
	return KH_OK;
}

static bool is_held(const struct found *found)
{
	return found->upstream.state != KH_PIN_APPROVED || found->tool.state != KH_PIN_APPROVED;
}

enum kh_err kh_pinned_is_held(struct kh_op *op, struct kh_view operation, bool *ret_yes)
{
	struct found found;
	enum kh_err e = KH_OK;

	*ret_yes = false;
	if (kh_pinned_is_tool(operation))
		e = find(op, operation, &found);
	if (e == KH_OK && kh_pinned_is_tool(operation))
		*ret_yes = is_held(&found);
	return e;
}

enum kh_err kh_pinned_tool(struct kh_op *op, struct kh_view operation, int64_t context,
			   const struct kh_errand_tool **ret_tool)
{
	struct kh_errand_tool *tool = KH_NEW(op->arena, struct kh_errand_tool);
	struct found found;
	enum kh_err e = tool != NULL ? find(op, operation, &found) : KH_ENOMEM;

	if (e != KH_OK)
		return e;
	const struct kh_toolbox_tool *ready = kh_toolbox_find(kh_engine_toolbox(op->engine), &found.tool.pinned_hash);
	if (ready == NULL)
		return kh_error_set(op->err, KH_ECHANGED, "changed", "the tool was approved anew meanwhile");
	*tool = (struct kh_errand_tool){
		.server = kh_arena_dup(op->arena, found.upstream.name),
		.name = ready->name,
		.program = found.upstream.program,
		.hash = found.tool.pinned_hash,
		.input = ready->input,
		.context = context,
	};
	*ret_tool = tool;
	return kh_arena_check(op->arena);
}
