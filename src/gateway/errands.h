/*
 * Operations carried out beside the callers, and calls that a model has to look at first: each on a thread of this pool
 * for as long as it takes.  What is in hand here when the process dies ends as unknown (E7).
 */
#ifndef KH_GATEWAY_ERRANDS_H
#define KH_GATEWAY_ERRANDS_H

#include "engine/comm/call.h"
#include "engine/deciding.h"
#include "gateway/works.h"

struct kh_errands;

/* CALLERS: where those wait who are to be told when one has ended. */
enum kh_err kh_errands_new(struct kh_engine *engine, unsigned threads, struct kh_works *callers,
			   struct kh_errands **ret_errands, struct kh_error *err) KH_CHECKED;

/*
 * Takes ACT, of which comm.call said KH_CALL_RUNS or KH_CALL_TRIAGE, for the Controller with TOKEN.  Everything of it is
 * copied.  Where it cannot be taken, one that runs is recorded as unknown, and KH_EREFUSED says why.
 */
enum kh_err kh_errands_put(struct kh_errands *errands, struct kh_view token, const struct kh_comm_call *act,
			   struct kh_error *err) KH_CHECKED;

/* Whether the declaration (row id) is in hand. */
bool kh_errands_has(struct kh_errands *errands, int64_t declaration);

/* As kh_works_stop(): what runs may come to its end. */
bool kh_errands_stop(struct kh_errands *errands, int64_t timeout_us);
void kh_errands_free(struct kh_errands *errands);

struct kh_works_figures kh_errands_figures(const struct kh_errands *errands);

#endif
