/*
 * Lineage: a list of attributions; none is ever removed.  A lineage that is read is accepted only if writing it again
 * gives the same bytes.
 */
#include "core/comm/lineage.h"

#include "base/utf8.h"

static bool same(const struct kh_digest *a, const struct kh_digest *b)
{
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

static void emit(struct kh_emit *emit, const struct kh_lineage *lineage, bool with_digest)
{
	kh_emit_object(emit);
	kh_emit_key(emit, "content_hash");
	kh_emit_digest(emit, &lineage->content_hash);
	if (with_digest) {
		kh_emit_key(emit, "digest");
		kh_emit_digest(emit, &lineage->digest);
	}
	kh_emit_key(emit, "sources");
	kh_emit_array(emit);
	for (size_t i = 0; i < lineage->source_count; i++)
		kh_attribution_emit(emit, &lineage->sources[i]);
	kh_emit_end(emit);
	kh_emit_key(emit, "trust_level");
	kh_emit_text(emit, KH_LIT(KH_ATTRIBUTION_MARKER));
	kh_emit_end(emit);
}

enum kh_err kh_lineage_canonical(struct kh_arena *arena, const struct kh_lineage *lineage, struct kh_view *ret_json)
{
	struct kh_emit out;
	struct kh_buf buf;

	kh_buf_init(&buf, arena, arena->limit);
	kh_emit_init(&out, &buf);
	emit(&out, lineage, true);
	enum kh_err e = kh_arena_check(arena);
	return e == KH_OK ? kh_buf_end(&buf, ret_json) : e;
}

/* Fills in the hash and the digest, from the sources and CONTENT. */
static enum kh_err bind(struct kh_arena *arena, struct kh_lineage *lineage, struct kh_view content,
			struct kh_error *err)
{
	struct kh_view text;
	struct kh_emit out;
	struct kh_buf buf;

	if (kh_utf8_invalid(content) != SIZE_MAX)
		return kh_error_at(err, KH_EINPUT, "bad_utf8", kh_utf8_invalid(content),
				   "the content is not valid UTF-8");
	lineage->content_hash = kh_canonical_digest(content);
	kh_buf_init(&buf, arena, arena->limit);
	kh_emit_init(&out, &buf);
	kh_emit_object(&out);
	kh_emit_key(&out, "content");
	kh_emit_text(&out, content);
	kh_emit_key(&out, "metadata");
	emit(&out, lineage, false);
	kh_emit_end(&out);
	enum kh_err e = kh_arena_check(arena);
	if (e == KH_OK)
		e = kh_buf_end(&buf, &text);
	if (e == KH_OK)
		lineage->digest = kh_canonical_digest(text);
	return e;
}

enum kh_err kh_lineage_derive(struct kh_arena *arena, const struct kh_attribution *sources, size_t count,
			      struct kh_view content, struct kh_lineage *ret_lineage, struct kh_error *err)
{
	struct kh_lineage lineage = {.sources = NULL};

	if (count == 0)
		return kh_error_set(err, KH_EREFUSED, "attribution_missing", "derived content without a source");
	if (count > KH_LINEAGE_SOURCES_MAX)
		return kh_error_set(err, KH_ELIMIT, "too_many", "derived from more than %d sources",
				    KH_LINEAGE_SOURCES_MAX);
	lineage.sources = KH_NEW_N(arena, struct kh_attribution, count);
	if (lineage.sources == NULL)
		return KH_ENOMEM;
	for (size_t i = 0; i < count; i++) {
		size_t seen = 0;
		while (seen < lineage.source_count && !same(&lineage.sources[seen].digest, &sources[i].digest))
			seen++;
		if (seen == lineage.source_count)
			lineage.sources[lineage.source_count++] = sources[i];
	}
	enum kh_err e = bind(arena, &lineage, content, err);
	if (e == KH_OK)
		*ret_lineage = lineage;
	return e;
}

/* The sources of IN, each read strictly, into *LINEAGE. */
static enum kh_err read_sources(struct kh_arena *arena, yyjson_val *in, struct kh_lineage *lineage,
				struct kh_error *err)
{
	yyjson_val *list = kh_json_get(in, "sources"), *item;
	size_t i, n;

	if (yyjson_arr_size(list) == 0)
		return kh_error_set(err, KH_EREFUSED, "attribution_missing", "derived content without its sources");
	if (yyjson_arr_size(list) > KH_LINEAGE_SOURCES_MAX)
		return kh_error_set(err, KH_ELIMIT, "too_many", "derived from more than %d sources",
				    KH_LINEAGE_SOURCES_MAX);
	lineage->sources = KH_NEW_N(arena, struct kh_attribution, yyjson_arr_size(list));
	if (lineage->sources == NULL)
		return KH_ENOMEM;
	yyjson_arr_foreach (list, i, n, item) {
		enum kh_err e = kh_attribution_read(arena, item, &lineage->sources[lineage->source_count++], err);
		if (e != KH_OK)
			return e;
	}
	return KH_OK;
}

enum kh_err kh_lineage_check(struct kh_arena *arena, yyjson_val *in, struct kh_view content,
			     struct kh_lineage *ret_lineage, struct kh_error *err)
{
	struct kh_lineage lineage = {.sources = NULL};
	struct kh_view ours, theirs;
	enum kh_err e = read_sources(arena, in, &lineage, err);

	if (e == KH_OK)
		e = bind(arena, &lineage, content, err);
	if (e != KH_OK)
		return e;
	e = kh_lineage_canonical(arena, &lineage, &ours);
	if (e == KH_OK)
		e = kh_canonical_json(arena, in, &theirs, err);
	if (e != KH_OK)
		return e;
	if (!kh_view_eq(ours, theirs))
		return kh_error_set(err, KH_ECHANGED, "changed",
				    "the content or its sources are not those that were bound");
	*ret_lineage = lineage;
	return KH_OK;
}
