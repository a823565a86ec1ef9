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
		    {KH_ROLE_HOST, "controller reader supervisor verifier security-policy "}};
	struct kh_who who = {.role = KH_ROLE_CONTROLLER};
	struct kh_mcp_call call = {
		.who = &who, .arena = &t->arena, .doc = kh_json_new(&t->arena), .err = &t->err, .arguments = NULL};
	yyjson_mut_val *result = NULL;

	must(t, kh_arena_check(&t->arena));
	for (size_t i = 0; i < sizeof(sees) / sizeof(sees[0]); i++) {
		who.role = sees[i].role;
		must(t, kh_mcp_prompts_list(&call, &result));
		assert_string_equal(kh_calling_joined(&c, kh_json_get(kh_calling_said(&c, result), "prompts"), "name"),
				    sees[i].names);
	}
	who.role = KH_ROLE_CONTROLLER;
	must_fail(t, KH_EINPUT, kh_mcp_prompts_get(&call, &result));
	call.arguments = kh_fixture_json(c.f, KH_LIT("{\"name\":\"controller\"}"));
	must(t, kh_mcp_prompts_get(&call, &result));
	yyjson_val *message = yyjson_arr_get_first(kh_json_get(kh_calling_said(&c, result), "messages"));
	member_is(message, "role", "user");
	assert_non_null(strstr(yyjson_get_str(kh_json_get(kh_json_get(message, "content"), "text")), "BCPQuery"));
	call.arguments = kh_fixture_json(c.f, KH_LIT("{\"name\":\"reader\"}"));
	must_fail(t, KH_EUNKNOWN, kh_mcp_prompts_get(&call, &result));
	who.role = KH_ROLE_READER;
	call.arguments = kh_fixture_json(c.f, KH_LIT("{\"name\":\"nothing\"}"));
	must_fail(t, KH_EUNKNOWN, kh_mcp_prompts_get(&call, &result));
}

static const struct kh_test_case cases[] = {KH_TEST(test_prompts)};
KH_TEST_MAIN(cases)
