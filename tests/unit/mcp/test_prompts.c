/* Prompts, by role. */
#include "mcp/prompts.h"

#include "calling.h"

/* K4: a Controller its prompt and the policy, a Reader its own. */
static void test_prompts(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);
	static const struct {
		enum kh_role role;
		const char *names;
	} sees[] = {{KH_ROLE_CONTROLLER, "controller security-policy "},
		    {KH_ROLE_READER, "reader security-policy "},
		    {KH_ROLE_SUPERVISOR, "supervisor security-policy "},
		    {KH_ROLE_HOST, "controller reader supervisor security-policy "}};
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	yyjson_mut_val *result;

	must(t, kh_arena_check(&t->arena));
	for (size_t i = 0; i < sizeof(sees) / sizeof(sees[0]); i++)
		assert_string_equal(
			kh_calling_joined(
				&c, kh_json_get(kh_calling_said(&c, kh_mcp_prompts_list(doc, sees[i].role)), "prompts"),
				"name"),
			sees[i].names);
	must(t, kh_mcp_prompts_get(doc, KH_ROLE_CONTROLLER, KH_LIT("controller"), &result, &t->err));
	yyjson_val *message = yyjson_arr_get_first(kh_json_get(kh_calling_said(&c, result), "messages"));
	member_is(message, "role", "user");
	assert_non_null(strstr(yyjson_get_str(kh_json_get(kh_json_get(message, "content"), "text")), "BCPQuery"));
	must_fail(t, KH_EUNKNOWN, kh_mcp_prompts_get(doc, KH_ROLE_CONTROLLER, KH_LIT("reader"), &result, &t->err));
	must_fail(t, KH_EUNKNOWN, kh_mcp_prompts_get(doc, KH_ROLE_READER, KH_LIT("nothing"), &result, &t->err));
}

static const struct kh_test_case cases[] = {KH_TEST(test_prompts)};
KH_TEST_MAIN(cases)
