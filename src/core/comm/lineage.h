/*
 * Derived content keeps its sources' attribution (E10): content that was extracted, delivered or combined from external
 * content carries the attributions of all its sources, unchanged, bound to the new content by a digest.
 *
 *     {"content_hash":"...","digest":"...","sources":[{attribution}, ...],"trust_level":"UNTRUSTED_EXTERNAL_CONTENT"}
 *
 * `digest` binds the rest to the content (kh_attribution_bind()).  Content derived from derived content has the original
 * sources: a chain of steps loses and repeats none.
 */
#ifndef KH_CORE_COMM_LINEAGE_H
#define KH_CORE_COMM_LINEAGE_H

#include "base/json.h"
#include "core/comm/attribution.h"

#define KH_LINEAGE_SOURCES_MAX 1024

/*
 * The lineage, as canonical JSON, of CONTENT made from COUNT (at least one) sources; sources with the same digest count
 * once, in order of appearance.  KH_EREFUSED with code `attribution_missing` for none, KH_ELIMIT for too many, KH_EINPUT
 * if CONTENT is not valid UTF-8.
 */
enum kh_err kh_lineage_derive(struct kh_arena *arena, const struct kh_attribution *sources, size_t count,
			      struct kh_view content, struct kh_view *ret_json, struct kh_error *err) KH_CHECKED;

/* True if METADATA is a lineage, and not the attribution of one source.  Says nothing about whether it is a good one. */
bool kh_lineage_is(yyjson_val *metadata);

/*
 * The sources in METADATA, as the lineage's own or those that another derivation starts from; each must agree with itself
 * (kh_attribution_read()).  KH_EREFUSED with code `attribution_missing` if there is none, KH_ELIMIT for too many.
 * Borrows from METADATA.
 */
enum kh_err kh_lineage_read(struct kh_arena *arena, yyjson_val *metadata, struct kh_attribution **ret_sources,
			    size_t *ret_count, struct kh_error *err) KH_CHECKED;

/*
 * Reads a lineage and proves it for CONTENT: every source is of SESSION_ID (`session_mismatch`), and the whole is what
 * kh_lineage_derive() makes of them, else KH_ECHANGED with code `changed`.  *RET_ATTRIBUTION is one for the content:
 * operation and time of the first source, and the sources of all, one after the other.
 */
enum kh_err kh_lineage_check(struct kh_arena *arena, yyjson_val *metadata, struct kh_view content,
			     struct kh_view session_id, struct kh_attribution *ret_attribution,
			     struct kh_error *err) KH_CHECKED;

#endif
