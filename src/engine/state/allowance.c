/* Limits of a task, its context, the context's token and the host that made that, looked at together. */
#include "engine/state/allowance.h"

#include "engine/state/budgetjson.h"
#include "engine/state/tally.h"

#define FIRST 1 /* the first token, which is an admin's: most have it as parent, and it is no host */

enum kind { BITS, ESCALATIONS, PUT, KINDS };

static const struct {
	const char *code, *one, *many;
	const char *task, *context, *token; /* keys of the policy */
	uint64_t unit;
} kinds[KINDS] = {
	[BITS] = {.code = "budget_exceeded",
		  .one = "bit",
		  .many = "bits",
		  .task = "task_bits",
		  .context = "context_bits",
		  .token = "token_bits",
		  .unit = KH_MICROBIT},
	[ESCALATIONS] = {.code = "escalations_exceeded",
			 .one = "escalation",
			 .many = "escalations",
			 .task = "escalations",
			 .context = "context_escalations",
			 .token = "token_escalations",
			 .unit = 1},
	[PUT] = {.code = "content_exceeded",
		 .one = "byte",
		 .many = "bytes",
		 .task = "task_put_bytes",
		 .context = "context_put_bytes",
		 .token = "token_put_bytes",
		 .unit = 1},
};

/* One limit of one kind. */
struct limit {
	const char *key, *also; /* ALSO: what a refusal says after it */
	uint64_t left, of;
	bool secret; /* what is left is not told */
};

static uint64_t of_kind(const struct kh_window_sums *sums, enum kind kind)
{
	const uint64_t all[KINDS] = {[BITS] = sums->bits, [ESCALATIONS] = sums->escalations, [PUT] = sums->put};

	return all[kind];
}

static struct limit limit_of(const char *key, const char *also, uint64_t used, uint64_t most)
{
	return (struct limit){.key = key, .also = also, .left = most > used ? most - used : 0, .of = most};
}

/* --- loading ------------------------------------------------------------------------------------------------------ */

static enum kh_err read_day(struct kh_op *op, const struct kh_token_row *token, struct kh_window *ret_day)
{
	if (kh_window_read(token->day_marks, token->day, ret_day))
		return KH_OK;
	return kh_error_set(op->err, KH_ESTORE, "store_corrupt", "what a token took over 24 hours is not readable");
}

static enum kh_err add_token(struct kh_allowance *a, struct kh_token_row *token)
{
	enum kh_err e = read_day(a->op, token, &a->days[a->count]);

	if (e == KH_OK)
		a->tokens[a->count++] = token;
	return e;
}

enum kh_err kh_allowance_load(struct kh_op *op, struct kh_task_row *task, struct kh_context_row *context,
			      struct kh_allowance *ret_allowance)
{
	struct kh_allowance *a = ret_allowance;
	struct kh_token_row *token, *host;

	*a = (struct kh_allowance){.op = op, .task = task, .context = context};
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_TOKENS, context->token, &token);
	if (e == KH_OK)
		e = add_token(a, token);
	if (e != KH_OK || token->parent <= FIRST)
		return e;
	e = kh_txn_load(op->txn, KH_TABLE_TOKENS, token->parent, &host);
	return e == KH_OK && host->role == KH_ROLE_HOST ? add_token(a, host) : e;
}

/* --- checking ----------------------------------------------------------------------------------------------------- */

static enum kh_err refuse(struct kh_allowance *a, enum kind kind, uint64_t more, const struct limit *limit)
{
	uint64_t unit = kinds[kind].unit, takes = more / unit + (more % unit != 0);
	const char *what = takes == 1 ? kinds[kind].one : kinds[kind].many;

	a->limit = limit->key;
	if (limit->secret)
		return kh_error_set(a->op->err, KH_EREFUSED, kinds[kind].code,
				    "this takes %llu %s; `%s` of the host that made this token has less left%s",
				    (unsigned long long)takes, what, limit->key, limit->also);
	return kh_error_set(a->op->err, KH_EREFUSED, kinds[kind].code,
			    "this takes %llu %s; `%s` has %llu left of %llu%s", (unsigned long long)takes, what,
			    limit->key, (unsigned long long)(limit->left / unit),
			    (unsigned long long)(limit->of / unit), limit->also);
}

/* The limits of task and context; returns how many. */
static size_t list_own(const struct kh_allowance *a, enum kind kind, struct limit ret_limits[2])
{
	const struct kh_policy_budgets *budgets = &a->op->policy->budgets;
	const char *reset = "; a human can reset the context";
	size_t n = 0;

	if (kind == BITS) {
		struct kh_limits_budget task = kh_limits_task(a->op, a->task),
					context = kh_limits_context(a->op, a->context);
		ret_limits[n++] = (struct limit){kinds[kind].task, "", task.budget.remaining, task.limit, false};
		ret_limits[n++] = (struct limit){kinds[kind].context, reset, context.budget.remaining, context.limit,
						 false};
	} else if (kind == ESCALATIONS) {
		ret_limits[n++] = limit_of(kinds[kind].context, reset, a->context->escalations,
					   budgets->context_escalations);
	} else {
		if (a->task != NULL)
			ret_limits[n++] = limit_of(kinds[kind].task, "", (uint64_t)a->task->put,
						   budgets->task_put_bytes);
		ret_limits[n++] = limit_of(kinds[kind].context, reset, (uint64_t)a->context->put,
					   budgets->context_put_bytes);
	}
	return n;
}

static uint64_t token_limit(const struct kh_op *op, enum kind kind)
{
	const struct kh_policy_budgets *budgets = &op->policy->budgets;
	const uint64_t all[KINDS] = {[BITS] = budgets->token_bits * KH_MICROBIT,
				     [ESCALATIONS] = budgets->token_escalations,
				     [PUT] = budgets->token_put_bytes};

	return all[kind];
}

static enum kh_err check_kind(struct kh_allowance *a, enum kind kind, uint64_t more)
{
	struct limit limits[4];
	size_t n = list_own(a, kind, limits);

	for (size_t i = 0; i < a->count; i++) {
		struct kh_window_sums used = kh_window_used(&a->days[i], a->op->now);
		limits[n] = limit_of(kinds[kind].token, " in any 24 hours", of_kind(&used, kind),
				     token_limit(a->op, kind));
		limits[n++].secret = i > 0 && a->op->caller == a->tokens[0];
	}
	for (size_t i = 0; i < n; i++) {
		if (limits[i].left < more)
			return refuse(a, kind, more, &limits[i]);
	}
	return KH_OK;
}

enum kh_err kh_allowance_check(struct kh_allowance *a, struct kh_window_sums more)
{
	enum kh_err e = KH_OK;

	for (enum kind kind = BITS; e == KH_OK && kind < KINDS; kind++) {
		if (of_kind(&more, kind) > 0)
			e = check_kind(a, kind, of_kind(&more, kind));
	}
	return e;
}

/* --- taking ------------------------------------------------------------------------------------------------------- */

static enum kh_err write_day(struct kh_allowance *a, size_t i, struct kh_window_sums more)
{
	struct kh_token_row *token = a->tokens[i];
	char text[KH_WINDOW_TEXT];

	kh_window_add(&a->days[i], a->op->now, more);
	token->day = a->days[i].sums;
	struct kh_view marks = kh_view_of(text, kh_window_write(&a->days[i], text));
	if (!kh_view_eq(token->day_marks, marks))
		token->day_marks = kh_arena_dup(a->op->arena, marks);
	return kh_arena_check(a->op->arena);
}

/* The policy's budgets count from now on, and BITS of them are reserved. */
static enum kh_err reserve(struct kh_allowance *a, uint64_t bits)
{
	if (bits == 0)
		return KH_OK;
	struct kh_budget *budgets[] = {&a->task->budget, &a->context->budget};
	a->task->budget = kh_limits_task(a->op, a->task).budget;
	a->context->budget = kh_limits_context(a->op, a->context).budget;
	enum kh_err e = kh_budget_reserve(budgets, 2, bits);
	if (e == KH_EREFUSED) /* the check found enough in both */
		return kh_error_set(a->op->err, KH_ESTORE, "store_corrupt", "a budget does not add up");
	kh_tally_add(kh_engine_tally(a->op->engine), KH_TALLY_RESERVED, KH_LIT(""), KH_LIT(""), bits);
	return e;
}

enum kh_err kh_allowance_take(struct kh_allowance *a, struct kh_window_sums more)
{
	enum kh_err e = kh_allowance_check(a, more);

	if (e == KH_OK)
		e = reserve(a, more.bits);
	if (e != KH_OK)
		return e;
	if (a->task != NULL)
		a->task->put += (int64_t)more.put;
	a->context->put += (int64_t)more.put;
	a->context->escalations += more.escalations;
	for (size_t i = 0; e == KH_OK && i < a->count; i++)
		e = write_day(a, i, more);
	return e;
}

/* --- showing ------------------------------------------------------------------------------------------------------ */

static struct kh_view words_of(struct kh_op *op, const uint64_t left[KINDS])
{
	struct kh_budget bits = {.remaining = left[BITS]};
	struct kh_view words = kh_budget_words(op->arena, &bits);

	if (words.p == NULL)
		return words;
	words.n -= sizeof(" left") - 1;
	return kh_arena_printf(op->arena, "%.*s, %llu escalation%s and %llu KiB of content left in any 24 hours",
			       KH_FMT(words), (unsigned long long)left[ESCALATIONS], left[ESCALATIONS] == 1 ? "" : "s",
			       (unsigned long long)(left[PUT] / 1024));
}

void kh_allowance_used(yyjson_mut_doc *doc, yyjson_mut_val *obj, const char *key, uint64_t used, uint64_t limit)
{
	yyjson_mut_val *one = yyjson_mut_obj_add_obj(doc, obj, key);

	yyjson_mut_obj_add_uint(doc, one, "used", used);
	yyjson_mut_obj_add_uint(doc, one, "limit", limit);
}

static void add_kind(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *day, enum kind kind, uint64_t used)
{
	static const char *const names[KINDS] = {[BITS] = "bits", [ESCALATIONS] = "escalations", [PUT] = "put_bytes"};

	if (kind != BITS) {
		kh_allowance_used(doc, day, names[kind], used, token_limit(op, kind));
		return;
	}
	yyjson_mut_val *one = yyjson_mut_obj_add_obj(doc, day, names[kind]);
	kh_budgetjson_bits(op, doc, one, "used", used);
	kh_budgetjson_bits(op, doc, one, "limit", token_limit(op, kind));
}

enum kh_err kh_allowance_show(struct kh_op *op, yyjson_mut_doc *doc, yyjson_mut_val *obj,
			      const struct kh_token_row *token)
{
	yyjson_mut_val *day = yyjson_mut_obj_add_obj(doc, obj, "last_24_hours");
	struct kh_window window;
	uint64_t left[KINDS];
	enum kh_err e = read_day(op, token, &window);

	if (e != KH_OK)
		return e;
	struct kh_window_sums sums = kh_window_used(&window, op->now);
	for (enum kind kind = BITS; kind < KINDS; kind++) {
		uint64_t used = of_kind(&sums, kind), most = token_limit(op, kind);
		left[kind] = most > used ? most - used : 0;
		add_kind(op, doc, day, kind, used);
	}
	kh_json_add(doc, day, "words", words_of(op, left));
	return KH_OK;
}
