/* Reading queries in tests. */
#ifndef KH_TESTS_ASK_H
#define KH_TESTS_ASK_H

#include "core/bcp/query.h"
#include "harness.h"

/* Reads a query of any kind; its errors go to *ERRORS. */
static inline struct kh_query ask(struct kh_test *t, const char *json, struct kh_reasons *errors)
{
	struct kh_query query;
	yyjson_val *root = NULL;

	kh_reasons_init(errors, &t->arena);
	must(t, kh_json_read(&t->arena, kh_view_str(json), &root, &t->err));
	must(t, kh_query_read(&t->arena, root, KH_QUERY_CHECK, &query, errors));
	return query;
}

/* Reads a query that must be good. */
static inline struct kh_query ask_good(struct kh_test *t, const char *json)
{
	struct kh_reasons errors;
	struct kh_query query = ask(t, json, &errors);

	if (errors.n > 0)
		fail_msg("%s: %.*s %s: %.*s", json, KH_FMT(errors.at[0].member), errors.at[0].code,
			 KH_FMT(errors.at[0].detail));
	return query;
}

/* Reads a query that must be refused with CODE at MEMBER (among others). */
static inline void ask_bad(struct kh_test *t, const char *json, const char *code, const char *member)
{
	struct kh_reasons errors;

	ask(t, json, &errors);
	for (size_t i = 0; i < errors.n; i++) {
		if (kh_view_eq(kh_view_str(errors.at[i].code), kh_view_str(code)) &&
		    kh_view_eq(errors.at[i].member, kh_view_str(member)))
			return;
	}
	fail_msg("%s: wanted %s at %s, got %s at %.*s", json, code, member, errors.n ? errors.at[0].code : "nothing",
		 errors.n ? (int)errors.at[0].member.n : 0, errors.n ? errors.at[0].member.p : "");
}

#endif
