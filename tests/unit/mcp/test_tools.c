/* The table of tools. */
#include "core/comm/operations.h"
#include "harness.h"
#include "mcp/methods.h"
#include "mcp/tools.h"

/* I1: each role its tools, and nobody another's. */
static void test_roles(struct kh_test *t)
{
	static const struct {
		enum kh_role role;
		const char *names;
	} sees[] = {
		{KH_ROLE_CONTROLLER,
		 "task_open task_status begin_execution declare comm_search comm_fetch comm_query comm_read comm_exec "
		 "comm_resource BCPQuery blocks approval_wait "},
		{KH_ROLE_READER, "BCPNext BCPRespond "},
		{KH_ROLE_SUPERVISOR, "verification_next verification_decide "},
		{KH_ROLE_HOST, ""},
		{KH_ROLE_HOOK, ""},
		{KH_ROLE_REVIEWER, ""},
		{KH_ROLE_ADMIN, ""},
	};
	size_t count;
	const struct kh_mcp_tool *all = kh_mcp_tools_all(&count);
	const struct kh_mcp_part part = kh_mcp_methods_part();
	struct kh_mcp_offer offer;

	enum kh_err e = kh_mcp_offer_init(&offer, t->arena.alloc, &part, 1, &t->err);
	if (e != KH_OK)
		kh_mcp_offer_done(&offer);
	must(t, e);
	for (size_t i = 0; i < sizeof(sees) / sizeof(sees[0]); i++) {
		char names[256] = "";
		size_t n = 0;
		for (size_t j = 0; j < count; j++) {
			const struct kh_mcp_offered *found = kh_mcp_offer_tool(&offer, kh_view_str(all[j].name),
									       sees[i].role);
			if (found == NULL)
				continue;
			assert_ptr_equal(found->tool, &all[j]);
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s ", all[j].name);
			assert_true(n < sizeof(names));
		}
		assert_string_equal(names, sees[i].names);
	}
	assert_null(kh_mcp_offer_tool(&offer, KH_LIT("bcpquery"), KH_ROLE_CONTROLLER));
	kh_mcp_offer_done(&offer);
}

/* E2, I1: every operation of Keyhole's own has its tool, which takes the parameters of its row; no other tool has one. */
static void test_operations(struct kh_test *t)
{
	size_t count, own = 0;
	const struct kh_mcp_tool *all = kh_mcp_tools_all(&count);

	for (size_t i = 0; i < count; i++) {
		struct kh_view name = kh_view_str(all[i].operation ? all[i].operation : "");
		const struct kh_operation *row = kh_operation_named(&kh_operations_own, name);
		yyjson_val *schema = NULL, *properties;
		assert_int_equal(row == NULL, all[i].operation == NULL);
		if (row == NULL)
			continue;
		must(t, kh_json_read(&t->arena, kh_view_str(all[i].input), &schema, &t->err));
		properties = kh_json_get(schema, "properties");
		for (size_t n = 0; n < row->parameter_count; n++)
			assert_non_null(kh_json_get(properties, row->parameters[n].name));
		assert_int_equal(yyjson_obj_size(properties), row->parameter_count + 5); /* reason ... fenced */
		assert_int_equal(all[i].destructive, row->effects != KH_EFFECT_NONE);
		assert_non_null(strstr(all[i].description, row->says));
		assert_null(strchr(all[i].description, '$'));
		own++;
	}
	assert_int_equal(own, kh_operations_own.n - 1);
}

/* A schema uses words that kh_rpc_schema_check() knows, and its objects say what they have. */
static void check_schema(yyjson_val *schema, const char *tool)
{
	static const char *const known[] = {"type",
					    "properties",
					    "required",
					    "enum",
					    "minimum",
					    "maximum",
					    "minLength",
					    "maxLength",
					    "items",
					    "minItems",
					    "maxItems",
					    "description",
					    "additionalProperties"};
	yyjson_val *key, *value, *member, *name;
	size_t i, n, j, m;

	yyjson_obj_foreach (schema, i, n, key, value) {
		bool found = false;
		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			found = found || yyjson_equals_str(key, known[k]);
		if (!found)
			fail_msg("%s: the schema has %s", tool, yyjson_get_str(key));
	}
	yyjson_obj_foreach (kh_json_get(schema, "properties"), j, m, name, member)
		check_schema(member, tool);
	yyjson_arr_foreach (kh_json_get(schema, "required"), j, m, name) {
		if (kh_json_get(kh_json_get(schema, "properties"), yyjson_get_str(name)) == NULL)
			fail_msg("%s requires %s and does not have it", tool, yyjson_get_str(name));
	}
	if (kh_json_get(schema, "items") != NULL)
		check_schema(kh_json_get(schema, "items"), tool);
}

/* I1: names that model APIs take; descriptions that say something, with an example; schemas that are ours. */
static void test_texts(struct kh_test *t)
{
	size_t count;
	const struct kh_mcp_tool *all = kh_mcp_tools_all(&count);

	for (size_t i = 0; i < count; i++) {
		yyjson_val *schema;
		assert_true(strspn(all[i].name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
			    strlen(all[i].name));
		assert_true(strlen(all[i].description) > 200 && strlen(all[i].description) < 4096);
		assert_non_null(strstr(all[i].description, "{"));
		must(t, kh_json_read(&t->arena, kh_view_str(all[i].input), &schema, &t->err));
		check_schema(schema, all[i].name);
		must(t, kh_json_read(&t->arena, kh_view_str(all[i].output), &schema, &t->err));
		check_schema(schema, all[i].name);
		assert_non_null(all[i].run);
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_roles), KH_TEST(test_operations), KH_TEST(test_texts)};
KH_TEST_MAIN(cases)
