/* Judging answers in tests: one compiled set of rules for the whole program, made outside of the counted memory. */
#ifndef KH_TESTS_JUDGE_H
#define KH_TESTS_JUDGE_H

#include "ask.h"
#include "core/bcp/answer.h"
#include "core/screen/screen.h"

static struct kh_rules *judge_rules;

/* A screen over the shared rules; to be freed. */
static inline struct kh_screen *judge_screen(void)
{
	struct kh_screen *screen = NULL;

	if (judge_rules == NULL)
		assert_int_equal(kh_rules_new(&kh_alloc_system, NULL, 0, &judge_rules, NULL), KH_OK);
	assert_int_equal(kh_screen_new(&kh_alloc_system, judge_rules, &screen), KH_OK);
	return screen;
}

/* The answer to QUERY that RESPONSE comes to. */
static inline struct kh_answer judge_recent(struct kh_test *t, const char *query, const char *response,
					    struct kh_recent recent)
{
	struct kh_query q = ask_good(t, query);
	struct kh_answer answer;
	struct kh_screen *screen = q.category > 1 ? judge_screen() : NULL;
	enum kh_err e = kh_answer_judge(screen, &t->arena, &q, kh_tainted_wrap(kh_view_str(response)), recent, &answer);

	kh_screen_free(screen);
	must(t, e);
	return answer;
}

static inline struct kh_answer judge(struct kh_test *t, const char *query, const char *response)
{
	return judge_recent(t, query, response, (struct kh_recent){0});
}

static inline bool has_reason(const struct kh_answer *answer, const char *code, const char *member)
{
	for (size_t i = 0; i < answer->reasons.n; i++) {
		if (kh_view_eq(kh_view_str(answer->reasons.at[i].code), kh_view_str(code)) &&
		    kh_view_eq(answer->reasons.at[i].member, kh_view_str(member)))
			return true;
	}
	return false;
}

/* Judges, and wants VERDICT; where CODE is not NULL, for that reason at MEMBER. */
static inline void judge_to(struct kh_test *t, const char *query, const char *response, enum kh_verdict verdict,
			    const char *code, const char *member)
{
	struct kh_answer answer = judge(t, query, response);

	if (answer.verdict != verdict || (code != NULL && !has_reason(&answer, code, member)))
		fail_msg("%s: %s, first reason %s; wanted %s for %s at %s", response,
			 kh_words_name(&kh_answer_verdict_words, answer.verdict),
			 answer.reasons.n ? answer.reasons.at[0].code : "none",
			 kh_words_name(&kh_answer_verdict_words, verdict), code ? code : "any reason",
			 member ? member : "");
}

#endif
