/* blocks: ids and kinds. */
#include "calling.h"

/* E12, I1: what the Controller put in itself has its source; no block has content, hash or taint. */
static void test_blocks(struct kh_test *t)
{
	struct kh_calling c = kh_calling_begin(t, NULL);
	struct kh_view host = c.f->host;
	const char *args = kh_calling_text(&c, "{\"task\":\"%.*s\"}", KH_FMT(c.task));
	yyjson_val *got = kh_calling_ok(&c, c.f->controller, "blocks", args);
	yyjson_val *block = yyjson_arr_get_first(kh_json_get(got, "blocks"));

	assert_int_equal(yyjson_get_int(kh_json_get(got, "count")), 1);
	assert_view(c.block, yyjson_get_str(kh_json_get(block, "id")));
	member_is(block, "kind", "sealed");
	member_is(block, "source", "mail.txt");
	assert_int_equal(yyjson_obj_size(block), 3);
	/* What a host put in has no word of the world's. */
	c.task = kh_fixture_task(c.f, c.f->hosted);
	kh_fixture_block(c.f, host, c.task, "sesamecanary");
	got = kh_calling_ok(&c, c.f->hosted, "blocks", kh_calling_text(&c, "{\"task\":\"%.*s\"}", KH_FMT(c.task)));
	block = yyjson_arr_get_first(kh_json_get(got, "blocks"));
	assert_null(kh_json_get(block, "source"));
	kh_calling_fails(&c, c.f->hosted, "blocks", args, "unknown_task");
}

static const struct kh_test_case cases[] = {KH_TEST(test_blocks)};
KH_TEST_MAIN(cases)
