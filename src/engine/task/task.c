/*
 * Tasks: opened by a controller in its context, ended once.  When a task ends, its open queries and pending approvals
 * end with it: what they reserved is charged, and closing gives nothing back (B6).
 */
#include "engine/task/task.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "engine/approval/approval.h"
#include "engine/comm/end.h"
#include "engine/context/context.h"
#include "engine/context/token.h"
#include "engine/query/settle.h"
#include "engine/state/each.h"
#include "engine/state/find.h"
#include "engine/task/show.h"

#define TITLE_MAX 200

/* --- open --------------------------------------------------------------------------------------------------------- */

static enum kh_err check_title(struct kh_op *op, struct kh_view title)
{
	if (title.n > TITLE_MAX)
		return kh_error_set(op->err, KH_ELIMIT, "too_long", "the title has more than %d bytes", TITLE_MAX);
	if (!kh_utf8_is_visible(title))
		return kh_error_set(op->err, KH_EINPUT, "bad_title",
				    "the title has control, invisible or broken characters");
	return KH_OK;
}

static enum kh_err check_count(struct kh_op *op)
{
	int64_t *ids;
	size_t n = 0;
	enum kh_err e = kh_txn_find(op->txn, KH_INDEX_TASKS_OPEN, op->caller->context, KH_LIT(""), 0,
				    KH_CONTEXT_TASKS_MAX, &ids, &n);

	if (e == KH_OK && n == KH_CONTEXT_TASKS_MAX)
		return kh_error_set(op->err, KH_EREFUSED, "too_many_tasks",
				    "%d tasks of this context are open: close some", KH_CONTEXT_TASKS_MAX);
	return e;
}

/* Records in both chains: the system's lists the task, and the task's own begins with what it was opened with. */
static enum kh_err record_open(struct kh_op *op, struct kh_task_row *task)
{
	struct kh_emit what;
	enum kh_err e = kh_op_event(op, KH_AUDIT_TASK_LISTED, NULL,
				    kh_arena_printf(op->arena, "{\"task\":%lld}", (long long)task->id));

	kh_op_describe(op, &what);
	kh_emit_add_int(&what, "budget", (int64_t)task->budget.budget);
	kh_emit_add_int(&what, "context", task->context);
	kh_emit_add_int(&what, "escalation_limit", (int64_t)task->escalation_limit);
	kh_emit_add_digest(&what, "policy", &task->policy);
	return e == KH_OK ? kh_op_event(op, KH_AUDIT_TASK_OPENED, task, kh_op_described(op, &what)) : e;
}

/* Makes a task of CONTEXT with a budget of BITS. */
static enum kh_err make_task(struct kh_op *op, int64_t context, uint64_t bits, struct kh_task_row **ret_task)
{
	struct kh_task_row *task;
	enum kh_err e = kh_txn_new(op->txn, KH_TABLE_TASKS, &task);

	if (e != KH_OK)
		return e;
	task->context = context;
	task->state = KH_TASK_OPEN;
	task->phase = KH_PHASE_PLANNING;
	task->policy = op->policy->digest;
	task->budget = kh_budget_new(bits * KH_MICROBIT);
	task->escalation_limit = op->policy->budgets.escalations;
	task->opened_at = op->now;
	*ret_task = task;
	return KH_OK;
}

enum kh_err kh_task_open_hosts(struct kh_op *op, int64_t context, struct kh_task_row **ret_task)
{
	enum kh_err e = make_task(op, context, op->policy->budgets.task_bits, ret_task);

	if (e != KH_OK)
		return e;
	(*ret_task)->hosts = 1;
	(*ret_task)->title = KH_LIT("calls of the agent's own tools");
	return record_open(op, *ret_task);
}

enum kh_err kh_task_open_run(struct kh_op *op, void *call)
{
	struct kh_task_open *open = call;
	const struct kh_policy_budgets *budgets = &op->policy->budgets;
	uint64_t bits = open->bits != 0 && open->bits < budgets->task_bits ? open->bits : budgets->task_bits;
	struct kh_task_row *task;

	if (op->caller == NULL || op->caller->context == 0)
		return kh_error_set(op->err, KH_EREFUSED, "forbidden", "only a controller has tasks");
	enum kh_err e = check_title(op, open->title);
	if (e == KH_OK)
		e = check_count(op);
	if (e == KH_OK)
		e = make_task(op, op->caller->context, bits, &task);
	if (e != KH_OK)
		return e;
	task->title = open->title;
	if (open->bits != 0)
		task->budget.own = task->budget.budget;
	e = record_open(op, task);
	if (e == KH_OK)
		e = kh_token_readers(op, &open->readers, &open->reader_count);
	if (e != KH_OK)
		return e;
	open->id = kh_op_id(op, KH_ID_TASK, task->id);
	open->row = task;
	return kh_arena_check(op->arena);
}

/* --- close, fail -------------------------------------------------------------------------------------------------- */

/* Every open query of TASK fails now.  Whoever ended the task knows that, so there is no slot to wait for. */
static enum kh_err end_queries(struct kh_op *op, const struct kh_task_row *task, const char *reason)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_QUERIES_OPEN, .number = task->id};
	struct kh_query_row *query;

	while (kh_each_load(&each, KH_TABLE_QUERIES, &query))
		each.e = kh_settle_end(op, query, KH_OUTCOME_FAILED, reason);
	return each.e;
}

/* Records the end in both chains: the system's keeps the last head of the task's own. */
static enum kh_err record_end(struct kh_op *op, struct kh_task_row *task, const char *reason)
{
	struct kh_emit what;
	enum kh_err e = kh_op_event(op, task->state == KH_TASK_FAILED ? KH_AUDIT_TASK_FAILED : KH_AUDIT_TASK_CLOSED,
				    task, kh_arena_printf(op->arena, "{\"reason\":\"%s\"}", reason));

	kh_op_describe(op, &what);
	kh_emit_add_digest(&what, "head", &task->chain.head);
	kh_emit_add_int(&what, "n", task->chain.n);
	kh_emit_add_word(&what, "state", kh_words_name(&kh_rows_task_words, task->state));
	kh_emit_add_int(&what, "task", task->id);
	return e == KH_OK ? kh_op_event(op, KH_AUDIT_TASK_UNLISTED, NULL, kh_op_described(op, &what)) : e;
}

static enum kh_err end_task(struct kh_op *op, struct kh_task_row *task, enum kh_task_state state, const char *reason)
{
	enum kh_err e = end_queries(op, task, state == KH_TASK_FAILED ? reason : "task_closed");

	if (e == KH_OK)
		e = kh_comm_end_task(op, task, state == KH_TASK_FAILED ? reason : "task_closed");
	if (e == KH_OK)
		e = kh_approval_void(op, task, 0);
	if (e != KH_OK)
		return e;
	task->state = state;
	task->ended_at = op->now;
	if (state == KH_TASK_FAILED)
		task->reason = kh_view_str(reason);
	return record_end(op, task, reason);
}

enum kh_err kh_task_close_run(struct kh_op *op, void *call)
{
	struct kh_task_close *close = call;
	struct kh_task_row *task = NULL;
	enum kh_err e = kh_find_task(op, close->task, &task);

	if (e == KH_OK)
		e = kh_find_open(op, task);
	if (e == KH_OK)
		e = end_task(op, task, KH_TASK_CLOSED, "task_closed");
	if (e == KH_OK)
		close->row = task;
	return e;
}

enum kh_err kh_task_end_spent(struct kh_op *op, struct kh_task_row *task)
{
	return end_task(op, task, KH_TASK_CLOSED, "budget_spent");
}

enum kh_err kh_task_close_all(struct kh_op *op, int64_t context, const char *reason)
{
	struct kh_each each = {.op = op, .index = KH_INDEX_TASKS_OPEN, .number = context};
	struct kh_task_row *task;

	while (kh_each_load(&each, KH_TABLE_TASKS, &task))
		each.e = end_task(op, task, KH_TASK_CLOSED, reason);
	return each.e;
}

enum kh_err kh_task_fail(struct kh_op *op, struct kh_task_row *task, const char *code)
{
	enum kh_err e = kh_find_open(op, task);

	return e == KH_OK ? end_task(op, task, KH_TASK_FAILED, code) : e;
}

/* --- list --------------------------------------------------------------------------------------------------------- */

/* Which tasks are listed: an index, with the context if the index needs one. */
struct search {
	enum kh_index index;
	int64_t context;
	int64_t host; /* only those of contexts whose token this host made; 0: all */
};

static struct search search_for(const struct kh_op *op, bool all)
{
	if (op->caller != NULL && op->caller->role == KH_ROLE_CONTROLLER)
		return (struct search){all ? KH_INDEX_TASKS_OF_CONTEXT : KH_INDEX_TASKS_OPEN, op->caller->context, 0};
	return (struct search){
		.index = all ? KH_INDEX_TASKS : KH_INDEX_TASKS_ALL_OPEN,
		.host = kh_op_host(op),
	};
}

static enum kh_err is_wanted(struct kh_op *op, const struct search *search, const struct kh_task_row *task,
			     bool *ret_yes)
{
	struct kh_context_row context;
	struct kh_token_row token;

	/* K11: a Controller does not see what hangs on calls of its host's own tools. */
	*ret_yes = search->context == 0 || !task->hosts;
	if (search->host == 0)
		return KH_OK;
	enum kh_err e = kh_txn_peek(op->txn, KH_TABLE_CONTEXTS, task->context, &context);
	if (e == KH_OK)
		e = kh_txn_peek(op->txn, KH_TABLE_TOKENS, context.token, &token);
	if (e == KH_OK)
		*ret_yes = token.parent == search->host;
	return e;
}

/* Adds the tasks after AFTER; *RET_MORE if the list is full and there are more. */
static enum kh_err add_tasks(struct kh_op *op, const struct search *search, int64_t after, yyjson_mut_doc *doc,
			     yyjson_mut_val *root, bool *ret_more)
{
	struct kh_each each = {.op = op, .index = search->index, .number = search->context, .id = after};
	struct kh_task_row task;

	while (!*ret_more && kh_each_peek(&each, KH_TABLE_TASKS, &task)) {
		bool yes = false;
		each.e = is_wanted(op, search, &task, &yes);
		if (each.e != KH_OK || !yes)
			continue;
		if (yyjson_mut_arr_size(root) == KH_TASK_LIST)
			*ret_more = true;
		else
			kh_task_show_brief(op, doc, root, &task);
	}
	return each.e;
}

enum kh_err kh_task_list_run(struct kh_op *op, void *call)
{
	struct kh_page *list = call;
	struct search search = search_for(op, list->all);
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_mut_val *root = yyjson_mut_arr(doc);
	struct kh_task_row *last = NULL;
	bool more = false;
	enum kh_err e = kh_arena_check(op->arena);

	if (e == KH_OK && list->after.n > 0)
		e = kh_find_task(op, list->after, &last);
	if (e == KH_OK)
		e = add_tasks(op, &search, last != NULL ? last->id : 0, doc, root, &more);
	return e == KH_OK ? kh_op_page(op, root, more, list) : e;
}
