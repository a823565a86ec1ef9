/* verification_next and verification_decide. */
#include "../engine/approving.h"
#include "calling.h"

/* K7: nothing waits as long as no tool call is governed, and other approvals are not a supervisor's. */
static void test_nothing(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);
	struct kh_view other = kh_approving_ask(c.f, c.task, KH_APPROVE_DECLARATION, "Fetch the page.");
	yyjson_val *got = kh_calling_ok(&c, c.f->supervisor, "verification_next", "{\"wait_seconds\":0}");

	assert_true(yyjson_is_false(kh_json_get(got, "found")));
	kh_calling_fails(&c, c.f->supervisor, "verification_next",
			 kh_calling_text(&c, "{\"approval\":\"%.*s\"}", KH_FMT(other)), "unknown_approval");
}

/* K7, A6: a tool call is shown, labelled as what it is, and decided by the digest of what was shown. */
static void test_decided(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);
	struct kh_view id = kh_approving_ask(c.f, c.task, KH_APPROVE_TOOL_CALL, "mail.send to nobody");
	yyjson_val *got = kh_calling_ok(&c, c.f->supervisor, "verification_next",
					kh_calling_text(&c, "{\"approval\":\"%.*s\"}", KH_FMT(id)));
	yyjson_val *shown = kh_json_get(got, "verification");
	const char *digest = yyjson_get_str(kh_json_get(shown, "digest"));

	member_is(shown, "text", "mail.send to nobody");
	assert_string_equal(c.result.trust, "untrusted");
	kh_calling_fails(&c, c.f->supervisor, "verification_decide",
			 kh_calling_text(&c, "{\"approval\":\"%.*s\",\"decision\":\"allow\",\"shown\":\"%064d\"}",
					 KH_FMT(id), 0),
			 "shown_differs");
	got = kh_calling_ok(&c, c.f->supervisor, "verification_decide",
			    kh_calling_text(&c, "{\"approval\":\"%.*s\",\"decision\":\"deny\",\"shown\":\"%s\"}",
					    KH_FMT(id), digest));
	member_is(got, "decision", "deny");
	assert_int_equal(kh_approving_row(c.f, id)->state, KH_APPROVAL_REJECTED);
	kh_calling_fails(&c, c.f->supervisor, "verification_decide",
			 kh_calling_text(&c, "{\"approval\":\"%.*s\",\"decision\":\"allow\",\"shown\":\"%s\"}",
					 KH_FMT(id), digest),
			 "already_decided");
}

static const struct kh_test_case cases[] = {KH_TEST(test_nothing), KH_TEST(test_decided)};
KH_TEST_MAIN(cases)
