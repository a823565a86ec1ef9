/*
 * Finding what a caller named, and whether it may.
 *
 *     caller             tasks, queries, contexts
 *     controller         those of its own context
 *     host               those of contexts whose token it made
 *     reviewer, admin    all
 *     others             none; a Reader finds its asks by ask.c, a supervisor its calls by approvals
 *
 * Approvals: the controller's own (to wait for), a host's contexts', and all for reviewer, admin and supervisor.
 */
#include "engine/state/find.h"

#include "base/buf.h"

#define IDS_LIMIT (32U << 20)

struct kh_view kh_own_id(struct kh_op *op, enum kh_publicid kind, int64_t id)
{
	return kh_publicid_text(op->arena, kh_engine_id_key(op->engine), kind, id);
}

/* The number of a public id; the answer to a bad one is that of one that nobody has. */
static enum kh_err number(struct kh_op *op, enum kh_publicid kind, struct kh_view text, const char *code,
			  int64_t *ret_id)
{
	if (kh_publicid_parse(kh_engine_id_key(op->engine), kind, text, ret_id))
		return KH_OK;
	return kh_error_set(op->err, KH_EUNKNOWN, code, "there is none with the id %.*s",
			    KH_FMT(kh_arena_quote(op->arena, text)));
}

static enum kh_err not_there(struct kh_op *op, struct kh_view text, const char *code, enum kh_err e)
{
	if (e != KH_OK && e != KH_EUNKNOWN)
		return e;
	return kh_error_set(op->err, KH_EUNKNOWN, code, "there is none with the id %.*s",
			    KH_FMT(kh_arena_quote(op->arena, text)));
}

/* Whether the host CALLER made the token whose context this is.   */
static enum kh_err is_hosts(struct kh_op *op, int64_t context, bool *ret_yes)
{
	struct kh_context_row *row;
	struct kh_token_row *token;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, context, &row);

	if (e == KH_OK)
		e = kh_txn_load(op->txn, KH_TABLE_TOKENS, row->token, &token);
	*ret_yes = e == KH_OK && token->parent == op->caller->id;
	return e;
}

/* Whether the caller may see what belongs to CONTEXT. */
static enum kh_err may_see(struct kh_op *op, int64_t context, bool *ret_yes)
{
	*ret_yes = false;
	if (op->caller == NULL) {
		*ret_yes = true;
		return KH_OK;
	}
	switch (op->caller->role) {
	case KH_ROLE_CONTROLLER:
		*ret_yes = op->caller->context == context;
		return KH_OK;
	case KH_ROLE_HOST:
		return is_hosts(op, context, ret_yes);
	case KH_ROLE_REVIEWER:
	case KH_ROLE_ADMIN:
		*ret_yes = true;
		return KH_OK;
	case KH_ROLE_READER:
	case KH_ROLE_SUPERVISOR:
		break;
	}
	return KH_OK;
}

enum kh_err kh_own_task(struct kh_op *op, struct kh_view id, struct kh_task_row **ret_task)
{
	struct kh_task_row *task = NULL;
	bool yes = false;
	int64_t n = 0;
	enum kh_err e = number(op, KH_ID_TASK, id, "unknown_task", &n);

	if (e != KH_OK)
		return e;
	e = kh_txn_load(op->txn, KH_TABLE_TASKS, n, &task);
	if (e == KH_OK)
		e = may_see(op, task->context, &yes);
	if (e != KH_OK || !yes)
		return not_there(op, id, "unknown_task", e);
	*ret_task = task;
	return KH_OK;
}

enum kh_err kh_own_query(struct kh_op *op, struct kh_view id, struct kh_query_row **ret_query)
{
	struct kh_query_row *query = NULL;
	bool yes = false;
	int64_t n = 0;
	enum kh_err e = number(op, KH_ID_QUERY, id, "unknown_query", &n);

	if (e != KH_OK)
		return e;
	e = kh_txn_load(op->txn, KH_TABLE_QUERIES, n, &query);
	if (e == KH_OK)
		e = may_see(op, query->context, &yes);
	if (e != KH_OK || !yes)
		return not_there(op, id, "unknown_query", e);
	*ret_query = query;
	return KH_OK;
}

enum kh_err kh_own_approval(struct kh_op *op, struct kh_view id, struct kh_approval_row **ret_approval)
{
	struct kh_approval_row *approval = NULL;
	bool yes = false;
	int64_t n = 0;
	enum kh_err e = number(op, KH_ID_APPROVAL, id, "unknown_approval", &n);

	if (e != KH_OK)
		return e;
	e = kh_txn_load(op->txn, KH_TABLE_APPROVALS, n, &approval);
	if (e == KH_OK)
		e = may_see(op, approval->context, &yes);
	if (e == KH_OK && !yes && op->caller->role == KH_ROLE_SUPERVISOR)
		yes = approval->kind == KH_APPROVE_TOOL_CALL;
	if (e != KH_OK || !yes)
		return not_there(op, id, "unknown_approval", e);
	*ret_approval = approval;
	return KH_OK;
}

enum kh_err kh_own_context(struct kh_op *op, struct kh_view id, struct kh_context_row **ret_context)
{
	struct kh_context_row *context = NULL;
	bool yes = false;
	int64_t n = 0;
	enum kh_err e = number(op, KH_ID_CONTEXT, id, "unknown_context", &n);

	if (e != KH_OK)
		return e;
	e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, n, &context);
	if (e == KH_OK)
		e = may_see(op, n, &yes);
	if (e != KH_OK || !yes)
		return not_there(op, id, "unknown_context", e);
	*ret_context = context;
	return KH_OK;
}

enum kh_err kh_own_block(struct kh_op *op, int64_t context, struct kh_view id, struct kh_block_row *ret_block)
{
	int64_t n = 0;
	enum kh_err e = number(op, KH_ID_BLOCK, id, "unknown_block", &n);

	if (e != KH_OK)
		return e;
	e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, n, ret_block);
	return e != KH_OK || ret_block->context != context ? not_there(op, id, "unknown_block", e) : KH_OK;
}

enum kh_err kh_own_open(struct kh_op *op, const struct kh_task_row *task)
{
	if (task->state == KH_TASK_CLOSED)
		return kh_error_set(op->err, KH_EREFUSED, "task_closed", "the task is closed; open another");
	if (task->state == KH_TASK_FAILED)
		return kh_error_set(op->err, KH_EREFUSED, "task_failed",
				    "the task has failed and takes no more; open another");
	return KH_OK;
}

enum kh_err kh_own_ids(struct kh_op *op, struct kh_view json, int64_t **ret_ids, size_t *ret_count)
{
	yyjson_val *root = NULL, *item;
	yyjson_arr_iter iter;
	enum kh_err e = kh_json_read(op->arena, json.n > 0 ? json : KH_LIT("[]"), &root, op->err);

	if (e != KH_OK)
		return e;
	size_t n = yyjson_arr_size(root), i = 0;
	int64_t *ids = KH_NEW_N(op->arena, int64_t, n);
	if (ids == NULL)
		return KH_ENOMEM;
	yyjson_arr_iter_init(root, &iter);
	while ((item = yyjson_arr_iter_next(&iter)) != NULL)
		ids[i++] = yyjson_get_sint(item);
	*ret_ids = ids;
	*ret_count = n;
	return KH_OK;
}

struct kh_view kh_own_ids_text(struct kh_op *op, const int64_t *ids, size_t count)
{
	struct kh_view text = {NULL, 0};
	struct kh_emit emit;
	struct kh_buf buf;

	kh_buf_init(&buf, op->arena, IDS_LIMIT);
	kh_emit_init(&emit, &buf);
	kh_emit_array(&emit);
	for (size_t i = 0; i < count; i++)
		kh_emit_int(&emit, ids[i]);
	kh_emit_end(&emit);
	if (kh_buf_end(&buf, &text) != KH_OK)
		op->arena->failed = true;
	return text;
}

enum kh_err kh_own_make_block(struct kh_op *op, struct kh_block_spec *spec, struct kh_block_row *row)
{
	const struct kh_block *block;

	spec->id = kh_own_id(op, KH_ID_BLOCK, row->id);
	spec->created_at = op->now;
	enum kh_err e = kh_arena_check(op->arena);
	if (e == KH_OK)
		e = kh_block_make(op->arena, spec, &block, op->err);
	if (e != KH_OK)
		return e;
	row->trust = block->trust;
	row->type = block->type;
	row->taint = block->taint;
	row->source = block->source;
	row->content = block->content;
	row->content_hash = block->content_hash;
	row->put_by = op->caller != NULL ? op->caller->id : 0;
	row->created_at = op->now;
	return KH_OK;
}

enum kh_err kh_own_event(struct kh_op *op, enum kh_audit_kind kind, struct kh_task_row *task, struct kh_view what)
{
	struct kh_audit audit = {
		.kind = kind,
		.task = task,
		.by = op->caller != NULL ? op->caller->id : 0,
		.at = op->now,
		.what = what,
	};
	enum kh_err e = kh_arena_check(op->arena);

	return e == KH_OK ? kh_txn_event(op->txn, &audit) : e;
}

enum kh_err kh_own_refuse(struct kh_op *op, enum kh_audit_kind kind, struct kh_task_row *task, struct kh_view what,
			  enum kh_err why)
{
	op->refused = why;
	return kh_own_event(op, kind, task, what);
}
