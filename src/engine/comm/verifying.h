/*
 * Models that verify calls (K7): tier 2, `verification.triage`, and tier 3, `verification.supervisor`, each a Reader of
 * the configuration.  Not an operation: asking a model takes as long as it takes (outbox.h); comm.triaged records what
 * it said.
 *
 * A model may deny, pass on, and allow what is of low risk (the engine sees to that, call.h).  It is asked one question
 * of category 1, {"verdict": allow|deny|unsure}, over the call, its justification, the task's plan and what tier 1
 * found, all of it fenced: nothing of that is trusted, and nothing that a model says is more than one of three words.
 * Late, dead, garbage, `unsure` and a Reader that is not there are all `pass`: somebody else decides.
 */
#ifndef KH_ENGINE_COMM_VERIFYING_H
#define KH_ENGINE_COMM_VERIFYING_H

#include "engine/comm/call.h"

/*
 * What the model is asked about the call of CALL, whose `look` names the declaration, whose `plan` is the task's and
 * whose `weighed` says what tier 1 found.
 */
enum kh_err kh_verifying_prepare(const struct kh_engine *engine, const struct kh_comm_call *call,
				 struct kh_arena *arena, struct kh_reader_ask *ret_ask,
				 struct kh_error *err) KH_CHECKED;

/* What a response to ASKED says; whatever is no answer is `pass`. */
enum kh_err kh_verifying_judge(struct kh_arena *arena, const struct kh_reader_ask *asked, struct kh_tainted response,
			       enum kh_triage *ret_verdict) KH_CHECKED;

#endif
