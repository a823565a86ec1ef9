/*
 * Models that verify calls (K7): tier 2, `verification.triage`, and tier 3, `verification.supervisor`, each a Reader of
 * the configuration.  Not an operation: this asks a model, which takes as long as it takes, and then runs comm.triaged
 * with what it said.
 *
 * A model may deny, pass on, and allow what is of low risk (the engine sees to that, call.h).  It is asked one question
 * of category 1, {"verdict": allow|deny|unsure}, over the call, its justification, the task's plan and what tier 1
 * found, all of it fenced: nothing of that is trusted, and nothing that a model says is more than one of three words.
 * Late, dead, garbage, `unsure` and a Reader that is not there are all `pass`: somebody else decides.
 */
#ifndef KH_ENGINE_COMM_VERIFYING_H
#define KH_ENGINE_COMM_VERIFYING_H

#include "engine/comm/call.h"

/* The Reader that verifies calls, SUPERVISOR: in tier 3, else in tier 2; NULL: none is configured. */
const struct kh_reader *kh_verifying_reader(const struct kh_engine *engine, bool supervisor);

/*
 * Asks about the call of ACT, whose `look` names the declaration and whose `weighed` says what tier 1 found, and
 * records the verdict.  SUPERVISOR: the model of tier 3, else that of tier 2.  From any thread; waits for the model.
 */
enum kh_err kh_verifying_run(struct kh_engine *engine, const struct kh_act *act, bool supervisor,
			     struct kh_arena *arena, struct kh_error *err) KH_CHECKED;

#endif
