/* A query from admission to delivery, over a real store (B4, B6, B16-B20, B23). */
#include "fixture.h"

#include "comm/bound.h"
#include "engine/outbox.h"
#include "engine/query/admit.h"

#define YES "\"category\":1,\"target\":\"scripted\",\"fields\":[{\"name\":\"yes\",\"type\":\"boolean\"}]"

static void test_an_answer_is_delivered(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_look look;

	kh_fixture_block(f, f->controller, task, "a mail");
	kh_fixture_answer(f, "{\"fields\":{\"yes\":true}}");
	must(t, kh_fixture_query(f, f->controller, task, YES, &look));
	assert_int_equal(look.outcome, KH_OUTCOME_DELIVERED);
	yyjson_val *delivery = kh_fixture_json(f, look.delivery);
	assert_true(yyjson_is_true(kh_json_get(kh_json_get(kh_json_get(delivery, "response"), "fields"), "yes")));
	assert_view(kh_json_str(kh_json_get(delivery, "taint")), "medium");
	const struct kh_task_row *row = kh_fixture_task_row(f, task);
	assert_int_equal(row->budget.reserved, 0);
	assert_int_equal(row->budget.charged, 4 * KH_MICROBIT);
	assert_int_equal(kh_fixture_context_row(f, f->context)->taint, KH_TAINT_MEDIUM);
}

/* B23, E10: a delivery carries the attribution of its sources, bound to what was delivered. */
static void test_a_delivery_is_attributed(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_view block = kh_fixture_block(f, f->controller, task, "a mail");
	struct kh_attribution sources[2];
	struct kh_look look;

	kh_fixture_answer(f, "{\"fields\":{\"yes\":true}}");
	must(t, kh_fixture_query(f, f->controller, task, YES, &look));
	const struct kh_block_row *delivery = kh_fixture_row(f, KH_TABLE_BLOCKS,
							     kh_fixture_number(f, KH_ID_BLOCK, look.block));
	const struct kh_block_row *source = kh_fixture_row(f, KH_TABLE_BLOCKS,
							   kh_fixture_number(f, KH_ID_BLOCK, block));
	assert_true(lineage_is_bound(t, delivery->attribution, delivery->content));
	assert_int_equal(lineage_sources(t, delivery->attribution, sources, 2), 1);
	assert_memory_equal(sources[0].content_hash.bytes, source->content_hash.bytes, KH_DIGEST_SIZE);
	assert_false(lineage_is_bound(t, delivery->attribution, KH_LIT("{\"fields\":{\"yes\":false}}")));
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_a_delivery_is_attributed),
	KH_TEST(test_an_answer_is_delivered),
};
KH_TEST_MAIN(cases)
