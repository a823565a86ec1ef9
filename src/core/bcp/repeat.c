/*
 * Redundant extraction (B14).  A repetition is a smaller query of its own, judged like any other.  Only what both
 * answers agree on is delivered, once.
 */
#include "core/bcp/repeat.h"

bool kh_repeat_query(struct kh_arena *arena, const struct kh_query *query, unsigned n, struct kh_query *ret_query)
{
	struct kh_query again = {.category = query->category};

	again.fields = KH_NEW_N(arena, struct kh_field, query->field_count);
	again.questions = KH_NEW_N(arena, struct kh_question, query->question_count);
	if (again.fields == NULL || again.questions == NULL)
		return false;
	for (size_t i = 0; i < query->field_count; i++) {
		if (query->fields[i].repeat > n)
			again.fields[again.field_count++] = query->fields[i];
	}
	for (size_t i = 0; i < query->question_count; i++) {
		if (query->questions[i].rephrasing_count < n)
			continue;
		struct kh_question *q = &again.questions[again.question_count++];
		*q = query->questions[i];
		q->text = q->rephrasings[n - 1];
		q->rephrasing_count = 0;
	}
	if (again.field_count + again.question_count == 0)
		return false;
	*ret_query = again;
	return true;
}

static void disagree(struct kh_answer *answer, struct kh_view member)
{
	answer->verdict = KH_VERDICT_HOLD;
	kh_reasons_add(&answer->reasons, "disagree", member, "asked again, the Reader answered otherwise");
}

void kh_repeat_compare(struct kh_answer *answer, const struct kh_query *query, const struct kh_answer *repeated,
		       const struct kh_query *repeated_query)
{
	if (answer->verdict == KH_VERDICT_REJECT)
		return;
	if (repeated->verdict == KH_VERDICT_REJECT) {
		disagree(answer, KH_LIT(""));
		return;
	}
	for (size_t i = 0; i < repeated_query->field_count; i++) {
		size_t at = 0;
		while (!kh_view_eq(query->fields[at].name, repeated_query->fields[i].name))
			at++;
		if (answer->values[at].number != repeated->values[i].number)
			disagree(answer, query->fields[at].name);
	}
	for (size_t i = 0; i < repeated_query->question_count; i++) {
		const struct kh_question *q = kh_question_find(query->questions, query->question_count,
							       repeated_query->questions[i].id);
		if (!kh_view_eq(answer->values[q - query->questions].text, repeated->values[i].text))
			disagree(answer, q->id);
	}
	/* A problem that only the repetition has is as suspicious as one in the answer. */
	if (repeated->verdict == KH_VERDICT_HOLD) {
		for (size_t i = 0; i < repeated->reasons.n; i++)
			kh_reasons_add(&answer->reasons, repeated->reasons.at[i].code, repeated->reasons.at[i].member,
				       "asked again: %.*s", KH_FMT(repeated->reasons.at[i].detail));
		answer->verdict = KH_VERDICT_HOLD;
	}
}
