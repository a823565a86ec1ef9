/* Resources: tasks, ids of blocks, the policy. */
#include "mcp/resources.h"

#include "calling.h"

static yyjson_val *read_uri(struct kh_calling *c, struct kh_view token, const char *uri)
{
	struct kh_who who;
	struct kh_mcp_call call = kh_calling_call(c, token, &who);
	yyjson_mut_val *result = NULL;

	must(c->t, kh_mcp_resources_read(&call, kh_view_str(uri), &result));
	yyjson_val *content = yyjson_arr_get_first(kh_json_get(kh_calling_said(c, result), "contents"));
	member_is(content, "uri", uri);
	member_is(content, "mimeType", "application/json");
	return kh_fixture_json(c->f, kh_json_str(kh_json_get(content, "text")));
}

static void not_there(struct kh_calling *c, struct kh_view token, const char *uri)
{
	struct kh_who who;
	struct kh_mcp_call call = kh_calling_call(c, token, &who);
	yyjson_mut_val *result = NULL;

	must_fail(c->t, KH_EUNKNOWN, kh_mcp_resources_read(&call, kh_view_str(uri), &result));
	assert_string_equal(c->t->err.code, "unknown_resource");
}

/* Tasks, block ids and the policy can be looked at by whom they concern, and another's are not there. */
static void test_read(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);
	const char *task = kh_calling_text(&c, "keyhole://tasks/%.*s", KH_FMT(c.task));
	const char *blocks = kh_calling_text(&c, "%s/blocks", task);
	yyjson_val *got = read_uri(&c, c.f->controller, task);

	member_is(got, "state", "open");
	assert_null(kh_json_get(got, "pending")); /* B16: what a Controller may not know */
	assert_non_null(kh_json_get(read_uri(&c, c.f->reviewer, task), "pending"));
	got = read_uri(&c, c.f->controller, blocks);
	assert_int_equal(yyjson_get_int(kh_json_get(got, "count")), 1);
	got = read_uri(&c, c.f->controller, "keyhole://tasks");
	assert_int_equal(yyjson_arr_size(kh_json_get(got, "tasks")), 1);
	got = read_uri(&c, c.f->supervisor, "keyhole://policy");
	member_is(kh_json_get(got, "policy"), "release", "immediate");
	assert_int_equal(kh_json_str(kh_json_get(got, "digest")).n, 64);
	not_there(&c, c.f->hosted, task);
	not_there(&c, c.f->hosted, blocks);
	not_there(&c, c.f->reader, task);
	not_there(&c, c.f->reader, "keyhole://policy");
	not_there(&c, c.f->supervisor, "keyhole://tasks");
	not_there(&c, c.f->controller, "keyhole://tasks/");
	not_there(&c, c.f->controller, "keyhole://tasks/x/blocks");
	not_there(&c, c.f->controller, "file:///etc/passwd");
	not_there(&c, c.f->controller, "");
	assert_int_equal(kh_mcp_resources_missing(KH_MCP_2025_11_25), -32002);
	assert_int_equal(kh_mcp_resources_missing(KH_MCP_2026_07_28), -32602);
}

static yyjson_val *list(struct kh_calling *c, struct kh_view token, struct kh_view cursor)
{
	struct kh_who who;
	struct kh_mcp_call call = kh_calling_call(c, token, &who);
	yyjson_mut_val *result = NULL;

	call.arguments = kh_fixture_json(c->f,
					 kh_view_str(kh_calling_text(c, "{\"cursor\":\"%.*s\"}", KH_FMT(cursor))));
	must(c->t, kh_mcp_resources_list(&call, &result));
	return kh_calling_said(c, result);
}

/* The fixed ones first, then tasks, a page at a time. */
static void test_list(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);
	struct kh_view cursor;
	size_t seen;

	assert_string_equal(kh_calling_joined(&c, kh_json_get(list(&c, c.f->reader, KH_LIT("")), "resources"), "uri"),
			    "");
	assert_string_equal(
		kh_calling_joined(&c, kh_json_get(list(&c, c.f->supervisor, KH_LIT("")), "resources"), "uri"),
		"keyhole://policy ");
	for (int i = 0; i < KH_MCP_RESOURCES_PAGE; i++)
		kh_fixture_task(c.f, c.f->controller);
	yyjson_val *got = list(&c, c.f->controller, KH_LIT(""));
	seen = yyjson_arr_size(kh_json_get(got, "resources"));
	assert_int_equal(seen, 2 + KH_MCP_RESOURCES_PAGE);
	cursor = kh_json_str(kh_json_get(got, "nextCursor"));
	assert_true(cursor.n > 0);
	got = list(&c, c.f->controller, cursor);
	assert_int_equal(yyjson_arr_size(kh_json_get(got, "resources")), 1);
	assert_null(kh_json_get(got, "nextCursor"));
	/* A cursor of another's list is none. */
	struct kh_who who;
	struct kh_mcp_call call = kh_calling_call(&c, c.f->hosted, &who);
	yyjson_mut_val *result;
	call.arguments = kh_fixture_json(c.f,
					 kh_view_str(kh_calling_text(&c, "{\"cursor\":\"%.*s\"}", KH_FMT(cursor))));
	must_fail(t, KH_EINPUT, kh_mcp_resources_list(&call, &result));
	assert_string_equal(t->err.code, "bad_cursor");
}

static const struct kh_test_case cases[] = {KH_TEST(test_read), KH_TEST_ONCE(test_list)};
KH_TEST_MAIN(cases)
