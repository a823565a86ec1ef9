/*
 * Models that verify calls (K7): tier 2, `verification.triage`, and tier 3, `verification.supervisor`, each a Reader of
 * the configuration.  Not an operation, because a model may take long to answer (outbox.h); comm.triaged records what
 * it said.
 *
 * A model may deny, pass on, or allow what is of low risk (the engine enforces that, call.h).  It is asked one question
 * of category 1, {"verdict": allow|deny|unsure}, over the call, its justification, what the task is for (its
 * goal and plan, approval/purpose.h) and what tier 1 found.  All of that is fenced, because none of it is trusted, and the model's answer is never more than one of three
 * words.  A late, dead or missing Reader, garbage and `unsure` all count as `pass`: somebody else decides.
 */
#ifndef KH_ENGINE_COMM_VERIFYING_H
#define KH_ENGINE_COMM_VERIFYING_H

#include "engine/comm/call.h"

/*
 * Prepares the question to the model about CALL.  Its `look` names the declaration, its `purpose` is the task's, and
 * its `weighed` says what tier 1 found.
 */
enum kh_err kh_verifying_prepare(const struct kh_engine *engine, const struct kh_comm_call *call,
				 struct kh_arena *arena, struct kh_reader_ask *ret_ask,
				 struct kh_error *err) KH_CHECKED;

/* The verdict in a response to ASKED; anything that is not a valid answer is `pass`. */
enum kh_err kh_verifying_judge(struct kh_arena *arena, const struct kh_reader_ask *asked, struct kh_tainted response,
			       enum kh_triage *ret_verdict) KH_CHECKED;

#endif
