/*
 * From a message to rows.  The message comes from an agent.  Blocks that it refers to are looked up only in its own
 * context.  The content of a block is read only to be put in where it was approved to go.
 */
#include "engine/comm/propose.h"

#include "base/buf.h"
#include "core/comm/attribution.h"
#include "core/comm/declaration.h"
#include "core/comm/plan.h"
#include "core/comm/url.h"
#include "engine/approval/carried.h"
#include "engine/context/giver.h"
#include "engine/state/find.h"
#include "engine/upstream/pinned.h"

#define REFERENCES 64 /* blocks that one declaration can refer to */
#define JUSTIFIED  (64U << 10)

struct reading {
	struct kh_op *op;
	const struct kh_task_row *task;
	struct kh_proposal *proposal;
	struct kh_permit_origin origins[REFERENCES];
	int64_t blocks[REFERENCES];
	size_t count;
};

/* --- references --------------------------------------------------------------------------------------------------- */

/*
 * Where a block came from, in the form of `origin` in a policy: the host that the operation got it from, otherwise the
 * operation.  If somebody put it in, that is its origin, whatever its source says.
 */
static enum kh_err find_origin(struct kh_op *op, const struct kh_block_row *block, const struct kh_giver *giver,
			       struct kh_view *ret_origin)
{
	struct kh_attribution attribution;
	yyjson_val *root = NULL;
	struct kh_url url;

	if (giver->put) {
		*ret_origin = kh_arena_printf(op->arena, KH_POLICY_GIVEN "%.*s", KH_FMT(giver->word));
		return kh_arena_check(op->arena);
	}
	enum kh_err e = kh_json_read(op->arena, block->attribution, &root, op->err);
	if (e == KH_OK)
		e = kh_attribution_read(op->arena, root, &attribution, op->err);
	if (e == KH_OK)
		*ret_origin = kh_url_read(attribution.source, &url, NULL) == KH_OK ? url.host : attribution.operation;
	return e;
}

static enum kh_err add_reference(struct reading *r, yyjson_val *id)
{
	struct kh_view text = kh_json_str(id);
	struct kh_op *op = r->op;
	struct kh_permit_origin *origin = &r->origins[r->count];
	struct kh_block_row block;
	struct kh_giver giver;

	if (r->count == REFERENCES)
		return kh_error_set(op->err, KH_ELIMIT, "too_many", "a call refers to at most %d blocks", REFERENCES);
	enum kh_err e = kh_find_block(op, r->task->context, text, &block);
	if (e != KH_OK)
		return e;
	if (block.kind != KH_BLOCK_SEALED || block.purged_at != 0)
		return kh_error_set(op->err, KH_EREFUSED, "content_not_allowed",
				    "only sealed content that is still there can be referred to");
	e = kh_giver_find(op, &block, &giver);
	if (e != KH_OK)
		return e;
	*origin = (struct kh_permit_origin){.block = text, .chosen = giver.chosen};
	r->blocks[r->count++] = block.id;
	return find_origin(op, &block, &giver, &origin->origin);
}

/* Finds all references in VAL, in their order.  JSON is nested at most 64 deep. */
static enum kh_err find_references(struct reading *r, yyjson_val *val)
{
	size_t i, max;
	yyjson_val *key, *item;
	enum kh_err e = KH_OK;

	if (yyjson_is_obj(val)) {
		yyjson_obj_foreach (val, i, max, key, item) {
			bool reference = kh_view_eq(kh_json_str(key), KH_LIT("$block"));
			if (e == KH_OK)
				e = reference ? add_reference(r, item) : find_references(r, item);
		}
	} else if (yyjson_is_arr(val)) {
		yyjson_arr_foreach (val, i, max, item) {
			if (e == KH_OK)
				e = find_references(r, item);
		}
	}
	return e;
}

static enum kh_err refer(struct reading *r)
{
	struct kh_proposal *p = r->proposal;
	enum kh_err e = find_references(r, p->parameters);

	if (e != KH_OK || r->count == 0)
		return e;
	struct kh_permit_origin *origins = KH_NEW_N(r->op->arena, struct kh_permit_origin, r->count);
	if (origins == NULL)
		return KH_ENOMEM;
	memcpy(origins, r->origins, r->count * sizeof(*origins));
	p->origins = origins;
	p->origin_count = r->count;
	/* A2: the grant's digest covers the content, in the order in which it is referred to. */
	return kh_carried_digest(r->op, r->blocks, r->count, &p->row.content);
}

/* --- the row ------------------------------------------------------------------------------------------------------ */

static enum kh_err read_parameters(struct kh_op *op, struct kh_proposal *p)
{
	enum kh_err e = kh_json_read(op->arena, p->row.parameters, &p->parameters, op->err);

	p->row.arguments = kh_canonical_digest(p->row.parameters);
	return e;
}

/* The canonical text of the parameters that the operation uses, or of those that it does not. */
static enum kh_err write_parameters(struct kh_op *op, const struct kh_declaration *d, bool used,
				    struct kh_view *ret_json)
{
	yyjson_val *object = NULL;
	enum kh_err e = kh_declaration_write(op->arena, d, used, &object, op->err);

	return e == KH_OK ? kh_canonical_json(op->arena, object, ret_json, op->err) : e;
}

/* {"expected_use","missing_knowledge","unused","user_request"} or {"reason","unused"}; often nothing is unused. */
static enum kh_err write_justification(struct kh_op *op, const struct kh_declaration *d, struct kh_view *ret_json)
{
	struct kh_view unused = KH_LIT("{}");
	struct kh_emit emit;
	enum kh_err e = write_parameters(op, d, false, &unused);

	if (e != KH_OK)
		return e;
	kh_emit_begin(&emit, op->arena, JUSTIFIED);
	kh_emit_object(&emit);
	if (d->reason.n > 0) {
		kh_emit_add(&emit, "reason", d->reason);
	} else {
		kh_emit_add(&emit, "expected_use", d->expected_use);
		kh_emit_add(&emit, "missing_knowledge", d->missing_knowledge);
	}
	if (!kh_view_eq(unused, KH_LIT("{}")))
		kh_emit_add_raw(&emit, "unused", unused);
	if (d->reason.n == 0)
		kh_emit_add(&emit, "user_request", d->user_request);
	kh_emit_end(&emit);
	return kh_emit_finish(&emit, ret_json);
}

/* The task's plan; *RET_PLAN is NULL during planning, because there is none yet. */
static enum kh_err read_plan(struct kh_op *op, const struct kh_task_row *task, struct kh_plan **ret_plan)
{
	struct kh_plan *plan = KH_NEW(op->arena, struct kh_plan);
	struct kh_reasons errors;
	yyjson_val *root = NULL;

	*ret_plan = NULL;
	if (task->phase == KH_PHASE_PLANNING)
		return KH_OK;
	kh_reasons_init(&errors, op->arena);
	enum kh_err e = plan != NULL ? kh_json_read(op->arena, task->plan, &root, op->err) : KH_ENOMEM;
	if (e == KH_OK)
		e = kh_plan_read(op->arena, root, false, plan, &errors); /* what is vague is judged by newer rules */
	if (e == KH_OK && errors.n > 0)
		e = kh_error_set(op->err, KH_ESTORE, "store_corrupt", "a plan that was admitted is none");
	if (e == KH_OK)
		*ret_plan = plan;
	return e;
}

/* E1: an operation that the plan does not name needs an approval; if it names none, that is left to the policy. */
static enum kh_err is_planned(struct kh_op *op, const struct kh_plan *plan, const struct kh_proposal *p, bool *ret_yes)
{
	yyjson_val *key, *value;
	size_t i, max, n = yyjson_obj_size(p->parameters);
	struct kh_parameter *parameters = KH_NEW_N(op->arena, struct kh_parameter, n + 1);

	if (parameters == NULL)
		return KH_ENOMEM;
	yyjson_obj_foreach (p->parameters, i, max, key, value)
		parameters[i] = (struct kh_parameter){.name = kh_json_str(key), .value = value};
	*ret_yes = plan == NULL || (plan->item_count == 0 && op->policy->plan != KH_PLAN_NAMED) ||
		   kh_plan_names(plan, p->row.operation, parameters, n);
	return KH_OK;
}

/* Fills in everything that follows from the operation and the parameters. */
static enum kh_err complete(struct kh_op *op, const struct kh_task_row *task, const struct kh_plan *plan,
			    struct kh_proposal *p)
{
	struct reading *r = KH_NEW(op->arena, struct reading);

	if (r == NULL)
		return KH_ENOMEM;
	*r = (struct reading){.op = op, .task = task, .proposal = p};
	enum kh_err e = read_parameters(op, p);
	if (e == KH_OK)
		e = refer(r);
	if (e == KH_OK && kh_pinned_is(p->row.operation) && !task->hosts)
		e = kh_pinned_check(op, p->row.operation, p->parameters, p->origin_count == 0);
	if (e == KH_OK)
		e = is_planned(op, plan, p, &p->planned);
	p->task_id = kh_op_id(op, KH_ID_TASK, task->id);
	return e == KH_OK ? kh_arena_check(op->arena) : e;
}

static enum kh_err propose(struct kh_op *op, const struct kh_task_row *task, const struct kh_plan *plan,
			   const struct kh_declaration *d, struct kh_proposal *p)
{
	p->row.task = task->id;
	p->row.context = task->context;
	p->row.operation = kh_arena_dup(op->arena, d->operation.full);
	p->row.screened = p->review.n > 0;
	p->row.declared_at = op->now;
	enum kh_err e = write_parameters(op, d, true, &p->row.parameters);
	if (e == KH_OK)
		e = write_justification(op, d, &p->row.justification);
	if (e == KH_OK)
		e = complete(op, task, plan, p);
	if (e == KH_OK)
		p->row.host = kh_operation_host(op->arena, d->operation.operation, p->parameters);
	return e == KH_OK ? kh_arena_check(op->arena) : e;
}

/* --- the message, read and screened outside of the transaction (beforehand.h) -------------------------------------- */

struct checking {
	yyjson_val *declaration;
	struct kh_view session;
	/* out */
	struct kh_declarations read;
	struct kh_reasons errors, review;
};

static enum kh_err check(struct kh_prepare *at, void *work)
{
	struct kh_screen *screen = kh_beforehand_screen(at);
	struct checking *c = work;

	if (screen == NULL)
		return KH_ENOMEM;
	kh_reasons_init(&c->errors, at->arena);
	kh_reasons_init(&c->review, at->arena);
	return kh_declaration_check(at->arena, screen, c->declaration, c->session, &c->read, &c->errors, &c->review);
}

static struct checking *new_checking(struct kh_arena *arena, yyjson_val *declaration, struct kh_view session)
{
	struct checking *c = KH_NEW(arena, struct checking);

	if (c != NULL)
		*c = (struct checking){.declaration = declaration, .session = session};
	return c;
}

/* A message of the call's own is known by its address. */
static struct kh_view key_of(struct kh_arena *arena, const yyjson_val *declaration, struct kh_view session)
{
	return kh_arena_printf(arena, "%p %.*s", (const void *)declaration, KH_FMT(session));
}

enum kh_err kh_propose_prepare(struct kh_prepare *at, yyjson_val *declaration, struct kh_view task)
{
	struct checking *c = new_checking(at->arena, declaration, task);
	struct kh_view key = key_of(at->arena, declaration, task);

	if (task.n == 0 || declaration == NULL)
		return KH_OK;
	return c != NULL && key.p != NULL ? kh_beforehand_do(at, check, key, c) : KH_ENOMEM;
}

/* The proposals of the message DECLARATION, which was checked as KEY. */
static enum kh_err read_message(struct kh_op *op, const struct kh_task_row *task, yyjson_val *declaration,
				struct kh_view session, struct kh_view key, struct kh_proposal **ret_proposals,
				size_t *ret_count)
{
	const struct checking *c = key.p != NULL ? kh_beforehand_find(op, check, key) : NULL;
	struct kh_plan *plan = NULL;

	if (c == NULL) {
		struct checking *wanted = new_checking(op->arena, declaration, session);
		return wanted != NULL && key.p != NULL ? kh_beforehand_want(op, check, key, wanted) : KH_ENOMEM;
	}
	if (c->errors.n > 0)
		return kh_error_reason(op->err, KH_EINPUT, &c->errors);
	enum kh_err e = read_plan(op, task, &plan);
	struct kh_proposal *all = e == KH_OK ? KH_NEW_N(op->arena, struct kh_proposal, c->read.n) : NULL;
	if (e == KH_OK && all == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; e == KH_OK && i < c->read.n; i++) {
		all[i].review = c->review; /* of the whole message: each of its declarations is reviewed */
		e = propose(op, task, plan, &c->read.at[i], &all[i]);
	}
	if (e != KH_OK)
		return e;
	*ret_proposals = all;
	*ret_count = c->read.n;
	return KH_OK;
}

enum kh_err kh_propose_read(struct kh_op *op, const struct kh_task_row *task, yyjson_val *declaration,
			    struct kh_proposal **ret_proposals, size_t *ret_count)
{
	struct kh_view session = kh_op_id(op, KH_ID_TASK, task->id);

	return read_message(op, task, declaration, session, key_of(op->arena, declaration, session), ret_proposals,
			    ret_count);
}

enum kh_err kh_propose_refuse(struct kh_op *op, struct kh_task_row *task, enum kh_err why)
{
	struct kh_view what = kh_arena_printf(op->arena,
					      "{\"code\":\"declaration_invalid\",\"decision\":\"deny\",\"gate\":"
					      "\"declaration\",\"reason\":\"%s\"}",
					      op->err->code);

	return kh_op_refuse(op, KH_AUDIT_DECLARATION_DENIED, task, what, why);
}

enum kh_err kh_propose_again(struct kh_op *op, const struct kh_task_row *task, const struct kh_declaration_row *row,
			     struct kh_proposal *ret_proposal)
{
	struct kh_digest arguments = row->arguments, content = row->content;
	struct kh_proposal p = {.row = *row};
	struct kh_plan *plan = NULL;

	kh_reasons_init(&p.review, op->arena);
	p.row.content = (struct kh_digest){0};
	enum kh_err e = read_plan(op, task, &plan);
	if (e == KH_OK)
		e = complete(op, task, plan, &p);
	if (e == KH_OK && (memcmp(&arguments, &p.row.arguments, sizeof(arguments)) != 0 ||
			   memcmp(&content, &p.row.content, sizeof(content)) != 0))
		e = kh_error_set(op->err, KH_ECHANGED, "changed", "what the declaration refers to is not what it was");
	if (e == KH_OK)
		*ret_proposal = p;
	return e;
}

/* Writes the message that declares OPERATION with PARAMETERS, in the full form, with the same reasons. */
static enum kh_err write_message(struct kh_op *op, const struct kh_declaration_row *row, yyjson_val *parameters,
				 yyjson_val **ret_message)
{
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc), *justification;
	yyjson_val *why = NULL;
	enum kh_err e = kh_json_read(op->arena, row->justification, &why, op->err);

	if (e != KH_OK)
		return e;
	kh_json_add(doc, root, "operation", row->operation);
	yyjson_mut_obj_add_val(doc, root, "parameters", yyjson_val_mut_copy(doc, parameters));
	justification = yyjson_val_mut_copy(doc, why);
	yyjson_mut_obj_remove_key(justification, "unused"); /* by the call that was changed */
	yyjson_mut_val *reason = yyjson_mut_obj_get(justification, "reason");
	yyjson_mut_obj_add_val(doc, root, reason != NULL ? "reason" : "justification",
			       reason != NULL ? reason : justification);
	return kh_json_freeze(op->arena, root, ret_message, op->err);
}

enum kh_err kh_propose_changed(struct kh_op *op, const struct kh_task_row *task, const struct kh_declaration_row *row,
			       yyjson_val *parameters, struct kh_proposal *ret_proposal)
{
	struct kh_view session = kh_op_id(op, KH_ID_TASK, task->id);
	struct kh_proposal *all = NULL;
	yyjson_val *message = NULL;
	size_t count = 0;
	enum kh_err e = KH_OK;

	if (!yyjson_is_obj(parameters))
		e = kh_error_set(op->err, KH_EINPUT, "wrong_type",
				 "expected an object with the operation's parameters");
	if (e == KH_OK)
		e = write_message(op, row, parameters, &message);
	/* A call has one edit, of one row: the message is the same in every run. */
	if (e == KH_OK)
		e = read_message(op, task, message, session, kh_op_id(op, KH_ID_DECLARATION, row->id), &all, &count);
	if (e == KH_OK)
		*ret_proposal = all[0];
	return e;
}

/* --- content in place of references ------------------------------------------------------------------------------- */

/* A block whose content is proved, outside of the transaction. */
struct proving {
	struct kh_view attribution, content;
};

static enum kh_err prove(struct kh_prepare *at, void *work)
{
	const struct proving *p = work;
	struct kh_attribution attribution;
	yyjson_val *metadata = NULL;
	enum kh_err e = kh_json_read(at->arena, p->attribution, &metadata, at->err);

	return e == KH_OK ? kh_attribution_prove(at->arena, metadata, p->content, &attribution, at->err) : e;
}

/* The content of a block of this context, verified to be what was sealed (E10).  What was proved is what is used. */
static enum kh_err read_content(struct kh_op *op, const struct kh_proposal *p, struct kh_view id,
				struct kh_view *ret_content)
{
	struct kh_block_row seen, *block;
	const struct proving *proved = kh_beforehand_find(op, prove, id);
	struct proving *wanted;
	enum kh_err e = kh_find_block(op, p->row.context, id, &seen);

	if (e == KH_OK && proved != NULL && kh_view_eq(seen.attribution, proved->attribution)) {
		*ret_content = proved->content;
		return KH_OK;
	}
	wanted = KH_NEW(op->arena, struct proving);
	if (e == KH_OK)
		e = wanted != NULL ? kh_txn_load(op->txn, KH_TABLE_BLOCKS, seen.id, &block) : KH_ENOMEM;
	if (e != KH_OK)
		return e;
	*wanted = (struct proving){block->attribution, block->content};
	return kh_beforehand_want(op, prove, id, wanted);
}

static enum kh_err fill(struct kh_op *op, const struct kh_proposal *p, yyjson_mut_doc *doc, yyjson_val *val,
			yyjson_mut_val **ret_val)
{
	yyjson_val *key, *item, *reference = kh_json_get(val, "$block");
	yyjson_mut_val *made = NULL, *inner;
	struct kh_view content;
	size_t i, max;
	enum kh_err e = KH_OK;

	if (reference != NULL) {
		e = read_content(op, p, kh_json_str(reference), &content);
		if (e == KH_OK)
			*ret_val = yyjson_mut_strn(doc, content.p, content.n);
		return e;
	}
	if (yyjson_is_obj(val)) {
		made = yyjson_mut_obj(doc);
		yyjson_obj_foreach (val, i, max, key, item) {
			if (e == KH_OK)
				e = fill(op, p, doc, item, &inner);
			if (e == KH_OK)
				yyjson_mut_obj_add(made, yyjson_val_mut_copy(doc, key), inner);
		}
	} else if (yyjson_is_arr(val)) {
		made = yyjson_mut_arr(doc);
		yyjson_arr_foreach (val, i, max, item) {
			if (e == KH_OK)
				e = fill(op, p, doc, item, &inner);
			if (e == KH_OK)
				yyjson_mut_arr_append(made, inner);
		}
	} else {
		made = yyjson_val_mut_copy(doc, val);
	}
	if (e == KH_OK)
		*ret_val = made;
	return e;
}

enum kh_err kh_propose_fill(struct kh_op *op, const struct kh_proposal *proposal, yyjson_val **ret_parameters)
{
	yyjson_mut_doc *doc = kh_json_new(op->arena);
	yyjson_mut_val *filled = NULL;

	if (proposal->origin_count == 0) {
		*ret_parameters = proposal->parameters;
		return KH_OK;
	}
	enum kh_err e = fill(op, proposal, doc, proposal->parameters, &filled);
	return e == KH_OK ? kh_json_freeze(op->arena, filled, ret_parameters, op->err) : e;
}
