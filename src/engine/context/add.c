/*
 * A host's own blocks (K11).  The host is trusted to say what kind of event it was.  The content has no influence on
 * the labels (K3).
 */
#include "engine/context/add.h"

#include "base/utf8.h"
#include "core/block/block.h"
#include "engine/context/context.h"
#include "engine/context/seal.h"
#include "engine/state/find.h"

/* Whether a host may add such an event itself; content from outside must come in sealed. */
static bool is_hosts_own(enum kh_event_kind event)
{
	switch (event) {
	case KH_EVENT_SYSTEM_PROMPT:
	case KH_EVENT_USER_MESSAGE:
	case KH_EVENT_GOAL:
	case KH_EVENT_COMMITMENT:
	case KH_EVENT_SUPERVISOR_MESSAGE:
		return true;
	case KH_EVENT_TOOL_RESULT:
	case KH_EVENT_FILE_READ:
	case KH_EVENT_WEB_FETCH:
	case KH_EVENT_MCP_RESPONSE:
	case KH_EVENT_COUNT:
		break;
	}
	return false;
}

static enum kh_err check(struct kh_op *op, const struct kh_context_add *add, const struct kh_context_row *context)
{
	if (!is_hosts_own(add->event))
		return kh_error_set(op->err, KH_EREFUSED, "not_hosts_own",
				    "what the world sent is put in as sealed content");
	if (!kh_utf8_is_visible(add->source))
		return kh_error_set(op->err, KH_EREFUSED, "bad_source",
				    "the source has control, invisible or broken characters");
	return kh_context_check_host(op, context);
}

static enum kh_err fill(struct kh_op *op, const struct kh_context_add *add, const struct kh_seal_read *read,
			struct kh_block_row *row)
{
	struct kh_event_label label = kh_event_labels(add->event, op->policy->user_messages);
	struct kh_block_spec spec = {
		.source = add->source,
		.content = add->content,
		.trust = label.trust,
		.type = label.type,
		.hash = &read->digests.hash,
	};
	enum kh_err e = kh_op_make_block(op, &spec, NULL, row);

	if (e != KH_OK)
		return e;
	row->kind = KH_BLOCK_HOST;
	row->tainted_by = KH_LIT("[]");
	row->expires_at = row->trust == KH_UNTRUSTED ? kh_engine_keep_until(op->engine, op->now) : 0;
	return KH_OK;
}

enum kh_err kh_context_add_prepare(struct kh_prepare *at, void *call)
{
	const struct kh_context_add *add = call;

	return kh_seal_prepare(at, kh_tainted_wrap(add->content));
}

enum kh_err kh_context_add_run(struct kh_op *op, void *call)
{
	struct kh_context_add *add = call;
	struct kh_context_row *context = NULL;
	const struct kh_seal_read *read = NULL;
	struct kh_block_row *row = NULL;
	enum kh_err e = kh_find_context(op, add->context, &context);

	if (e == KH_OK)
		e = check(op, add, context);
	if (e == KH_OK)
		e = kh_seal_find(op, kh_tainted_wrap(add->content), &read);
	if (e == KH_OK)
		e = kh_txn_new(op->txn, KH_TABLE_BLOCKS, &row);
	if (e == KH_OK)
		e = fill(op, add, read, row);
	if (e != KH_OK)
		return e;
	kh_context_give(context, row);
	if (add->event == KH_EVENT_GOAL)
		context->goal = row->id;
	if (add->event == KH_EVENT_USER_MESSAGE)
		context->asked = row->id;
	e = kh_op_event(op, KH_AUDIT_CONTEXT_BLOCK, NULL,
			kh_arena_printf(op->arena, "{\"event\":\"%s\",\"size\":%zu}",
					kh_words_name(&kh_event_words, add->event), add->content.n));
	if (e != KH_OK)
		return e;
	add->id = kh_op_id(op, KH_ID_BLOCK, row->id);
	return kh_arena_check(op->arena);
}
