/*
 * Grants and approval states.  Comparisons are exact.  They need not be constant-time, because nothing here is secret.
 */
#include "core/policy/grant.h"

const struct kh_words kh_grant_words =
	KH_WORDS([KH_GRANTED] = "granted", [KH_GRANT_OTHER_CONTEXT] = "other_context",
		 [KH_GRANT_OTHER_TASK] = "other_task", [KH_GRANT_OTHER_OPERATION] = "other_operation",
		 [KH_GRANT_OTHER_ARGUMENTS] = "other_arguments", [KH_GRANT_OTHER_HOST] = "other_host",
		 [KH_GRANT_OTHER_CONTENT] = "other_content", [KH_GRANT_OTHER_DEFINITION] = "other_definition",
		 [KH_GRANT_OTHER_POLICY] = "other_policy", [KH_GRANT_NOT_FENCED] = "not_fenced",
		 [KH_GRANT_EXPIRED] = "expired", [KH_GRANT_USED] = "used", [KH_GRANT_NOT_GIVEN] = "not_given");

const struct kh_words kh_grant_approval_words =
	KH_WORDS([KH_APPROVAL_PENDING] = "pending", [KH_APPROVAL_APPROVED] = "approved",
		 [KH_APPROVAL_REJECTED] = "rejected", [KH_APPROVAL_EDITED] = "edited",
		 [KH_APPROVAL_EXPIRED] = "expired", [KH_APPROVAL_USED] = "used", [KH_APPROVAL_VOID] = "void");

static bool same(const struct kh_digest *a, const struct kh_digest *b)
{
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

enum kh_granted kh_grant_covers(const struct kh_grant *grant, const struct kh_grant_call *call, uint64_t used,
				int64_t now)
{
	if (!kh_view_eq(grant->context, call->context))
		return KH_GRANT_OTHER_CONTEXT;
	if (!kh_view_eq(grant->task, call->task))
		return KH_GRANT_OTHER_TASK;
	if (!kh_view_eq(grant->operation, call->operation))
		return KH_GRANT_OTHER_OPERATION;
	/* A widened grant is for a host, with any arguments; any other grant is for exactly these arguments. */
	if (grant->host.n == 0 && !same(&grant->arguments, &call->arguments))
		return KH_GRANT_OTHER_ARGUMENTS;
	if (grant->host.n > 0 && !kh_view_eq_nocase(grant->host, call->host))
		return KH_GRANT_OTHER_HOST;
	if (!same(&grant->content, &call->content))
		return KH_GRANT_OTHER_CONTENT;
	if (!same(&grant->definition, &call->definition))
		return KH_GRANT_OTHER_DEFINITION;
	if (!same(&grant->policy, &call->policy))
		return KH_GRANT_OTHER_POLICY;
	if (call->fenced && !grant->fenced)
		return KH_GRANT_NOT_FENCED;
	if (now >= grant->expiry)
		return KH_GRANT_EXPIRED;
	return used < grant->uses ? KH_GRANTED : KH_GRANT_USED;
}

bool kh_grant_similar(const struct kh_grant_call *a, const struct kh_grant_call *b)
{
	return kh_view_eq(a->context, b->context) && kh_view_eq(a->task, b->task) &&
	       kh_view_eq(a->operation, b->operation) && kh_view_eq_nocase(a->host, b->host) &&
	       same(&a->definition, &b->definition) && same(&a->policy, &b->policy);
}

bool kh_grant_is_void(enum kh_granted answer)
{
	return answer == KH_GRANT_OTHER_CONTENT || answer == KH_GRANT_OTHER_DEFINITION ||
	       answer == KH_GRANT_OTHER_POLICY;
}

bool kh_grant_may_become(enum kh_approval from, enum kh_approval to)
{
	switch (from) {
	case KH_APPROVAL_PENDING:
		return to == KH_APPROVAL_APPROVED || to == KH_APPROVAL_REJECTED || to == KH_APPROVAL_EDITED ||
		       to == KH_APPROVAL_EXPIRED || to == KH_APPROVAL_VOID;
	case KH_APPROVAL_APPROVED:
	case KH_APPROVAL_EDITED:
		return to == KH_APPROVAL_USED || to == KH_APPROVAL_EXPIRED || to == KH_APPROVAL_VOID;
	case KH_APPROVAL_REJECTED:
	case KH_APPROVAL_EXPIRED:
	case KH_APPROVAL_USED:
	case KH_APPROVAL_VOID:
		break;
	}
	return false;
}
