/* Lineage: a list of attributions; none is ever removed. */
#include "core/comm/lineage.h"

#include "base/utf8.h"

struct lineage {
	const struct kh_attribution **sources;
	size_t n;
	struct kh_view written; /* the sources, as JSON: the digest covers them, and the result has them again */
	struct kh_digest content_hash;
};

/* Adds SOURCE, unless one with its digest is in the list already. */
static void add(struct lineage *lineage, const struct kh_attribution *source)
{
	for (size_t i = 0; i < lineage->n; i++) {
		if (memcmp(lineage->sources[i]->digest.bytes, source->digest.bytes, KH_DIGEST_SIZE) == 0)
			return;
	}
	lineage->sources[lineage->n++] = source;
}

static enum kh_err write_sources(struct kh_arena *arena, struct lineage *lineage)
{
	struct kh_emit out;

	kh_emit_begin(&out, arena, arena->limit);
	kh_emit_array(&out);
	for (size_t i = 0; i < lineage->n; i++)
		kh_attribution_emit(&out, lineage->sources[i]);
	kh_emit_end(&out);
	return kh_emit_finish(&out, &lineage->written);
}

/* Writes the lineage, without its digest if DIGEST is NULL. */
static enum kh_err write(struct kh_arena *arena, const struct lineage *lineage, const struct kh_digest *digest,
			 struct kh_view *ret_json)
{
	struct kh_emit out;

	kh_emit_begin(&out, arena, arena->limit);
	kh_emit_object(&out);
	kh_emit_add_digest(&out, "content_hash", &lineage->content_hash);
	if (digest != NULL)
		kh_emit_add_digest(&out, "digest", digest);
	kh_emit_add_raw(&out, "sources", lineage->written);
	kh_emit_add(&out, "trust_level", KH_LIT(KH_ATTRIBUTION_MARKER));
	kh_emit_end(&out);
	return kh_emit_finish(&out, ret_json);
}

enum kh_err kh_lineage_derive(struct kh_arena *arena, const struct kh_attribution *sources, size_t count,
			      struct kh_view content, struct kh_view *ret_json, struct kh_error *err)
{
	struct kh_digest digest;
	struct kh_view metadata;

	if (count == 0)
		return kh_error_set(err, KH_EREFUSED, "attribution_missing", "derived content without a source");
	if (count > KH_LINEAGE_SOURCES_MAX)
		return kh_error_set(err, KH_ELIMIT, "too_many", "derived from more than %d sources",
				    KH_LINEAGE_SOURCES_MAX);
	if (kh_utf8_invalid(content) != SIZE_MAX)
		return kh_error_at(err, KH_EINPUT, "bad_utf8", kh_utf8_invalid(content),
				   "the content is not valid UTF-8");
	struct lineage lineage = {.sources = KH_NEW_N(arena, const struct kh_attribution *, count),
				  .content_hash = kh_canonical_digest(content)};
	if (lineage.sources == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < count; i++)
		add(&lineage, &sources[i]);
	enum kh_err e = write_sources(arena, &lineage);
	if (e == KH_OK)
		e = write(arena, &lineage, NULL, &metadata);
	if (e == KH_OK)
		e = kh_attribution_bind(arena, content, metadata, &digest);
	return e == KH_OK ? write(arena, &lineage, &digest, ret_json) : e;
}

bool kh_lineage_is(yyjson_val *metadata)
{
	return kh_json_get(metadata, "sources") != NULL;
}

enum kh_err kh_lineage_read(struct kh_arena *arena, yyjson_val *metadata, struct kh_attribution **ret_sources,
			    size_t *ret_count, struct kh_error *err)
{
	yyjson_val *list = kh_json_get(metadata, "sources"), *item;
	size_t count = yyjson_arr_size(list), i, n;
	struct kh_attribution *sources;
	enum kh_err e = KH_OK;

	if (count == 0)
		return kh_error_set(err, KH_EREFUSED, "attribution_missing", "derived content without a source");
	if (count > KH_LINEAGE_SOURCES_MAX)
		return kh_error_set(err, KH_ELIMIT, "too_many", "derived from more than %d sources",
				    KH_LINEAGE_SOURCES_MAX);
	sources = KH_NEW_N(arena, struct kh_attribution, count);
	if (sources == NULL)
		return KH_ENOMEM;
	yyjson_arr_foreach (list, i, n, item) {
		if (e == KH_OK)
			e = kh_attribution_read(arena, item, &sources[i], err);
	}
	if (e == KH_OK) {
		*ret_sources = sources;
		*ret_count = count;
	}
	return e;
}

/* The sources of all, as far as they fit. */
static struct kh_view join(struct kh_arena *arena, const struct kh_attribution *sources, size_t count)
{
	struct kh_view text = {NULL, 0};
	struct kh_buf buf;

	kh_buf_init(&buf, arena, (KH_ATTRIBUTION_SOURCE_MAX + 2) * count);
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			kh_buf_lit(&buf, ", ");
		kh_buf_add(&buf, sources[i].source);
	}
	if (kh_buf_end(&buf, &text) != KH_OK)
		arena->failed = true;
	return kh_utf8_cut(text, KH_ATTRIBUTION_SOURCE_MAX);
}

enum kh_err kh_lineage_check(struct kh_arena *arena, yyjson_val *metadata, struct kh_view content,
			     struct kh_view session_id, struct kh_attribution *ret_attribution, struct kh_error *err)
{
	struct kh_attribution *sources = NULL, made;
	struct kh_view theirs, ours;
	size_t count = 0;
	enum kh_err e = kh_lineage_read(arena, metadata, &sources, &count, err);

	for (size_t i = 0; e == KH_OK && i < count; i++) {
		if (session_id.n == 0 || !kh_view_eq(sources[i].session_id, session_id))
			return kh_error_set(err, KH_EREFUSED, "session_mismatch", "a source is another session's");
	}
	if (e == KH_OK)
		e = kh_lineage_derive(arena, sources, count, content, &ours, err);
	if (e == KH_OK)
		e = kh_canonical_json(arena, metadata, &theirs, err);
	if (e != KH_OK)
		return e;
	if (!kh_view_eq(ours, theirs))
		return kh_error_set(err, KH_ECHANGED, "changed",
				    "the content is not what was derived from its sources");
	made = sources[0];
	made.source = join(arena, sources, count);
	e = kh_arena_check(arena);
	if (e == KH_OK)
		e = kh_attribution_make(arena, &made, content, err);
	if (e == KH_OK)
		*ret_attribution = made;
	return e;
}
