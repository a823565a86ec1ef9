/* E12: what the world said besides the content: JSON, whatever it is made of. */
#include "errand/details.h"

#include "harness.h"

static void test_details(struct kh_test *t)
{
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	yyjson_mut_val *root = yyjson_mut_obj(doc);
	struct kh_errand_result result;

	kh_details_text(&t->arena, doc, root, "said", kh_tainted_wrap(KH_LIT("a\"\xff\n")), 100);
	kh_details_text(&t->arena, doc, root, "cut", kh_tainted_wrap(KH_LIT("caf\xc3\xa9s")), 4);
	kh_details_text(&t->arena, doc, root, "none", kh_tainted_wrap(KH_LIT("")), 100);
	must(t, kh_details_end(&t->arena, root, &result));
	assert_view(kh_tainted_open(result.details), "{\"said\":\"a\\\"\xef\xbf\xbd\\n\",\"cut\":\"caf\xef\xbf\xbd\"}");
}

static void test_empty(struct kh_test *t)
{
	struct kh_errand_result result;

	must(t, kh_details_end(&t->arena, yyjson_mut_obj(kh_json_new(&t->arena)), &result));
	assert_view(kh_tainted_open(result.details), "{}");
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_details),
	KH_TEST(test_empty),
};

KH_TEST_MAIN(cases)
