/*
 * Compiles extra rules for the screen and tries their examples.  The operator chooses the patterns; Vectorscan bounds
 * their cost.
 */
#include "core/policy/screening.h"

static enum kh_err refuse(struct kh_arena *arena, const struct kh_policy *policy, size_t i, struct kh_view what,
			  struct kh_view expected, struct kh_error *err)
{
	const struct kh_policy_screen *rules = policy->screen.at;
	struct kh_outline_source source = {.arena = arena, .file = policy->file};
	struct kh_view path = kh_arena_printf(arena, "policy.screen[%zu]: %.*s", i, KH_FMT(what));

	return kh_outline_error(&source, rules[i].line, SIZE_MAX, path, expected, err);
}

/* Adds the line of the faulty rule.  The compiler's message begins with "rule NAME:", and names are unique. */
static enum kh_err blame(struct kh_arena *arena, const struct kh_policy *policy, struct kh_error *err)
{
	const struct kh_policy_screen *rules = policy->screen.at;
	struct kh_view why = kh_arena_dup(arena, kh_view_str(err->detail));

	for (size_t i = 0; i < policy->screen.n; i++) {
		struct kh_view begin = kh_arena_printf(arena, "rule %.*s:", KH_FMT(rules[i].name));
		if (kh_view_starts(why, begin))
			return refuse(arena, policy, i, kh_arena_quote(arena, kh_view_trim(kh_view_from(why, begin.n))),
				      KH_LIT("a new name, a known code and a pattern that Vectorscan reads"), err);
	}
	return kh_arena_check(arena) == KH_OK
		       ? KH_EINPUT
		       : kh_error_set(err, KH_ENOMEM, "out_of_memory", "no memory to compile rules");
}

/* Whether rule NAME finds something in TEXT. */
static enum kh_err finds(struct kh_screen *screen, struct kh_arena *arena, const char *name, const char *text,
			 bool *ret_found)
{
	struct kh_findings findings;
	enum kh_err e = kh_screen_text(screen, arena, kh_view_str(text), KH_SCREEN_DOCUMENT, &findings);

	if (e != KH_OK)
		return e;
	*ret_found = false;
	for (size_t i = 0; i < findings.n; i++)
		*ret_found = *ret_found || strcmp(findings.at[i].rule, name) == 0;
	return KH_OK;
}

static enum kh_err try_examples(struct kh_screen *screen, struct kh_arena *arena, const struct kh_policy *policy,
				const struct kh_rule *extra, struct kh_error *err)
{
	for (size_t i = 0; i < policy->screen.n; i++) {
		bool positive = false, negative = false;
		enum kh_err e = finds(screen, arena, extra[i].name, extra[i].positive, &positive);
		if (e == KH_OK)
			e = finds(screen, arena, extra[i].name, extra[i].negative, &negative);
		if (e != KH_OK)
			return kh_error_set(err, e, NULL, "the rules' examples could not be screened");
		if (!positive)
			return refuse(arena, policy, i, KH_LIT("the pattern does not find its own `positive`"),
				      KH_LIT("a text that it finds"), err);
		if (negative)
			return refuse(arena, policy, i, KH_LIT("the pattern finds its own `negative`"),
				      KH_LIT("a text that it does not find"), err);
	}
	return KH_OK;
}

enum kh_err kh_screening_new(const struct kh_alloc *alloc, struct kh_arena *arena, const struct kh_policy *policy,
			     struct kh_rules **ret_rules, struct kh_error *err)
{
	struct kh_rules *rules = NULL;
	struct kh_screen *screen = NULL;
	const struct kh_rule *extra;
	size_t count;
	enum kh_err e = kh_policy_screen_rules(arena, policy, &extra, &count);

	if (e == KH_OK)
		e = kh_rules_new(alloc, extra, count, &rules, err);
	if (e == KH_EINPUT && count > 0)
		return blame(arena, policy, err);
	if (e == KH_OK && count > 0)
		e = kh_screen_new(alloc, rules, &screen);
	if (e == KH_ENOMEM)
		kh_error_set(err, e, "out_of_memory", "no memory to compile rules");
	if (e == KH_OK && count > 0)
		e = try_examples(screen, arena, policy, extra, err);
	kh_screen_free(screen);
	if (e == KH_OK)
		*ret_rules = rules;
	else
		kh_rules_free(rules);
	return e;
}
