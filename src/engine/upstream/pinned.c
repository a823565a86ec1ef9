/* Approved tools, looked up by the names that Controllers have for them, and approved servers by theirs. */
#include "engine/upstream/pinned.h"

#include "base/buf.h"
#include "core/comm/operations.h"
#include "core/policy/settings.h"
#include "engine/state/each.h"
#include "engine/state/toolbox.h"

#define RESOURCE "comm.resource"
#define NAMED    400 /* bytes of the servers' names in a message */

static bool is_tool(struct kh_view operation)
{
	return kh_view_starts(operation, KH_LIT("comm.mcp."));
}

bool kh_pinned_is(struct kh_view operation)
{
	return is_tool(operation) || kh_view_eq(operation, KH_LIT(RESOURCE));
}

/* The two rows of a tool, without what is sealed in them; of a server as such only the first. */
struct found {
	struct kh_upstream_row upstream;
	struct kh_tool_row tool;
	bool has_tool;
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

/* The configured server of that name; *RET_YES: a human has approved it at some time. */
static enum kh_err find_server(struct kh_op *op, struct kh_view name, struct kh_upstream_row *ret_row, bool *ret_yes)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_UPSTREAMS_NAMED, .text = name};

	*ret_yes = name.n > 0 && kh_settings_server(op->policy, name) != NULL &&
		   kh_each_peek(&each, KH_TABLE_UPSTREAMS, ret_row) && ret_row->state != KH_PIN_SEEN;
	return each.e;
}

/* Says which servers there are: their names are the configuration's, and those that were approved have tools that are
 * listed. */
static enum kh_err unknown_server(struct kh_op *op, struct kh_view name)
{
	const struct kh_policy_upstream *all = op->policy->upstreams.at;
	struct kh_view quoted = kh_arena_quote(op->arena, name), list = {NULL, 0};
	struct kh_upstream_row row;
	struct kh_buf names;
	bool yes = false;
	enum kh_err e = KH_OK;

	kh_buf_init(&names, op->arena, NAMED);
	for (size_t i = 0; e == KH_OK && i < op->policy->upstreams.n; i++) {
		e = find_server(op, all[i].name, &row, &yes);
		if (e == KH_OK && yes && names.n + all[i].name.n + 2 <= NAMED)
			kh_buf_printf(&names, "%s%.*s", names.n > 0 ? ", " : "", KH_FMT(all[i].name));
	}
	if (e == KH_OK)
		e = kh_buf_end(&names, &list);
	if (e != KH_OK)
		return e;
	return kh_error_set(op->err, KH_EREFUSED, "unknown_upstream",
			    "no upstream server %.*s was approved; those that were: %.*s", KH_FMT(quoted),
			    KH_FMT(list.n > 0 ? list : KH_LIT("none")));
}

/* The part of a tool's operation after its server; empty: there is none. */
static struct kh_view tool_of(struct kh_view operation, struct kh_view server)
{
	size_t before = sizeof("comm.mcp.") - 1 + server.n + 1;

	return is_tool(operation) ? kh_view_from(operation, before) : KH_LIT("");
}

static enum kh_err find(struct kh_op *op, struct kh_view operation, yyjson_val *parameters, struct found *ret_found)
{
	struct kh_view server = kh_operation_server(&kh_operations_own, operation, parameters);
	struct kh_each tools = {.op = op, .index = KH_INDEX_TOOLS_NAMED, .text = tool_of(operation, server)};
	bool yes = false;
	enum kh_err e = find_server(op, server, &ret_found->upstream, &yes);

	if (e != KH_OK)
		return e;
	ret_found->has_tool = tools.text.n > 0;
	if (!yes)
		return ret_found->has_tool ? unknown(op) : unknown_server(op, server);
	if (!ret_found->has_tool)
		return KH_OK;
	tools.number = ret_found->upstream.id;
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

enum kh_err kh_pinned_check(struct kh_op *op, struct kh_view operation, yyjson_val *parameters, bool is_filled)
{
	struct found found;
	enum kh_err e = find(op, operation, parameters, &found);

	if (e != KH_OK || !found.has_tool)
		return e;
	struct kh_view key = key_of(op, &found.tool.pinned_hash, parameters);
	if (key.p == NULL)
		return op->arena->failed ? KH_ENOMEM : KH_EINPUT;
	const struct fitting *f = kh_beforehand_find(op, fit, key);
	if (f == NULL)
		return want(op, &found.tool, key, (struct fitting){.arguments = parameters, .is_filled = is_filled});
	return f->errors.n > 0 ? kh_error_reason(op->err, KH_EINPUT, &f->errors) : KH_OK;
}

struct kh_view kh_pinned_subject(struct kh_op *op, struct kh_view operation, yyjson_val *parameters)
{
	struct kh_view server = kh_operation_server(&kh_operations_own, operation, parameters);

	return is_tool(operation) ? operation : kh_arena_printf(op->arena, "comm.mcp.%.*s", KH_FMT(server));
}

enum kh_err kh_pinned_rows(struct kh_op *op, struct kh_view subject, int64_t *ret_upstream, int64_t *ret_tool)
{
	struct found found;
	enum kh_err e = find(op, subject, NULL, &found);

	if (e != KH_OK)
		return e;
	*ret_upstream = found.upstream.id;
	*ret_tool = found.has_tool ? found.tool.id : 0;
	return KH_OK;
}

enum kh_err kh_pinned_is_held(struct kh_op *op, struct kh_view operation, yyjson_val *parameters, bool *ret_yes)
{
	struct found found;

	*ret_yes = false;
	if (!kh_pinned_is(operation))
		return KH_OK;
	enum kh_err e = find(op, operation, parameters, &found);
	if (e == KH_OK)
		*ret_yes = found.upstream.state != KH_PIN_APPROVED ||
			   (found.has_tool && found.tool.state != KH_PIN_APPROVED);
	return e;
}

/* Adds what is called of the server: the tool as it was approved, or the resource. */
static enum kh_err name_call(struct kh_op *op, const struct found *found, yyjson_val *parameters,
			     struct kh_errand_tool *tool)
{
	if (!found->has_tool) {
		tool->is_resource = true;
		tool->name = kh_json_str(kh_json_get(parameters, "uri"));
		return KH_OK;
	}
	const struct kh_toolbox_tool *ready = kh_toolbox_find(kh_engine_toolbox(op->engine), &found->tool.pinned_hash);
	if (ready == NULL)
		return kh_error_set(op->err, KH_ECHANGED, "changed", "the tool was approved anew meanwhile");
	tool->name = ready->name;
	tool->hash = found->tool.pinned_hash;
	tool->input = ready->input;
	return KH_OK;
}

enum kh_err kh_pinned_tool(struct kh_op *op, struct kh_view operation, yyjson_val *parameters, int64_t context,
			   const struct kh_errand_tool **ret_tool)
{
	struct kh_errand_tool *tool = KH_NEW(op->arena, struct kh_errand_tool);
	struct found found;
	enum kh_err e = tool != NULL ? find(op, operation, parameters, &found) : KH_ENOMEM;

	if (e != KH_OK)
		return e;
	*tool = (struct kh_errand_tool){
		.server = kh_arena_dup(op->arena, found.upstream.name),
		.program = found.upstream.program,
		.context = context,
	};
	e = name_call(op, &found, parameters, tool);
	*ret_tool = tool;
	return e == KH_OK ? kh_arena_check(op->arena) : e;
}
