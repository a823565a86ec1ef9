/*
 * Finds rules that earlier rules hide.  A glob covers another if it matches the other's text, because its stars match
 * the other's stars like any text that those stand for.
 */
#include "core/policy/shadow.h"

#include "core/policy/match.h"

/* Whether one of A's globs covers GLOB; a rule without agents is for everybody. */
static bool covers_agent(const struct kh_texts *a, struct kh_view glob)
{
	for (size_t i = 0; i < a->n; i++) {
		if (kh_match_glob(a->at[i], glob))
			return true;
	}
	return a->n == 0;
}

static bool covers(const struct kh_policy_rule *a, const struct kh_policy_rule *b)
{
	if (!kh_match_glob(a->name, b->name))
		return false;
	for (size_t i = 0; i < b->agents.n; i++) {
		if (!covers_agent(&a->agents, b->agents.at[i]))
			return false;
	}
	return b->agents.n > 0 || covers_agent(&a->agents, KH_LIT("*"));
}

enum kh_err kh_shadow_check(const struct kh_outline_source *source, const struct kh_list *list, const char *path,
			    struct kh_error *err)
{
	const struct kh_policy_rule *rules = list->at;

	for (size_t i = 1; i < list->n; i++) {
		for (size_t j = 0; j < i; j++) {
			if (covers(&rules[j], &rules[i]))
				return kh_outline_error(
					source, rules[i].line, SIZE_MAX,
					kh_arena_printf(
						source->arena,
						"%s[%zu]: it can never be reached: %s[%zu] on line %u is for all "
						"that it is for",
						path, i, path, j, rules[j].line),
					KH_LIT("the narrower rule first, or other agents in the earlier one"), err);
		}
	}
	return KH_OK;
}
