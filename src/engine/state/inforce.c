/* A policy and what follows from it. */
#include "engine/state/inforce.h"

#include "base/alloc.h"
#include "core/policy/screening.h"
#include "core/screen/rules.h"

#define RULES (16U << 20) /* bytes of the arena for the rules of a policy, and for trying them on their examples */

void kh_inforce_free(const struct kh_alloc *alloc, struct kh_inforce *ruling)
{
	struct kh_engine_screen *next;

	for (struct kh_engine_screen *spare = ruling->spare; spare != NULL; spare = next) {
		next = spare->next;
		kh_screen_free(spare->screen);
		kh_alloc_free(alloc, spare, sizeof(*spare));
	}
	kh_rules_free(ruling->rules);
	kh_arena_done(&ruling->arena);
	kh_alloc_free(alloc, ruling, sizeof(*ruling));
}

struct kh_engine_screen *kh_inforce_screen(const struct kh_alloc *alloc, struct kh_inforce *ruling)
{
	struct kh_engine_screen *made = kh_alloc_zero(alloc, sizeof(*made));

	if (made == NULL)
		return NULL;
	made->ruling = ruling;
	if (kh_screen_new(alloc, ruling->rules, &made->screen) == KH_OK)
		return made;
	kh_alloc_free(alloc, made, sizeof(*made));
	return NULL;
}

/* With the rules comes a first screen, so that whoever needs one first need not wait for it. */
static enum kh_err make_screen(const struct kh_alloc *alloc, struct kh_inforce *ruling, struct kh_error *err)
{
	enum kh_err e = kh_screening_new(alloc, &ruling->arena, ruling->policy, &ruling->rules, err);

	if (e == KH_OK)
		ruling->spare = kh_inforce_screen(alloc, ruling);
	return e == KH_OK && ruling->spare == NULL ? KH_ENOMEM : e;
}

enum kh_err kh_inforce_new(const struct kh_alloc *alloc, const struct kh_inforce *from, struct kh_inforce **ret_ruling,
			   struct kh_error *err)
{
	struct kh_inforce *ruling = kh_alloc_zero(alloc, sizeof(*ruling));

	if (ruling == NULL)
		return KH_ENOMEM;
	*ruling = *from;
	kh_arena_init(&ruling->arena, alloc, RULES);
	enum kh_err e = make_screen(alloc, ruling, err);
	if (e != KH_OK) {
		kh_inforce_free(alloc, ruling);
		return e;
	}
	*ret_ruling = ruling;
	return KH_OK;
}
