/* E12: what the world said besides the content: JSON, whatever it is made of. */
#include "errand/details.h"

#include "harness.h"

static void test_details(struct kh_test *t)
{
	struct kh_details details;
	struct kh_tainted got;

	kh_details_init(&details, &t->arena);
	kh_details_number(&details, "status", 404);
	kh_details_bool(&details, "whole", true);
	kh_details_text(&details, "said", kh_tainted_wrap(KH_LIT("a\"\xff\n")), 100);
	kh_details_text(&details, "cut", kh_tainted_wrap(KH_LIT("caf\xc3\xa9s")), 4);
	kh_details_text(&details, "none", kh_tainted_wrap(KH_LIT("")), 100);
	kh_details_word(&details, "word", KH_LIT("own"));
	must(t, kh_details_end(&details, &got));
	assert_view(kh_tainted_open(got), "{\"status\":404,\"whole\":true,\"said\":\"a\\\"\xef\xbf\xbd\\n\","
					  "\"cut\":\"caf\xef\xbf\xbd\",\"word\":\"own\"}");
}

static void test_empty(struct kh_test *t)
{
	struct kh_details details;
	struct kh_tainted got;

	kh_details_init(&details, &t->arena);
	must(t, kh_details_end(&details, &got));
	assert_view(kh_tainted_open(got), "{}");
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_details),
	KH_TEST(test_empty),
};

KH_TEST_MAIN(cases)
