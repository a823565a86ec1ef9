/*
 * Finds the content from outside that an output may repeat: the sealed blocks of the context's closure (influence.h),
 * and those that the caller names.  The closure has the blocks that deliveries came from, that were given to the
 * context in a fence, or that an output names.  Their content is untrusted, and the output may be.
 */
#include "engine/context/guarding.h"

#include "engine/context/influence.h"
#include "engine/state/find.h"

/* Finds the blocks that the caller names. */
static enum kh_err find_more(struct kh_op *op, const struct kh_guarding *guarding, const struct kh_context_row *context,
			     int64_t **ret_ids)
{
	int64_t *ids = KH_NEW_N(op->arena, int64_t, guarding->more_count);
	struct kh_block_row row;
	enum kh_err e = ids != NULL ? KH_OK : KH_ENOMEM;

	for (size_t i = 0; i < guarding->more_count && e == KH_OK; i++) {
		e = kh_find_block(op, context->id, guarding->more[i], &row);
		if (e == KH_OK)
			ids[i] = row.id;
	}
	*ret_ids = ids;
	return e;
}

/* A sealed block is a source, unless its content was purged and so cannot be compared. */
static void add_source(struct kh_op *op, struct kh_guarding *guarding, const struct kh_block_row *row)
{
	if (row->purged_at == 0 && row->attribution.n > 0)
		guarding->sources[guarding->count++] = (struct kh_guarding_source){kh_op_id(op, KH_ID_BLOCK, row->id),
										   row->attribution, row->content};
}

static void add_block(struct kh_op *op, struct kh_guarding *guarding, const struct kh_block_row *row)
{
	if (row->kind == KH_BLOCK_SEALED)
		add_source(op, guarding, row);
	else if (row->trust == KH_UNTRUSTED)
		guarding->others[guarding->other_count++] = row->content;
	else
		guarding->own[guarding->own_count++] = row->content;
}

static enum kh_err load(struct kh_op *op, const struct kh_closure *closure, struct kh_guarding *guarding)
{
	struct kh_block_row *row;
	enum kh_err e = KH_OK;

	guarding->count = guarding->other_count = guarding->own_count = 0;
	guarding->sources = KH_NEW_N(op->arena, struct kh_guarding_source, closure->n + 1);
	guarding->others = KH_NEW_N(op->arena, struct kh_view, closure->n + 1);
	guarding->own = KH_NEW_N(op->arena, struct kh_view, closure->n + 1);
	if (guarding->sources == NULL || guarding->others == NULL || guarding->own == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < closure->n && e == KH_OK; i++) {
		if (closure->at[i].kind == KH_BLOCK_OUTPUT)
			continue; /* the agent's own words */
		e = kh_txn_load(op->txn, KH_TABLE_BLOCKS, closure->at[i].id, &row);
		if (e == KH_OK)
			add_block(op, guarding, row);
	}
	return e;
}

enum kh_err kh_guarding_run(struct kh_op *op, void *call)
{
	struct kh_guarding *guarding = call;
	struct kh_context_row *context = NULL;
	struct kh_closure closure;
	int64_t *more = NULL;
	enum kh_err e = kh_find_context(op, guarding->context, &context);

	if (e == KH_OK)
		e = find_more(op, guarding, context, &more);
	if (e == KH_OK)
		e = kh_influence_find(op, context, more, guarding->more_count, &closure);
	if (e == KH_OK)
		e = load(op, &closure, guarding);
	if (e != KH_OK)
		return e;
	guarding->last_block = context->last_block;
	return kh_arena_check(op->arena);
}

static enum kh_err prove(struct kh_arena *arena, const struct kh_guarding_source *source,
			 struct kh_attribution *ret_attribution, struct kh_error *err)
{
	yyjson_val *metadata = NULL;
	enum kh_err e = kh_json_read(arena, source->attribution, &metadata, err);

	return e == KH_OK ? kh_attribution_prove(arena, metadata, source->content, ret_attribution, err) : e;
}

/* The flags as JSON.  A flag's member is "sources[i]". */
static enum kh_err write_flags(struct kh_arena *arena, const struct kh_guarding *guarding,
			       const struct kh_attribution *attributions, const struct kh_reasons *flags,
			       const size_t *places, struct kh_view *ret_json)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *list = yyjson_mut_arr(doc);

	for (size_t i = 0; i < flags->n; i++) {
		size_t at = places[i];
		yyjson_mut_val *item = yyjson_mut_arr_add_obj(doc, list);
		kh_json_add(doc, item, "block", guarding->sources[at].id);
		kh_json_add(doc, item, "source", attributions[at].source);
		kh_json_add(doc, item, "detail", flags->at[i].detail);
	}
	return kh_json_write(arena, list, ret_json);
}

enum kh_err kh_guarding_compare(struct kh_arena *arena, const struct kh_guarding *guarding, struct kh_view output,
				struct kh_view *ret_json, bool *ret_copies, struct kh_error *err)
{
	struct kh_guard_given given = {.count = guarding->count,
				       .others = guarding->others,
				       .other_count = guarding->other_count,
				       .own = guarding->own,
				       .own_count = guarding->own_count};
	struct kh_guard_source *sources = KH_NEW_N(arena, struct kh_guard_source, guarding->count);
	struct kh_attribution *attributions = KH_NEW_N(arena, struct kh_attribution, guarding->count);
	size_t *places = KH_NEW_N(arena, size_t, guarding->count);
	struct kh_reasons flags;
	enum kh_err e = sources != NULL && attributions != NULL && places != NULL ? KH_OK : KH_ENOMEM;

	kh_reasons_init(&flags, arena);
	for (size_t i = 0; i < guarding->count && e == KH_OK; i++) {
		e = prove(arena, &guarding->sources[i], &attributions[i], err);
		sources[i] = (struct kh_guard_source){&attributions[i], guarding->sources[i].content};
	}
	given.sources = sources;
	if (e == KH_OK)
		e = kh_guard_output(arena, output, &given, &flags, places, ret_copies);
	return e == KH_OK ? write_flags(arena, guarding, attributions, &flags, places, ret_json) : e;
}
