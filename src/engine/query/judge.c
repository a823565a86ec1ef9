/* The verdict on a response, and what follows from it.  The response is hostile; core/bcp/answer.c reads it. */
#include "engine/query/judge.h"

#include "base/buf.h"
#include "core/bcp/message.h"
#include "core/bcp/repeat.h"
#include "engine/approval/subject.h"

#define TEXT_LIMIT (1U << 20)

struct kh_view kh_judge_key(struct kh_arena *arena, struct kh_tainted response, size_t round,
			    const struct kh_recent_ids *recent)
{
	int64_t *key = KH_NEW_N(arena, int64_t, recent->n + 4);

	if (key == NULL)
		return (struct kh_view){NULL, 0};
	key[0] = (int64_t)kh_tainted_address(response);
	key[1] = (int64_t)kh_tainted_size(response);
	key[2] = (int64_t)round;
	key[3] = (int64_t)recent->deliveries;
	if (recent->n > 0)
		memcpy(key + 4, recent->at, recent->n * sizeof(*key));
	return kh_view_of((const char *)key, (recent->n + 4) * sizeof(*key));
}

/* The query as it was admitted. */
static enum kh_err read_query(struct kh_arena *arena, struct kh_view body, struct kh_query *ret_query,
			      struct kh_error *err)
{
	struct kh_reasons errors;
	yyjson_val *root = NULL;

	kh_reasons_init(&errors, arena);
	enum kh_err e = kh_json_read(arena, body, &root, err);
	if (e == KH_OK)
		e = kh_query_read(arena, root, KH_QUERY_ADMIT, ret_query, &errors);
	if (e == KH_OK && errors.n > 0)
		e = kh_error_set(err, KH_ESTORE, "store_corrupt", "an admitted query is none");
	return e;
}

/* The N-th repetition of QUERY, which has one. */
static enum kh_err repeat(struct kh_arena *arena, const struct kh_query *query, size_t n, struct kh_query *ret_query,
			  struct kh_error *err)
{
	if (n == 0)
		*ret_query = *query;
	else if (!kh_repeat_query(arena, query, (unsigned)n, ret_query))
		return arena->failed ? KH_ENOMEM
				     : kh_error_set(err, KH_ESTORE, "store_corrupt", "a query has no such round");
	return KH_OK;
}

enum kh_err kh_judge_query(struct kh_arena *arena, struct kh_view body, size_t round, struct kh_query *ret_query,
			   struct kh_error *err)
{
	struct kh_query query;
	enum kh_err e = read_query(arena, body, &query, err);

	return e == KH_OK ? repeat(arena, &query, round, ret_query, err) : e;
}

static enum kh_err judge(struct kh_prepare *at, const struct kh_judge_round *round, const struct kh_query *query,
			 struct kh_recent recent, struct kh_answer *ret_answer)
{
	struct kh_screen *screen = kh_beforehand_screen(at);

	return screen != NULL
		       ? kh_message_judge(screen, at->arena, query, round->id, round->response, recent, ret_answer)
		       : KH_ENOMEM;
}

/* The response of a later round, on its own. */
static enum kh_err judge_again(struct kh_prepare *at, struct kh_judge *j, size_t round, struct kh_query *ret_query,
			       struct kh_answer *ret_answer)
{
	enum kh_err e = repeat(at->arena, &j->asked, round, ret_query, at->err);

	return e == KH_OK ? judge(at, &j->rounds[round], ret_query, (struct kh_recent){0}, ret_answer) : e;
}

/* The response of the first round, together with what the context was told before.  It is the one delivered. */
static enum kh_err judge_first(struct kh_prepare *at, struct kh_judge *j)
{
	struct kh_recent recent = {0};
	enum kh_err e = kh_recent_read(at->arena, j->recent, j->recent_count, &recent, at->err);

	return e == KH_OK ? judge(at, &j->rounds[0], &j->asked, recent, &j->answer) : e;
}

/* The verdict on this response: in a later round first on its own, then on all rounds together. */
static enum kh_err judge_round(struct kh_prepare *at, struct kh_judge *j)
{
	enum kh_err e = KH_OK;

	j->next = j->asked;
	if (j->round > 0) {
		e = judge_again(at, j, j->round, &j->next, &j->answer);
		j->verdict = KH_VERDICT_REJECT;
		if (e != KH_OK || j->answer.verdict == KH_VERDICT_REJECT)
			return e;
	}
	e = judge_first(at, j);
	if (e == KH_OK)
		j->verdict = j->answer.verdict;
	return e;
}

/* B14: compares the answers of all rounds with the first. */
static enum kh_err compare_rounds(struct kh_prepare *at, struct kh_judge *j)
{
	struct kh_answer repeated;
	struct kh_query again;
	enum kh_err e = KH_OK;

	for (size_t round = j->round; e == KH_OK && round > 0; round--) {
		e = judge_again(at, j, round, &again, &repeated);
		if (e == KH_OK)
			kh_repeat_compare(&j->answer, &j->asked, &repeated, &again);
	}
	return e;
}

/* The text that a reviewer reads: the summary, or all answers, one in each line. */
static enum kh_err write_text(struct kh_prepare *at, struct kh_judge *j)
{
	struct kh_buf buf;

	if (j->asked.category != 2) {
		j->text = j->asked.category == 3 ? j->answer.values[0].text : j->held;
		return KH_OK;
	}
	kh_buf_init(&buf, at->arena, TEXT_LIMIT);
	for (size_t i = 0; i < j->asked.question_count; i++) {
		kh_buf_add(&buf, j->asked.questions[i].id);
		kh_buf_lit(&buf, ": ");
		kh_buf_add(&buf, j->answer.values[i].text);
		kh_buf_byte(&buf, '\n');
	}
	return kh_buf_end(&buf, &j->text);
}

/* The last round was accepted: what is delivered, or shown to a reviewer first. */
static enum kh_err complete(struct kh_prepare *at, struct kh_judge *j)
{
	yyjson_mut_doc *doc = kh_json_new(at->arena);
	enum kh_err e = compare_rounds(at, j);

	/* In the query's order (B17), which canonical JSON would not keep. */
	if (e == KH_OK)
		e = kh_json_write(at->arena, kh_answer_write(&j->answer, &j->asked, doc), &j->held);
	if (e != KH_OK)
		return e;
	j->digest = kh_canonical_digest(j->held);
	if (j->answer.verdict == KH_VERDICT_DELIVER)
		return KH_OK;
	e = write_text(at, j);
	return e == KH_OK ? kh_subject_prepare(at, j->text) : e;
}

/* What comes after a verdict: another round, or the end. */
static enum kh_err go_on(struct kh_prepare *at, struct kh_judge *j)
{
	struct kh_query next;

	j->more = j->round + 1 < KH_JUDGE_ROUNDS &&
		  kh_repeat_query(at->arena, &j->asked, (unsigned)j->round + 1, &next);
	if (j->more)
		j->next = next;
	return j->more ? kh_arena_check(at->arena) : complete(at, j);
}

enum kh_err kh_judge_run(struct kh_prepare *at, void *work)
{
	struct kh_judge *j = work;
	enum kh_err e = KH_OK;

	if (j->read != NULL)
		j->asked = *j->read;
	else
		e = read_query(at->arena, j->body, &j->asked, at->err);
	if (e == KH_OK)
		e = judge_round(at, j);
	j->most = kh_answer_most(&j->next);
	if (e == KH_OK && j->verdict != KH_VERDICT_REJECT)
		e = go_on(at, j);
	/* For humans: what was found, in this round and in comparison with the others. */
	if (e == KH_OK && j->answer.reasons.n > 0)
		e = kh_json_write(at->arena, kh_json_reasons(kh_json_new(at->arena), &j->answer.reasons), &j->reasons);
	return e;
}
