/* Prompts, resources, completion. */
#include "calling.h"
#include "mcp/completion.h"
#include "mcp/prompts.h"
#include "mcp/resources.h"

static struct kh_mcp_call call_of(struct kh_calling *c, struct kh_view token, struct kh_who *who)
{
	*who = kh_calling_who(c, token);
	return (struct kh_mcp_call){
		.gateway = c->gateway,
		.token = token,
		.who = who,
		.arena = &c->t->arena,
		.doc = kh_json_new(&c->t->arena),
		.err = &c->t->err,
	};
}

static yyjson_val *said(struct kh_calling *c, yyjson_mut_val *result)
{
	struct kh_view text;

	must(c->t, kh_json_write(&c->t->arena, result, &text));
	return kh_fixture_json(c->f, text);
}

static const char *joined(struct kh_calling *c, yyjson_val *list, const char *key)
{
	struct kh_buf buf;
	struct kh_view text = {"", 0};
	yyjson_val *item;
	size_t i, n;

	kh_buf_init(&buf, &c->f->arena, 65536);
	yyjson_arr_foreach (list, i, n, item) {
		kh_buf_add(&buf, kh_json_str(key != NULL ? kh_json_get(item, key) : item));
		kh_buf_byte(&buf, ' ');
	}
	kh_buf_byte(&buf, '\0');
	assert_int_equal(kh_buf_end(&buf, &text), KH_OK);
	return text.p;
}

/* K4: a Controller its prompt and the policy, a Reader its own. */
static void test_prompts(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);
	static const struct {
		enum kh_role role;
		const char *names;
	} sees[] = {{KH_ROLE_CONTROLLER, "controller security-policy "},
		    {KH_ROLE_READER, "reader security-policy "},
		    {KH_ROLE_SUPERVISOR, "security-policy "},
		    {KH_ROLE_HOST, "controller reader security-policy "}};
	yyjson_mut_doc *doc = kh_json_new(&t->arena);
	yyjson_mut_val *result;

	must(t, kh_arena_check(&t->arena));
	for (size_t i = 0; i < sizeof(sees) / sizeof(sees[0]); i++)
		assert_string_equal(
			joined(&c, kh_json_get(said(&c, kh_mcp_prompts_list(doc, sees[i].role)), "prompts"), "name"),
			sees[i].names);
	must(t, kh_mcp_prompts_get(doc, KH_ROLE_CONTROLLER, KH_LIT("controller"), &result, &t->err));
	yyjson_val *message = yyjson_arr_get_first(kh_json_get(said(&c, result), "messages"));
	member_is(message, "role", "user");
	assert_non_null(strstr(yyjson_get_str(kh_json_get(kh_json_get(message, "content"), "text")), "BCPQuery"));
	must_fail(t, KH_EUNKNOWN, kh_mcp_prompts_get(doc, KH_ROLE_CONTROLLER, KH_LIT("reader"), &result, &t->err));
	must_fail(t, KH_EUNKNOWN, kh_mcp_prompts_get(doc, KH_ROLE_READER, KH_LIT("nothing"), &result, &t->err));
}

static yyjson_val *read_uri(struct kh_calling *c, struct kh_view token, const char *uri)
{
	struct kh_who who;
	struct kh_mcp_call call = call_of(c, token, &who);
	yyjson_mut_val *result = NULL;

	must(c->t, kh_mcp_resources_read(&call, kh_view_str(uri), &result));
	yyjson_val *content = yyjson_arr_get_first(kh_json_get(said(c, result), "contents"));
	member_is(content, "uri", uri);
	member_is(content, "mimeType", "application/json");
	return kh_fixture_json(c->f, kh_json_str(kh_json_get(content, "text")));
}

static void not_there(struct kh_calling *c, struct kh_view token, const char *uri)
{
	struct kh_who who;
	struct kh_mcp_call call = call_of(c, token, &who);
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
	struct kh_mcp_call call = call_of(c, token, &who);
	yyjson_mut_val *result = NULL;

	must(c->t, kh_mcp_resources_list(&call, cursor, &result));
	return said(c, result);
}

/* The fixed ones first, then tasks, a page at a time. */
static void test_list(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);
	struct kh_view cursor;
	size_t seen;

	assert_string_equal(joined(&c, kh_json_get(list(&c, c.f->reader, KH_LIT("")), "resources"), "uri"), "");
	assert_string_equal(joined(&c, kh_json_get(list(&c, c.f->supervisor, KH_LIT("")), "resources"), "uri"),
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
	struct kh_mcp_call call = call_of(&c, c.f->hosted, &who);
	yyjson_mut_val *result;
	must_fail(t, KH_EINPUT, kh_mcp_resources_list(&call, cursor, &result));
	assert_string_equal(t->err.code, "bad_cursor");
}

/* Task ids by their beginning: the caller's own. */
static void test_completion(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);
	static const struct {
		const char *params, *code;
	} bad[] = {
		{"{}", "missing"},
		{"{\"ref\":{\"type\":\"ref/other\"},\"argument\":{\"name\":\"id\",\"value\":\"\"}}", "bad_value"},
		{"{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"x\"},\"argument\":{\"name\":\"id\",\"value\":\"\"}}",
		 "unknown_resource"},
		{"{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"reader\"},\"argument\":{\"name\":\"a\",\"value\":\"\"}}",
		 "unknown_prompt"},
	};
	struct kh_who who;
	struct kh_mcp_call call = call_of(&c, c.f->controller, &who);
	yyjson_mut_val *result;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		yyjson_val *params = kh_fixture_json(c.f, kh_view_str(bad[i].params));
		must_fail(t, KH_EINPUT, kh_mcp_completion_run(&call, params, &result));
		assert_string_equal(t->err.code, bad[i].code);
	}
	for (size_t n = 0; n < 2; n++) {
		const char *params = kh_calling_text(
			&c,
			"{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"keyhole://tasks/{id}/blocks\"},"
			"\"argument\":{\"name\":\"id\",\"value\":\"%.*s\"}}",
			n == 0 ? 3 : 1, n == 0 ? c.task.p : "x");
		must(t, kh_mcp_completion_run(&call, kh_fixture_json(c.f, kh_view_str(params)), &result));
		yyjson_val *values = kh_json_get(kh_json_get(said(&c, result), "completion"), "values");
		assert_int_equal(yyjson_arr_size(values), n == 0 ? 1 : 0);
		if (n == 0)
			assert_view(c.task, yyjson_get_str(yyjson_arr_get_first(values)));
	}
}

static const struct kh_test_case cases[] = {KH_TEST(test_prompts), KH_TEST(test_read), KH_TEST_ONCE(test_list),
					    KH_TEST(test_completion)};
KH_TEST_MAIN(cases)
