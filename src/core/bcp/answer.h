/*
 * Answers: validates, normalises and counts what a Reader sent (B10-B18).
 *
 * The Reader is assumed to be the attacker.  Its bytes are read only here, and the result is built anew from listed
 * values, canonical forms and screened words.  Reject takes precedence over hold, and one held answer holds the whole
 * response.
 */
#ifndef KH_CORE_BCP_ANSWER_H
#define KH_CORE_BCP_ANSWER_H

#include "base/tainted.h"
#include "base/words.h"
#include "core/bcp/query.h"

struct kh_screen;

extern const struct kh_words kh_answer_verdict_words; /* "deliver", "hold", "reject" */

/* The value of one field, or the canonical answer to one question, or the summary. */
struct kh_value {
	int64_t number;      /* boolean: 0 or 1; enum: the index in its list; integer */
	struct kh_view text; /* categories 2 and 3 */
};

struct kh_answer {
	enum kh_verdict verdict;
	struct kh_value *values; /* in the query's order; NULL if rejected */
	size_t value_count;
	struct kh_reasons reasons; /* for humans and the audit; never for the Controller */
	const char *rejected; /* the code of the first reason to reject, for the Reader (B16); NULL: not rejected */
};

#define KH_ANSWER_WORD 40 /* maximum characters of a word */

/* The texts of the task's latest deliveries: an instruction can be spread over several of them (B13). */
struct kh_recent {
	const struct kh_view *texts;
	size_t count;
};

/*
 * Bytes that a response to QUERY can have at most: room for every field or question with an answer of as many words as
 * it may have, of the longest characters, all of them escaped.  A longer one is rejected unread.
 */
#define KH_ANSWER_BYTES (256U << 10) /* of any response */
size_t kh_answer_most(const struct kh_query *query);

/*
 * Judges a response to QUERY.  SCREEN may be NULL for category 1 only.  Fails only for lack of memory; anything wrong
 * with the response is a verdict.
 */
enum kh_err kh_answer_judge(struct kh_screen *screen, struct kh_arena *arena, const struct kh_query *query,
			    struct kh_tainted response, struct kh_recent recent,
			    struct kh_answer *ret_answer) KH_CHECKED;

/* The same for a response that is parsed already; it is as untrusted as the bytes. */
enum kh_err kh_answer_judge_value(struct kh_screen *screen, struct kh_arena *arena, const struct kh_query *query,
				  yyjson_val *response, struct kh_recent recent,
				  struct kh_answer *ret_answer) KH_CHECKED;

/* {"fields":{...}} | {"answers":[{id, answer}]} | {"summary":...}, in the query's order. */
yyjson_mut_val *kh_answer_write(const struct kh_answer *answer, const struct kh_query *query, yyjson_mut_doc *doc);

#endif
