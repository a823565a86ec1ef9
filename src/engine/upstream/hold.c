/* What a human is shown of a tool that is held, and what follows from his decision. */
#include "engine/upstream/hold.h"

#include "base/buf.h"
#include "engine/approval/approval.h"
#include "engine/approval/follow.h"
#include "engine/state/beforehand.h"
#include "engine/state/each.h"
#include "engine/upstream/changes.h"
#include "engine/upstream/fit.h"
#include "engine/upstream/pin.h"
#include "engine/upstream/pinned.h"

/* The name of TOOL's operation, or of the server. */
static struct kh_view name_of(struct kh_op *op, const struct kh_upstream_row *upstream, const struct kh_tool_row *tool)
{
	if (tool == NULL)
		return kh_arena_printf(op->arena, "comm.mcp.%.*s", KH_FMT(upstream->name));
	return kh_arena_printf(op->arena, "comm.mcp.%.*s.%.*s", KH_FMT(upstream->name), KH_FMT(tool->alias));
}

/* The pending approval of OPERATION; 0: there is none.  Few approvals are pending at a time. */
static enum kh_err find_pending(struct kh_op *op, struct kh_view operation, int64_t *ret_id)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_APPROVALS_PENDING};
	struct kh_approval_row row;

	*ret_id = 0;
	while (*ret_id == 0 && kh_each_peek(&each, KH_TABLE_APPROVALS, &row)) {
		if (row.kind == KH_APPROVE_UPSTREAM && kh_view_eq(row.operation, operation) &&
		    kh_approval_state(&row, op->now) == KH_APPROVAL_PENDING)
			*ret_id = row.id;
	}
	return each.e;
}

/* --- the text that is shown, written outside of the transaction (beforehand.h) ------------------------------------- */

struct writing {
	struct kh_view server, alias, pinned,
		seen;        /* `alias` is empty of a server; then these are what it says of itself */
	bool is_program;     /* the server's program has changed */
	struct kh_view text; /* out */
};

/* Appends a line for each difference: where it is, what was approved, and what is there now, as JSON. */
static enum kh_err add_changes(struct kh_arena *arena, struct kh_buf *buf, const struct writing *w)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_val *was = NULL, *is = NULL;
	struct kh_view line = {NULL, 0};
	yyjson_mut_arr_iter iter;
	yyjson_mut_val *item;
	struct kh_error err;
	enum kh_err e = kh_json_read(arena, w->pinned, &was, &err);

	if (e == KH_OK && w->seen.n > 0)
		e = kh_json_read(arena, w->seen, &is, &err);
	if (e != KH_OK || is == NULL)
		return e;
	yyjson_mut_arr_iter_init(kh_changes_list(doc, arena, was, is), &iter);
	while (e == KH_OK && (item = yyjson_mut_arr_iter_next(&iter)) != NULL) {
		e = kh_json_write(arena, item, &line);
		if (e == KH_OK)
			kh_buf_printf(buf, "%.*s\n", KH_FMT(line));
	}
	return e;
}

static enum kh_err write_text(struct kh_prepare *at, void *work)
{
	struct writing *w = work;
	struct kh_buf buf;

	kh_buf_init(&buf, at->arena, KH_APPROVAL_TEXT);
	if (w->alias.n > 0)
		kh_buf_printf(&buf, "The tool %.*s of the upstream server %.*s is not what was approved.\n",
			      KH_FMT(w->alias), KH_FMT(w->server));
	else
		kh_buf_printf(&buf, "The upstream server %.*s is not what was approved. Its resources wait.\n",
			      KH_FMT(w->server));
	if (w->is_program)
		kh_buf_lit(&buf, "The server's program has changed. An approval is for the program as it is now.\n");
	if (w->seen.n == 0)
		kh_buf_lit(&buf, "The server does not offer it any more. An approval lets it go.\n");
	enum kh_err e = add_changes(at->arena, &buf, w);
	if (e == KH_OK && w->seen.n > 0)
		kh_buf_printf(&buf, "All that the server says of %s now:\n%.*s\n", w->alias.n > 0 ? "it" : "itself",
			      KH_FMT(w->seen));
	return e == KH_OK ? kh_buf_end(&buf, &w->text) : e;
}

/* The rows of a held tool, loaded; of a server the second is NULL. */
struct held {
	struct kh_upstream_row *upstream;
	struct kh_tool_row *tool;
};

/* The digest of what is offered in place of what was approved; of a server its program's, which is apart, says it all. */
static const struct kh_digest *seen_hash(const struct kh_tool_row *tool)
{
	static const struct kh_digest none;

	return tool != NULL ? &tool->seen_hash : &none;
}

static enum kh_err find_text(struct kh_op *op, const struct held *h, struct kh_view operation, struct kh_view *ret_text)
{
	struct kh_view key = kh_arena_printf(op->arena, "%.*s %lld %lld", KH_FMT(operation),
					     (long long)h->upstream->revision,
					     (long long)(h->tool != NULL ? h->tool->revision : 0));
	const struct writing *done = key.p != NULL ? kh_beforehand_find(op, write_text, key) : NULL;

	if (done != NULL) {
		*ret_text = done->text;
		return KH_OK;
	}
	struct writing *wanted = KH_NEW(op->arena, struct writing);
	if (wanted == NULL || key.p == NULL)
		return KH_ENOMEM;
	*wanted = (struct writing){
		.server = h->upstream->name,
		.pinned = h->upstream->about,
		.seen = h->upstream->seen_about,
		.is_program = h->upstream->state == KH_PIN_HELD,
	};
	if (h->tool != NULL) {
		wanted->alias = h->tool->alias;
		wanted->pinned = h->tool->pinned;
		wanted->seen = h->tool->seen;
	}
	return kh_beforehand_want(op, write_text, key, wanted);
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

static enum kh_err find_rows(struct kh_op *op, struct kh_view operation, struct held *ret_held)
{
	int64_t upstream, tool;
	enum kh_err e = kh_pinned_rows(op, operation, &upstream, &tool);

	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_UPSTREAMS, upstream, &ret_held->upstream);
	ret_held->tool = NULL;
	return e == KH_OK && tool != 0 ? kh_txn_load(op->txn, KH_TABLE_TOOLS, tool, &ret_held->tool) : e;
}

enum kh_err kh_hold_ask(struct kh_op *op, struct kh_view subject, struct kh_approval_row **ret_approval)
{
	struct kh_approval_request request = {
		.kind = KH_APPROVE_UPSTREAM, .operation = subject, .untrusted = true, .admin = true};
	struct held h;
	int64_t pending;
	enum kh_err e = find_pending(op, subject, &pending);

	if (e == KH_OK && pending != 0)
		return kh_txn_load(op->txn, KH_TABLE_APPROVALS, pending, ret_approval);
	if (e == KH_OK)
		e = find_rows(op, subject, &h);
	if (e == KH_OK)
		e = find_text(op, &h, subject, &request.text);
	if (e != KH_OK)
		return e;
	request.arguments = *seen_hash(h.tool);
	request.content = h.upstream->seen_program;
	return kh_approval_request(op, &request, ret_approval);
}

/* --- deciding ----------------------------------------------------------------------------------------------------- */

static bool same(const struct kh_digest *a, const struct kh_digest *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static enum kh_err check(struct kh_op *op, const struct kh_approval_row *approval, struct held *ret_held)
{
	enum kh_err e = find_rows(op, approval->operation, ret_held);

	if (e != KH_OK)
		return e;
	if (same(&approval->arguments, seen_hash(ret_held->tool)) &&
	    same(&approval->content, &ret_held->upstream->seen_program))
		return KH_OK;
	return kh_error_set(op->err, KH_EREFUSED, "review_changed",
			    "this is not what the server offers now: review it again");
}

enum kh_err kh_hold_check(struct kh_op *op, const struct kh_approval_row *approval)
{
	struct held h;
	const struct kh_view *unfit = NULL;
	enum kh_err e = check(op, approval, &h);

	if (e == KH_OK && h.tool != NULL)
		e = kh_fit_find(op, &h.tool->seen_hash, &h.tool, 1, &unfit);
	if (e != KH_OK || unfit == NULL || unfit[0].n == 0)
		return e;
	return kh_error_set(op->err, KH_EREFUSED, "tool_unfit", "the tool cannot be approved as it is now: %.*s",
			    KH_FMT(unfit[0]));
}

enum kh_err kh_hold_pin(struct kh_op *op, const struct kh_approval_row *approval)
{
	struct held h;
	struct kh_emit what;
	enum kh_err e = check(op, approval, &h);

	if (e != KH_OK)
		return e;
	kh_pin_server(op, approval->decided_by, h.upstream);
	if (h.tool != NULL)
		kh_pin_tool(op, approval->decided_by, h.tool);
	kh_op_describe(op, &what);
	kh_emit_add_int(&what, "tools", h.tool != NULL);
	kh_emit_add(&what, "upstream", h.upstream->name);
	return kh_op_event(op, KH_AUDIT_UPSTREAM_APPROVED, NULL, kh_op_described(op, &what));
}

/* Whether APPROVAL is still about what is held. */
static bool is_awaited(const struct kh_approval_row *approval, const struct kh_upstream_row *upstream,
		       const struct kh_tool_row *tool)
{
	bool is_held = upstream->state == KH_PIN_HELD || (tool != NULL && tool->state == KH_PIN_HELD);

	return is_held && same(&approval->arguments, seen_hash(tool)) &&
	       same(&approval->content, &upstream->seen_program);
}

enum kh_err kh_hold_end(struct kh_op *op, const struct kh_upstream_row *upstream, const struct kh_tool_row *tool)
{
	struct kh_approval_row *approval;
	const struct kh_approval_follow *follow;
	int64_t pending = 0;
	bool may_wait = tool == NULL || tool->alias.n > 0;
	enum kh_err e = may_wait ? find_pending(op, name_of(op, upstream, tool), &pending) : KH_OK;

	if (e != KH_OK || pending == 0)
		return e;
	e = kh_txn_load(op->txn, KH_TABLE_APPROVALS, pending, &approval);
	if (e != KH_OK || is_awaited(approval, upstream, tool))
		return e;
	kh_approval_end(approval, NULL, KH_APPROVAL_VOID);
	e = kh_op_event(op, KH_AUDIT_APPROVAL_VOID, NULL, KH_LIT("{\"why\":\"reviewed\"}"));
	follow = kh_approval_follow(op, approval);
	return e == KH_OK && follow->decided != NULL ? follow->decided(op, approval) : e;
}
