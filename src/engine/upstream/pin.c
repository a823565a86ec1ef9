/* From what was seen to what is approved. */
#include "engine/upstream/pin.h"

void kh_pin_server(const struct kh_op *op, int64_t by, struct kh_upstream_row *row)
{
	row->state = KH_PIN_APPROVED;
	row->program = row->seen_program;
	row->about = row->seen_about;
	row->approved_at = op->now;
	row->approved_by = by;
}

void kh_pin_tool(const struct kh_op *op, int64_t by, struct kh_tool_row *tool)
{
	tool->state = tool->seen.n > 0 ? KH_PIN_APPROVED : KH_PIN_SEEN;
	tool->pinned = tool->seen;
	tool->pinned_hash = tool->seen_hash;
	tool->approved_at = op->now;
	tool->approved_by = by;
}
