#include "harness.h"

#include "base/json.h"
#include "http/error.h"

/* I4: the status of a failure. */
static void test_status(struct kh_test *t)
{
	static const struct {
		enum kh_err e;
		const char *code;
		unsigned status;
	} want[] = {
		{KH_OK, NULL, 200},
		{KH_EINPUT, "json_syntax", 400},
		{KH_EINPUT, "bad_length", 400},
		{KH_ELIMIT, "too_long", 400},
		{KH_EREFUSED, "unauthorised", 401},
		{KH_EREFUSED, "forbidden", 403},
		{KH_EREFUSED, "bad_host", 403},
		{KH_EREFUSED, "rate_denied", 403},
		{KH_EUNKNOWN, "unknown_task", 404},
		{KH_EUNKNOWN, "unknown_path", 404},
		{KH_EREFUSED, "method_not_allowed", 405},
		{KH_EREFUSED, "already_decided", 409},
		{KH_EREFUSED, "task_closed", 409},
		{KH_EREFUSED, "too_many_pending", 409},
		{KH_ELIMIT, "too_large", 413},
		{KH_EINPUT, "unsupported_type", 415},
		{KH_EREFUSED, "rate_limited", 429},
		{KH_ELIMIT, "too_many_headers", 431},
		{KH_ESTORE, "store_corrupt", 500},
		{KH_ESTORE, "store_full", 503},
		{KH_ESTORE, "busy", 503},
		{KH_ENOMEM, NULL, 503},
		{KH_ECHANGED, "changed", 500},
	};

	(void)t;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct kh_error err = {.err = want[i].e, .code = want[i].code};
		assert_int_equal(kh_http_error_status(want[i].e, &err), want[i].status);
	}
	assert_int_equal(kh_http_error_status(KH_ENOMEM, NULL), 503);
}

/* The body is JSON whatever stands in the error, and keeps it whole. */
static void test_text(struct kh_test *t)
{
	struct kh_error err = {.err = KH_EINPUT, .code = "bad_value"};
	char text[KH_HTTP_ERROR_TEXT];
	yyjson_val *root;

	memset(err.detail, '"', sizeof(err.detail) - 1);
	memset(err.member, '\\', sizeof(err.member) - 1);
	err.member[3] = '\n';
	err.member[4] = 0x7f;
	must(t, kh_json_read(&t->arena, kh_http_error_text(KH_EINPUT, &err, text), &root, &t->err));
	yyjson_val *error = kh_json_get(root, "error");
	assert_view(kh_json_str(kh_json_get(error, "code")), "bad_value");
	assert_view(kh_json_str(kh_json_get(error, "detail")), err.detail);
	assert_view(kh_json_str(kh_json_get(error, "member")), err.member);
	must(t, kh_json_read(&t->arena, kh_http_error_text(KH_ENOMEM, NULL, text), &root, &t->err));
	error = kh_json_get(root, "error");
	assert_view(kh_json_str(kh_json_get(error, "code")), "out_of_memory");
	assert_null(kh_json_get(error, "member"));
}

static const struct kh_test_case cases[] = {KH_TEST_ONCE(test_status), KH_TEST(test_text)};
KH_TEST_MAIN(cases)
