/*
 * Loads the closure of a call.  Keyhole's own records say what a context was given (K5): its blocks since the last
 * reset, and everything that these are tainted by (influence.h).  A sealed block that no query was about and no output
 * names has influenced nothing.
 */
#include "engine/comm/weigh.h"

#include "core/comm/declaration.h"
#include "engine/comm/look.h"
#include "engine/comm/sending.h"
#include "engine/context/influence.h"
#include "engine/state/find.h"

#define CONTENT (32U << 20) /* bytes of content loaded for one call: all callers share the store's thread */

/* --- the closure -------------------------------------------------------------------------------------------------- */

/* Who wrote a block, if it counts.  Text counts as the user's or the operator's only if nothing has influenced it. */
static bool counts(const struct kh_block_row *row, enum kh_verify_from *ret_from)
{
	bool own = row->trust != KH_UNTRUSTED && row->kind == KH_BLOCK_HOST &&
		   (row->tainted_by.n == 0 || kh_view_eq(row->tainted_by, KH_LIT("[]")));

	*ret_from = own ? KH_VERIFY_OWN : row->kind == KH_BLOCK_DELIVERY ? KH_VERIFY_DELIVERY : KH_VERIFY_WORLD;
	return own || row->trust == KH_UNTRUSTED;
}

static enum kh_err load_sources(struct kh_op *op, const struct kh_closure *closure, struct kh_weigh *weigh)
{
	struct kh_block_row *row;
	size_t bytes = 0;
	enum kh_err e = KH_OK;

	weigh->sources = KH_NEW_N(op->arena, struct kh_verify_source, closure->n + 1);
	weigh->count = 0;
	weigh->taint = closure->taint;
	if (weigh->sources == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; e == KH_OK && i < closure->n; i++) {
		struct kh_verify_source *source = &weigh->sources[weigh->count];
		if (closure->at[i].trust != KH_UNTRUSTED && closure->at[i].kind != KH_BLOCK_HOST)
			continue; /* an output: its content is not needed */
		e = kh_txn_load(op->txn, KH_TABLE_BLOCKS, closure->at[i].id, &row);
		if (e != KH_OK || !counts(row, &source->from))
			continue;
		bytes += row->content.n + row->prints.n;
		if (bytes > CONTENT) {
			weigh->too_much = true;
			break;
		}
		source->id = kh_op_id(op, KH_ID_BLOCK, row->id);
		source->source = row->source;
		source->content = row->content;
		source->prints = row->prints;
		weigh->count++;
	}
	return e;
}

/* --- a declaration that is not in a table yet ---------------------------------------------------------------------- */

/* The session_id that a declaration gives: comm.call checks it.  If it gives none, any word will do. */
static struct kh_view session_of(yyjson_val *declare)
{
	yyjson_val *list = kh_json_get(kh_json_get(declare, "external_info"), "declarations");
	struct kh_view given = kh_json_str(
		kh_json_get(list != NULL ? yyjson_arr_get_first(list) : declare, "session_id"));

	return given.n > 0 ? given : KH_LIT("any");
}

enum kh_err kh_weigh_read(struct kh_arena *arena, yyjson_val *declare, struct kh_weigh *weigh, struct kh_error *err)
{
	struct kh_declarations read = {0};
	struct kh_reasons errors, review;

	kh_reasons_init(&errors, arena);
	kh_reasons_init(&review, arena);
	enum kh_err e = kh_declaration_check(arena, NULL, declare, session_of(declare), &read, &errors, &review);
	if (e == KH_OK && errors.n == 0 && read.n == 1) {
		weigh->operation = read.at[0].operation.full;
		return kh_declaration_write(arena, &read.at[0], true, &weigh->parameters, err);
	}
	weigh->operation = kh_json_str(kh_json_get(declare, "operation"));
	weigh->parameters = declare;
	return e;
}

/* --- comm.weigh --------------------------------------------------------------------------------------------------- */

static enum kh_err take_declaration(struct kh_op *op, struct kh_weigh *weigh)
{
	struct kh_declaration_row *row;
	enum kh_err e = kh_comm_look_find(op, weigh->declaration, &row);

	if (e != KH_OK)
		return e;
	weigh->operation = row->operation;
	return kh_json_read(op->arena, row->parameters, &weigh->parameters, op->err);
}

enum kh_err kh_weigh_run(struct kh_op *op, void *call)
{
	struct kh_weigh *weigh = call;
	struct kh_context_row *context = NULL;
	struct kh_closure closure;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, op->caller->context, &context);

	if (e == KH_OK && weigh->declaration.n > 0)
		e = take_declaration(op, weigh);
	if (e == KH_OK)
		e = kh_influence_find(op, context, NULL, 0, &closure);
	if (e == KH_OK)
		e = load_sources(op, &closure, weigh);
	if (e == KH_OK)
		e = kh_sending_load(op, context->token, weigh->operation, weigh->parameters, &weigh->sent,
				    &weigh->sent_count, &weigh->calls);
	if (e != KH_OK)
		return e;
	kh_engine_prints_key(op->engine, weigh->key);
	weigh->last_block = context->last_block;
	return kh_arena_check(op->arena);
}

enum kh_err kh_weigh_call(struct kh_screen *screen, struct kh_arena *arena, const struct kh_weigh *weigh,
			  struct kh_weighed *ret_weighed)
{
	const struct kh_verify_request call = {
		.tool = weigh->operation,
		.arguments = weigh->parameters,
		.sent = weigh->sent,
		.sent_count = weigh->sent_count,
		.sources = weigh->sources,
		.source_count = weigh->count,
		.key = weigh->key,
		.taint = weigh->taint,
	};
	struct kh_verification found;
	enum kh_err e = kh_verify_call(screen, arena, &call, &found);

	/* What was not compared might have matched, so it is a finding. */
	if (e == KH_OK && weigh->too_much)
		kh_reasons_add(&found.reasons, "not_compared", KH_LIT(""),
			       "the agent has seen answers about more than %u MiB, which are too many to compare with",
			       CONTENT >> 20);
	if (e == KH_OK)
		e = kh_arena_check(arena);
	if (e == KH_OK)
		*ret_weighed = (struct kh_weighed){
			.last_block = weigh->last_block,
			.calls = weigh->calls,
			.suspicious = found.suspicious || weigh->too_much,
			.flagged = found.flagged || weigh->too_much,
			.reasons = found.reasons,
		};
	return e;
}
