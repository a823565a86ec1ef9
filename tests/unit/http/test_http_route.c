#include "harness.h"

#include "http/route.h"

#include <stdio.h>

static bool reads(const char *text, struct kh_http_target *target)
{
	static char copy[4096]; /* the target's views are in it */
	size_t n = strlen(text);
	struct kh_error err = {.code = ""};

	assert_true(n < sizeof(copy));
	memcpy(copy, text, n);
	enum kh_err e = kh_http_route_read(copy, n, target, &err);
	if (e != KH_OK)
		assert_string_equal(err.code, "bad_target");
	return e == KH_OK;
}

static void test_read(struct kh_test *t)
{
	struct kh_http_target target;

	(void)t;
	assert_true(reads("/", &target));
	assert_int_equal(target.segment_count, 1);
	assert_view(target.segments[0], "");
	assert_true(reads("/a/b%20c//d?x=1+2&y=%26%3d&z&=v&&w=", &target));
	assert_int_equal(target.segment_count, 4);
	assert_view(target.segments[1], "b c");
	assert_view(target.segments[2], "");
	assert_view(target.segments[3], "d");
	assert_int_equal(target.parameter_count, 5);
	assert_view(target.parameters[0].value, "1 2");
	assert_view(target.parameters[1].value, "&=");
	assert_view(target.parameters[2].name, "z");
	assert_view(target.parameters[2].value, "");
	assert_view(target.parameters[3].name, "");
	assert_view(target.parameters[4].name, "w");
	assert_true(reads("/a+b?", &target)); /* a plus is a plus in a path */
	assert_view(target.segments[0], "a+b");
	assert_true(reads("/%C3%A4", &target));
	assert_view(target.segments[0], "\xc3\xa4");
	assert_true(reads("/a?b=c?d/e", &target));
	assert_view(target.parameters[0].value, "c?d/e");
}

static void test_refused(struct kh_test *t)
{
	static const char *const bad[] = {
		"",
		"a",
		"*",
		"?",
		"http://x/",
		"/%",
		"/%4",
		"/%4g",
		"/%g4",
		"/a%00",
		"/%2f",
		"/%2F",
		"/%5C",
		"/%0a",
		"/%1f",
		"/%7f",
		"/%c3",
		"/%ff",
		"/%c0%80",
		"/%ed%a0%80",
		"/.",
		"/..",
		"/a/./b",
		"/a/../b",
		"/%2e",
		"/%2e%2E",
		"/ ",
		"/a\tb",
		"/\x7f",
		"/\x01",
		"/\xc3\xa4",
		"/a#b",
		"/a\"",
		"/<",
		"/>",
		"/\\",
		"/^",
		"/`",
		"/{",
		"/|",
		"/}",
		"/a?\x01",
		"/a?%",
		"/a?x=%00",
		"/a?x=%0d%0a",
		"/a?%ff",
		"/a?x=\xff",
		"/1/2/3/4/5/6/7/8/9/10/11/12/13",
		"/?1&2&3&4&5&6&7&8&9&10&11&12&13&14&15&16&17&18&19&20&21&22&23&24&25&26&27&28&29&30&31&32&33",
	};
	struct kh_http_target target;

	(void)t;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (reads(bad[i], &target))
			fail_msg("%s was read", bad[i]);
	}
	/* A NUL is a byte like others that may not be there. */
	char nul[] = {'/', 'a', '\0', 'b'};
	assert_int_equal(kh_http_route_read(nul, 4, &target, NULL), KH_EINPUT);
}

/* Every escape: what comes out is that byte, or nothing comes out. */
static void test_every_escape(struct kh_test *t)
{
	struct kh_http_target target;
	char text[16];

	(void)t;
	for (unsigned c = 0; c < 256; c++) {
		bool in_path = c >= 0x20 && c < 0x7f && c != '/' && c != '\\' && c != '.';
		snprintf(text, sizeof(text), "/%%%02X", c);
		assert_int_equal(reads(text, &target), in_path);
		if (in_path)
			assert_true(target.segments[0].n == 1 && (unsigned char)target.segments[0].p[0] == c);
		snprintf(text, sizeof(text), "/?x=%%%02x", c);
		assert_int_equal(reads(text, &target), c >= 0x20 && c < 0x7f);
	}
}

static enum kh_work_next run(struct kh_http_request *r)
{
	(void)r;
	return KH_WORK_DONE;
}

static const struct kh_http_route first[] = {
	{KH_HTTP_GET, "/", KH_HTTP_OPEN, .run = run},
	{KH_HTTP_GET, "/tasks", KH_HTTP_TOKEN, .run = run},
	{KH_HTTP_POST, "/tasks", KH_HTTP_TOKEN, .body = 9, .run = run},
	{KH_HTTP_GET, "/tasks/{task}", KH_HTTP_TOKEN, .run = run},
};
static const struct kh_http_route second[] = {
	{KH_HTTP_DELETE, "/tasks/{task}/blocks/{block}", KH_HTTP_TOKEN, .run = run},
	{KH_HTTP_PUT, "/tasks/{task}", KH_HTTP_TOKEN, .run = run},
};

static enum kh_http_found find(const char *method, const char *path, const struct kh_http_route **route, void **ctx,
			       unsigned *methods)
{
	static int of_second;
	const struct kh_http_routes tables[] = {{first, 4, NULL}, {second, 2, &of_second}};
	struct kh_http_target target;

	assert_true(reads(path, &target));
	return kh_http_route_find(tables, 2, kh_http_route_method(kh_view_str(method)), &target, route, ctx, methods);
}

static void test_find(struct kh_test *t)
{
	const struct kh_http_route *route;
	void *ctx;
	unsigned methods = 0;
	char allow[KH_HTTP_ROUTE_ALLOW];

	(void)t;
	assert_int_equal(find("GET", "/", &route, &ctx, &methods), KH_HTTP_FOUND);
	assert_ptr_equal(route, &first[0]);
	assert_int_equal(find("HEAD", "/tasks?a=b", &route, &ctx, &methods), KH_HTTP_FOUND);
	assert_ptr_equal(route, &first[1]);
	assert_int_equal(find("POST", "/tasks", &route, &ctx, &methods), KH_HTTP_FOUND);
	assert_ptr_equal(route, &first[2]);
	assert_int_equal(find("DELETE", "/tasks/a/blocks/b", &route, &ctx, &methods), KH_HTTP_FOUND);
	assert_true(route == &second[0] && ctx != NULL);
	assert_int_equal(find("PATCH", "/tasks/x", &route, &ctx, &methods), KH_HTTP_NO_METHOD);
	kh_http_route_allow(methods, allow); /* of both tables */
	assert_string_equal(allow, "GET, HEAD, PUT");
	assert_int_equal(find("get", "/tasks", &route, &ctx, &methods), KH_HTTP_NO_METHOD);
	assert_int_equal(find("GET", "/tasks/", &route, &ctx, &methods), KH_HTTP_NO_PATH);
	assert_int_equal(find("GET", "/task", &route, &ctx, &methods), KH_HTTP_NO_PATH);
	assert_int_equal(find("GET", "//tasks", &route, &ctx, &methods), KH_HTTP_NO_PATH);
	assert_int_equal(find("GET", "/tasks/a/blocks", &route, &ctx, &methods), KH_HTTP_NO_PATH);
	assert_int_equal(find("GET", "/Tasks", &route, &ctx, &methods), KH_HTTP_NO_PATH);
}

static void test_segment(struct kh_test *t)
{
	struct kh_http_target target;

	(void)t;
	assert_true(reads("/tasks/t1/blocks/%7Btask%7D", &target));
	assert_view(kh_http_route_segment(second[0].path, &target, "task"), "t1");
	assert_view(kh_http_route_segment(second[0].path, &target, "block"), "{task}");
	assert_null(kh_http_route_segment(second[0].path, &target, "blocks").p);
	assert_true(kh_http_route_matches(second[0].path, &target));
}

static void test_allow(struct kh_test *t)
{
	char allow[KH_HTTP_ROUTE_ALLOW];

	(void)t;
	kh_http_route_allow(0, allow);
	assert_string_equal(allow, "");
	kh_http_route_allow((1U << KH_HTTP_METHODS) - 1, allow);
	assert_string_equal(allow, "GET, HEAD, POST, PUT, DELETE");
}

static const struct kh_test_case cases[] = {
	KH_TEST_ONCE(test_read), KH_TEST_ONCE(test_refused), KH_TEST_ONCE(test_every_escape),
	KH_TEST_ONCE(test_find), KH_TEST_ONCE(test_segment), KH_TEST_ONCE(test_allow),
};
KH_TEST_MAIN(cases)
