/* I4: the document has every route with its roles, and nothing that is not there. */
#include "http/rest/openapi.h"
#include "http/rest/rest.h"
#include "http/rest/routes.h"

#include "harness.h"

static const char *const methods[KH_HTTP_METHODS] = {
	[KH_HTTP_GET] = "get", [KH_HTTP_POST] = "post", [KH_HTTP_PUT] = "put", [KH_HTTP_DELETE] = "delete"};

/* How many operations the document has. */
static size_t count_operations(yyjson_val *paths)
{
	yyjson_obj_iter iter = yyjson_obj_iter_with(paths);
	yyjson_val *path;
	size_t n = 0;

	while ((path = yyjson_obj_iter_next(&iter)) != NULL)
		n += yyjson_obj_size(yyjson_obj_iter_get_val(path));
	return n;
}

static void test_document(struct kh_test *t)
{
	struct kh_rest *rest = NULL;
	yyjson_val *root = NULL;
	size_t count = 0;

	must(t, kh_rest_new(t->arena.alloc, &rest, &t->err));
	kh_rest_free(rest);
	const struct kh_rest_route *routes = kh_rest_routes_all(&count);
	struct kh_view json;
	enum kh_err e = kh_rest_openapi_write(&t->arena, routes, count, &json, &t->err);
	if (e == KH_OK)
		e = kh_json_read(&t->arena, json, &root, &t->err);
	if (e == KH_OK) {
		yyjson_val *paths = kh_json_get(root, "paths");
		assert_int_equal(count_operations(paths), count);
		for (size_t i = 0; i < count; i++) {
			yyjson_val *operation = kh_json_get(kh_json_get(paths, routes[i].path),
							    methods[routes[i].method]);
			assert_true(kh_view_eq(kh_json_str(kh_json_get(operation, "operationId")),
					       kh_view_str(routes[i].name)));
			unsigned roles = 0;
			yyjson_arr_iter iter = yyjson_arr_iter_with(kh_json_get(operation, "x-roles"));
			for (yyjson_val *role; (role = yyjson_arr_iter_next(&iter)) != NULL;) {
				unsigned word = 0;
				assert_true(kh_words_parse(&kh_policy_role_words, kh_json_str(role), &word));
				roles |= KH_ROLE_BIT(word);
			}
			unsigned all = routes[i].operation != NULL ? kh_operations_find(routes[i].operation)->roles
								   : ~0U;
			assert_int_equal(roles, routes[i].roles != 0 ? routes[i].roles : all == ~0U ? 0 : all);
			assert_int_equal(roles & ~all, 0); /* a route never admits more than its operation */
		}
	}
	must(t, e);
}

static enum kh_err nothing(struct kh_rest_call *call)
{
	(void)call;
	return KH_OK;
}

/* An entry whose schema nobody wrote: there is no document, and so no gateway. */
static void test_unknown_schema(struct kh_test *t)
{
	static const struct kh_rest_route route = {
		.path = "/x", .name = "x", .group = "x", .answer = "Nonsense", .run = nothing};
	struct kh_view json = {NULL, 0};

	must_fail(t, KH_EINPUT, kh_rest_openapi_write(&t->arena, &route, 1, &json, &t->err));
	assert_string_equal(t->err.code, "unknown");
	assert_int_equal(json.n, 0);
}

static const struct kh_test_case cases[] = {KH_TEST(test_document), KH_TEST(test_unknown_schema)};
KH_TEST_MAIN(cases)
