/* The table of operations that can be carried out. */
#include "errand/errand.h"

static const struct kh_errand_kind *const kinds[] = {
	&kh_errand_search, &kh_errand_fetch, &kh_errand_query, &kh_errand_read, &kh_errand_exec,
};

const struct kh_errand_kind *kh_errand_find(struct kh_view operation)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kh_view_eq(kh_view_str(kinds[i]->operation), operation))
			return kinds[i];
	}
	return NULL;
}

enum kh_err kh_errand_run(const struct kh_errand_tools *tools, const struct kh_errand *errand, struct kh_arena *arena,
			  struct kh_errand_result *ret_result)
{
	const struct kh_errand_kind *kind = kh_errand_find(errand->operation);
	struct kh_errand_result result = {.end = KH_ERRAND_FAILED, .source = errand->operation};

	if (kind != NULL && tools != NULL && tools->client != NULL)
		return kind->run(tools, errand, arena, ret_result);
	result.why = kind == NULL ? KH_LIT("this operation cannot be carried out")
				  : KH_LIT("there is no executor to carry it out");
	*ret_result = result;
	return KH_OK;
}
