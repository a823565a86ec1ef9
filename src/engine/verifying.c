/* Models that verify calls. */
#include "engine/verifying.h"

const struct kh_reader *kh_verifying_reader(const struct kh_engine *engine, bool supervisor)
{
	(void)engine;
	(void)supervisor;
	return NULL;
}

enum kh_err kh_verifying_run(struct kh_engine *engine, const struct kh_act *act, bool supervisor,
			     struct kh_arena *arena, struct kh_error *err)
{
	struct kh_act_triaged said = {
		.declaration = act->look.row->id, .supervisor = supervisor, .verdict = KH_TRIAGE_PASS};

	return kh_engine_own(engine, kh_act_decide_triaged, &said, arena, err);
}
