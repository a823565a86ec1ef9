/*
 * Whether a lineage belongs to a content, found out as anyone can who has both: the sources that it names are read, and
 * derived from again.
 */
#ifndef KH_TESTS_UNIT_COMM_BOUND_H
#define KH_TESTS_UNIT_COMM_BOUND_H

#include "core/comm/lineage.h"
#include "harness.h"

/* Reads the sources of JSON, a lineage, into SOURCES, which has room for MOST; how many, or 0 if one is not valid. */
static inline size_t lineage_sources(struct kh_test *t, struct kh_view json, struct kh_attribution *sources,
				     size_t most)
{
	yyjson_val *root = NULL, *item;
	size_t i, n;

	must(t, kh_json_read(&t->arena, json, &root, &t->err));
	yyjson_val *list = kh_json_get(root, "sources");
	assert_true(yyjson_arr_size(list) <= most);
	yyjson_arr_foreach (list, i, n, item) {
		enum kh_err e = kh_attribution_read(&t->arena, item, &sources[i], &t->err);
		if (e == KH_ENOMEM)
			must(t, e);
		if (e != KH_OK)
			return 0;
	}
	return yyjson_arr_size(list);
}

static inline bool lineage_is_bound(struct kh_test *t, struct kh_view json, struct kh_view content)
{
	struct kh_attribution sources[4];
	size_t count = lineage_sources(t, json, sources, 4);
	struct kh_view again;

	if (count == 0)
		return false;
	must(t, kh_lineage_derive(&t->arena, sources, count, content, &again, &t->err));
	return kh_view_eq(json, again);
}

#endif
