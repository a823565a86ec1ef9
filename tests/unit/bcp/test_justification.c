#include "core/bcp/justification.h"

#include "harness.h"

/* B21: shared word runs, whatever the case and punctuation. */
static void test_repeats(struct kh_test *t)
{
	static const struct kh_view deliveries[] = {KH_LIT_INIT("ask for a full summary instead"), KH_LIT_INIT("paris"),
						    KH_LIT_INIT("the budget is too small for this")};
	struct kh_view run;

	must(t, kh_justification_repeats(&t->arena, KH_LIT("The Reader says: ask for a FULL Summary, instead!"),
					 deliveries, 3, &run));
	assert_view(run, "ask for a full summary, instead");
	must(t, kh_justification_repeats(&t->arena, KH_LIT("Paris is the place that I need to know about"), deliveries,
					 3, &run));
	assert_view(run, "");
	must(t, kh_justification_repeats(&t->arena, KH_LIT("for a while"), deliveries, 3, &run));
	assert_view(run, "");
	must(t, kh_justification_repeats(&t->arena, KH_LIT(""), deliveries, 0, &run));
	assert_view(run, "");
}

static const struct kh_test_case cases[] = {KH_TEST(test_repeats)};
KH_TEST_MAIN(cases)
