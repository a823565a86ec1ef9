/* Who the caller is. */
#include "engine/context/who.h"

#include "engine/state/find.h"

static void copy(char *to, size_t size, struct kh_view from)
{
	size_t n = from.n < size ? from.n : size - 1;

	memcpy(to, from.p, n);
	to[n] = '\0';
}

enum kh_err kh_who_run(struct kh_op *op, void *call)
{
	const struct kh_token_row *caller = op->caller;
	struct kh_who *who = call;

	*who = (struct kh_who){.token = caller->id, .role = caller->role, .expires_at = caller->expires_at};
	copy(who->name, sizeof(who->name), caller->name);
	copy(who->id, sizeof(who->id), kh_op_id(op, KH_ID_TOKEN, caller->id));
	if (caller->context != 0)
		copy(who->context, sizeof(who->context), kh_op_id(op, KH_ID_CONTEXT, caller->context));
	return kh_arena_check(op->arena);
}
