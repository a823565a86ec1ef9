/* The functions for what an approval is about, by its kind. */
#include "engine/approval/follow.h"

const struct kh_approval_follow *kh_approval_follow(const struct kh_op *op, const struct kh_approval_row *approval)
{
	static const struct kh_approval_follow nothing = {0};
	size_t kind = (size_t)approval->kind;

	return kind < op->above->follow_count && op->above->follows[kind] != NULL ? op->above->follows[kind] : &nothing;
}
