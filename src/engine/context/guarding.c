/*
 * What of outside an output may repeat: the sealed blocks that the context's deliveries came from, those that were
 * given to it in a fence, and those that the caller names.  Their content and the output are both the world's, or may
 * be.
 */
#include "engine/context/guarding.h"

#include "engine/context/given.h"
#include "engine/state/find.h"

struct loading {
	struct kh_op *op;
	struct kh_guarding *guarding;
	int64_t *ids; /* of the sources, each once */
	size_t n, cap;
};

static enum kh_err add_id(struct loading *l, int64_t id)
{
	for (size_t i = l->n; i > 0; i--) { /* the same ones come again soon, if at all */
		if (l->ids[i - 1] == id)
			return KH_OK;
	}
	if (l->n == l->cap) {
		size_t cap = l->cap > 0 ? 2 * l->cap : 16;
		int64_t *ids = kh_arena_grow(l->op->arena, l->ids, l->n * sizeof(*ids), cap * sizeof(*ids));
		if (ids == NULL)
			return KH_ENOMEM;
		l->ids = ids;
		l->cap = cap;
	}
	l->ids[l->n++] = id;
	return KH_OK;
}

static enum kh_err add_own(struct loading *l, int64_t id)
{
	struct kh_guarding *guarding = l->guarding;
	struct kh_block_row *row;
	enum kh_err e = kh_txn_load(l->op->txn, KH_TABLE_BLOCKS, id, &row);

	if (e == KH_OK)
		guarding->own[guarding->own_count++] = row->content;
	return e;
}

/* What block ID of the context brings with it. */
static enum kh_err add_given(struct loading *l, int64_t id)
{
	struct kh_block_row row;
	int64_t *by = NULL;
	size_t count = 0;
	enum kh_err e = kh_txn_peek(l->op->txn, KH_TABLE_BLOCKS, id, &row);

	if (e != KH_OK)
		return e;
	if (row.kind == KH_BLOCK_SEALED)
		return add_id(l, id);
	if (row.kind == KH_BLOCK_HOST && row.trust != KH_UNTRUSTED)
		return add_own(l, id);
	if (row.kind != KH_BLOCK_DELIVERY)
		return KH_OK;
	e = kh_op_ids(l->op, row.tainted_by, &by, &count);
	for (size_t i = 0; e == KH_OK && i < count; i++) {
		e = kh_txn_peek(l->op->txn, KH_TABLE_BLOCKS, by[i], &row);
		if (e == KH_OK && row.kind == KH_BLOCK_SEALED)
			e = add_id(l, by[i]);
	}
	return e;
}

static enum kh_err add_more(struct loading *l, const struct kh_context_row *context)
{
	const struct kh_guarding *guarding = l->guarding;
	struct kh_block_row row;
	enum kh_err e = KH_OK;

	for (size_t i = 0; i < guarding->more_count && e == KH_OK; i++) {
		e = kh_find_block(l->op, context->id, guarding->more[i], &row);
		if (e == KH_OK && row.kind == KH_BLOCK_SEALED)
			e = add_id(l, row.id);
	}
	return e;
}

/* Content that was purged is not there to be repeated. */
static enum kh_err load_sources(struct loading *l)
{
	struct kh_guarding *guarding = l->guarding;
	enum kh_err e = KH_OK;

	guarding->sources = KH_NEW_N(l->op->arena, struct kh_guarding_source, l->n + 1);
	guarding->count = 0;
	if (guarding->sources == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < l->n && e == KH_OK; i++) {
		struct kh_block_row *row;
		e = kh_txn_load(l->op->txn, KH_TABLE_BLOCKS, l->ids[i], &row);
		if (e == KH_OK && row->purged_at == 0 && row->attribution.n > 0)
			guarding->sources[guarding->count++] = (struct kh_guarding_source){
				kh_op_id(l->op, KH_ID_BLOCK, row->id), row->attribution, row->content};
	}
	return e;
}

enum kh_err kh_guarding_run(struct kh_op *op, void *call)
{
	struct kh_guarding *guarding = call;
	struct loading l = {.op = op, .guarding = guarding};
	struct kh_context_row *context = NULL;
	struct kh_given given = {0};
	enum kh_err e = kh_find_context(op, guarding->context, &context);

	if (e == KH_OK)
		e = kh_given_find(op, context, false, &given);
	if (e == KH_OK) {
		guarding->own_count = 0;
		guarding->own = KH_NEW_N(op->arena, struct kh_view, given.n + 1);
		e = guarding->own != NULL ? KH_OK : KH_ENOMEM;
	}
	for (size_t i = 0; i < given.n && e == KH_OK; i++)
		e = add_given(&l, given.ids[i]);
	if (e == KH_OK)
		e = add_more(&l, context);
	if (e == KH_OK)
		e = load_sources(&l);
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
				struct kh_view *ret_json, struct kh_error *err)
{
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
	if (e == KH_OK)
		e = kh_guard_output(arena, output, sources, guarding->count, guarding->own, guarding->own_count, &flags,
				    places);
	return e == KH_OK ? write_flags(arena, guarding, attributions, &flags, places, ret_json) : e;
}
