/* query.admit: checks a query of a Controller, reserves its cost, leaves it for its Reader (B1-B6, B9, B19-B22). */
#ifndef KH_ENGINE_QUERY_ADMIT_H
#define KH_ENGINE_QUERY_ADMIT_H

#include "engine/query/ask.h"
#include "engine/query/look.h"
#include "engine/query/outward.h"
#include "engine/state/beforehand.h"

#define KH_ADMIT_NO_ADVICE KH_LIT("[]")

/* What can be known about a query without the store. */
struct kh_admit_read {
	enum kh_err e; /* why it is not a valid query */
	struct kh_error err;
	struct kh_query query;
	struct kh_view body;   /* its canonical JSON */
	struct kh_view advice; /* JSON array (B22) */
	bool advised;          /* the advice is not empty */
};

struct kh_admit {
	yyjson_val *query;         /* the caller's JSON, with the members of admission */
	bool at_once;              /* a Reader that takes no time is asked with it (atonce.h) */
	struct kh_admit_read read; /* filled in before the transaction */
	int64_t since;             /* likewise: when it came in; its slots are counted from then (I-45) */
	/* out */
	bool inspected; /* even if it is refused: content was looked at, so the answer leaves at a slot */
	struct kh_view id;
	struct kh_query_row *row;
	struct kh_view approval; /* public id if a human decides first; empty: none */
	struct kh_view advice;   /* JSON array (B22) */
	struct kh_ask ask;       /* what to carry out first; not `found` if the Reader is an agent or a human decides */
	/*
	 * KH_OUTCOME_BUDGET if the budget does not hold it, KH_OUTCOME_FAILED if the escalation was one too many and
	 * the task has failed: these are outcomes, on the record, not errors.  KH_OUTCOME_NONE: admitted.
	 */
	enum kh_outcome refused;
	struct kh_view why;  /* with KH_OUTCOME_BUDGET: which limit does not hold it, and what is left (B6) */
	bool looked;         /* at once, and nothing is left to carry out: */
	struct kh_look look; /* what query.look would return now */
};
enum kh_err kh_admit_run(struct kh_op *op, void *call);

#endif
