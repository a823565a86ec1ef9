/* What a Controller may know about its query (query.look, B16, B18), as JSON: the same in every interface. */
#ifndef KH_ENGINE_QUERY_RENDER_QUERY_H
#define KH_ENGINE_QUERY_RENDER_QUERY_H

#include "base/json.h"
#include "engine/query/look.h"

/* delivered, failed, ...; of a query that is with the Reader: waiting. */
const char *kh_render_query_word(enum kh_outcome outcome);

/* What the Controller is told; empty members are left out. */
struct kh_render_query {
	enum kh_outcome outcome;          /* NONE: with the Reader */
	struct kh_view query, approval;   /* public ids */
	struct kh_view block;             /* the delivery's */
	struct kh_view delivery, sources; /* JSON */
	struct kh_view advice;            /* JSON array (B22) */
	struct kh_view why;               /* with `budget`: which limit, and what is left of it (B6) */
};

/*
 * {"outcome", "query"?, "approval"?, "block"?, "delivery"?, "sources"?, "advice"?, "why"?}; the caller may add more members.
 * Texts are borrowed.
 */
yyjson_mut_val *kh_render_query_new(yyjson_mut_doc *doc, const struct kh_render_query *told);

#endif
