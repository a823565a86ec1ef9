/*
 * Derived content keeps its sources' attribution (E10): content that was extracted, delivered or combined from external
 * content carries the attributions of all its sources, unchanged, bound to the new content by a digest.
 *
 *     {"content_hash":"...","digest":"...","sources":[{attribution}, ...],"trust_level":"UNTRUSTED_EXTERNAL_CONTENT"}
 *
 * Content derived from derived content has the original sources: a chain of steps loses and repeats none.
 */
#ifndef KH_CORE_COMM_LINEAGE_H
#define KH_CORE_COMM_LINEAGE_H

#include "core/comm/attribution.h"

#define KH_LINEAGE_SOURCES_MAX 1024

struct kh_lineage {
	struct kh_attribution *sources; /* each once, in order of appearance */
	size_t source_count;
	struct kh_digest content_hash;
	struct kh_digest digest; /* of the canonical JSON of {"content":...,"metadata":{all but digest}} */
};

/*
 * The lineage of CONTENT made from COUNT (at least one) sources; sources with the same digest count once.  CONTENT is
 * valid UTF-8.  KH_EREFUSED with code `attribution_missing` for none, KH_ELIMIT for too many.
 */
enum kh_err kh_lineage_derive(struct kh_arena *arena, const struct kh_attribution *sources, size_t count,
			      struct kh_view content, struct kh_lineage *ret_lineage, struct kh_error *err) KH_CHECKED;

/* As canonical JSON. */
enum kh_err kh_lineage_canonical(struct kh_arena *arena, const struct kh_lineage *lineage,
				 struct kh_view *ret_json) KH_CHECKED;

/* Reads a lineage and verifies that it belongs to CONTENT: KH_EREFUSED as kh_attribution_read(), or KH_ECHANGED. */
enum kh_err kh_lineage_check(struct kh_arena *arena, yyjson_val *in, struct kh_view content,
			     struct kh_lineage *ret_lineage, struct kh_error *err) KH_CHECKED;

#endif
