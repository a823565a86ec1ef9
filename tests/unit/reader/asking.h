/* For the tests of Readers: an ask about blocks that were sealed as the engine seals them. */
#ifndef KH_TESTS_ASKING_H
#define KH_TESTS_ASKING_H

#include "reader/reader.h"

#include "harness.h"

#define TASK  "t0123456789abcdef"
#define ASK   "a0123456789abcdef"
#define QUERY "{\"category\":1,\"fields\":[{\"name\":\"a\",\"type\":\"boolean\"}]}"

/* An untrusted block of task SESSION with CONTENT. */
static inline struct kh_reader_block seal(struct kh_test *t, const char *id, const char *session,
					  struct kh_view content)
{
	struct kh_attribution attribution = {.operation = KH_LIT("comm.fetch"),
					     .session_id = kh_view_str(session),
					     .source = KH_LIT("https://example.com/letter"),
					     .audit_id = KH_LIT("e0123456789abcdef"),
					     .timestamp = 1000000};
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	struct kh_view text;

	must(t, kh_attribution_make(&t->arena, &attribution, content, &t->err));
	yyjson_mut_val *json = kh_attribution_json(&t->arena, doc, &attribution);
	must(t, kh_arena_check(&t->arena));
	must(t, kh_canonical_mut(&t->arena, json, &text, &t->err));
	return (struct kh_reader_block){
		.id = kh_view_str(id), .attribution = text, .content = kh_tainted_wrap(content)};
}

static inline const struct kh_query *query_of(struct kh_test *t, const char *json)
{
	struct kh_query *query = KH_NEW(&t->arena, struct kh_query);
	struct kh_reasons errors;
	yyjson_val *val;

	kh_reasons_init(&errors, &t->arena);
	must(t, kh_arena_check(&t->arena));
	must(t, kh_json_read(&t->arena, kh_view_str(json), &val, &t->err));
	must(t, kh_query_read(&t->arena, val, KH_QUERY_CHECK, query, &errors));
	must(t, kh_arena_check(&t->arena));
	assert_int_equal(errors.n, 0);
	return query;
}

static inline struct kh_reader_ask ask_about(struct kh_test *t, const char *query, const struct kh_reader_block *blocks,
					     size_t count)
{
	return (struct kh_reader_ask){.id = KH_LIT(ASK),
				      .from = KH_LIT("planner"),
				      .task = KH_LIT(TASK),
				      .query = query_of(t, query),
				      .blocks = blocks,
				      .block_count = count,
				      .nonce = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};
}

#endif
