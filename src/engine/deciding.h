/*
 * A call from weighing to its beginning, and what has begun carried out.  Not operations: these run operations, one
 * after the other, on the caller's thread.
 */
#ifndef KH_ENGINE_DECIDING_H
#define KH_ENGINE_DECIDING_H

#include "engine/comm/call.h"

/*
 * Weighs and decides for TOKEN (act->weighed is filled in here), as often as the context changes meanwhile, and asks
 * the models that are to verify it, for as long as they take.  What comes next is in act->next; KH_ACT_AGAIN does not
 * come out.
 */
enum kh_err kh_perform_call(struct kh_engine *engine, struct kh_view token, struct kh_act *act, struct kh_arena *arena,
			    struct kh_error *err) KH_CHECKED;

/* The same, without asking a model: KH_ACT_TRIAGE may come out. */
enum kh_err kh_perform_decide(struct kh_engine *engine, struct kh_view token, struct kh_act *act,
			      struct kh_arena *arena, struct kh_error *err) KH_CHECKED;

/* Carries out what kh_perform_call() or kh_act_run() said KH_ACT_RUNS of, and records what came of it.  Takes as long
 * as the errand does. */
enum kh_err kh_perform_errand(struct kh_engine *engine, const struct kh_act *act, struct kh_arena *arena,
			      struct kh_error *err) KH_CHECKED;

#endif
