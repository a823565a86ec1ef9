/* L4: pages of the record for humans, filtered, bounded, and for nobody else. */
#include "engine/audit/audittrail.h"

#include "fixture.h"

static enum kh_err read_on(struct kh_fixture *f, struct kh_view token, struct kh_audittrail *trail)
{
	return kh_engine_call(f->engine, kh_token_read(f->engine, token), kh_audittrail_run, trail, &f->t->arena,
			      &f->t->err);
}

static size_t lines(struct kh_view text)
{
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	return n;
}

/* Page after page gives every event once, in its order. */
static void test_audittrail_pages(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	int64_t events = kh_fixture_events(f), seen = 0;
	struct kh_view after = {"", 0};

	kh_fixture_block(f, f->controller, kh_fixture_task(f, f->controller), "CANARY in a sealed block");
	events = kh_fixture_events(f);
	do {
		struct kh_audittrail page = {.limit = 7, .after = after};
		must(t, read_on(f, f->reviewer, &page));
		assert_true(page.count <= 7);
		assert_int_equal(lines(page.lines), page.count);
		assert_true(kh_view_find(page.lines, KH_LIT("CANARY"), 0) == SIZE_MAX);
		assert_true(page.next.n == 0 ||
			    kh_fixture_number(f, KH_ID_EVENT, page.next) == seen + (int64_t)page.count);
		seen += (int64_t)page.count;
		after = page.next;
	} while (after.n != 0);
	assert_int_equal(seen, events);
}

static void test_audittrail_filter(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	struct kh_view task = kh_fixture_task(f, f->controller);
	struct kh_audittrail of_task = {.limit = 1000, .filter.task = task};
	struct kh_audittrail sealed = {.limit = 1000, .filter = {.task = task, .kind = KH_LIT("block")}};

	kh_fixture_block(f, f->controller, task, "some words");
	must(t, read_on(f, f->admin, &of_task));
	assert_int_equal(of_task.count, 2); /* opened, sealed */
	assert_int_equal(of_task.next.n, 0);
	must(t, read_on(f, f->admin, &sealed));
	assert_int_equal(sealed.count, 1);
	assert_true(kh_view_find(sealed.lines, KH_LIT("\"kind\":\"block.sealed\""), 0) != SIZE_MAX);
	yyjson_val *line = kh_fixture_json(f, kh_view_trim(sealed.lines));
	assert_true(kh_view_eq(kh_json_str(kh_json_get(line, "task")), task));
}

static void test_audittrail_one(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	const unsigned char *key = kh_engine_id_key(f->engine);
	int64_t beyond = kh_fixture_events(f) + 100;
	struct kh_audittrail first = {.limit = 1, .only = kh_publicid_text(&f->arena, key, KH_ID_EVENT, 1)};
	struct kh_audittrail none = {.limit = 1, .only = kh_publicid_text(&f->arena, key, KH_ID_EVENT, beyond)};
	struct kh_audittrail number = {.limit = 1, .only = KH_LIT("1")};

	must(t, read_on(f, f->reviewer, &first));
	assert_int_equal(first.count, 1);
	assert_true(kh_view_find(first.lines, KH_LIT("\"kind\":\"store.created\""), 0) != SIZE_MAX);
	must_fail(t, KH_EUNKNOWN, read_on(f, f->reviewer, &none));
	assert_code(t, "unknown_event");
	must_fail(t, KH_EUNKNOWN, read_on(f, f->reviewer, &number));
	assert_code(t, "unknown_event");
}

/* Who may not read is refused, on the record, and gets nothing. */
static void test_audittrail_roles(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	const struct kh_view tokens[] = {f->controller, f->reader, f->supervisor, f->host, KH_LIT("kh-nobody")};

	for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
		struct kh_audittrail trail = {.limit = 10};
		int64_t events = kh_fixture_events(f);
		must_fail(t, KH_EREFUSED, read_on(f, tokens[i], &trail));
		assert_code(t, i < 4 ? "forbidden" : "unauthorised");
		assert_int_equal(trail.lines.n, 0);
		assert_int_equal(kh_fixture_events(f), events + 1);
	}
}

static void test_audittrail_refused(struct kh_test *t)
{
	struct kh_fixture *f = kh_fixture_open(t, NULL);
	const struct {
		struct kh_audittrail trail;
		const char *code, *member;
	} all[] = {
		{{.limit = 0}, "out_of_range", ""},
		{{.limit = KH_AUDITTRAIL_LIMIT + 1}, "out_of_range", ""},
		{{.limit = 1, .filter.task = KH_LIT("q0123456789abcdef")}, "bad_value", "task"},
		{{.limit = 1, .filter.kind = KH_LIT("quer")}, "bad_value", "kind"},
		{{.limit = 1, .after = KH_LIT("7")}, "bad_value", "after"},
		{{.limit = 1, .after = KH_LIT("e0123456789abcdef")}, "bad_value", "after"},
		{{.limit = 1, .filter.since = KH_LIT("yesterday")}, "bad_value", "since"},
		{{.limit = 1, .filter.until = KH_LIT("2025-13-01")}, "bad_value", "until"},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct kh_audittrail trail = all[i].trail;
		must_fail(t, KH_EINPUT, read_on(f, f->reviewer, &trail));
		assert_code(t, all[i].code);
		assert_string_equal(t->err.member, all[i].member);
	}
}

static const struct kh_test_case cases[] = {
	KH_TEST(test_audittrail_pages), KH_TEST(test_audittrail_filter),  KH_TEST(test_audittrail_one),
	KH_TEST(test_audittrail_roles), KH_TEST(test_audittrail_refused),
};
KH_TEST_MAIN(cases)
