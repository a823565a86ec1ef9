/* Walks a declaration, which is hostile input at most KH_JSON_DEPTH deep, and screens each of its texts. */
#include "core/comm/suspect.h"

#include "core/comm/strict.h"
#include "core/screen/screen.h"

#define REVIEW_MAX 64 /* most reasons that a reviewer is shown */

static enum kh_err suspect_text(struct kh_screen *screen, struct kh_view path, struct kh_view text, struct kh_view uri,
				struct kh_reasons *review)
{
	struct kh_findings findings;
	enum kh_err e = kh_screen_text(screen, review->arena, text, KH_SCREEN_DOCUMENT, &findings);

	for (size_t i = 0; e == KH_OK && i < findings.n && review->n < REVIEW_MAX; i++) {
		const struct kh_finding *finding = &findings.at[i];
		if (finding->severity < KH_SEVERITY_MEDIUM ||
		    (kh_view_eq(text, uri) && kh_findings_is_scheme(finding, text, 0)))
			continue;
		kh_reasons_add(review, "screened", path, "%s (%s, %s) in bytes %zu to %zu", finding->code,
			       finding->rule, kh_words_name(&kh_severity_words, finding->severity), finding->start,
			       finding->end);
	}
	return e;
}

enum kh_err kh_suspect_value(struct kh_screen *screen, struct kh_view path, yyjson_val *val, struct kh_view uri,
			     struct kh_reasons *review)
{
	enum kh_err e = KH_OK;
	yyjson_val *key, *item;
	size_t i, n;

	if (yyjson_is_str(val))
		return suspect_text(screen, path, kh_json_str(val), uri, review);
	if (yyjson_is_arr(val)) {
		yyjson_arr_foreach (val, i, n, item) {
			if (e == KH_OK)
				e = kh_suspect_value(screen, kh_strict_index(review->arena, path, i), item, uri,
						     review);
		}
	} else if (yyjson_is_obj(val)) {
		yyjson_obj_foreach (val, i, n, key, item) {
			struct kh_view at = kh_strict_path(review->arena, path, kh_json_str(key));
			if (e == KH_OK)
				e = suspect_text(screen, at, kh_json_str(key), uri, review);
			if (e == KH_OK)
				e = kh_suspect_value(screen, at, item, uri, review);
		}
	}
	return e != KH_OK ? e : kh_arena_check(review->arena);
}
