/*
 * Finds the content from outside that an output may repeat: the sealed blocks of the context's closure (influence.h),
 * and those that the caller names.  The closure has the blocks that deliveries came from, that were given to the
 * context in a fence, or that an output names.  Their content is untrusted, and the output may be.
 */
#include "engine/context/guarding.h"

#include "core/comm/results.h"
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

/* Every source, or the results of one that is a search; OF: which block each belongs to. */
struct sources {
	struct kh_guard_source *at;
	size_t *of;
	size_t n, cap, of_cap;
};

static enum kh_err add_part(struct kh_arena *arena, struct sources *sources, const struct kh_guard_source *part,
			    size_t of)
{
	sources->at = kh_arena_more(arena, sources->at, sources->n, &sources->cap, sizeof(*sources->at));
	sources->of = kh_arena_more(arena, sources->of, sources->n, &sources->of_cap, sizeof(*sources->of));
	if (sources->at == NULL || sources->of == NULL)
		return KH_ENOMEM;
	sources->at[sources->n] = *part;
	sources->of[sources->n++] = of;
	return KH_OK;
}

/* Adds block I, which is proved first (E10). */
static enum kh_err add_parts(struct kh_arena *arena, const struct kh_guarding *guarding, size_t i,
			     struct sources *sources, struct kh_error *err)
{
	struct kh_attribution *whole = KH_NEW(arena, struct kh_attribution);
	struct kh_view content = guarding->sources[i].content;
	struct kh_results results = {.at = NULL};
	enum kh_err e = whole != NULL ? prove(arena, &guarding->sources[i], whole, err) : KH_ENOMEM;

	if (e == KH_OK)
		e = kh_results_split(arena, whole, content, &results);
	if (e == KH_OK && results.n == 0)
		e = add_part(arena, sources, &(struct kh_guard_source){.attribution = whole, .content = content}, i);
	for (size_t k = 0; e == KH_OK && k < results.n; k++) {
		struct kh_guard_source part = {&results.at[k].attribution, results.at[k].content, whole};
		e = add_part(arena, sources, &part, i);
	}
	return e;
}

/* The flags as JSON.  A flag's member is "sources[i]". */
static enum kh_err write_flags(struct kh_arena *arena, const struct kh_guarding *guarding,
			       const struct sources *sources, const struct kh_reasons *flags, const size_t *places,
			       struct kh_view *ret_json)
{
	yyjson_mut_doc *doc = kh_json_new(arena);
	yyjson_mut_val *list = yyjson_mut_arr(doc);

	for (size_t i = 0; i < flags->n; i++) {
		size_t at = places[i];
		yyjson_mut_val *item = yyjson_mut_arr_add_obj(doc, list);
		kh_json_add(doc, item, "block", guarding->sources[sources->of[at]].id);
		kh_json_add(doc, item, "source", sources->at[at].attribution->source);
		kh_json_add(doc, item, "detail", flags->at[i].detail);
	}
	return kh_json_write(arena, list, ret_json);
}

enum kh_err kh_guarding_compare(struct kh_arena *arena, const struct kh_guarding *guarding, struct kh_view output,
				struct kh_view *ret_json, bool *ret_copies, struct kh_error *err)
{
	struct kh_guard_given given = {.others = guarding->others,
				       .other_count = guarding->other_count,
				       .own = guarding->own,
				       .own_count = guarding->own_count};
	struct sources sources = {.at = NULL};
	struct kh_reasons flags;
	enum kh_err e = KH_OK;

	kh_reasons_init(&flags, arena);
	for (size_t i = 0; i < guarding->count && e == KH_OK; i++)
		e = add_parts(arena, guarding, i, &sources, err);
	size_t *places = e == KH_OK ? KH_NEW_N(arena, size_t, sources.n + 1) : NULL;
	if (e == KH_OK && places == NULL)
		return KH_ENOMEM;
	given.sources = sources.at;
	given.count = sources.n;
	if (e == KH_OK)
		e = kh_guard_output(arena, output, &given, &flags, places, ret_copies);
	return e == KH_OK ? write_flags(arena, guarding, &sources, &flags, places, ret_json) : e;
}
