/*
 * Loads the closure of a call.  Keyhole's own records say what a context was given (K5): its blocks since the last
 * reset, and everything that these are tainted by (influence.h).  A sealed block that no query was about and no output
 * names has influenced nothing.
 */
#include "engine/comm/weigh.h"

#include "base/buf.h"
#include "engine/comm/look.h"
#include "engine/context/influence.h"
#include "engine/state/find.h"

#define EARLIER       32          /* earlier calls that are compared */
#define EARLIER_BYTES (16U << 10) /* bytes of their strings */
#define CONTENT       (32U << 20) /* bytes of content loaded for one call: all callers share the store's thread */

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
		bytes += row->content.n;
		if (bytes > CONTENT) {
			weigh->too_much = true;
			break;
		}
		source->id = kh_op_id(op, KH_ID_BLOCK, row->id);
		source->source = row->source;
		source->content = row->content;
		weigh->count++;
	}
	return e;
}

/* --- earlier calls ------------------------------------------------------------------------------------------------ */

static void add_strings(struct kh_buf *buf, yyjson_val *val)
{
	size_t i, max;
	yyjson_val *key, *item;

	if (yyjson_is_str(val) && buf->n + kh_json_str(val).n < EARLIER_BYTES) {
		kh_buf_add(buf, kh_json_str(val));
		kh_buf_byte(buf, '\n');
	} else if (yyjson_is_obj(val)) {
		yyjson_obj_foreach (val, i, max, key, item)
			add_strings(buf, item);
	} else if (yyjson_is_arr(val)) {
		yyjson_arr_foreach (val, i, max, item)
			add_strings(buf, item);
	}
}

/* The context's latest calls since its reset, except SKIP, newest first. */
static enum kh_err find_earlier(struct kh_op *op, const struct kh_context_row *context, int64_t skip,
				struct kh_view *ret_parameters, size_t *ret_count)
{
	struct kh_declaration_row row;
	enum kh_err e = KH_OK;

	*ret_count = 0;
	for (int64_t id = context->last_declaration; e == KH_OK && id != 0 && *ret_count < EARLIER; id = row.prev) {
		e = kh_txn_peek(op->txn, KH_TABLE_DECLARATIONS, id, &row);
		if (e == KH_OK && (row.context != context->id || row.prev >= id))
			return kh_error_set(op->err, KH_ESTORE, "store_corrupt",
					    "a context's chain of declarations is broken");
		if (e == KH_OK && row.declared_at <= context->reset_at && context->resets > 0)
			break;
		if (e == KH_OK && id != skip)
			ret_parameters[(*ret_count)++] = row.parameters;
	}
	return e;
}

static enum kh_err load_earlier(struct kh_op *op, const struct kh_context_row *context, int64_t skip,
				struct kh_view *ret_text)
{
	struct kh_view parameters[EARLIER];
	struct kh_buf buf;
	size_t count = 0;
	enum kh_err e = find_earlier(op, context, skip, parameters, &count);

	kh_buf_init(&buf, op->arena, 2 * EARLIER_BYTES);
	for (size_t i = count; e == KH_OK && i > 0; i--) {
		yyjson_val *root = NULL;
		e = kh_json_read(op->arena, parameters[i - 1], &root, op->err);
		if (e == KH_OK)
			add_strings(&buf, root);
	}
	return e == KH_OK ? kh_buf_end(&buf, ret_text) : e;
}

/* --- comm.weigh --------------------------------------------------------------------------------------------------- */

static enum kh_err take_declaration(struct kh_op *op, struct kh_weigh *weigh, int64_t *ret_id)
{
	struct kh_declaration_row *row;
	enum kh_err e = kh_comm_look_find(op, weigh->declaration, &row);

	if (e != KH_OK)
		return e;
	*ret_id = row->id;
	weigh->operation = row->operation;
	return kh_json_read(op->arena, row->parameters, &weigh->parameters, op->err);
}

enum kh_err kh_weigh_run(struct kh_op *op, void *call)
{
	struct kh_weigh *weigh = call;
	struct kh_context_row *context = NULL;
	struct kh_closure closure;
	int64_t declaration = 0;
	enum kh_err e = kh_txn_load(op->txn, KH_TABLE_CONTEXTS, op->caller->context, &context);

	if (e == KH_OK && weigh->declaration.n > 0)
		e = take_declaration(op, weigh, &declaration);
	if (e == KH_OK)
		e = kh_influence_find(op, context, NULL, 0, &closure);
	if (e == KH_OK)
		e = load_sources(op, &closure, weigh);
	if (e == KH_OK)
		e = load_earlier(op, context, declaration, &weigh->earlier);
	if (e != KH_OK)
		return e;
	weigh->last_block = context->last_block;
	weigh->last_declaration = context->last_declaration;
	return kh_arena_check(op->arena);
}

enum kh_err kh_weigh_call(struct kh_screen *screen, struct kh_arena *arena, const struct kh_weigh *weigh,
			  struct kh_weighed *ret_weighed)
{
	struct kh_verification found;
	enum kh_err e = kh_verify_call(screen, arena, weigh->operation, weigh->parameters, weigh->earlier,
				       weigh->sources, weigh->count, weigh->taint, &found);

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
			.last_declaration = weigh->last_declaration,
			.suspicious = found.suspicious || weigh->too_much,
			.flagged = found.flagged || weigh->too_much,
			.reasons = found.reasons,
		};
	return e;
}
