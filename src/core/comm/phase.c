/*
 * The phase gate: two allow-lists and two words.  Names are compared in full, so that no other spelling can pass a
 * prefix test.
 */
#include "core/comm/phase.h"

#include "core/comm/operations.h"

const struct kh_words kh_phase_words = KH_WORDS([KH_PHASE_PLANNING] = "planning", [KH_PHASE_EXECUTION] = "execution");

/* What agents can ask of Keyhole itself (I1): these read and write Keyhole's own store and start nothing outside. */
static const struct kh_words own = KH_WORDS("task_open", "task_status", "begin_execution", "declare", "BCPQuery",
					    "BCPNext", "BCPRespond", "approval_wait", "blocks", "verification_next",
					    "verification_decide");

bool kh_phase_is_own(struct kh_view operation)
{
	return kh_words_have(&own, operation);
}

enum kh_err kh_phase_allows(struct kh_arena *arena, struct kh_view operation, struct kh_view word, struct kh_error *err)
{
	struct kh_operation_name name;
	enum kh_phase phase;

	if (!kh_words_parse(&kh_phase_words, word, &phase)) {
		struct kh_view quoted = kh_arena_quote(arena, word);
		return kh_error_set(err, arena->failed ? KH_ENOMEM : KH_EREFUSED, "phase_unknown",
				    "phase %.*s is neither planning nor execution", KH_FMT(quoted));
	}
	if (kh_phase_is_own(operation))
		return KH_OK;
	enum kh_err e = kh_operation_find(arena, &kh_operations_own, operation, &name, err);
	if (e == KH_OK && phase != KH_PHASE_EXECUTION)
		return kh_error_set(err, KH_EREFUSED, "OUTBOUND_FORBIDDEN_IN_PLANNING",
				    "external operations run in the execution phase only");
	return e;
}
