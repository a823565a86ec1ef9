/*
 * Which rule is the first that matches, without looking at every rule (SPEC E4): an index over names and agents.
 *
 * A glob is kept under what it certainly has: all of it where it has no star, else the longer of what stands before its
 * first star and behind its last.  Rules are told apart by the shape of these two keys, of the name and of the agent: a
 * look-up asks once for each shape that there is, in the order of the first rule that has it.  What is found is matched
 * as a whole, so that the index decides nothing: a rule is found by it exactly when it matches.
 */
#ifndef KH_CORE_POLICY_LOOKUP_H
#define KH_CORE_POLICY_LOOKUP_H

#include "core/policy/schema.h"

struct kh_lookup;

/* An index over RULES, of struct kh_policy_rule, in the arena; it keeps RULES.  NULL marks the arena. */
const struct kh_lookup *kh_lookup_new(struct kh_arena *arena, const struct kh_list *rules);

/* The index of the first rule whose name matches NAME and that is for AGENT; SIZE_MAX where there is none. */
size_t kh_lookup_find(const struct kh_lookup *lookup, struct kh_view name, struct kh_view agent);

#endif
