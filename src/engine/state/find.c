/*
 * Finds what a caller named, if the caller may see it.
 *
 *     caller             tasks, queries, contexts
 *     controller         those of its own context
 *     host               those of contexts whose token it made
 *     hook               that of the context which it was made for
 *     reviewer, admin    all
 *     others             none; a Reader finds its asks by ask.c, a supervisor its calls by approvals
 *
 * Approvals: a controller finds its own (to wait for), a host those of its contexts; reviewer, admin and supervisor
 * find all.
 */
#include "engine/state/find.h"

/* A kind of row that can be found, and where the row has its context. */
struct target {
	enum kh_publicid kind;
	enum kh_table table;
	const char *code; /* of the error if there is none */
	size_t context;   /* offset of the context's number in the row */
};

static const struct target tasks = {KH_ID_TASK, KH_TABLE_TASKS, .code = "unknown_task",
				    .context = offsetof(struct kh_task_row, context)};
static const struct target queries = {KH_ID_QUERY, KH_TABLE_QUERIES, .code = "unknown_query",
				      .context = offsetof(struct kh_query_row, context)};
static const struct target approvals = {KH_ID_APPROVAL, KH_TABLE_APPROVALS, .code = "unknown_approval",
					.context = offsetof(struct kh_approval_row, context)};
static const struct target contexts = {KH_ID_CONTEXT, KH_TABLE_CONTEXTS, .code = "unknown_context",
				       .context = offsetof(struct kh_context_row, id)};

enum kh_err kh_find_none(struct kh_op *op, struct kh_view text, const char *code, enum kh_err e)
{
	if (e != KH_OK && e != KH_EUNKNOWN)
		return e;
	return kh_error_set(op->err, KH_EUNKNOWN, code, "there is none with the id %.*s",
			    KH_FMT(kh_arena_quote(op->arena, text)));
}

/* The token that CONTEXT belongs to. */
static enum kh_err load_token(struct kh_op *op, int64_t context, struct kh_token_row **ret_token)
{
	struct kh_context_row *row;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, context, &row);

	return e == KH_OK ? kh_txn_load(op->txn, KH_TABLE_TOKENS, row->token, ret_token) : e;
}

enum kh_err kh_find_agent(struct kh_op *op, int64_t context, struct kh_view *ret_name)
{
	struct kh_token_row *token;
	enum kh_err e = load_token(op, context, &token);

	if (e == KH_OK)
		*ret_name = token->name;
	return e;
}

/* Whether the host CALLER made the token that CONTEXT belongs to. */
static enum kh_err is_hosts(struct kh_op *op, int64_t context, bool *ret_yes)
{
	struct kh_token_row *token;
	enum kh_err e = load_token(op, context, &token);

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
	case KH_ROLE_HOOK:
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

/* A6: a supervisor decides tool calls, and sees only those. */
static bool is_supervisors(const struct kh_op *op, const struct target *target, const void *row)
{
	const struct kh_approval_row *approval = row;

	return target == &approvals && op->caller->role == KH_ROLE_SUPERVISOR && approval->kind == KH_APPROVE_TOOL_CALL;
}

/* K11: what hangs on calls of the host's own tools is not the Controller's. */
static bool may_see_task(const struct kh_op *op, const struct kh_task_row *task)
{
	return !task->hosts || op->caller == NULL || op->caller->role != KH_ROLE_CONTROLLER;
}

static enum kh_err find(struct kh_op *op, const struct target *target, struct kh_view id, void **ret_row)
{
	void *row = NULL;
	int64_t n = 0, context = 0;
	bool yes = false;

	if (!kh_op_number(op, target->kind, id, &n))
		return kh_find_none(op, id, target->code, KH_EUNKNOWN);
	enum kh_err e = kh_txn_load(op->txn, target->table, n, &row);
	if (e == KH_OK) {
		memcpy(&context, (const char *)row + target->context, sizeof(context));
		e = may_see(op, context, &yes);
	}
	if (e == KH_OK && yes && target == &tasks)
		yes = may_see_task(op, row);
	if (e == KH_OK && !yes)
		yes = is_supervisors(op, target, row);
	if (e != KH_OK || !yes)
		return kh_find_none(op, id, target->code, e);
	*ret_row = row;
	return KH_OK;
}

enum kh_err kh_find_task(struct kh_op *op, struct kh_view id, struct kh_task_row **ret_task)
{
	return find(op, &tasks, id, (void **)ret_task);
}

enum kh_err kh_find_query(struct kh_op *op, struct kh_view id, struct kh_query_row **ret_query)
{
	return find(op, &queries, id, (void **)ret_query);
}

enum kh_err kh_find_approval(struct kh_op *op, struct kh_view id, struct kh_approval_row **ret_approval)
{
	return find(op, &approvals, id, (void **)ret_approval);
}

enum kh_err kh_find_context(struct kh_op *op, struct kh_view id, struct kh_context_row **ret_context)
{
	return find(op, &contexts, id, (void **)ret_context);
}

enum kh_err kh_find_block(struct kh_op *op, int64_t context, struct kh_view id, struct kh_block_row *ret_block)
{
	int64_t n = 0;

	if (!kh_op_number(op, KH_ID_BLOCK, id, &n))
		return kh_find_none(op, id, "unknown_block", KH_EUNKNOWN);
	enum kh_err e = kh_txn_peek(op->txn, KH_TABLE_BLOCKS, n, ret_block);
	if (e != KH_OK || ret_block->context != context || ret_block->told < 0)
		return kh_find_none(op, id, "unknown_block", e);
	return KH_OK;
}

enum kh_err kh_find_open(struct kh_op *op, const struct kh_task_row *task)
{
	if (task->state == KH_TASK_CLOSED)
		return kh_error_set(op->err, KH_EREFUSED, "task_closed", "the task is closed; open another");
	if (task->state == KH_TASK_FAILED)
		return kh_error_set(op->err, KH_EREFUSED, "task_failed",
				    "the task has failed and takes no more; open another");
	return KH_OK;
}

enum kh_err kh_find_only_task(struct kh_op *op, struct kh_task_row **ret_task, size_t *ret_count)
{
	int64_t *ids = NULL;
	struct kh_task_row *task;
	size_t found = 0, count = 0;
	/* Two of its own, and that of its host. */
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_TASKS_OPEN, op->caller->context, KH_LIT(""), 0, 3, &ids, &found);

	for (size_t i = 0; i < found && e == KH_OK; i++) {
		e = kh_txn_load(op->txn, KH_TABLE_TASKS, ids[i], &task);
		if (e != KH_OK || !may_see_task(op, task))
			continue;
		*ret_task = task;
		count++;
	}
	*ret_count = count;
	return e;
}

/* The task that the caller named or, if it named none, the context's only open one. */
static enum kh_err find_meant(struct kh_op *op, struct kh_view id, struct kh_task_row **ret_task)
{
	size_t count = 0;

	if (id.n > 0)
		return kh_find_task(op, id, ret_task);
	enum kh_err e = kh_find_only_task(op, ret_task, &count);
	if (e == KH_OK && count != 1)
		e = kh_error_set(op->err, KH_EINPUT, "task_needed", "%s: name the task",
				 count == 0 ? "there is no open task" : "there is more than one open task");
	return e;
}

enum kh_err kh_find_meant_task(struct kh_op *op, struct kh_view id, struct kh_task_row **ret_task)
{
	enum kh_err e = find_meant(op, id, ret_task);

	return e == KH_OK ? kh_find_open(op, *ret_task) : e;
}
