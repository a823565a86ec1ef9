/*
 * From a decision to its consequences.  The order within a transaction: first the remaining checks, which change
 * nothing; then the rows, each with its event.
 */
#include "engine/comm/begin.h"

#include "base/buf.h"
#include "core/comm/operations.h"
#include "core/policy/account.h"
#include "core/policy/permit.h"
#include "core/policy/template.h"
#include "engine/approval/carried.h"
#include "engine/comm/giving.h"
#include "engine/comm/sending.h"
#include "engine/state/allowance.h"
#include "engine/state/find.h"
#include "engine/state/quotatext.h"
#include "engine/upstream/pinned.h"

#define TEXT (1U << 20)

/* --- the row ------------------------------------------------------------------------------------------------------ */

enum kh_err kh_begin_row(struct kh_op *op, struct kh_govern *govern, struct kh_declaration_row **ret_row)
{
	struct kh_proposal *p = govern->proposal;
	struct kh_declaration_row *row;
	struct kh_view what;
	int64_t id;

	if (p->row.id != 0)
		return kh_txn_load(op->txn, KH_TABLE_DECLARATIONS, p->row.id, ret_row);
	enum kh_err e = kh_txn_new(op->txn, KH_TABLE_DECLARATIONS, &row);
	if (e != KH_OK)
		return e;
	id = row->id;
	*row = p->row;
	row->id = p->row.id = id;
	row->prev = govern->context->last_declaration;
	govern->context->last_declaration = id;
	e = kh_govern_describe(op, govern, &what);
	if (e == KH_OK)
		e = kh_op_event(op, KH_AUDIT_DECLARED, govern->task, what);
	if (e == KH_OK)
		*ret_row = row;
	return e;
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

static void add_line(struct kh_buf *text, struct kh_view name, struct kh_view value)
{
	kh_buf_lit(text, "\n   ");
	kh_buf_add(text, name);
	kh_buf_lit(text, ": ");
	kh_buf_add(text, value);
}

/* Whether a text can be shown on one line.  A text with a line break could pass for other lines. */
static bool is_line(struct kh_view text)
{
	for (size_t i = 0; i < text.n; i++) {
		if ((unsigned char)text.p[i] < ' ')
			return false;
	}
	return text.p != NULL;
}

/* Each member on a line of its own: a text as it is, anything else as JSON. */
static enum kh_err add_members(struct kh_op *op, struct kh_buf *text, yyjson_val *root)
{
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_val *key, *value;
	size_t i, max;
	enum kh_err e = KH_OK;

	yyjson_obj_foreach (root, i, max, key, value) {
		struct kh_view shown = kh_json_str(value);
		if (!is_line(shown) && e == KH_OK)
			e = kh_json_write(op->arena, yyjson_val_mut_copy(doc, value), &shown);
		if (e == KH_OK)
			add_line(text, kh_json_str(key), shown);
	}
	return e;
}

/* "its workspace, /srv/a, /srv/b": paths of a policy have no control characters. */
static void add_paths(struct kh_buf *text, struct kh_view name, struct kh_view first, const struct kh_texts *paths)
{
	add_line(text, name, first);
	for (size_t i = 0; i < paths->n; i++) {
		kh_buf_lit(text, ", ");
		kh_buf_add(text, paths->at[i]);
	}
}

/*
 * Around the id of a block that is put into an argument.  No text of an agent has this byte, because it is not UTF-8, so
 * nobody can write something that looks like content that is put in.
 */
#define PUT_IN "\xff"

/* The arguments of a command, with the id of the block in place of each reference that content is put in for (K8). */
static enum kh_err mark_references(struct kh_op *op, yyjson_val *args, yyjson_val **ret_args)
{
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_mut_val *list = yyjson_mut_arr(doc);
	yyjson_val *copy = NULL, *item;
	size_t i, max;

	*ret_args = args;
	if (!yyjson_is_arr(args))
		return KH_OK;
	yyjson_arr_foreach (args, i, max, item)
		yyjson_mut_arr_append(list, kh_json_get(item, "$block") != NULL ? yyjson_mut_str(doc, "")
										: yyjson_val_mut_copy(doc, item));
	enum kh_err e = kh_json_freeze(op->arena, list, &copy, op->err);
	if (e != KH_OK)
		return e;
	yyjson_arr_foreach (copy, i, max, item) {
		struct kh_view id = kh_json_str(kh_json_get(yyjson_arr_get(args, i), "$block"));
		struct kh_view marked = kh_arena_printf(op->arena, "%s%.*s%s", PUT_IN, KH_FMT(id), PUT_IN);
		if (id.p != NULL)
			yyjson_set_strn(item, marked.p, marked.n);
	}
	*ret_args = copy;
	return kh_arena_check(op->arena);
}

/* An argument: its text as a JSON string, and outside of the quotes the blocks whose content is put in. */
static void add_argument(struct kh_buf *out, struct kh_view argument)
{
	bool put_in = false;

	if (argument.n == 0)
		kh_buf_lit(out, "\"\"");
	for (size_t from = 0, to; from < argument.n; from = to + 1, put_in = !put_in) {
		size_t end = kh_view_find(argument, KH_LIT(PUT_IN), from);
		to = end != SIZE_MAX ? end : argument.n;
		struct kh_view piece = kh_view_sub(argument, from, to);
		if (put_in)
			kh_buf_printf(out, "(the content of block %.*s)", KH_FMT(piece));
		else if (piece.n > 0)
			kh_emit_string(out, piece);
	}
}

/* What the name of a command stands for: who approves it has not seen the policy. */
static enum kh_err add_command(struct kh_op *op, const struct kh_begin_asked *asked, struct kh_buf *text)
{
	const struct kh_policy_command *command = kh_permit_command(
		asked->rule, kh_operation_named(&kh_operations_own, asked->row->operation),
		asked->proposal->parameters);
	struct kh_view *argv = NULL;
	yyjson_val *args = NULL;
	struct kh_error err;
	size_t argc = 0;

	if (command == NULL)
		return KH_OK;
	enum kh_err e = mark_references(op, kh_json_get(asked->proposal->parameters, "args"), &args);
	if (e == KH_OK)
		e = kh_template_fill(op->arena, command, args, &argv, &argc, &err);
	if (e != KH_OK && e != KH_EREFUSED)
		return e;
	add_line(text, KH_LIT("it runs"), e == KH_OK ? KH_LIT("[") : KH_LIT("nothing: "));
	if (e == KH_EREFUSED) /* it will fail for the same reason, before anything starts */
		kh_buf_add(text, kh_view_str(err.detail));
	for (size_t i = 0; e == KH_OK && i < argc; i++) {
		if (i > 0)
			kh_buf_byte(text, ',');
		add_argument(text, argv[i]);
	}
	if (e == KH_OK)
		kh_buf_byte(text, ']');
	add_paths(text, KH_LIT("it may read"), KH_LIT("its workspace, the cache, installed programs"), &command->read);
	add_paths(text, KH_LIT("it may write"), KH_LIT("its workspace"), &command->write);
	return kh_arena_check(op->arena);
}

static enum kh_err add_declaration(struct kh_op *op, const struct kh_begin_asked *asked, struct kh_buf *text)
{
	yyjson_val *why = NULL;
	enum kh_err e = kh_json_read(op->arena, asked->row->justification, &why, op->err);

	kh_buf_add(text, asked->row->operation);
	if (e == KH_OK)
		e = add_members(op, text, asked->proposal->parameters);
	if (e == KH_OK)
		e = add_members(op, text, why);
	if (e == KH_OK)
		e = add_command(op, asked, text);
	for (size_t i = 0; i < asked->proposal->origin_count; i++)
		add_line(text, KH_LIT("it carries"),
			 kh_arena_printf(op->arena, "the content of block %.*s, which is shown after this text",
					 KH_FMT(asked->proposal->origins[i].block)));
	if (asked->row->fenced)
		add_line(text, KH_LIT("fenced"),
			 KH_LIT("the agent wants to read it itself; its taint is high from then on"));
	return e;
}

/* I-20: a grant covers a fence only if each declaration was shown with one, which add_declaration() says. */
static bool are_fenced(const struct kh_begin_asked *asked, size_t count)
{
	size_t i = 0;

	while (i < count && asked[i].row->fenced)
		i++;
	return i == count;
}

/* Writes the text to be reviewed: each declaration, its parameters and its reason. */
static enum kh_err write_text(struct kh_op *op, const struct kh_begin_asked *asked, size_t count,
			      struct kh_view *ret_text)
{
	struct kh_buf text;
	enum kh_err e = KH_OK;

	kh_buf_init(&text, op->arena, TEXT);
	for (size_t i = 0; e == KH_OK && i < count; i++) {
		if (i > 0)
			kh_buf_byte(&text, '\n');
		if (count > 1)
			kh_buf_printf(&text, "%zu. ", i + 1);
		e = add_declaration(op, &asked[i], &text);
	}
	return e == KH_OK ? kh_buf_end(&text, ret_text) : e;
}

/* The blocks whose content is put in, of all ASKED, in their order; and the digest that the approval binds. */
static enum kh_err find_carried(struct kh_op *op, const struct kh_begin_asked *asked, size_t count,
				struct kh_approval_request *request)
{
	size_t all = 0, n = 0;

	for (size_t i = 0; i < count; i++)
		all += asked[i].proposal->origin_count;
	int64_t *blocks = KH_NEW_N(op->arena, int64_t, all + 1);
	if (blocks == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < asked[i].proposal->origin_count; k++) {
			if (!kh_op_number(op, KH_ID_BLOCK, asked[i].proposal->origins[k].block, &blocks[n++]))
				return kh_error_set(op->err, KH_ESTORE, "store_corrupt", "a block that is none");
		}
	}
	request->carried = blocks;
	request->carried_count = all;
	return kh_carried_digest(op, blocks, all, &request->content);
}

enum kh_err kh_begin_ask(struct kh_op *op, struct kh_task_row *task, enum kh_approval_kind kind,
			 const struct kh_begin_asked *asked, size_t count, const struct kh_reasons *marks,
			 struct kh_approval_row **ret_approval)
{
	const struct kh_declaration_row **all = KH_NEW_N(op->arena, const struct kh_declaration_row *, count);
	struct kh_approval_request request = {
		.kind = kind,
		.task = task,
		.marks = marks,
		.operation = asked[0].row->operation,
		.host = asked[0].row->host, /* of a batch: the same for all (kh_grant_similar) */
		.quiet = true,
		.uses = (int64_t)count,
		.admin = kind == KH_APPROVE_DECLARATION && asked[0].admin,
		.fenced = are_fenced(asked, count),
		.came = asked[0].came,
	};
	struct kh_approval_row *approval = NULL;
	enum kh_err e = all != NULL ? write_text(op, asked, count, &request.text) : KH_ENOMEM;

	if (e != KH_OK)
		return e;
	for (size_t i = 0; i < count; i++)
		all[i] = asked[i].row;
	request.arguments = kh_govern_batch(op, all, count);
	e = find_carried(op, asked, count, &request);
	if (e == KH_OK)
		e = kh_approval_request(op, &request, &approval);
	if (e != KH_OK)
		return e;
	for (size_t i = 0; i < count; i++) {
		asked[i].row->state = KH_DECLARATION_ASKED;
		asked[i].row->asks = approval->id;
		if (kind == KH_APPROVE_DECLARATION)
			asked[i].row->approval = approval->id;
	}
	e = kh_op_event(op, KH_AUDIT_DECLARATION_ASKED, task, KH_LIT(""));
	if (e == KH_OK)
		*ret_approval = approval;
	return e;
}

/* --- beginning ---------------------------------------------------------------------------------------------------- */

/*
 * Milliseconds from the end of an errand's time to the last slot.  An errand that is stopped at the end of its time ends
 * a little later, and that moment must not show; one that has not ended by the last slot is unknown.
 */
#define GRACE_MS 2000

/*
 * A call is compared with content before it is taken, so a Controller that does not wait sees two slots: the one in which
 * it is told that the call runs, and the one of what came of it (I-45).
 */
#define MOMENTS 2

/* The one number that an errand's time, its slots and their price follow from (E7, B8). */
static uint64_t wall_ms(const struct kh_govern *govern)
{
	return govern->decision.limits.seconds * 1000;
}

static enum kh_err price(struct kh_op *op, const struct kh_govern *govern, uint64_t *ret_microbits)
{
	struct kh_account account;
	enum kh_err e = kh_account_open(op->policy->release, 0, wall_ms(govern) + GRACE_MS, MOMENTS, &account);

	if (e == KH_OK)
		*ret_microbits = account.total;
	return e;
}

/* B8: what a model says of a call, and when. */
static enum kh_err price_verdict(struct kh_op *op, uint64_t *ret_microbits)
{
	struct kh_account account;
	enum kh_err e = kh_account_open(op->policy->release, 0, KH_BEGIN_VERIFY_MS, MOMENTS, &account);

	if (e == KH_OK)
		*ret_microbits = account.total;
	return e;
}

enum kh_err kh_begin_afford(struct kh_op *op, const struct kh_govern *govern, bool verifies, bool asks)
{
	struct kh_allowance allowance;
	uint64_t microbits = 0, verdict = 0;
	enum kh_err e = price(op, govern, &microbits);

	if (e == KH_OK && verifies)
		e = price_verdict(op, &verdict);
	microbits += verdict + (asks ? kh_approval_price(op) : 0);
	if (e == KH_OK)
		e = kh_allowance_load(op, govern->task, govern->context, &allowance);
	return e == KH_OK ? kh_allowance_check(&allowance, (struct kh_window_sums){.bits = microbits}) : e;
}

/* B8, G4: what can be learned from ROW is taken from all limits. */
static enum kh_err reserve(struct kh_op *op, struct kh_govern *govern, struct kh_declaration_row *row,
			   uint64_t microbits)
{
	struct kh_allowance allowance;
	enum kh_err e = kh_allowance_load(op, govern->task, govern->context, &allowance);

	if (e == KH_OK)
		e = kh_allowance_take(&allowance, (struct kh_window_sums){.bits = microbits});
	if (e == KH_OK)
		row->reserved += microbits;
	return e;
}

enum kh_err kh_begin_verify(struct kh_op *op, struct kh_govern *govern, struct kh_declaration_row *row, int64_t sent)
{
	uint64_t microbits = 0;

	if (row->verify_at != 0)
		return KH_OK;
	enum kh_err e = price_verdict(op, &microbits);
	if (e == KH_OK)
		e = reserve(op, govern, row, microbits);
	if (e != KH_OK)
		return e;
	row->verify_at = govern->came;
	row->reader_egress = sent;
	govern->task->reader_egress += sent;
	return kh_op_event(op, KH_AUDIT_DECLARATION_ASKED, govern->task, KH_LIT("{\"models\":true}"));
}

static enum kh_err count_rate(struct kh_op *op, struct kh_govern *govern)
{
	struct kh_rate_row *rate = govern->rate;
	enum kh_err e = rate == NULL ? kh_txn_new(op->txn, KH_TABLE_RATES, &rate) : KH_OK;

	if (e != KH_OK)
		return e;
	kh_quota_take(&govern->quota, govern->decision.rate, op->now);
	rate->context = govern->context->id;
	rate->operation = govern->proposal->row.operation;
	rate->quota = kh_quotatext_write(op->arena, &govern->quota);
	return kh_arena_check(op->arena);
}

/* The answer of GATE, or NULL if it was not reached. */
static const struct kh_decide_answer *answer_of(const struct kh_govern *govern, enum kh_gate gate)
{
	return (size_t)gate < govern->decision.count ? &govern->decision.answers[gate] : NULL;
}

static enum kh_err use(struct kh_op *op, const struct kh_govern *govern, struct kh_approval_row *approval)
{
	struct kh_grant_call call = kh_govern_call(op, govern->proposal);
	enum kh_granted why;

	if (approval->id == govern->proposal->row.approval || approval->id == govern->proposal->row.verified) {
		call.arguments = approval->arguments; /* of a batch; govern.c has checked that the call is in it */
		call.content = approval->content;
	}
	return kh_approval_use(op, approval, &call, &why);
}

/* A2: uses, in this transaction, the grants that made the gates pass. */
static enum kh_err use_grants(struct kh_op *op, const struct kh_govern *govern)
{
	const struct kh_decide_answer *asked = answer_of(govern, KH_GATE_APPROVAL);
	int64_t verified = govern->verified ? govern->proposal->row.verified : 0;
	struct kh_approval_row *approval;
	enum kh_err e = KH_OK;

	if (asked != NULL && strcmp(asked->code, "REQUEST_APPROVED") == 0) {
		if (govern->grant->id == verified)
			verified = 0;
		e = use(op, govern, govern->grant);
	}
	if (e == KH_OK && verified != 0) {
		e = kh_txn_load(op->txn, KH_TABLE_APPROVALS, verified, &approval);
		if (e == KH_OK)
			e = use(op, govern, approval);
	}
	return e;
}

enum kh_err kh_begin_reserve(struct kh_op *op, struct kh_govern *govern, struct kh_declaration_row *row)
{
	uint64_t microbits = 0;
	enum kh_err e = price(op, govern, &microbits);

	if (e == KH_OK)
		e = reserve(op, govern, row, microbits);
	return e == KH_OK ? count_rate(op, govern) : e;
}

enum kh_err kh_begin_run(struct kh_op *op, struct kh_govern *govern, struct kh_declaration_row *row,
			 struct kh_errand *ret_errand)
{
	struct kh_errand errand = {
		.operation = row->operation,
		.rule = govern->rule,
		.task = govern->proposal->task_id,
		.declaration = row->id,
		.limits = govern->decision.limits,
		.wall_ms = wall_ms(govern),
		.until = govern->came + (int64_t)wall_ms(govern) * 1000,
	};
	struct kh_view what;
	enum kh_err e = kh_propose_fill(op, govern->proposal, &errand.parameters);

	if (e == KH_OK && kh_pinned_is(row->operation) && !govern->task->hosts)
		e = kh_pinned_tool(op, row->operation, errand.parameters, govern->context->id, &errand.tool);
	if (e == KH_OK)
		e = use_grants(op, govern);
	if (e == KH_OK)
		e = kh_begin_reserve(op, govern, row);
	if (e == KH_OK)
		e = kh_sending_add(op, govern->context->token, row->operation, govern->proposal->parameters);
	if (e == KH_OK)
		e = kh_giving_note(op, govern->context, row,
				   kh_operation_server(&kh_operations_own, row->operation, errand.parameters));
	if (e == KH_OK)
		e = kh_govern_describe(op, govern, &what);
	if (e != KH_OK)
		return e;
	govern->task->egress += (int64_t)govern->decision.egress_bytes;
	row->egress += (int64_t)govern->decision.egress_bytes; /* it may have been held after it began (U4) */
	row->wall_ms = (int64_t)errand.wall_ms + GRACE_MS;
	row->state = KH_DECLARATION_RUNNING;
	row->working = 1;
	row->holder = kh_store_holder(kh_engine_store(op->engine));
	row->begun_at = govern->came;
	e = kh_op_event(op, KH_AUDIT_OPERATION_BEGUN, govern->task, what);
	if (e == KH_OK)
		*ret_errand = errand;
	return e;
}
