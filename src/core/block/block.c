/*
 * Makes blocks.  The specification is hostile: it may come from a file, a client or an upstream.  Every block made here
 * keeps the guarantees of block.h; the constructors below are the only code that fills a struct kh_block.
 */
#include "core/block/block.h"

#include "base/timestamp.h"
#include "base/utf8.h"
#include "core/block/taint.h"

#include <stdlib.h>

bool kh_block_id_valid(struct kh_view id)
{
	return kh_view_is_id(id, KH_BLOCK_ID_MAX);
}

static enum kh_err bad_id(struct kh_arena *arena, const char *what, struct kh_view id, struct kh_error *err)
{
	struct kh_view quoted = kh_arena_quote(arena, id);

	return kh_error_set(err, KH_EINPUT, "bad_id", "%s %.*s is not of the form [A-Za-z0-9_][A-Za-z0-9_.:-]{0,63}",
			    what, KH_FMT(quoted));
}

static int compare_ids(const void *a, const void *b)
{
	struct kh_view x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return kh_view_cmp(x, y);
}

static enum kh_err twice(struct kh_arena *arena, struct kh_view id, struct kh_error *err)
{
	struct kh_view quoted = kh_arena_quote(arena, id);

	return kh_error_set(err, KH_EREFUSED, "duplicate_reference", "tainted_by names %.*s twice", KH_FMT(quoted));
}

/* Lists up to this long are compared pairwise; longer ones are sorted. */
#define PAIRWISE 8

static enum kh_err check_distinct(struct kh_arena *arena, const struct kh_view *ids, size_t n, struct kh_error *err)
{
	if (n <= PAIRWISE) {
		for (size_t i = 1; i < n; i++) {
			for (size_t k = 0; k < i; k++) {
				if (kh_view_eq(ids[i], ids[k]))
					return twice(arena, ids[i], err);
			}
		}
		return KH_OK;
	}
	struct kh_view *sorted = KH_NEW_N(arena, struct kh_view, n);
	if (sorted == NULL)
		return KH_ENOMEM;
	memcpy(sorted, ids, n * sizeof(*ids));
	qsort(sorted, n, sizeof(*sorted), compare_ids);
	for (size_t i = 1; i < n; i++) {
		if (kh_view_eq(sorted[i - 1], sorted[i]))
			return twice(arena, sorted[i], err);
	}
	return KH_OK;
}

static enum kh_err check_references(struct kh_arena *arena, const struct kh_block_spec *spec, struct kh_error *err)
{
	if (spec->tainted_by_count > KH_BLOCK_REFS_MAX)
		return kh_error_set(err, KH_ELIMIT, "too_large", "tainted_by has more than %u ids", KH_BLOCK_REFS_MAX);
	for (size_t i = 0; i < spec->tainted_by_count; i++) {
		if (!kh_block_id_valid(spec->tainted_by[i]))
			return bad_id(arena, "tainted_by: id", spec->tainted_by[i], err);
		if (kh_view_eq(spec->tainted_by[i], spec->id))
			return kh_error_set(err, KH_EREFUSED, "self_reference", "block \"%.*s\" is tainted by itself",
					    KH_FMT(spec->id));
	}
	return check_distinct(arena, spec->tainted_by, spec->tainted_by_count, err);
}

/* CHECKED: the text is known to be UTF-8. */
static enum kh_err check_text(struct kh_view text, const char *what, size_t max, bool checked, struct kh_error *err)
{
	if (text.n > max)
		return kh_error_set(err, KH_ELIMIT, "too_large", "%s has %zu bytes, the limit is %zu", what, text.n,
				    max);
	size_t at = checked ? SIZE_MAX : kh_utf8_invalid(text);
	if (at != SIZE_MAX)
		return kh_error_set(err, KH_EINPUT, "bad_utf8", "%s is not valid UTF-8 at its byte %zu", what, at);
	return KH_OK;
}

static enum kh_err check(struct kh_arena *arena, const struct kh_block_spec *spec, struct kh_error *err)
{
	if (!kh_block_id_valid(spec->id))
		return bad_id(arena, "id", spec->id, err);
	if (spec->trust > KH_UNTRUSTED || spec->type > KH_DATA || spec->taint > KH_TAINT_HIGH)
		return kh_error_set(err, KH_EINPUT, "bad_value", "block \"%.*s\" has labels that do not exist",
				    KH_FMT(spec->id));
	if (spec->trust == KH_UNTRUSTED && spec->type != KH_DATA)
		return kh_error_set(err, KH_EREFUSED, "untrusted_instruction",
				    "block \"%.*s\" is untrusted: untrusted content is always data", KH_FMT(spec->id));
	if (spec->created_at < 0 || spec->created_at >= KH_TIMESTAMP_END)
		return kh_error_set(err, KH_EINPUT, "bad_value", "block \"%.*s\" was not created between 1970 and 9999",
				    KH_FMT(spec->id));
	enum kh_err e = check_text(spec->source, "source", KH_BLOCK_SOURCE_MAX, false, err);
	if (e == KH_OK)
		e = check_text(spec->content, "content", KH_BLOCK_CONTENT_MAX, spec->hash != NULL, err);
	return e == KH_OK ? check_references(arena, spec, err) : e;
}

/* Fills a block; nothing else does.  SPEC has been checked. */
static enum kh_err fill(struct kh_arena *arena, const struct kh_block_spec *spec, enum kh_taint taint,
			const struct kh_block **ret_block)
{
	struct kh_block *block = KH_NEW(arena, struct kh_block);

	if (block == NULL)
		return KH_ENOMEM;
	*block = (struct kh_block){
		.id = spec->id,
		.source = spec->source,
		.content = spec->content,
		.tainted_by = spec->tainted_by,
		.tainted_by_count = spec->tainted_by_count,
		.content_hash = spec->hash != NULL ? *spec->hash : kh_canonical_digest(spec->content),
		.created_at = spec->created_at,
		.trust = spec->trust,
		.type = spec->type,
		.taint = taint,
	};
	*ret_block = block;
	return KH_OK;
}

enum kh_err kh_block_make(struct kh_arena *arena, const struct kh_block_spec *spec, const struct kh_block **ret_block,
			  struct kh_error *err)
{
	enum kh_err e = check(arena, spec, err);

	if (e != KH_OK)
		return e;
	return fill(arena, spec, kh_label_max_taint(spec->taint, kh_label_initial_taint(spec->trust)), ret_block);
}

enum kh_err kh_block_delivery(struct kh_arena *arena, const struct kh_block_spec *spec, enum kh_taint reader_taint,
			      const struct kh_block **ret_block, struct kh_error *err)
{
	struct kh_block_spec delivery = *spec;

	delivery.trust = KH_UNTRUSTED;
	delivery.type = KH_DATA;
	delivery.taint = reader_taint;
	enum kh_err e = check(arena, &delivery, err);
	return e == KH_OK ? fill(arena, &delivery, kh_taint_step_down(reader_taint), ret_block) : e;
}

enum kh_err kh_block_output(struct kh_arena *arena, const struct kh_block_spec *spec, enum kh_taint given_taint,
			    const struct kh_block **ret_block, struct kh_error *err)
{
	struct kh_block_spec output = *spec;

	output.trust = KH_TRUSTED;
	output.taint = kh_label_max_taint(spec->taint, given_taint);
	return kh_block_make(arena, &output, ret_block, err);
}

enum kh_err kh_block_own(struct kh_arena *arena, const struct kh_block_spec *spec, enum kh_taint given_taint,
			 const struct kh_block **ret_block, struct kh_error *err)
{
	struct kh_block_spec own = *spec;

	own.trust = KH_UNTRUSTED;
	own.type = KH_DATA;
	own.taint = given_taint;
	enum kh_err e = check(arena, &own, err);
	return e == KH_OK ? fill(arena, &own, given_taint, ret_block) : e;
}
