/*
 * What a Controller is told of the members of a tool's result that it can ask for by their types (U7): a sentence for the
 * tool's description.  Names and values are the policy's, or those of the schema that a human approved; all are words.
 */
#ifndef KH_ENGINE_UPSTREAM_ASKABLE_H
#define KH_ENGINE_UPSTREAM_ASKABLE_H

#include "core/policy/policy.h"
#include "core/schema/schema.h"

#define KH_ASKABLE_MOST 400 /* bytes: a list of tools has to be short (G6) */

/*
 * SCHEMA may be NULL.  The members of RULE come first; those of the schema that the rule has a name for are left out.
 * Empty if there are none.  Out of memory marks the arena.
 */
struct kh_view kh_askable_text(struct kh_arena *arena, const struct kh_policy_rule *rule,
			       const struct kh_schema *schema);

#endif
