/* Which model is asked next, and what asking sends out.  What the Controller sees of it follows from its own words. */
#include "engine/comm/tiers.h"

#include "core/bcp/reader.h"
#include "engine/approval/purpose.h"

static bool is_outside(const struct kh_engine *engine, size_t tier)
{
	const struct kh_reader *reader = kh_engine_verifier(engine, tier == 1);

	return reader != NULL && reader->outside;
}

/* Whether it may still be asked.  One that came to be behind a network after the first was asked is not counted. */
static bool is_asked(const struct kh_engine *engine, const struct kh_declaration_row *row, size_t tier)
{
	enum kh_triage said = tier == 1 ? row->supervised : row->triage;

	if (said != KH_TRIAGE_NOT || kh_engine_verifier(engine, tier == 1) == NULL)
		return false;
	return !is_outside(engine, tier) || row->verify_at == 0 || row->reader_egress > 0;
}

size_t kh_tiers_next(const struct kh_engine *engine, const struct kh_declaration_row *row)
{
	size_t tier = 0;

	while (tier < KH_TIERS_NONE && !is_asked(engine, row, tier))
		tier++;
	return tier;
}

enum kh_err kh_tiers_afford(struct kh_op *op, const struct kh_task_row *task, struct kh_declaration_row *row,
			    int64_t *ret_bytes)
{
	enum kh_triage *said[KH_TIERS_NONE] = {&row->triage, &row->supervised};
	uint64_t most = op->policy->reader_egress, used = (uint64_t)task->reader_egress, bytes = 0;
	struct kh_view purpose;

	*ret_bytes = 0;
	if (!is_outside(op->engine, 0) && !is_outside(op->engine, 1))
		return KH_OK;
	enum kh_err e = kh_purpose_write(op, task, &purpose);
	if (e != KH_OK)
		return e;
	for (size_t tier = 0; tier < KH_TIERS_NONE; tier++) {
		if (*said[tier] == KH_TRIAGE_NOT && is_outside(op->engine, tier))
			bytes += row->parameters.n + row->justification.n + purpose.n;
	}
	for (size_t tier = 0; tier < KH_TIERS_NONE && used + bytes > most; tier++) {
		if (*said[tier] == KH_TRIAGE_NOT && is_outside(op->engine, tier))
			*said[tier] = KH_TRIAGE_PASS;
	}
	*ret_bytes = used + bytes > most ? 0 : (int64_t)bytes;
	return KH_OK;
}
