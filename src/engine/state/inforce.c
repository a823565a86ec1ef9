/* A policy and what follows from it. */
#include "engine/state/inforce.h"

#include "base/alloc.h"
#include "core/policy/screening.h"
#include "core/screen/rules.h"

#define BOOK (1U << 20) /* of an arena for the rules */

void kh_inforce_free(const struct kh_alloc *alloc, struct kh_inforce *ruling)
{
	struct kh_engine_screen *next;

	for (struct kh_engine_screen *spare = ruling->spare; spare != NULL; spare = next) {
		next = spare->next;
		kh_screen_free(spare->screen);
		kh_alloc_free(alloc, spare, sizeof(*spare));
	}
	kh_screen_free(ruling->screen);
	kh_rules_free(ruling->rules);
	kh_alloc_free(alloc, ruling, sizeof(*ruling));
}

static enum kh_err make_screen(const struct kh_alloc *alloc, struct kh_inforce *ruling, struct kh_error *err)
{
	const struct kh_rule *extra = NULL;
	struct kh_arena arena;
	size_t count = 0;

	kh_arena_init(&arena, alloc, BOOK);
	enum kh_err e = kh_policy_screen_rules(&arena, ruling->policy, &extra, &count);
	if (e == KH_OK)
		e = kh_rules_new(alloc, extra, count, &ruling->rules, err);
	kh_arena_done(&arena);
	return e == KH_OK ? kh_screen_new(alloc, ruling->rules, &ruling->screen) : e;
}

enum kh_err kh_inforce_new(const struct kh_alloc *alloc, const struct kh_inforce *from, struct kh_inforce **ret_ruling,
			   struct kh_error *err)
{
	struct kh_inforce *ruling = kh_alloc_zero(alloc, sizeof(*ruling));

	if (ruling == NULL)
		return KH_ENOMEM;
	*ruling = *from;
	enum kh_err e = make_screen(alloc, ruling, err);
	if (e != KH_OK) {
		kh_inforce_free(alloc, ruling);
		return e;
	}
	*ret_ruling = ruling;
	return KH_OK;
}
