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
