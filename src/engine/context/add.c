/*
 * Blocks that a host or a hook adds (K11).  A host is trusted to say what kind of event it was.  A hook's token lies where
 * the agent can read it, so a hook adds only what is untrusted, and what it calls a message of the user is claimed.  The
 * content has no influence on the labels (K3).
 */
#include "engine/context/add.h"

#include "base/utf8.h"
#include "core/policy/hosttool.h"
#include "engine/context/context.h"
#include "engine/context/seal.h"
#include "engine/state/allowance.h"
#include "engine/state/find.h"

bool kh_context_add_is_worlds(enum kh_event_kind event)
{
	switch (event) {
	case KH_EVENT_TOOL_RESULT:
	case KH_EVENT_FILE_READ:
	case KH_EVENT_WEB_FETCH:
	case KH_EVENT_MCP_RESPONSE:
		return true;
	case KH_EVENT_SYSTEM_PROMPT:
	case KH_EVENT_USER_MESSAGE:
	case KH_EVENT_GOAL:
	case KH_EVENT_COMMITMENT:
	case KH_EVENT_SUPERVISOR_MESSAGE:
	case KH_EVENT_COUNT:
		break;
	}
	return false;
}

static bool is_hook(const struct kh_op *op)
{
	return op->caller != NULL && op->caller->role == KH_ROLE_HOOK;
}

static enum kh_err check(struct kh_op *op, const struct kh_context_add *add, const struct kh_context_row *context)
{
	bool is_worlds = kh_context_add_is_worlds(add->event);

	if (is_hook(op) && !is_worlds && add->event != KH_EVENT_USER_MESSAGE)
		return kh_error_set(op->err, KH_EREFUSED, "not_hooks", "a hook adds only what is untrusted");
	if ((add->tool.n > 0 || add->arguments != NULL) && !is_worlds)
		return kh_error_set(op->err, KH_EINPUT, "bad_value", "only what a tool gave has a tool");
	if (add->arguments != NULL && add->tool.n == 0)
		return kh_error_set(op->err, KH_EINPUT, "missing", "the tool that has these arguments is not named");
	if (!kh_utf8_is_visible(add->source))
		return kh_error_set(op->err, KH_EREFUSED, "bad_source",
				    "the source has control, invisible or broken characters");
	return is_hook(op) ? kh_context_check_room(op, context) : kh_context_check_host(op, context);
}

/* Whether a rule calls it the user's own, or a hook claims that the user said it. */
static enum kh_err is_own(struct kh_op *op, const struct kh_context_add *add, const struct kh_context_row *context,
			  bool *ret_yes)
{
	struct kh_view operation, agent;

	*ret_yes = is_hook(op) && add->event == KH_EVENT_USER_MESSAGE;
	if (add->tool.n == 0)
		return KH_OK;
	enum kh_err e = kh_hosttool_operation(op->arena, add->tool, &operation, op->err);
	if (e == KH_OK)
		e = kh_find_agent(op, context->id, &agent);
	if (e == KH_OK)
		*ret_yes = kh_hosttool_is_own(op->policy, op->arena, operation, agent, add->arguments);
	return e == KH_OK ? kh_arena_check(op->arena) : e;
}

/* G4: what a hook adds counts as content that is put in. */
static enum kh_err take_room(struct kh_op *op, struct kh_context_row *context, size_t size)
{
	struct kh_allowance allowance;
	enum kh_err e = is_hook(op) ? kh_allowance_load(op, NULL, context, &allowance) : KH_OK;

	if (e == KH_OK && is_hook(op))
		e = kh_allowance_take(&allowance, (struct kh_window_sums){.put = size});
	return e;
}

static enum kh_err fill(struct kh_op *op, const struct kh_context_add *add, const struct kh_context_row *context,
			bool own, const struct kh_seal_read *read, struct kh_block_row *row)
{
	struct kh_event_label label = kh_event_labels(add->event, op->policy->user_messages);
	struct kh_block_spec spec = {
		.source = add->source,
		.content = add->content,
		.trust = own ? KH_UNTRUSTED : label.trust,
		.type = own ? KH_DATA : label.type,
		.hash = &read->digests.hash,
	};
	enum kh_err e = own ? kh_op_make_own(op, &spec, context->taint, row) : kh_op_make_block(op, &spec, NULL, row);

	if (e != KH_OK)
		return e;
	row->kind = KH_BLOCK_HOST;
	row->tainted_by = KH_LIT("[]");
	row->put = is_hook(op) ? (int64_t)add->content.n : 0;
	row->expires_at = row->trust == KH_UNTRUSTED ? kh_engine_keep_until(op->engine, op->now) : 0;
	return KH_OK;
}

static enum kh_err record(struct kh_op *op, const struct kh_context_add *add, bool own)
{
	struct kh_emit what;

	kh_op_describe(op, &what);
	if (is_hook(op))
		kh_emit_add_bool(&what, "claimed", true);
	kh_emit_add_word(&what, "event", kh_words_name(&kh_event_words, add->event));
	if (add->tool.n > 0)
		kh_emit_add_bool(&what, "own", own);
	kh_emit_add_int(&what, "size", (int64_t)add->content.n);
	if (add->tool.n > 0)
		kh_emit_add(&what, "tool", add->tool);
	return kh_op_event(op, KH_AUDIT_CONTEXT_BLOCK, NULL, kh_op_described(op, &what));
}

/* What the user wants, as an approval shows it; a hook's word for it does not count. */
static void note_purpose(const struct kh_op *op, const struct kh_context_add *add, struct kh_context_row *context,
			 int64_t block)
{
	if (is_hook(op))
		return;
	if (add->event == KH_EVENT_GOAL)
		context->goal = block;
	if (add->event == KH_EVENT_USER_MESSAGE)
		context->asked = block;
}

enum kh_err kh_context_add_prepare(struct kh_prepare *at, void *call)
{
	const struct kh_context_add *add = call;

	return kh_seal_prepare(at, kh_tainted_wrap(add->content), false);
}

enum kh_err kh_context_add_run(struct kh_op *op, void *call)
{
	struct kh_context_add *add = call;
	struct kh_context_row *context = NULL;
	const struct kh_seal_read *read = NULL;
	struct kh_block_row *row = NULL;
	bool own = false;
	enum kh_err e = kh_find_context(op, add->context, &context);

	if (e == KH_OK)
		e = check(op, add, context);
	if (e == KH_OK)
		e = is_own(op, add, context, &own);
	if (e == KH_OK)
		e = kh_seal_find(op, kh_tainted_wrap(add->content), false, &read);
	if (e == KH_OK)
		e = take_room(op, context, add->content.n);
	if (e == KH_OK)
		e = kh_txn_new(op->txn, KH_TABLE_BLOCKS, &row);
	if (e == KH_OK)
		e = fill(op, add, context, own, read, row);
	if (e != KH_OK)
		return e;
	kh_context_give(context, row);
	note_purpose(op, add, context, row->id);
	e = record(op, add, own);
	if (e != KH_OK)
		return e;
	add->id = kh_op_id(op, KH_ID_BLOCK, row->id);
	return kh_arena_check(op->arena);
}
