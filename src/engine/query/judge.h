/*
 * Judging a response outside of the transaction (beforehand.h): everything that follows from the query, the response and
 * what the context was told before.  respond.c only does to the rows what was found here.
 */
#ifndef KH_ENGINE_QUERY_JUDGE_H
#define KH_ENGINE_QUERY_JUDGE_H

#include "core/bcp/answer.h"
#include "engine/query/recent.h"
#include "engine/state/beforehand.h"

#define KH_JUDGE_ROUNDS 4 /* of one query: the first, and as often as it is repeated (B14) */

struct kh_judge_round {
	struct kh_view id; /* of the ask; empty: a response that names a query is none */
	struct kh_tainted response;
};

struct kh_judge {
	struct kh_view body;         /* of the query */
	const struct kh_query *read; /* of round 0, if it was read; else NULL */
	struct kh_judge_round rounds[KH_JUDGE_ROUNDS];
	size_t round;                 /* of the response that is judged; the rounds before it were accepted */
	const struct kh_view *recent; /* responses (recent.h) */
	size_t recent_count;
	/* out */
	enum kh_verdict verdict; /* on the response */
	struct kh_query asked;   /* of round 0 */
	struct kh_query next;    /* what the Reader is asked next: another round, or the same again after a rejection */
	bool more;               /* another round is needed */
	struct kh_answer answer; /* of round 0, with what all rounds together say; of this round if that is rejected */
	size_t most;             /* bytes of the response that are kept: no answer has more */
	struct kh_view reasons;  /* JSON; empty: none */
	struct kh_view held;     /* what would be delivered, in the query's order (B17); if there is no other round */
	struct kh_view text;     /* of a held answer: what a reviewer reads */
	struct kh_digest digest; /* of `held` */
};
kh_prepare_fn kh_judge_run;

/* The key of judging RESPONSE, which is the call's own: known by its address, it need not be read. */
struct kh_view kh_judge_key(struct kh_arena *arena, struct kh_tainted response, size_t round,
			    const struct kh_recent_ids *recent);

/* The query of ROUND in the form that the Reader gets: the admitted one, or its repetition (B14). */
enum kh_err kh_judge_query(struct kh_arena *arena, struct kh_view body, size_t round, struct kh_query *ret_query,
			   struct kh_error *err) KH_CHECKED;

#endif
