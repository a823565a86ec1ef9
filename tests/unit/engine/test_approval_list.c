/* A4: any process can list what waits. */
#include "engine/approval/list.h"

#include "approving.h"

/* How many items of the list have this id, and the state of it. */
static size_t find(struct kh_fixture *f, const struct kh_page *list, struct kh_view id, struct kh_view *ret_state)
{
	yyjson_val *items = kh_fixture_json(f, list->json), *item;
	size_t found = 0, i, max;

	assert_int_equal(yyjson_arr_size(items), list->count);
	yyjson_arr_foreach (items, i, max, item) {
		if (!kh_view_eq(kh_json_str(kh_json_get(item, "id")), id))
			continue;
		*ret_state = kh_json_str(kh_json_get(item, "state"));
		found++;
	}
	return found;
}

static void test_list(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_fresh(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_view one = kh_approving_ask(f, task, KH_APPROVE_PHASE, "SECRET WORDS");
	struct kh_view two = kh_approving_ask(f, task, KH_APPROVE_DECLARATION, "SECRET WORDS");
	struct kh_page pending = {0}, all = {.all = true};
	struct kh_view state;

	must(t, kh_approving_decide(f, f->reviewer, one, KH_CHOICE_REJECT, NULL));
	int64_t events = kh_fixture_events(f);
	must(t, kh_fixture_call(f, f->reviewer, kh_approval_list_run, &pending));
	must(t, kh_fixture_call(f, f->admin, kh_approval_list_run, &all));
	assert_int_equal(kh_fixture_events(f), events); /* looking changes nothing */
	assert_int_equal(find(f, &pending, one, &state), 0);
	assert_int_equal(find(f, &pending, two, &state), 1);
	assert_view(state, "pending");
	assert_int_equal(find(f, &all, one, &state), 1);
	assert_view(state, "rejected");
	assert_int_equal(pending.next.n, 0);
	/* No content. */
	assert_false(kh_approving_has(all.json, "SECRET"));
	yyjson_val *item = yyjson_arr_get_first(kh_fixture_json(f, all.json));
	assert_view(kh_json_str(kh_json_get(item, "decided_from")), "test");
	assert_true(kh_view_eq(kh_json_str(kh_json_get(item, "task")), task));
	item = yyjson_arr_get_first(kh_fixture_json(f, pending.json));
	assert_view(kh_json_str(kh_json_get(item, "kind")), "declaration");
	assert_null(kh_json_get(item, "decided_by"));
	assert_int_equal(yyjson_get_int(kh_json_get(item, "pages")), 1);
}

/* A3: what has expired is not called pending, even before anything has recorded it. */
static void test_list_expired(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view id = kh_approving_ask(f, kh_fixture_task(f, f->controller), KH_APPROVE_PHASE, "x");
	struct kh_page list = {.all = true};
	struct kh_view state = {NULL, 0};
	size_t found = 0;

	kh_fixture_pass(f, 600 * KH_FIXTURE_SECOND);
	do { /* the store may have others, of tests before */
		list.after = list.next;
		must(t, kh_fixture_call(f, f->reviewer, kh_approval_list_run, &list));
		found += find(f, &list, id, &state);
	} while (list.next.n > 0);
	assert_int_equal(found, 1);
	assert_view(state, "expired");
}

/* A long list comes in parts, each item once. */
static void test_list_in_parts(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_fresh(t,
						"policy:\n  release: immediate\n  approvals:\n    max_pending: 100\n");
	struct kh_page list = {0};
	struct kh_view first = {NULL, 0}, last = {NULL, 0}, state;
	size_t count = 0, parts = 0, firsts = 0, lasts = 0;

	for (size_t i = 0; i < KH_APPROVAL_LIST_STEP + 50; i++) {
		static struct kh_view task;
		if (i % 100 == 0)
			task = kh_fixture_task(f, f->controller);
		last = kh_approving_ask(f, task, KH_APPROVE_PHASE, "x");
		first = i == 0 ? last : first;
	}
	do {
		list.after = list.next;
		must(t, kh_fixture_call(f, f->reviewer, kh_approval_list_run, &list));
		count += list.count;
		parts++;
		firsts += find(f, &list, first, &state);
		lasts += find(f, &list, last, &state);
	} while (list.next.n > 0);
	assert_int_equal(count, KH_APPROVAL_LIST_STEP + 50);
	assert_int_equal(parts, 2);
	assert_int_equal(firsts, 1);
	assert_int_equal(lasts, 1);
	list.after = KH_LIT("nonsense");
	must_fail(t, KH_EUNKNOWN, kh_fixture_call(f, f->reviewer, kh_approval_list_run, &list));
	assert_code(t, "unknown_approval");
}

static void test_list_for_whom(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view nobody[] = {f->controller, f->hosted, f->reader, f->host};
	struct kh_view task = kh_fixture_task(f, f->controller), state;
	struct kh_view other = kh_approving_ask(f, task, KH_APPROVE_PHASE, "x");
	struct kh_view call = kh_approving_ask(f, task, KH_APPROVE_TOOL_CALL, "x");
	struct kh_page list = {0};

	for (size_t i = 0; i < sizeof(nobody) / sizeof(nobody[0]); i++) {
		must_fail(t, KH_EREFUSED, kh_fixture_call(f, nobody[i], kh_approval_list_run, &list));
		assert_code(t, "forbidden");
	}
	/* K7: a supervisor is told of tool calls and of nothing else. */
	must(t, kh_fixture_call(f, f->supervisor, kh_approval_list_run, &list));
	assert_int_equal(find(f, &list, call, &state), 1);
	assert_int_equal(find(f, &list, other, &state), 0);
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_list),
	KH_TEST(test_list_expired),
	KH_TEST_ONCE(test_list_in_parts),
	KH_TEST(test_list_for_whom),
};
KH_TEST_MAIN(cases)
