/*
 * What agents are told (K4): the security policy of requirements/blocks.md, which is the first block of every context
 * that Keyhole assembles, and the prompts for Controller, Reader, Supervisor (an agent that verifies calls) and verifier (a model that does).  Prompts are a probabilistic defence;
 * nothing in Keyhole relies on agents following them.
 */
#ifndef KH_CORE_BLOCK_PROMPT_H
#define KH_CORE_BLOCK_PROMPT_H

#include "core/block/blocks.h"

#define KH_PROMPT_POLICY_ID "security-policy"

struct kh_prompt {
	const char *name;        /* "controller", "reader", "supervisor", "verifier", "security-policy" */
	const char *description; /* one line, for a list of prompts */
	struct kh_view text;
};

/* All prompts, in order. */
const struct kh_prompt *kh_prompt_all(size_t *ret_count);

/* The prompt of this name, or NULL. */
const struct kh_prompt *kh_prompt_find(struct kh_view name);

/*
 * The notice with every delivery: it is untrusted data; its form was checked, its truth was not.  No text of Keyhole's
 * ever says that a delivery is safe to act on.
 */
struct kh_view kh_prompt_delivery_notice(void);

/*
 * A context as an agent gets it: the security policy first, then CONTEXT's blocks in their order.  `policy_forged`
 * (KH_EREFUSED) if CONTEXT has a block with the policy's id.  The blocks belong to CONTEXT and must live as long as
 * *RET_SET.
 */
enum kh_err kh_prompt_assemble(const struct kh_blocks *context, struct kh_arena *arena, struct kh_blocks *ret_set,
			       struct kh_error *err) KH_CHECKED;

#endif
