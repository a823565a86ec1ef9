/*
 * Finds the first rule that matches without trying every rule (SPEC E4): an index over names and agents.
 *
 * A glob is indexed by text that every match has: all of it if it has no star, else the longer of the parts before its
 * first star and after its last.  Rules are grouped by the shape of their two keys, for the name and for the agent.  A
 * look-up probes once for each shape, in the order of the first rule with that shape.  Each rule found is then matched
 * in full, so the index decides nothing: the result is the same as without it.
 */
#ifndef KH_CORE_POLICY_LOOKUP_H
#define KH_CORE_POLICY_LOOKUP_H

#include "core/policy/schema.h"

struct kh_lookup;

/* An index over RULES, of struct kh_policy_rule, in the arena; it keeps a pointer to RULES. NULL marks the arena. */
const struct kh_lookup *kh_lookup_new(struct kh_arena *arena, const struct kh_list *rules);

/* The index of the first rule whose name matches NAME and that is for AGENT; SIZE_MAX if there is none. */
size_t kh_lookup_find(const struct kh_lookup *lookup, struct kh_view name, struct kh_view agent);

#endif
