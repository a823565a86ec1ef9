/*
 * query.tries (reviewer, admin): what a Reader sent for a query, try by try and round by round (B16, B18): the raw
 * responses, also those that were rejected, and the answers of a redundant extraction that disagreed.  A Controller, its
 * host and the Reader itself never learn any of it.  Changes nothing.
 *
 *     {"label":"UNTRUSTED ...","outcome":"failed","query":"q...","reader":"...","reason":"invalid","state":"done",
 *      "tries":[{"asked_at","binary":false,"ended_at","number":1,"page":1,"pages":1,"purged_at","reader","reasons":
 *                [{"code","detail","member"},...],"round":0,"size":12,"state":"done","text":"...","try":0,
 *                "verdict":"reject"},...]}
 *
 * `text` is the page of the response, made valid UTF-8 (`binary`: it was not).  A try that failed without a response has
 * the fault as its verdict.  Tries of stores before version 3 are linked only if they are of different rounds.
 */
#ifndef KH_ENGINE_QUERY_TRIES_H
#define KH_ENGINE_QUERY_TRIES_H

#include "engine/state/op.h"

#define KH_TRIES_MAX 64 /* the newest; a query has few */

struct kh_tries {
	struct kh_view query; /* public id */
	int64_t number;       /* this try alone, from 1; 0: all, each with its first page */
	int64_t page;         /* of the one try, from 1; KH_EINPUT `no_such_page` if it has fewer */
	/* out */
	struct kh_view json;
};
enum kh_err kh_tries_run(struct kh_op *op, void *call);

#endif
