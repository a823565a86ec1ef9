/* For the tests of `extract`: one query about one text, judged as the engine judges it. */
#ifndef KH_TESTS_EXTRACTING_H
#define KH_TESTS_EXTRACTING_H

#include "core/bcp/answer.h"
#include "core/screen/screen.h"
#include "reader/extract.h"

#include "harness.h"

/* The screen over the built-in rules, compiled once, outside of the counted memory: it stays. */
static inline struct kh_screen *screen_of(void)
{
	static struct kh_screen *screen;
	static struct kh_rules *rules;

	if (screen == NULL) {
		assert_int_equal(kh_rules_new(&kh_alloc_system, NULL, 0, &rules, &(struct kh_error){0}), KH_OK);
		assert_int_equal(kh_screen_new(&kh_alloc_system, rules, &screen), KH_OK);
	}
	return screen;
}

static inline const struct kh_query *query_from(struct kh_test *t, struct kh_view json)
{
	struct kh_query *query = KH_NEW(&t->arena, struct kh_query);
	struct kh_reasons errors;
	yyjson_val *val = NULL;

	kh_reasons_init(&errors, &t->arena);
	must(t, kh_arena_check(&t->arena));
	must(t, kh_json_read(&t->arena, json, &val, &t->err));
	must(t, kh_query_read(&t->arena, val, KH_QUERY_CHECK, query, &errors));
	must(t, kh_arena_check(&t->arena));
	assert_int_equal(errors.n, 0);
	return query;
}

/* What a Controller gets of TEXT for the query JSON, as JSON; "hold" or "reject" where it gets nothing. */
static inline struct kh_view delivered(struct kh_test *t, struct kh_view json, struct kh_view text)
{
	const struct kh_query *query = query_from(t, json);
	struct kh_recent none = {NULL, 0};
	struct kh_view response, out;
	struct kh_answer answer;

	must(t, kh_extract_respond(&t->arena, query, text, &response));
	must(t, kh_answer_judge(screen_of(), &t->arena, query, kh_tainted_wrap(response), none, &answer));
	if (answer.verdict != KH_VERDICT_DELIVER)
		return kh_view_str(kh_words_name(&kh_answer_verdict_words, answer.verdict));
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	must(t, kh_arena_check(&t->arena));
	must(t, kh_json_write(&t->arena, kh_answer_write(&answer, query, doc), &out));
	return out;
}

/* One question of FORMAT with room for 30 words. */
static inline struct kh_view answered(struct kh_test *t, const char *format, const char *question, const char *text)
{
	struct kh_view json = kh_arena_printf(&t->arena,
					      "{\"category\":2,\"questions\":[{\"id\":\"q\",\"question\":\"%s\","
					      "\"max_words\":30,\"expected_format\":\"%s\"}]}",
					      question, format);
	must(t, kh_arena_check(&t->arena));
	struct kh_view out = delivered(t, json, kh_view_str(text));
	struct kh_view before = KH_LIT("{\"answers\":[{\"id\":\"q\",\"answer\":\"");
	if (!kh_view_starts(out, before))
		return out;
	return kh_view_sub(out, before.n, out.n - 4);
}

struct kh_asked {
	const char *question, *text, *answer;
};

static inline void all_answered(struct kh_test *t, const char *format, const struct kh_asked *all, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct kh_view got = answered(t, format, all[i].question, all[i].text);
		if (!kh_view_eq(got, kh_view_str(all[i].answer)))
			print_message("%s | %s\n", all[i].question, all[i].text);
		assert_view(got, all[i].answer);
	}
}

#define ALL_ANSWERED(t, format, all) all_answered((t), (format), (all), sizeof(all) / sizeof((all)[0]))

#endif
