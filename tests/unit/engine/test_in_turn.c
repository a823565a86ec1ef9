/* B23, E10, B19: a delivery can be asked about in turn; it keeps the attribution of its sources, and what they are. */
#include "asking.h"
#include "operating.h"

#include "core/comm/lineage.h"

#define ABOUT(block, rest) kh_arena_printf(&w.f->arena, "\"blocks\":[\"%.*s\"]," rest, KH_FMT(block)).p

static struct kh_block_row *block_row(struct kh_asking *w, struct kh_view id)
{
	return kh_fixture_row(w->f, KH_TABLE_BLOCKS, kh_fixture_number(w->f, KH_ID_BLOCK, id));
}

static struct kh_look ask_yes(struct kh_asking *w, struct kh_view block)
{
	kh_fixture_answer(w->f, YES_TRUE);
	struct kh_look look = kh_asking_ask(
		w, kh_arena_printf(&w->f->arena, "\"blocks\":[\"%.*s\"]," YES, KH_FMT(block)).p);
	assert_int_equal(look.outcome, KH_OUTCOME_DELIVERED);
	return look;
}

/* B23: high -> medium -> low -> low. */
static void test_taint_steps_down(struct kh_test *t)
{
	static const enum kh_taint taints[] = {KH_TAINT_MEDIUM, KH_TAINT_LOW, KH_TAINT_LOW};
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view block = w.block;

	for (size_t i = 0; i < 3; i++) {
		struct kh_look look = ask_yes(&w, block);
		/* The context was told something of medium taint, and a Reader has that from whoever asks. */
		assert_int_equal(look.taint, i == 0 ? KH_TAINT_MEDIUM : taints[1]);
		block = kh_arena_dup(&w.f->arena, look.block);
		assert_int_equal(block_row(&w, block)->taint, taints[i]);
	}
	assert_int_equal(kh_fixture_context_row(w.f, w.f->context)->taint, KH_TAINT_MEDIUM);
}

/* E10: a chain of steps loses and repeats no source. */
static void test_lineage_is_flat(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view other = kh_fixture_block(w.f, w.f->controller, w.task, "Another mail.");
	struct kh_view first = kh_arena_dup(&w.f->arena, ask_yes(&w, w.block).block);

	kh_fixture_answer(w.f, YES_TRUE);
	struct kh_look look = kh_asking_ask(&w,
					    kh_arena_printf(&w.f->arena, "\"blocks\":[\"%.*s\",\"%.*s\",\"%.*s\"]," YES,
							    KH_FMT(first), KH_FMT(other), KH_FMT(w.block))
						    .p);
	assert_int_equal(look.outcome, KH_OUTCOME_DELIVERED);
	yyjson_val *lineage = kh_fixture_json(w.f, block_row(&w, look.block)->attribution);
	struct kh_attribution *sources = NULL, attribution;
	size_t count = 0;
	must(t, kh_lineage_read(&t->arena, lineage, &sources, &count, &t->err));
	assert_int_equal(count, 2);
	assert_memory_equal(sources[0].content_hash.bytes, block_row(&w, w.block)->content_hash.bytes, KH_DIGEST_SIZE);
	assert_memory_equal(sources[1].content_hash.bytes, block_row(&w, other)->content_hash.bytes, KH_DIGEST_SIZE);
	must(t,
	     kh_lineage_check(&t->arena, lineage, block_row(&w, look.block)->content, w.task, &attribution, &t->err));
	/* The message names both, once, and no delivery. */
	yyjson_val *told = kh_json_get(kh_fixture_json(w.f, look.delivery), "attribution");
	assert_int_equal(yyjson_arr_size(told), 2);
	assert_true(kh_view_eq(kh_json_str(kh_json_get(yyjson_arr_get(told, 0), "block")), w.block));
	assert_true(kh_view_eq(kh_json_str(kh_json_get(yyjson_arr_get(told, 1), "block")), other));
	assert_view(kh_json_str(kh_json_get(yyjson_arr_get(told, 0), "operation")), "content.put");
	assert_view(kh_json_str(kh_json_get(yyjson_arr_get(told, 0), "put_by")), "controller");
	assert_true(kh_json_str(kh_json_get(yyjson_arr_get(told, 0), "audit_id")).n > 0);
	assert_true(kh_json_str(kh_json_get(yyjson_arr_get(told, 0), "time")).n > 0);
}

/* B23: of an operation it is what the Controller itself wrote, and nothing that the world said. */
static void test_attribution_of_a_call(struct kh_test *t)
{
	struct kh_asking w = {.f = kh_fixture_open(t, KH_OPERATING_POLICY)};
	struct kh_comm_call act;
	struct kh_comm_look done;

	w.task = kh_operating_task(w.f);
	must(t, kh_operating_call(w.f, w.task, KH_OPERATING_READ, KH_LIT(""), &act));
	struct kh_view id = act.look.id;
	kh_operating_end(w.f, &act, KH_ERRAND_OK, "The meeting is on March 15.");
	must(t, kh_operating_look(w.f, id, &done));
	struct kh_look look = ask_yes(&w, kh_arena_dup(&w.f->arena, done.block));
	yyjson_val *told = yyjson_arr_get_first(kh_json_get(kh_fixture_json(w.f, look.delivery), "attribution"));
	assert_view(kh_json_str(kh_json_get(told, "operation")), "comm.read");
	assert_view(kh_json_str(kh_json_get(kh_json_get(told, "parameters"), "path")), "/srv/docs/notes.txt");
	assert_view(kh_json_str(kh_json_get(told, "tier")), "T0");
	assert_null(kh_json_get(told, "source")); /* that was what the errand said it was */
	assert_int_equal(kh_view_find(look.delivery, KH_LIT("example.com"), 0), SIZE_MAX);
}

static uint64_t escalations(struct kh_asking *w)
{
	return kh_fixture_task_row(w->f, w->task)->escalations;
}

/* B19: what was derived from it is the same thing, in both directions and over several steps. */
static void test_escalations_follow(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view first = kh_arena_dup(&w.f->arena, ask_yes(&w, w.block).block);
	struct kh_view second = kh_arena_dup(&w.f->arena, ask_yes(&w, first).block);

	assert_int_equal(escalations(&w), 0);
	kh_fixture_answer(w.f, WHO_SAYS("anna smith"));
	kh_asking_ask(&w, ABOUT(second, "\"need\":\"another\"," WHO));
	assert_int_equal(escalations(&w), 1);

	/* The delivery was asked about first, its source afterwards. */
	w = kh_asking_begin(t, NULL);
	kh_fixture_answer(w.f, WHO_SAYS("anna smith"));
	first = kh_arena_dup(&w.f->arena, kh_asking_ask(&w, ABOUT(w.block, WHO)).block);
	assert_int_equal(escalations(&w), 0);
	ask_yes(&w, first);
	kh_fixture_answer(w.f, WHO_SAYS("bob jones"));
	kh_asking_ask(&w, ABOUT(w.block, WHO));
	assert_int_equal(escalations(&w), 1);
}

/* Only deliveries of the same task; and outputs or a host's blocks are none. */
static void test_refused(struct kh_test *t)
{
	struct kh_asking w = kh_asking_begin(t, NULL);
	struct kh_view first = kh_arena_dup(&w.f->arena, ask_yes(&w, w.block).block);
	struct kh_admit admit;

	w.task = kh_fixture_task(w.f, w.f->controller);
	must_fail(t, KH_EUNKNOWN, kh_asking_admit(&w, ABOUT(first, YES), &admit));
	assert_code(t, "unknown_block");
}

static const struct kh_test_case cases[] = {KH_TEST(test_taint_steps_down), KH_TEST(test_lineage_is_flat),
					    KH_TEST(test_attribution_of_a_call), KH_TEST(test_escalations_follow),
					    KH_TEST(test_refused)};
KH_TEST_MAIN(cases)
